"""Secrets that were stored before they were known as such: found with today's rules, and replaced.

The law of this file: it tells kinds and numbers, never what it found.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.adapters.memory_disk import Disk, version_of
from bot.adapters.redactor import RuleRedactor
from bot.adapters.store.codec import (
    decode_inbound,
    decode_message,
    decode_result,
    encode_inbound,
    encode_message,
    encode_result,
)
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.scrubbing import StoredText
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.store.switching import DATABASE, has_data
from bot.adapters.store.wordy_columns import WORDY, WordyColumn
from bot.config import Config
from bot.core.chat import InboundMessage
from bot.errors import StoreUnreadable
from bot.ports import Redactor
from bot.runtime.redaction import redact_answer, redact_inbound, redact_json, redact_result

INDEX_FILES = ("search.db", "search.db-wal", "search.db-shm")

_MARK = re.compile(r"\[redacted:([a-z_-]+)\]")


@dataclass(slots=True)
class Scrubbed:
    """What was found, by place and kind of secret.

    Attributes:
        looked_at: How many texts and files were looked through.
        unreadable: Files that are no text, and were left as they are.
    """

    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    looked_at: int = 0
    unreadable: int = 0

    def count(self, place: str, before: str, after: str) -> bool:
        """Note what became a placeholder; say whether anything did."""
        self.looked_at += 1
        new = Counter(_MARK.findall(after)) - Counter(_MARK.findall(before))
        self.found.update({(place, kind): number for kind, number in new.items()})
        return before != after


@dataclass(slots=True)
class _Rewriting:
    """What is done before the first text is replaced: after that nobody may know what was found.

    Attributes:
        is_dry_run: Nothing is replaced.
    """

    folder: Path
    is_dry_run: bool
    has_begun: bool = False

    def may_begin(self) -> bool:
        """Say whether texts are replaced; at first remove the index, which has the words too."""
        if not (self.is_dry_run or self.has_begun):
            _drop_index(self.folder)
            self.has_begun = True
        return not self.is_dry_run


async def scrub(config: Config, *, is_dry_run: bool) -> Scrubbed:
    """Look through all that is stored by a bot that does not run, and replace secrets.

    Raises:
        DataFolderBusy: It does run.
        DataError: The data cannot be used.
        StoreError: It could not be done to its end; doing it again goes on with it.
    """
    done = Scrubbed()
    if not has_data(config.data_dir):
        return done
    redactor, rewriting = RuleRedactor(), _Rewriting(config.data_dir, is_dry_run)
    with lock_data_folder(config.data_dir):
        store = SqliteStore.open(config.data_dir / DATABASE)
        try:
            for column in WORDY:
                await _scrub_column(store, column, redactor, done, rewriting)
            await asyncio.to_thread(
                _scrub_files, config.data_dir / "memory", redactor, done, rewriting
            )
            if not is_dry_run:
                # Even if nothing was found: an earlier one may have been broken off right here.
                await store.wipe(is_whole=True)
        finally:
            await store.close()
    return done


def word_scrubbed(done: Scrubbed, *, is_dry_run: bool) -> tuple[str, ...]:
    """Word what was found: a line a place and kind, then all of it together."""
    rows = [f"{place:<24} {kind}: {number}" for (place, kind), number in sorted(done.found.items())]
    total = sum(done.found.values())
    looked = f"{done.looked_at} texts were looked through"
    if done.unreadable:
        looked += f"; {done.unreadable} files are no text and were left"
    if not total:
        return (f"No secrets found: {looked}.",)
    verb = "would be replaced" if is_dry_run else "replaced; the search index is made anew"
    what = "secret" if total == 1 else "secrets"
    return (*rows, f"{total} {what} {verb}; {looked}.")


async def _scrub_column(
    store: SqliteStore,
    column: WordyColumn,
    redactor: Redactor,
    done: Scrubbed,
    rewriting: _Rewriting,
) -> None:
    place, row = f"{column.table}.{column.column}", 0
    while texts := await store.texts_behind(column, row):
        row = texts[-1].row
        changed = []
        for stored in texts:
            clean = await _cleaned(column, stored, redactor)
            if done.count(place, stored.text, clean):
                changed.append(replace(stored, text=clean))
        if changed and rewriting.may_begin():
            await store.rewrite_texts(column, tuple(changed))


async def _cleaned(column: WordyColumn, stored: StoredText, redactor: Redactor) -> str:
    """Take secrets out of what stands in a column, as it would be done today."""
    if column.form != "json" or stored.state == "set_aside":
        return redactor.redact(stored.text)
    try:
        match column.table:
            case "turn" | "step":
                message = decode_message(stored.text)
                clean = await redact_answer(message, redactor)
                return stored.text if clean is message else encode_message(clean)
            case "step_result":
                result = decode_result(stored.text)
                kept = await redact_result(result, redactor)
                return stored.text if kept is result else encode_result(kept)
            case "inbox":
                inbound = decode_inbound(stored.text)
                heard = await redact_inbound(inbound, redactor)
                assert isinstance(heard, InboundMessage)
                return stored.text if heard is inbound else encode_inbound(heard)
            case _:
                return redact_json(stored.text, redactor)
    except StoreUnreadable:
        return redactor.redact(stored.text)  # damaged, and to be read by nobody but thieves


def _scrub_files(folder: Path, redactor: Redactor, done: Scrubbed, rewriting: _Rewriting) -> None:
    disk = Disk(os.fsync)
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        version = version_of(path)
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            done.unreadable += 1
            continue
        clean = redactor.redact(text)
        if done.count("memory files", text, clean) and rewriting.may_begin():
            disk.replace(path, clean.encode(), instead_of=version, wipes=True)


def _drop_index(folder: Path) -> None:
    """Remove the index, which has the words too; the next start makes it anew."""
    disk = Disk(os.fsync)
    for name in INDEX_FILES:
        disk.wipe(folder / name)
