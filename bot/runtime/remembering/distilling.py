"""The worker beside remembering: what facts and sessions there are is written to ``MEMORY.md``.

It follows the changes of the database, so that nobody has to tell it who changed what: facts read
out of a turn, told by a command, corrected, forgotten, or moved with their chat.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

from bot.core.chat import PersonKey
from bot.core.memory.audience import NOBODY, Audience, Viewer
from bot.core.memory.facts import Fact
from bot.core.memory.items import ItemRef
from bot.core.memory.lasting import MOST_SESSIONS, lasting_lines
from bot.core.memory.pieces import fact_ref
from bot.errors import StoreError
from bot.ports import Clock, Episodes, Facts, KeptItems, LastingFiles, Redactor
from bot.runtime.waiting import either

logger = logging.getLogger(__name__)

SETTLES_AFTER_S = 60.0
"""So long after something changed the files are written: more changes often follow at once."""

RETRY_S = 60.0

_CHANGES_AT_ONCE = 500
_DISTILLED = ("fact:", "episode:")


class Store(Facts, Episodes, KeptItems, Protocol):
    """What is distilled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillingParts:
    """What distilling works with.

    Attributes:
        zone: Whose days the dates in the files are.
        on_written: Called when a file was: what a person wrote may stand elsewhere in it now.
    """

    store: Store
    files: LastingFiles
    redactor: Redactor
    clock: Clock
    zone: tzinfo
    on_written: Callable[[], None] = lambda: None


class Distilling:
    """Works for ever; what a process leaves unwritten is written in the night after.

    Attributes:
        trouble: Why a file could not be written last; empty when they all could.
    """

    def __init__(self, parts: DistillingParts) -> None:
        self._parts = parts
        self._seq: int | None = None
        self._waiting: dict[Audience, None] = {}
        self._is_changed = asyncio.Event()
        self._is_asked = asyncio.Event()
        self.trouble = ""

    def note_change(self) -> None:
        """Look at what changed, in a while."""
        self._is_changed.set()

    async def distil_all(self) -> None:
        """Have all files written that say anything else than they should, as every night.

        Raises:
            StoreError: The store could not say whose there are.
        """
        self._waiting |= dict.fromkeys(await self._parts.store.audiences())
        self._is_asked.set()

    async def run(self) -> None:
        """Write what changed or was asked for, for ever."""
        self._parts.store.watch_changes(self.note_change)
        self._seq = seq = await self._begin() if self._seq is None else self._seq
        while True:
            if not self._waiting:
                await either(self._is_changed.wait(), self._is_asked.wait())
            if not self._is_asked.is_set():
                pause_s = RETRY_S if self._waiting else SETTLES_AFTER_S
                await either(self._parts.clock.sleep(pause_s), self._is_asked.wait())
            self._is_asked.clear()
            self._is_changed.clear()
            try:
                self._seq = seq = await self._follow(seq)
            except StoreError as error:
                logger.warning("memory.store_failed", extra={"why": str(error)})
                self._is_changed.set()
            await self._write_all()

    async def _begin(self) -> int:
        """Take what changed from now on: the night sees to what changed before."""
        while True:
            try:
                return await self._parts.store.newest_seq()
            except StoreError as error:
                logger.warning("memory.store_failed", extra={"why": str(error)})
                await self._parts.clock.sleep(RETRY_S)

    async def _follow(self, seq: int) -> int:
        """Find out whose facts or sessions changed; of what is gone that cannot be said."""
        store = self._parts.store
        while changes := await store.changes_after(seq, limit=_CHANGES_AT_ONCE):
            refs = tuple(each.ref for each in changes if each.ref.startswith(_DISTILLED))
            whose = await store.audiences_of(refs) if refs else {}
            self._waiting |= dict.fromkeys(whose.values())
            if len(whose) < len(refs):
                self._waiting |= dict.fromkeys(await store.audiences())
            seq = changes[-1].seq
        return seq

    async def _write_all(self) -> None:
        """Write what waits; a broken folder holds up no other one."""
        broken: dict[Audience, str] = {}
        try:
            while self._waiting:
                # Gone before it is written: one that breaks this worker is left to the night.
                audience = next(iter(self._waiting))
                del self._waiting[audience]
                try:
                    await self._write(audience)
                except StoreError as error:
                    broken[audience] = str(error)
                    about = {"why": str(error), "folder": audience.folder}
                    logger.warning("memory.store_failed", extra=about)
        finally:
            self._waiting |= dict.fromkeys(broken)
        self.trouble = next(iter(broken.values()), "")

    async def _write(self, audience: Audience) -> None:
        parts = self._parts
        viewer = Viewer(audience=audience, person_key=NOBODY)
        since = parts.files.cleanings
        facts = await parts.store.facts_for(viewer)
        episodes = await parts.store.last_episodes(viewer, limit=MOST_SESSIONS)
        lines = lasting_lines(
            facts,
            episodes,
            names=await self._names_in(facts, audience),
            now=parts.clock.now().astimezone(parts.zone),
        )
        clean = tuple(map(parts.redactor.redact, lines))
        if await parts.files.write_lasting(audience, clean, since=since):
            parts.on_written()

    async def _names_in(self, facts: tuple[Fact, ...], audience: Audience) -> dict[PersonKey, str]:
        """Say what those are called about whom facts are; in a private chat that is plain."""
        if audience.kind == "private":
            return {}
        newest: dict[PersonKey, ItemRef] = {each.person_key: fact_ref(each.id) for each in facts}
        pieces = await self._parts.store.pieces_of(tuple(newest.values()))
        known = {piece.ref: piece.speaker for piece in pieces}
        return {person: known.get(ref) or person for person, ref in newest.items()}
