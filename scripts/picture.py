#!/usr/bin/env python3
"""Make the README's picture, docs/conversation.svg, of a conversation with the real program.

It is started twice at a pseudo-terminal, in an empty folder, and asked what stands in
:data:`SITTINGS`; what it then showed is drawn. The same program gives the same picture, which a
test holds it to.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.adapters.local_models import find_local_model  # noqa: E402 - found through the above
from bot.testing.terminals import CTRL_D, ENTER, TerminalProcess  # noqa: E402
from scripts.picturing.drawing import draw  # noqa: E402
from scripts.picturing.screen import Screen  # noqa: E402

PICTURE = ROOT / "docs" / "conversation.svg"
COLUMNS = 80
START, READY = "python3 run.py chat", "ready: console"
SITTINGS = (
    (("hello", "Hello!"), ("remember that I like green tea", "Remembered")),
    (("what do you know about me?", "You told me:"),),
)
"""What is said from one start to its end, each with a word of the answer."""

TOLD = "The terminal chat remembers over a restart that its person likes green tea."

_SHELL, _PROMPT = "$ ", ">"
_PROGRAM = '#!/bin/sh\nshift\nexec {python} -m bot.cli --config {folder}/config.json "$@"\n'
"""What ``python3 run.py`` stands for: this Python, which has the packages already."""


def main() -> None:
    """Write the picture, where there is no model but the demo."""
    if is_another_model_here():
        sys.exit("a model server runs on this machine, and would answer: stop it for the picture")
    PICTURE.write_text(make_picture(), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)} is written")


def is_another_model_here() -> bool:
    """Tell whether another model than the demo would answer."""
    return asyncio.run(find_local_model()) is not None


def make_picture() -> str:
    """Hold the conversation and draw it.

    Raises:
        ValueError: Something failed in it, which is nothing for a picture.
    """
    with tempfile.TemporaryDirectory(prefix="daybook-picture-") as folder:
        screen = Screen(COLUMNS).write(_hold(Path(folder)).decode())
    shown = "\n".join(screen.lines())
    if re.search(r"^ *Traceback", shown, re.MULTILINE):
        raise ValueError(f"something failed:\n{shown}")
    rows = screen.rows()[: screen.lines().index(_SHELL.strip())]
    while not rows[-1]:
        rows = rows[:-1]
    return draw(rows, columns=COLUMNS, title="Daybook", told=TOLD)


def _hold(folder: Path) -> bytes:
    """Have the conversation; give what was written to the terminal."""
    program = folder / "bin" / "python3"
    program.parent.mkdir()
    program.write_text(_PROGRAM.format(python=sys.executable, folder=folder), encoding="utf-8")
    program.chmod(0o755)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    environ = {
        "PATH": os.pathsep.join((str(program.parent), "/usr/bin", "/bin")),
        "PYTHONPATH": str(ROOT),
        "PS1": _SHELL,
        "LANG": "C.UTF-8",
    }
    with TerminalProcess(["/bin/sh"], folder=folder, environ=environ) as terminal:
        for sitting in SITTINGS:
            terminal.asked(_SHELL, START)
            terminal.reaches(_waits_for_words(READY))
            for words, answer in sitting:
                terminal.types(words + ENTER)
                terminal.reaches(_waits_for_words(answer))
            terminal.types(CTRL_D)
        terminal.shows(_SHELL)
        return terminal.raw


def _waits_for_words(behind: str) -> Callable[[bytes], bool]:
    """Tell when an answer stands there whole, and the prompt below it is empty.

    What of an answer is still growing stands right above the prompt, what is printed does not.
    """

    def holds(written: bytes) -> bool:
        try:
            lines = Screen(COLUMNS).write(written.decode()).lines()
        except UnicodeDecodeError:  # in the middle of a sign
            return False
        _, _, newest = "\n".join(lines).rstrip().rpartition(f"{_SHELL}{START}")
        answered, prompt, rest = newest.rpartition(f"\n{_PROMPT}")
        is_idle = bool(prompt) and not rest and answered.endswith(("\n", READY))
        return is_idle and behind in answered

    return holds


if __name__ == "__main__":
    main()
