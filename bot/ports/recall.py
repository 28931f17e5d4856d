"""The ports to what is remembered beyond a conversation, and to searching it.

Who reads memory says for whom: a :class:`~bot.core.memory.audience.Viewer` is demanded by every
verb that gives words somebody said.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.chat import SessionKey
from bot.core.memory.audience import Viewer
from bot.core.memory.episodes import Account, Episode
from bot.core.memory.facts import Fact, FactId, NewFact
from bot.core.memory.items import Hit, ItemChange, ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.question import Question
from bot.core.turns import Turn


class Facts(Protocol):
    """What is remembered of people. Each call is one transaction.

    * ``facts_for`` gives the facts that hold and may be recalled by a viewer, by topic, newest
      confirmed first; those about the viewer's person before those about others.
    * ``history_of`` gives all versions of what a fact's key said, newest first, for whom it is
      about; nothing for anybody else.
    * ``keep_facts`` keeps statements in the order given. One that says the same as what holds
      under its key confirms it; another one ends it. Gives for each the fact as it is now and the
      one that it ended, None for none.
    * ``confirm_fact`` notes that a fact was said to hold still; False when it may not be recalled
      by the viewer, or is about somebody else.
    * ``land_facts`` keeps what was read out of a chat's turns through ``job.through``, notes that
      they were read and ends the job, or leaves it when there are more turns to be read.
    * ``unread`` gives the ended turns through ``job.through`` of the job's chat that no facts were
      read out of, oldest first, cleared ones too.
    """

    async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]: ...
    async def history_of(self, fact_id: FactId, viewer: Viewer) -> tuple[Fact, ...]: ...
    async def keep_facts(
        self, facts: tuple[NewFact, ...]
    ) -> tuple[tuple[Fact, Fact | None], ...]: ...
    async def confirm_fact(self, fact_id: FactId, viewer: Viewer, *, at: datetime) -> bool: ...
    async def unread(self, job: MemoryJob, *, limit: int) -> tuple[Turn, ...]: ...
    async def land_facts(
        self, job: MemoryJob, read: tuple[Turn, ...], facts: tuple[NewFact, ...]
    ) -> None: ...


class Episodes(Protocol):
    """The records of past sessions. Each call is one transaction.

    * ``ask_for_episodes`` keeps a job ``episode`` for each chat (or for the one chat) with ended
      turns that no episode covers and that nothing was heard in since ``silent_since``; gives how
      many.
    * ``uncovered`` gives these turns of the job's chat through ``job.through``, oldest first.
    * ``land_episode`` keeps the record of turns, unless one of them is covered by now, or was
      changed meanwhile, and ends the job; gives the record.
    * ``last_episodes`` gives the newest records of the viewer's own audience, newest first.
    """

    async def ask_for_episodes(
        self, silent_since: datetime, *, at: datetime, session_key: str = ""
    ) -> int: ...
    async def uncovered(self, job: MemoryJob, *, limit: int) -> tuple[Turn, ...]: ...
    async def land_episode(
        self, job: MemoryJob, turns: tuple[Turn, ...], account: Account
    ) -> Episode | None: ...
    async def last_episodes(self, viewer: Viewer, *, limit: int) -> tuple[Episode, ...]: ...


class MemoryItems(Protocol):
    """All that can be recalled, in pieces, as it is at this moment.

    * ``changes_after`` gives what changed in the database behind a number, in order.
    * ``all_refs`` gives every ref of the database there is, in the order of their names from
      ``after`` on, at most ``limit``.
    * ``pieces_of`` gives the pieces of refs, for the index alone; a ref that is gone has none.
    * ``recallable`` gives those of the pieces that are there still and may be recalled by a viewer,
      as they are now.
    """

    async def changes_after(self, seq: int, *, limit: int) -> tuple[ItemChange, ...]: ...
    async def all_refs(self, after: str, *, limit: int) -> tuple[ItemRef, ...]: ...
    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]: ...
    async def recallable(
        self, ids: tuple[ItemId, ...], viewer: Viewer
    ) -> tuple[MemoryItem, ...]: ...


class SearchIndex(Protocol):
    """Finds pieces of memory; it can be removed at any time and made again.

    * ``search`` gives at most ``limit`` hits that the viewer may recall, best first. What they may
      not recall takes the place of none. ``kinds`` empty is all kinds.
    * ``applied_seq`` says through which change it is, 0 for a new one.
    * ``replace`` puts pieces in the place of all that it has of the refs; ``seq`` is what
      ``applied_seq`` gives from then on. One transaction.
    * ``refs`` gives the refs that it has which begin with a text, each with the mark it was given.
    * ``begin_anew`` empties it, so that nothing of what it had is left on the disk.

    Raises:
        SearchUnavailable: It cannot be read or written at this moment.
    """

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]: ...
    async def applied_seq(self) -> int: ...
    async def replace(
        self,
        refs: tuple[ItemRef, ...],
        items: tuple[MemoryItem, ...],
        *,
        seq: int,
        marks: tuple[str, ...] = (),
    ) -> None: ...
    async def refs(self, beginning: str) -> dict[ItemRef, str]: ...
    async def begin_anew(self) -> None: ...
    async def close(self) -> None: ...


class Embedder(Protocol):
    """Turns texts into directions, near each other for texts of like meaning, in any language.

    ``embed`` gives a row of ``dimensions`` 32-bit floats of length one for each text, as bytes; it
    takes its time and is not called on the event loop. ``name`` tells the directions of one
    embedder and version from those of another.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def embed(self, texts: tuple[str, ...]) -> tuple[bytes, ...]: ...


class ChatMemories(Protocol):
    """Whether a chat is remembered: ``is_remembered`` is False where it was switched off."""

    def is_remembered(self, session_key: SessionKey) -> bool: ...
