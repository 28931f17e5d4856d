"""Backups when an operator asks for one: written by the bot that runs, or under a lock of its data.

The law of this file: nothing that the running bot does waits for a backup, and one is written at a
time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import tzinfo
from pathlib import Path
from threading import Event

from bot import __version__
from bot.adapters import control_client
from bot.adapters.backup_file import Manifest
from bot.adapters.backup_making import BackupSource, Progress, make_backup
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.switching import KNOWLEDGE, MEMORY, has_data
from bot.app.asking import asked_or_alone
from bot.app.progress_shown import ShowProgress
from bot.errors import BotError, DataError
from bot.ports import Clock
from bot.runtime.nouns import how_many

logger = logging.getLogger(__name__)

QUIET_S = 120.0
"""How long a running bot may say nothing of a backup: its disk may be slow."""

SHOW_EVERY_S = 0.1

Answer = Mapping[str, object]
"""What is said of a backup, in JSON: ``phase``, ``done`` and ``total``, in bytes, while it is
written; in the end ``size``, in bytes, ``inode``, which tells the file from any other of its disk,
and ``contents``, a sentence."""

NOT_IN_IT = "Not in it: settings, .env, persona.md. Keep those, with your tokens, elsewhere."

Tell = Callable[[Answer], None]


class Backups:
    """Writes backups of one bot; moments are worded in ``zone``."""

    def __init__(self, source: BackupSource, clock: Clock, zone: tzinfo) -> None:
        self._source = source
        self._clock = clock
        self._zone = zone
        self._is_busy = False

    async def write(self, name: str) -> AsyncGenerator[Answer, None]:
        """Write one to the file ``name``, an absolute path, and say how far it is.

        Who closes this before its end breaks it off.

        Raises:
            DataError: It cannot be written, or another one is being written.
        """
        if self._is_busy:
            raise DataError("A backup is being written already.")
        self._is_busy = True
        news: asyncio.Queue[Answer | None] = asyncio.Queue()
        is_over, loop = Event(), asyncio.get_running_loop()

        def tell(answer: Answer) -> None:
            if is_over.is_set():
                raise DataError("The backup was broken off.")
            loop.call_soon_threadsafe(news.put_nowait, answer)

        def work() -> None:
            try:
                tell(self.write_now(Path(name), tell))
            finally:
                loop.call_soon_threadsafe(news.put_nowait, None)

        writing = loop.run_in_executor(None, work)
        writing.add_done_callback(self._note_end)
        try:
            while (answer := await news.get()) is not None:
                yield answer
            await writing
        finally:
            is_over.set()

    def write_now(self, target: Path, tell: Tell) -> Answer:
        """Write one in this very thread, and give what is said in the end.

        Raises:
            DataError: It cannot be written.
        """
        shown_at_s, phase = self._clock.monotonic(), ""

        def tell_at_times(progress: Progress) -> None:
            nonlocal shown_at_s, phase
            now_s = self._clock.monotonic()
            if progress.phase != phase or now_s - shown_at_s >= SHOW_EVERY_S:
                shown_at_s, phase = now_s, progress.phase
                tell(asdict(progress))

        manifest = make_backup(
            self._source, target, version=__version__, now=self._clock.now, tell=tell_at_times
        )
        written = target.stat()
        logger.info("backup.written", extra={"file": str(target), "bytes": written.st_size})
        return {
            "size": written.st_size,
            "inode": written.st_ino,
            "contents": word_contents(manifest, self._zone),
        }

    def write_alone(self, target: Path, tell: Tell) -> Answer:
        """Write one of data that no bot works on, under the lock that keeps it from starting.

        Raises:
            DataFolderBusy: One does.
            DataError: It cannot be written.
        """
        if not has_data(self._source.data_dir):
            raise DataError(f"There is no data in {self._source.data_dir}.")
        with lock_data_folder(self._source.data_dir):
            return self.write_now(target, tell)

    def _note_end(self, writing: asyncio.Future[None]) -> None:
        self._is_busy = False
        if writing.cancelled() or writing.exception() is not None:
            why = "cancelled" if writing.cancelled() else str(writing.exception())
            logger.warning("backup.failed", extra={"why": why})


def backup(backups: Backups, data_dir: Path, target: Path, show: ShowProgress) -> tuple[str, ...]:
    """Have the running bot write a backup, or write it without one; give what is to be said of it.

    Raises:
        NotRunning: A bot works on the data that cannot be asked.
        BotError: It cannot be written.
    """
    target = target.absolute()

    def ask() -> Answer:
        answer: Answer = {}
        for answer in control_client.follow(
            data_dir, "/backup", text=str(target), timeout_s=QUIET_S
        ):
            show.see(answer)
        return answer

    try:
        answer = asked_or_alone(ask, lambda: backups.write_alone(target, show.see))
    finally:
        show.end()
    match answer:
        case {"size": int(size), "contents": str(contents)}:
            _require_there(target, size, answer.get("inode"))
            return (f"{target}: {_worded_size(size)}, read again and sound.", contents, NOT_IN_IT)
    raise BotError("The bot ended before the backup was whole.")


def _require_there(target: Path, size: int, inode: object) -> None:
    """See that the file that the bot has written can be found here under the same name.

    A service with a /tmp of its own, or a container, may mean another place by it. A bot of an
    older version tells no ``inode``.

    Raises:
        BotError: It cannot.
    """
    try:
        found = target.stat()
    except OSError as error:
        why = error.strerror or str(error)
    else:
        if found.st_size == size and inode in (None, found.st_ino):
            return
        why = "another file has that name"
    raise BotError(
        f"The bot wrote a backup to {target} as it sees it, but here it is not ({why}): it has a"
        " /tmp or other folders of its own. Name a folder that both see (docs/deploy.md)."
    )


def word_contents(manifest: Manifest, zone: tzinfo) -> str:
    """Word in a sentence what a backup has."""
    at = manifest.made_at.astimezone(zone)
    return (
        f"As of {at:%Y-%m-%d %H:%M:%S %Z} (Daybook {manifest.version}, schema {manifest.schema}): "
        f"{', '.join(_counts(manifest))}."
    )


def _counts(manifest: Manifest) -> Iterator[str]:
    for table, noun in (("session", "chat"), ("turn", "turn"), ("fact", "fact")):
        if table in manifest.rows:
            yield how_many(manifest.rows[table], noun)
    yield how_many(manifest.files_below(MEMORY), "memory file")
    yield how_many(manifest.files_below(KNOWLEDGE), "page") + " of knowledge"


def _worded_size(size: int) -> str:
    return f"{size / 1024**2:.1f} MiB"
