"""A backup is one file: a plain tar, which ``tar xf`` unpacks too, that ends with a manifest.

::

    README.txt          what this is, for whoever finds it
    memory/…            the memory files, with their versions
    knowledge/…         the pages that everybody may be told of
    daybook.db          the database as it was at one moment
    manifest.json       versions, rows of each table, size and SHA-256 of every member before it

The law of this file: nothing of an archive is believed. A member is an ordinary file with a name of
ours, each once, in the sizes that the manifest tells; it is not compressed, so that none is longer
than the archive. Behind the last one stand the zeros that end a tar, nothing else. Whatever differs
in a single byte is refused.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Self

from bot.adapters.store.copying import Holding, Tell
from bot.adapters.store.switching import DATABASE, KNOWLEDGE, MEMORY
from bot.errors import DataError

README = "README.txt"
MANIFEST = "manifest.json"

FORMAT = 1
"""Of the archive; one with a higher number comes from a newer program."""

PIECE_BYTES = 1024 * 1024
MOST_MANIFEST_BYTES = 64 * 1024 * 1024
"""A manifest has some 150 bytes a file."""

_ODD = (tarfile.TarError, ValueError, ArithmeticError, EOFError, RecursionError)
"""What the standard library raises of archives that are none, or are damaged."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""A name with one of these would be shown as something else than it is."""

_ABOUT = """\
A backup of Daybook, a chat bot: its database, memory files and pages of knowledge, with everything
that people told it. Settings and tokens are not in it.

    python3 run.py restore THIS-FILE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file in a backup; ``name`` has slashes, ``sha256`` is in hexadecimal digits."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup says of itself.

    Attributes:
        version: Of the program that wrote it.
        made_at: The moment of the database, in UTC.
        schema: Version of the database's schema.
        rows: How many rows each of its tables has.
        members: Everything in it but the manifest, in its order.
    """

    version: str
    made_at: datetime
    schema: int
    rows: Mapping[str, int]
    members: tuple[Member, ...]

    @property
    def holding(self) -> Holding:
        """What the database is to hold."""
        return Holding(schema=self.schema, rows=self.rows)

    def files_below(self, folder: str) -> int:
        """Count the files of one folder."""
        return sum(each.name.startswith(f"{folder}/") for each in self.members)


class BackupWriter:
    """Writes a backup into an open file that is empty, member by member."""

    def __init__(self, file: io.BufferedWriter) -> None:
        self._tar = tarfile.TarFile(
            fileobj=file, mode="w", format=tarfile.PAX_FORMAT, copybufsize=PIECE_BYTES
        )
        self._members: list[Member] = []
        self.add_bytes(README, _ABOUT.encode())

    def add_bytes(self, name: str, content: bytes) -> None:
        """Add a file that is at hand."""
        self._tar.addfile(_header(name, len(content)), io.BytesIO(content))
        self._note(name, len(content), sha256(content).hexdigest())

    def add_file(self, name: str, path: Path, tell: Tell) -> None:
        """Add a file that nobody writes into, piece by piece."""
        with _Told(path, tell) as file:
            size = path.stat().st_size
            self._tar.addfile(_header(name, size), file)
            self._note(name, size, file.digest)

    def finish(self, *, version: str, made_at: datetime, holding: Holding) -> Manifest:
        """Write the manifest and the end of the archive."""
        manifest = Manifest(
            version=version,
            made_at=made_at,
            schema=holding.schema,
            rows=holding.rows,
            members=tuple(self._members),
        )
        written = json.dumps(
            asdict(manifest) | {"format": FORMAT, "made_at": made_at.isoformat()}, indent=1
        ).encode()
        self._tar.addfile(_header(MANIFEST, len(written)), io.BytesIO(written))
        self._tar.close()
        return manifest

    def _note(self, name: str, size: int, digest: str) -> None:
        self._members.append(Member(name=name, size=size, sha256=digest))


