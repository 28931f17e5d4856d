#!/usr/bin/env python3
"""Run every check: lint, format, types, import contracts, tests.

``--fast`` leaves the tests out; ``--cov`` measures which lines and branches they reach, and takes
twice as long; what stands behind ``--`` is passed to pytest. Makes its own environment when the
Python that runs it lacks what is needed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

NEEDED = (
    *run.NEEDED,
    *(
        "babel",
        "ctok",
        "hypothesis",
        "importlinter",
        "jsonschema",
        "mypy",
        "pytest",
        "pytest_asyncio",
    ),
    *("pytest_cov", "pytest_timeout", "ruff", "xdist", "yaml"),
)
QUICK = (
    ("ruff check", ("-m", "ruff", "check", ".")),
    ("ruff format", ("-m", "ruff", "format", "--check", ".")),
    ("mypy", ("-m", "mypy")),
    ("lint-imports", ("-c", "from importlinter.cli import lint_imports_command as lint; lint()")),
)
TESTS = ("-m", "pytest", "-n", "2", "--dist", "loadgroup")
COVERAGE = ("--cov", "--cov-report=term:skip-covered")


def main() -> int:
    """Run the checks one after the other; return 0 when all of them passed, else 1."""
    run.enter(".venv-dev", "requirements-dev.txt", NEEDED)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fast", action="store_true", help="lint and types only")
    parser.add_argument("--cov", action="store_true", help="measure what the tests reach")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args()
    began = time.monotonic()
    verdicts = [_check(name, arguments, is_quiet=True) for name, arguments in QUICK]
    if not options.fast:
        tests = (*TESTS, *(COVERAGE if options.cov else ()), *options.pytest)
        verdicts.append(_check("pytest", tests, is_quiet=False))
    verdict = "all passed" if all(verdicts) else f"{verdicts.count(False)} failed"
    print(f"{verdict} in {time.monotonic() - began:.1f} s", flush=True)
    return 0 if all(verdicts) else 1


def _check(name: str, arguments: tuple[str, ...], *, is_quiet: bool) -> bool:
    """Run one check and print its verdict; a quiet one shows its output only when it failed."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE if is_quiet else None,
        stderr=subprocess.STDOUT if is_quiet else None,
        text=True,
        check=False,
    )
    if done.returncode and done.stdout:
        print(done.stdout, flush=True)
    verdict = "FAILED" if done.returncode else "ok"
    print(f"{name:<14}{verdict:<8}{time.monotonic() - began:6.1f} s", flush=True)
    return not done.returncode


if __name__ == "__main__":
    sys.exit(main())
