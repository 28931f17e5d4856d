"""How ``run.py`` and ``scripts/check.py`` make the environment that they run in.

Standard library only. An environment is built beside its place and renamed in once it is whole, by
one process at a time: whatever is found under its name with the right stamp can be used.
"""

import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import run

PROMPT = ("--prompt", "daybook")
PIP = ("-m", "pip", "install", "--disable-pip-version-check")

FORCED = "-forced.txt"
"""Beside a list of requirements: packages that refuse this Python though they run on it. They are
installed last, alone."""

_NEWER_PYTHON = "3.13"
"""What uv is told this Python is, so that it installs them."""

_LONGEST_SCRIPT = 64 * 1024
"""Bytes; what is longer in an environment's folder of scripts is a program."""


def make(places: tuple[str, ...], requirements: str, wanted: str) -> str:
    """Make an environment at the first of ``places`` that can be written to, and say at which.

    ``wanted`` becomes its stamp. Returns at once when another process has made it meanwhile. Ctrl-C
    ends the program with a sentence.

    Raises:
        OSError: None of the places can be used, or nothing could be installed there.
    """
    for place in map(Path, places):
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            lock = _beside(place, ".lock").open("ab")
        except OSError:
            continue
        with lock:
            try:
                _wait_for(lock)
                if not run.is_made_from(wanted, str(place)):
                    _replace(place, requirements, wanted)
            except KeyboardInterrupt:
                sys.exit("\nStopped. The next start sets Daybook up from the beginning.")
        return str(place)
    folders = " nor ".join(str(Path(place).parent) for place in places)
    raise OSError(f"neither {folders} can be written to; name a folder in DAYBOOK_HOME")


def _beside(place: Path, suffix: str) -> Path:
    return place.with_name(place.name + suffix)


def _wait_for(lock: IO[bytes]) -> None:
    """Take the lock, which falls when the last process that holds it ends."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
        return
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _say("Another start is setting Daybook up; waiting for it.\n")
        fcntl.flock(lock, fcntl.LOCK_EX)
    # Should this process be killed, its installer still writes: it keeps the next start away.
    os.set_inheritable(lock.fileno(), True)


def _replace(place: Path, requirements: str, wanted: str) -> None:
    """Build an environment and rename it in; one that is not ours is put aside, never deleted."""
    fresh = _beside(place, ".new")
    _say(f"Setting Daybook up in {place}\n")
    with _beside(place, ".log").open("wb") as log:
        _fill(fresh, requirements, wanted.count("=="), log)
    _correct_scripts(fresh, place)
    (fresh / run.STAMP).write_text(wanted, encoding="utf-8")
    gone = _beside(place, ".gone")
    shutil.rmtree(gone, ignore_errors=True)
    if os.path.lexists(place):
        is_ours = (place / run.STAMP).exists()
        place.rename(gone if is_ours else _beside(place, ".old"))
    fresh.rename(place)
    shutil.rmtree(gone, ignore_errors=True)


def _fill(fresh: Path, requirements: str, packages: int, log: IO[bytes]) -> None:
    """Make an environment at ``fresh`` and install into it, in the first way that works.

    Raises:
        OSError: None of them did.
    """
    advice = "install python{}.{}-venv or uv".format(*sys.version_info)
    failure = f"this Python cannot make environments ({advice}, then start again)"
    for steps in _ways(fresh, requirements, packages):
        shutil.rmtree(fresh, ignore_errors=True)
        broken = next((what for what, command in steps if not _carry_out(what, command, log)), "")
        if not broken:
            return
        failure = f"{broken} failed. Is the package index reachable? More is in {log.name}"
    raise OSError(failure)


def _ways(fresh: Path, requirements: str, packages: int) -> list[list[tuple[str, list[str]]]]:
    """List the ways to make an environment, each a list of named commands: by uv, by venv and pip.

    uv comes first where there is one, since it takes seconds; pip may be configured for an index
    that uv does not know.
    """
    python = str(fresh.joinpath(*run.PYTHON))
    what, forcing = f"installing the packages ({packages})", "installing what refuses this Python"
    forced = Path(requirements.removesuffix(".txt") + FORCED)
    ways = []
    if uv := shutil.which("uv"):
        make = [uv, "venv", *PROMPT, "--python", sys.executable, str(fresh)]
        # uv leaves compiling to the first start, which would take seconds, each time if forbidden.
        pip = (uv, "pip", "install", "--compile-bytecode", "--python", python)
        install = [*pip, "-r", requirements]
        force = [*pip, "--no-deps", "--python-version", _NEWER_PYTHON, "-r", str(forced)]
        ways.append([("making the environment with uv", make), (what, install), (forcing, force)])
    if find_spec("venv") and find_spec("ensurepip"):
        bare = [] if packages else ["--without-pip"]
        make = [sys.executable, "-m", "venv", *PROMPT, *bare, str(fresh)]
        install = [python, *PIP, "-r", requirements]
        force = [python, *PIP, "--no-deps", "--ignore-requires-python", "-r", str(forced)]
        ways.append([("making the environment", make), (what, install), (forcing, force)])
    steps = 1 + bool(packages) + (bool(packages) and forced.exists())
    return [way[:steps] for way in ways]


def _carry_out(what: str, command: list[str], log: IO[bytes]) -> bool:
    """Run one step, showing a dot a second, and tell whether it worked; its words go to ``log``."""
    began = time.monotonic()
    _say(f"  {what} ")
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, close_fds=False
    ) as process:
        try:
            while process.poll() is None:
                try:
                    process.wait(timeout=1)
                except subprocess.TimeoutExpired:
                    _say(".")
        finally:
            process.kill()
    verdict = "failed" if process.returncode else "done"
    _say(f" {verdict}, {time.monotonic() - began:.1f} s\n")
    return not process.returncode


def _correct_scripts(fresh: Path, place: Path) -> None:
    """Let the scripts of an environment name the place where it is going to be."""
    for script in fresh.joinpath(*run.PYTHON).parent.iterdir():
        if script.is_symlink() or script.stat().st_size > _LONGEST_SCRIPT:
            continue
        text = script.read_bytes()
        if b"\0" not in text:
            script.write_bytes(text.replace(os.fsencode(fresh), os.fsencode(place)))


def _say(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
