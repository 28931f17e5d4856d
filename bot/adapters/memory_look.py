"""Looking at memory files without changing or moving any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.adapters.memory_disk import MOST_BYTES
from bot.core.memory.marks import has_stray_marks
from bot.core.memory.versions import LASTING, has_versions

_ASIDE = ".unreadable-"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLook:
    """What was seen; each name is a path below the folder.

    Attributes:
        files: How many there are.
        unreadable: Those that will be put aside, or that cannot be opened.
        aside: Those that were put aside.
        stray: Files of lasting facts whose marks are doubled, or lack their other half.
    """

    files: int = 0
    unreadable: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()


def look_at_memory(folder: Path) -> MemoryLook:
    """Read every daily file and every ``MEMORY.md`` of all audiences; no folder has none."""
    paths = sorted(folder.glob("*/*"))
    aside = tuple(_name(folder, path) for path in paths if _ASIDE in path.name)
    own = [path for path in paths if has_versions(path.name)]
    texts = {path: _text_of(path) for path in own}
    return MemoryLook(
        files=len(own),
        unreadable=tuple(_name(folder, path) for path, text in texts.items() if text is None),
        aside=aside,
        stray=tuple(
            _name(folder, path)
            for path, text in texts.items()
            if path.name == LASTING and text is not None and has_stray_marks(text)
        ),
    )


def _text_of(path: Path) -> str | None:
    """Read a file as the bot would; None where it would not be able to."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""  # it was moved meanwhile
    except (OSError, UnicodeDecodeError):
        return None


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
