"""The ports to what is remembered beyond a conversation, and to searching it.

Who reads memory says for whom: a :class:`~bot.core.memory.audience.Viewer` is demanded by every
verb that gives words somebody said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.episodes import Account, Episode, Unrecorded
from bot.core.memory.extraction import UnreadTurn
from bot.core.memory.facts import Fact, FactId, NewFact
from bot.core.memory.items import Hit, ItemChange, ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.question import Question
from bot.core.turns import Turn


class Facts(Protocol):
    """What is remembered of people. Each call is one transaction.

    * ``facts_for`` gives the facts that hold and may be recalled by a viewer: those about the
      viewer's person before those about others, by topic, newest confirmed first.
    * ``facts_about`` gives those of them that are about some people, in the same order; of more
      than ``most`` those confirmed last.
    * ``history_of`` gives all versions of what a fact's key said, newest first, for whom it is
      about; nothing for anybody else.
    * ``keep_facts`` keeps statements in the order given. One that says the same as what held under
      its key when it was said confirms it; another one ends it, but never what was said later. Keys
      are told apart by their words (:mod:`bot.core.memory.keys`). Gives for each the fact as it is
      now and the one that it ended, None for none.
    * ``confirm_fact`` notes that a fact was said to hold still; False when it holds no longer, may
      not be recalled by the viewer, or is about somebody else.
    * ``ask_to_read`` keeps a job ``facts`` for each chat with ended turns that no facts were read
      out of, due two minutes after the first of them ended; gives how many are new or grew.
    * ``unread`` gives these turns of the job's chat through ``job.through``, oldest first, cleared
      ones too.
    * ``land_facts`` keeps what was read out of turns, but for those that were changed or opened
      again meanwhile; notes that they were read; and ends the job, or leaves it when there are more
      turns to be read. Where memory is switched off by now it does nothing.

    What was read out of a turn goes when the turn is changed or tried again, which then is unread;
    what was told in it too when its author took it back. A fact that was said elsewhere as well
    stays.
    """

    async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]: ...
    async def facts_about(
        self, viewer: Viewer, people: tuple[PersonKey, ...], *, most: int
    ) -> tuple[Fact, ...]: ...
    async def history_of(self, fact_id: FactId, viewer: Viewer) -> tuple[Fact, ...]: ...
    async def keep_facts(
        self, new: tuple[NewFact, ...]
    ) -> tuple[tuple[Fact, Fact | None], ...]: ...
    async def confirm_fact(self, fact_id: FactId, viewer: Viewer, *, at: datetime) -> bool: ...
    async def ask_to_read(self) -> int: ...
    async def unread(self, job: MemoryJob, *, limit: int) -> tuple[UnreadTurn, ...]: ...
    async def land_facts(
        self, job: MemoryJob, read: tuple[UnreadTurn, ...], new: tuple[NewFact, ...]
    ) -> None: ...


class Episodes(Protocol):
    """The records of past sessions. Each call is one transaction.

    * ``ask_for_episodes`` keeps a job ``episode`` for each chat with ended turns that no episode
      covers, two of them or one and a task, and that nothing was heard in since ``silent_since``
      (or for the one chat, whenever it was heard, due at once); gives how many.
    * ``unrecorded`` gives the oldest run of such turns of a chat through a turn; at most ``limit``.
      None runs across the newest clear by a person.
    * ``last_unrecorded`` gives the newest of such turns, at most ``limit``, behind which nothing is
      covered, and without what a person cleared away.
    * ``land_episode`` keeps the record of turns, unless one of them is covered by now, or was
      changed meanwhile, or memory is switched off by now, and ends the job with the last of them;
      gives the record, or None. A session that was begun with an opening and in which nothing was
      said yet opens with it, but not with one of what a person cleared away.
    * ``pass_over`` has turns count as covered, without a record.
    * ``last_episodes`` gives the newest records of the viewer's own audience, newest first.
    * ``last_episode`` gives the newest record of a chat that a person did not clear away, else the
      newest one of another thread of the viewer's audience; None for none.
    """

    async def ask_for_episodes(
        self, silent_since: datetime, *, at: datetime, session_key: str = ""
    ) -> int: ...
    async def unrecorded(
        self, session_key: SessionKey, *, through: int, limit: int
    ) -> Unrecorded: ...
    async def last_unrecorded(self, session_key: SessionKey, *, limit: int) -> Unrecorded: ...
    async def land_episode(
        self, job: MemoryJob, turns: tuple[Turn, ...], account: Account
    ) -> Episode | None: ...
    async def pass_over(self, turns: tuple[Turn, ...]) -> None: ...
    async def last_episodes(self, viewer: Viewer, *, limit: int) -> tuple[Episode, ...]: ...
    async def last_episode(self, viewer: Viewer, session_key: SessionKey) -> Episode | None: ...


class MemoryItems(Protocol):
    """What can be recalled, in pieces, as it is at this moment.

    * ``pieces_of`` gives the pieces of refs, for the index and to know their ids: who shows one
      asks ``recallable`` for it. A ref that is gone has none.
    * ``recallable`` gives those of the pieces that are there still and may be recalled by a viewer,
      as they are now, in the order asked for.
    """

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]: ...
    async def recallable(
        self, ids: tuple[ItemId, ...], viewer: Viewer
    ) -> tuple[MemoryItem, ...]: ...


class KeptItems(MemoryItems, Protocol):
    """What can be recalled of the database, and what changed in it.

    * ``changes_after`` gives what changed behind a number, in order, at most ``limit``: refs of the
      database and of files that the bot wrote itself, and ``file:<folder>/`` where all files of an
      audience are to be read. ``newest_seq`` gives the number of the newest change, 0 for none.
    * ``all_refs`` gives every ref of the database there is, in an order of its own, behind the last
      one that it gave before (empty at first), at most ``limit``.
    * ``chats_of`` gives for turns in which chat each was; those that are gone are left out.
    * ``installation`` names the database: one that was put back to an earlier state has another.
    * ``audiences`` gives those of all chats that there ever were; ``audiences_of`` those of facts
      and records, of facts that ended too, and nothing for what is gone.
    * ``watch_changes`` has one more function called after each commit that noted a change; one
      that is called already is not called twice.
    """

    async def changes_after(self, seq: int, *, limit: int) -> tuple[ItemChange, ...]: ...
    async def newest_seq(self) -> int: ...
    async def all_refs(self, after: str, *, limit: int) -> tuple[ItemRef, ...]: ...
    async def chats_of(self, turn_ids: frozenset[int]) -> dict[int, SessionKey]: ...
    async def installation(self) -> str: ...
    async def audiences(self) -> tuple[Audience, ...]: ...
    async def audiences_of(self, refs: tuple[ItemRef, ...]) -> dict[ItemRef, Audience]: ...
    def watch_changes(self, wake: Callable[[], None]) -> None: ...


class RecalledFiles(Protocol):
    """Memory files and pages of global knowledge, as text.

    ``marks`` gives for every file there is by what it is known whether its content is another one:
    the mark of ``known`` where it is the same.
    ``read`` gives a file's text, empty for one that is gone, or is no text.
    ``stamp`` gives by what it is known whether a file was touched; empty where it has to be read.
    """

    async def marks(self, known: Mapping[ItemRef, str]) -> dict[ItemRef, str]: ...
    async def read(self, ref: ItemRef) -> str: ...
    async def stamp(self, ref: ItemRef) -> str: ...


class SearchIndex(Protocol):
    """Finds pieces of memory; it can be removed at any time and made again.

    * ``search`` gives at most ``limit`` hits that the viewer may recall, best first. What they may
      not recall takes the place of none. ``kinds`` empty is all kinds.
    * ``applied_seq`` says through which change it is, 0 for a new one.
    * ``replace`` puts pieces in the place of all that it has of the refs; ``seq`` is what
      ``applied_seq`` gives from then on. One transaction, but where more is removed than a search
      can wait for: what came to nothing halfway is done by doing it again.
    * ``add`` puts pieces beside those that it has of a ref, and gives the ref a mark. One
      transaction.
    * ``refs`` gives the refs that it has which begin with a text, each with the mark it was given.
    * ``wipe`` goes on to leave no bytes of what was removed; False once there are none.
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
    async def add(self, ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str) -> None: ...
    async def refs(self, beginning: str) -> dict[ItemRef, str]: ...
    async def wipe(self) -> bool: ...
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


class Findings(Protocol):
    """What a search of memory gave, best first.

    ``trouble`` says why there may be more; empty where all was looked through. ``is_being_made``
    says that the index is, and that not all that is remembered stands in it yet.
    """

    @property
    def hits(self) -> tuple[Hit, ...]: ...
    @property
    def trouble(self) -> str: ...
    @property
    def is_being_made(self) -> bool: ...


class Recall(Protocol):
    """Searches memory for a viewer: what is given is there still, and theirs to recall.

    It never raises because of an index that fails, and takes no longer than an answer can wait.
    ``asked_by`` is the name of who *I* is in the text; empty where it is not known.
    """

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
        asked_by: str = "",
    ) -> Findings: ...
