#!/usr/bin/env python3
"""Start Daybook for the first time, as its README says, and print how long the first answer takes.

In empty folders, with an empty home and no package cache, the commands of the README's section
"Talk to it" are carried out as they stand: once by a shell without a terminal, once typed at a
pseudo-terminal. Nothing outside is needed but the package index. The tree is taken as it is now,
committed or not.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.testing.terminals import CTRL_D, TerminalProcess  # noqa: E402 - found through the line above

SECTION = "Talk to it"
CLONE_OF = "<this repository>"
PROMPT = ">"
GREETING = "Hello!"
"""How the demo model answers ``hello``."""

PATIENCE_S = 900.0
"""How long an environment may take to be made, over a slow line."""

_FENCE = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv*", ".env*", "*.local.json", "__pycache__", ".*_cache", ".hypothesis"),
    *(".coverage*", "data"),
)
_PASSED_ON = re.compile(
    r"(?i)LANG|LC_.*|.*_PROXY|SSL_CERT_.*|PIP_(INDEX|EXTRA|CERT|TRUSTED|CONFIG).*"
)


class Machine:
    """An empty folder as somebody's whole machine: its home, a Python, and the tree to clone."""

    def __init__(self, folder: Path, python: str) -> None:
        """Prepare it; ``python`` is the command line that ``python3`` stands for."""
        self._folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        (programs / "python3").write_text(f'#!/bin/sh\nexec {python} "$@"\n', encoding="utf-8")
        (programs / "python3").chmod(0o755)
        self._publish()
        passed_on = {name: text for name, text in os.environ.items() if _PASSED_ON.fullmatch(name)}
        self.environ = {
            **passed_on,
            "PATH": os.pathsep.join((str(programs), "/usr/bin", "/bin")),
            "HOME": str(self.home),
        }

    def commands(self) -> tuple[str, ...]:
        """Give the README's lines, with a place to clone from."""
        return tuple(
            line.replace(CLONE_OF, shlex.quote(str(self._folder / "published")))
            for line in commands_of_readme()
        )

    def _publish(self) -> None:
        published = self._folder / "published"
        shutil.copytree(ROOT, published, ignore=_LEFT_OUT)
        git = ("git", "-c", "user.name=Daybook", "-c", "user.email=daybook@localhost", "-C")
        for step in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "All of it.")):
            subprocess.run([*git, str(published), *step], check=True)


def commands_of_readme() -> tuple[str, ...]:
    """Give the lines that the README tells a newcomer to enter, in their order.

    The first block gets and starts it, the second asks something through a pipe.
    """
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, section = text.partition(f"\n## {SECTION}\n")
    first, second, *_ = _FENCE.findall(section.partition("\n## ")[0])
    return (*first.splitlines(), *second.splitlines())


def start_without_terminal(machine: Machine) -> float:
    """Carry the commands out by a shell; give the seconds to the first answer."""
    began_s = time.monotonic()
    with subprocess.Popen(
        ["/bin/sh", "-e", "-c", "\n".join(machine.commands())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd=machine.home,
        env=machine.environ,
        text=True,
    ) as shell:
        assert shell.stdout is not None
        answer = shell.stdout.readline()
        took_s = time.monotonic() - began_s
        shell.stdout.read()
    assert (shell.returncode, answer.startswith(GREETING)) == (0, True), answer
    return took_s


def start_at_terminal(machine: Machine) -> float:
    """Type the commands up to the start, press Enter at every question, and say hello.

    Returns:
        The seconds to the first answer.
    """
    began_s = time.monotonic()
    with TerminalProcess(["/bin/sh"], folder=machine.home, environ=machine.environ) as terminal:
        *getting, starting = machine.commands()[:2]
        for line in (*getting, f"exec {starting}"):
            terminal.types(f"{line}\r")
        terminal.shows("[Y/n]", patience_s=PATIENCE_S)
        terminal.types("\r")
        for question in ("Which one?", "[Enter skips]:", "[y/N]"):
            terminal.asked(question, "")
        terminal.shows("ready: console")
        terminal.asked(PROMPT, "hello")
        terminal.shows(GREETING)
        took_s = time.monotonic() - began_s
        terminal.shows(PROMPT)
        terminal.types(CTRL_D)
        assert terminal.ended() == 0, terminal.text
    return took_s


WAYS: dict[str, Callable[[Machine], float]] = {
    "without a terminal": start_without_terminal,
    "at a terminal": start_at_terminal,
}


def main() -> None:
    """Start it both ways, each on a machine of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--python", default=os.path.realpath(sys.executable), help="what python3 is to be"
    )
    python = shlex.quote(parser.parse_args().python)
    version = subprocess.check_output([*shlex.split(python), "--version"], text=True).strip()
    for way, start in WAYS.items():
        with tempfile.TemporaryDirectory(prefix="daybook-first-start-") as folder:
            took_s = start(Machine(Path(folder), python))
        print(f"{version}, {way}: first answer after {took_s:.1f} s", flush=True)


if __name__ == "__main__":
    main()
