"""A backup put in the place of the data there is, when an operator asks for it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from bot.adapters.backup_restoring import restore_backup
from bot.app.backup import word_contents
from bot.app.progress_shown import ShowProgress
from bot.config import Config
from bot.ports import Clock


def restore(
    config: Config, source: Path | BinaryIO, clock: Clock, show: ShowProgress
) -> tuple[str, ...]:
    """Restore a backup, a file or what comes through a stream, of a bot that does not run.

    Gives what is to be said of it.

    Raises:
        DataFolderBusy: It does run.
        DataError: It cannot be restored; everything is as it was.
    """
    try:
        done = restore_backup(
            source,
            config.data_dir,
            config.knowledge_dir,
            at=clock.now(),
            tell=lambda progress: show.see(asdict(progress)),
        )
    finally:
        show.end()
    contents = word_contents(done.manifest, ZoneInfo(config.timezone))
    kept = () if done.aside is None else (f"What was there before is in {done.aside}.",)
    pages = () if done.pages is None else (_word_pages(done.pages, config.knowledge_dir),)
    return (f"Restored to {config.data_dir}.", contents, *kept, *pages, _NEXT)


def _word_pages(place: Path, knowledge_dir: Path) -> str:
    return (
        f"The pages of knowledge are in {place}, since {knowledge_dir} cannot be written;"
        " copy those that you want."
    )


_NEXT = "The next start makes the search index anew."
