"""A backup put in the place of the data there is, when an operator asks for it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.adapters.backup_restoring import restore_backup
from bot.app.backup import word_contents
from bot.app.progress_shown import ShowProgress
from bot.config import Config
from bot.ports import Clock


def restore(config: Config, path: Path, clock: Clock, show: ShowProgress) -> tuple[str, ...]:
    """Restore a backup of a bot that does not run; give what is to be said of it.

    Raises:
        DataFolderBusy: It does run.
        DataError: It cannot be restored; everything is as it was.
    """
    try:
        done = restore_backup(
            path,
            config.data_dir,
            config.knowledge_dir,
            at=clock.now(),
            tell=lambda progress: show.see(asdict(progress)),
        )
    finally:
        show.end()
    contents = word_contents(done.manifest, ZoneInfo(config.timezone))
    kept = () if done.aside is None else (f"What was there before is in {done.aside}.",)
    return (f"Restored to {config.data_dir}.", contents, *kept, _NEXT)


_NEXT = "The next start makes the search index anew."
