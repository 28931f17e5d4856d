"""What of a checkout is sent to the engine: all that ``.dockerignore`` lets through."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path


def files_of_context(folder: Path) -> tuple[str, ...]:
    """Name every file that is sent, from the folder of the Dockerfile on, in order."""
    rules = _rules((folder / ".dockerignore").read_text(encoding="utf-8"))
    found = []
    for here, _, names in os.walk(folder):
        for name in names:
            path = (Path(here) / name).relative_to(folder).as_posix()
            if not _is_ignored(path, rules):
                found.append(path)
    return tuple(sorted(found))


def send(folder: Path, target: Path) -> None:
    """Copy what is sent into another folder, as the engine receives it."""
    for name in files_of_context(folder):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / name, target / name)


_Rules = tuple[tuple[re.Pattern[str], bool], ...]
"""What each line matches, and whether that is left out."""


def _rules(text: str) -> _Rules:
    lines = [line.strip() for line in text.splitlines()]
    return tuple(
        (_pattern(line.removeprefix("!")), not line.startswith("!"))
        for line in lines
        if line and not line.startswith("#")
    )


def _pattern(line: str) -> re.Pattern[str]:
    """Read a pattern; what it matches is left out, or let in, with all below it."""
    parts = []
    for piece in re.split(r"(\*\*/|\*)", line.strip("/")):
        parts.append({"**/": "(?:.*/)?", "*": "[^/]*"}.get(piece) or re.escape(piece))
    return re.compile("".join(parts) + "(?:/.*)?")


def _is_ignored(path: str, rules: _Rules) -> bool:
    """The last rule that matches a file, or a folder it stands in, decides."""
    verdicts = [is_out for pattern, is_out in rules if pattern.fullmatch(path)]
    return bool(verdicts) and verdicts[-1]