class BackupReader:
    """A backup whose members are what its manifest says; their bytes are looked at when read.

    Attributes:
        name: How it is called.
        manifest: What it says.
    """

    def __init__(self, source: Path | BinaryIO, name: str = "") -> None:
        """Open it and read its table of contents.

        Args:
            source: Where it is, or a file that is open and stays the caller's.
            name: How it is called when something is wrong with it; without one by its path.

        Raises:
            DataError: It is no backup, or damaged, or of a newer program; or it cannot be read.
        """
        self.name = name or str(source)
        try:
            self._file = _Bounded(source)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(f"The backup {self.name} cannot be read ({reason}).") from error
        try:
            self._places, end = self._read_headers()
            self.manifest = self._read_manifest()
            self._compare()
            self._require_end(end)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go, unless it is the caller's."""
        self._file.close()

    @property
    def size_bytes(self) -> int:
        """How long the file is."""
        return self._file.size

    def read(self, member: Member) -> Iterator[bytes]:
        """Give a member's bytes piece by piece.

        Raises:
            DataError: They are not those that were written; nothing more is to be done with them.
        """
        self._file.seek(self._places[member.name][0])
        digest, left = sha256(), member.size
        while left:
            piece = self._file.read(min(PIECE_BYTES, left))
            if not piece:
                raise self._damaged(f"{member.name} is cut off")
            digest.update(piece)
            left -= len(piece)
            yield piece
        if digest.hexdigest() != member.sha256:
            raise self._damaged(f"{member.name} is not what was written")

    def _read_headers(self) -> tuple[dict[str, tuple[int, int]], int]:
        """Give where each member begins and how long it is, in their order; where the last ends."""
        places: dict[str, tuple[int, int]] = {}
        behind = -1
        try:
            with tarfile.open(fileobj=self._file, mode="r:") as archive:
                while (header := archive.next()) is not None:
                    if archive.offset <= behind or archive.offset - 511 > self._file.size:
                        raise self._damaged("a file in it is longer than the archive")
                    behind = archive.offset
                    self._require_ours(header, places)
                    places[header.name] = header.offset_data, header.size
        except _ODD as error:
            if README in places:
                raise self._damaged(str(error)) from error
            raise self._foreign() from error
        if README not in places:
            raise self._foreign()
        return places, behind

    def _require_ours(self, header: tarfile.TarInfo, places: Mapping[str, object]) -> None:
        is_ordinary = header.type == tarfile.REGTYPE and not header.issparse() and header.size >= 0
        if not is_ordinary or not can_hold(header.name) or header.name in places:
            if not places:
                raise self._foreign()
            raise self._damaged(f"it has {header.name[:80]!r}, which no backup has")

    def _read_manifest(self) -> Manifest:
        if MANIFEST not in self._places:
            raise self._damaged("its end is missing")
        place, size = self._places[MANIFEST]
        if size > MOST_MANIFEST_BYTES:
            raise self._damaged("its manifest is too long")
        self._file.seek(place)
        try:
            told: object = json.loads(self._file.read(size))
        except _ODD as error:
            raise self._damaged("its manifest cannot be read") from error
        match told:
            case {"format": int(number)} if number > FORMAT:
                raise DataError(
                    f"The backup {self.name} is of a newer version of the bot; update this one."
                )
            case {
                "format": 1,
                "version": str(version),
                "made_at": str(made_at),
                "schema": int(schema),
                "rows": dict(rows),
                "members": list(members),
            } if _counts(rows):
                return Manifest(
                    version=version,
                    made_at=self._moment(made_at),
                    schema=schema,
                    rows=rows,
                    members=tuple(map(self._member, members)),
                )
        raise self._damaged("its manifest makes no sense")

    def _moment(self, text: str) -> datetime:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError as error:
            raise self._damaged("its manifest has no moment") from error
        if moment.tzinfo is None:
            raise self._damaged("its manifest has no moment")
        return moment

    def _member(self, told: object) -> Member:
        match told:
            case {"name": str(name), "size": int(size), "sha256": str(digest)}:
                return Member(name=name, size=size, sha256=digest)
        raise self._damaged("its manifest makes no sense")

    def _compare(self) -> None:
        told = {each.name: each.size for each in self.manifest.members}
        there = {name: size for name, (_, size) in self._places.items() if name != MANIFEST}
        if told != there or len(told) != len(self.manifest.members) or DATABASE not in told:
            raise self._damaged("it does not have what its manifest says")

    def _require_end(self, end: int) -> None:
        """See that nothing but zeros is behind the last member, as many as end a tar."""
        records = -(-(end + 2 * tarfile.BLOCKSIZE) // tarfile.RECORDSIZE)
        missing = records * tarfile.RECORDSIZE - self.size_bytes
        if missing > 0:
            raise self._damaged("its end is cut off")
        self._file.seek(end)
        if missing < 0 or self._file.read().strip(b"\0"):
            raise self._damaged("something stands behind its end")

    def _damaged(self, why: str) -> DataError:
        return DataError(f"The backup {self.name} is damaged: {why}.")

    def _foreign(self) -> DataError:
        return DataError(f"{self.name} is no backup of this bot.")


class _Bounded(io.FileIO):
    """A file of which never more is asked than it has: a damaged header may tell any length."""

    def __init__(self, source: Path | BinaryIO) -> None:
        if isinstance(source, Path):
            super().__init__(source)
        else:
            super().__init__(source.fileno(), closefd=False)
        self.size = self.seek(0, io.SEEK_END)
        self.seek(0)

    def read(self, size: int | None = -1, /) -> bytes:
        """Read at most so many bytes; up to the end without a number."""
        left = max(self.size - self.tell(), 0)
        return super().read(left if size is None or size < 0 else min(size, left)) or b""


class _Told(io.FileIO):
    """A file that is hashed while it is read, and tells of it."""

    def __init__(self, path: Path, tell: Tell) -> None:
        super().__init__(path)
        self._tell = tell
        self._hash = sha256()

    @property
    def digest(self) -> str:
        """The hash of what was read so far."""
        return self._hash.hexdigest()

    def read(self, size: int | None = -1, /) -> bytes:
        """Read, hash and tell."""
        piece = super().read(-1 if size is None else size) or b""
        self._hash.update(piece)
        self._tell(len(piece))
        return piece


def is_backup(path: Path) -> bool:
    """Say whether a file is a backup, as far as its first bytes tell."""
    try:
        with closing(_Bounded(path)) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            first = archive.next()
            return first is not None and first.name == README
    except (*_ODD, OSError):
        return False


def can_hold(name: str) -> bool:
    """Say whether a member may have a name: it leads to where a backup has files, and only there.

    Nor can it be taken for another one: it has no line ends and nothing that steers a terminal.
    """
    if name in (README, DATABASE, MANIFEST):
        return True
    folder, *parts = name.split("/")
    is_plain = all(part not in ("", ".", "..") and Path(part).name == part for part in parts)
    return folder in (MEMORY, KNOWLEDGE) and bool(parts) and is_plain and not _CONTROL.search(name)


def _header(name: str, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.size, header.mode = size, 0o600
    return header


def _counts(rows: Mapping[object, object]) -> bool:
    return all(isinstance(name, str) and isinstance(count, int) for name, count in rows.items())
