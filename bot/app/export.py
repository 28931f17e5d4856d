"""The export of a person's data when an operator asks for it, with or without a running bot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.store.switching import DATABASE, has_data
from bot.config import Config
from bot.config.changes import operator_values
from bot.core.addresses import read_name, sender_of
from bot.core.chat import PersonKey
from bot.errors import BotError, DataError
from bot.ports import Clock
from bot.runtime.exporting import Exporter
from bot.runtime.forgetting.switch import MemorySwitch
from bot.runtime.live_settings import LiveSettings

Answer = Mapping[str, object]
"""What the running bot says, in JSON: ``export``, the text of the file."""

_OTHER_VERSION = "the bot that was asked is of another version"


def person_named(name: str) -> PersonKey:
    """Read whom ``--person`` names: ``telegram:1001``, ``slack:T1:U2``.

    Raises:
        DataError: It names nobody.
    """
    sender = read_name(name)
    if sender is None:
        raise DataError(f"--person takes channel:user id (Slack: slack:team:user), not {name!r}")
    return sender.person_key


async def answer_export(exporter: Exporter, person_key: PersonKey) -> Answer:
    """Give what there is of a person.

    Raises:
        DataError: It is nobody's key.
        StoreError: It cannot be read.
    """
    try:
        sender_of(person_key)
    except ValueError:
        raise DataError("that is nobody's key, as --person gives it") from None
    return {"export": await exporter.export_person(person_key)}


async def export_alone(config: Config, clock: Clock, person_key: PersonKey) -> Answer:
    """Give it from the data of a bot that does not run, under the lock that keeps it from starting.

    Raises:
        DataFolderBusy: It does run.
        DataError: The data cannot be used, or there is none.
    """
    if not has_data(config.data_dir):
        raise DataError(f"there is no data in {config.data_dir}")
    with lock_data_folder(config.data_dir):
        store = SqliteStore.open(config.data_dir / DATABASE)
        try:
            settings = LiveSettings(operator_values(config), store, clock)
            await settings.load()
            exporter = Exporter(
                records=store,
                people=store,
                usage=store,
                reminders=store,
                zones=store,
                files=MarkdownMemoryFiles(config.data_dir / "memory"),
                is_on=MemorySwitch(settings=settings).is_on,
                redactor=RuleRedactor(),
                clock=clock,
            )
            return await answer_export(exporter, person_key)
        finally:
            await store.close()


def text_of(answer: Answer) -> str:
    """Read the export that a bot gave.

    Raises:
        BotError: It gave something else.
    """
    match answer:
        case {"export": str(text)}:
            return text
    raise BotError(_OTHER_VERSION)


def write_export(text: str, path: Path) -> None:
    """Write an export for its reader's eyes alone; a file that is there is not overwritten.

    Raises:
        DataError: It cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror or error})") from error
