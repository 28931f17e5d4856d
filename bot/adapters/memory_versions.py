"""Former texts of one memory file: ``versions/<name>/<stamp>.md`` beside it.

Beside them ``.seen`` is the text as it was when the bot looked last: when the file says something
else by then, a person wrote it, and what they wrote over is still there to be kept. ``.written``
has the lines of the bot's own block, so that a person's can be told from them.

The law of this file: no secret that a person wrote into their file is copied. It stands where they
wrote it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from bot.adapters.memory_disk import Disk, version_of
from bot.core.memory.daily import without_turns
from bot.core.memory.marks import block_lines, own_notes, with_block
from bot.core.memory.versions import (
    LASTING,
    MOST_VERSIONS,
    FileVersion,
    VersionStamp,
    moment_of,
    stamp_behind,
    surplus,
)

VERSIONS = "versions"
SEEN = ".seen"
WRITTEN = ".written"

MOST_LINES = 2_000
"""So many lines that the bot wrote are known again when a person saves them once more."""


class Versions:
    """The versions of the file at ``path``.

    ``now`` gives the time, ``redact`` takes secrets out of a text.
    """

    def __init__(
        self,
        path: Path,
        disk: Disk,
        now: Callable[[], datetime],
        redact: Callable[[str], str],
    ) -> None:
        self._folder = path.parent / VERSIONS / path.name
        self._is_lasting = path.name == LASTING
        self._disk = disk
        self._now = now
        self._redact = redact

    def history(self) -> tuple[FileVersion, ...]:
        """Give them, newest first."""
        found: list[FileVersion] = []
        for path in reversed(self._paths()):
            moment = moment_of(path.stem)
            assert moment is not None
            size = path.stat().st_size
            found.append(FileVersion(stamp=VersionStamp(path.stem), at=moment, size_bytes=size))
        return tuple(found)

    def read(self, stamp: VersionStamp) -> str | None:
        """Give one; None where there is none."""
        if moment_of(stamp) is None:
            return None
        return _text_of(self._folder / f"{stamp}.md")

    def notice(self, text: str) -> None:
        """Compare a file with what was seen of it, and keep what somebody else wrote over."""
        seen = _text_of(self._folder / SEEN)
        if seen == text or seen == (text := self._redact(text)):
            return
        if seen is not None and not text.startswith(seen):
            self.keep(seen)
        self.saw(text)

    def saw(self, text: str) -> None:
        """Note what a file says now."""
        self._disk.make_folder(self._folder)
        self._disk.write(self._folder / SEEN, self._redact(text))

    def keep(self, text: str) -> None:
        """Keep a text that gives way; the one that was kept last is not kept again."""
        paths = self._paths()
        text = self._redact(text)
        if not text or (paths and _text_of(paths[-1]) == text):
            return
        self._disk.make_folder(self._folder)
        newest = VersionStamp(paths[-1].stem) if paths else None
        self._disk.write(self._folder / f"{stamp_behind(newest, self._now())}.md", text)
        self.thin_out()

    def thin_out(self) -> None:
        """Remove the versions that are too many."""
        paths = self._paths()
        if len(paths) <= MOST_VERSIONS:
            return
        for place in surplus(tuple(self._notes_of(path) for path in paths)):
            paths[place].unlink(missing_ok=True)

    def written_lines(self) -> frozenset[str] | None:
        """Give the lines that the bot ever wrote into the block; None where that is not known."""
        text = _text_of(self._folder / WRITTEN)
        return None if text is None else frozenset(block_lines(text))

    def will_write(self, lines: tuple[str, ...]) -> None:
        """Note lines that are to be written: a person may keep them in an editor for long."""
        known = block_lines(_text_of(self._folder / WRITTEN) or "")
        fresh = tuple(line for line in lines if line.strip())
        union = tuple(dict.fromkeys((*(line for line in known if line not in fresh), *fresh)))
        if union != known:
            self._disk.make_folder(self._folder)
            text = with_block("", union[-MOST_LINES:], None).text
            self._disk.write(self._folder / WRITTEN, text)

    def take_back(self, turn_ids: frozenset[int]) -> None:
        """Remove what was kept of the entries of turns."""
        for path in (*self._paths(), self._folder / SEEN):
            text = _text_of(path)
            if text is None:
                continue
            left, gone = without_turns(text, turn_ids)
            if gone:
                version = version_of(path)
                self._disk.replace(path, left.encode(), instead_of=version, wipes=True)

    def take_in(self, folder: Path) -> None:
        """Make the versions in another folder some of these; it is gone then."""
        self._disk.make_folder(self._folder)
        for path in sorted(folder.iterdir()):
            target = self._folder / path.name
            if path.name == WRITTEN:
                self.will_write(block_lines(_text_of(path) or ""))
            if moment_of(path.stem) is None:
                path.unlink()
                continue
            stamp = VersionStamp(path.stem)
            while target.exists():
                moment = moment_of(stamp)
                assert moment is not None
                stamp = stamp_behind(stamp, moment)
                target = self._folder / f"{stamp}.md"
            path.rename(target)
        folder.rmdir()
        self._disk.force(self._folder)
        self.thin_out()

    def _paths(self) -> list[Path]:
        return sorted(_stamped(self._folder))

    def _notes_of(self, path: Path) -> str:
        text = _text_of(path) or ""
        return own_notes(text) if self._is_lasting else text


def _stamped(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.glob("*.md") if moment_of(path.stem) is not None)


def _text_of(path: Path) -> str | None:
    """Read a text as it was kept; None where there is none."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
