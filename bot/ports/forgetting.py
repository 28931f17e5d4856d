"""The ports to forgetting: the rows and files that go, and the disk that is searched afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.core.chat import Reply, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import FactId
from bot.core.memory.forgetting import (
    Forgetting,
    ForgettingId,
    Gone,
    Meant,
    MeantFact,
    NewForgetting,
    ReceiptPlace,
    Removed,
    Trace,
    TurnPart,
    Wish,
)
from bot.core.turns import TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantTurns:
    """Turns that a wish means, of a stretch of all turns.

    Attributes:
        next_after: The id behind which the next stretch begins; None at the end.
    """

    parts: tuple[TurnPart, ...]
    next_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedTurns:
    """What became of turns that were to go.

    Attributes:
        sessions: The chats of which something went, now or before: what is held of them is out of
            date, and files are to follow.
        open_in: The chats of turns that are being answered and were left as they are.
    """

    sessions: frozenset[SessionKey] = frozenset()
    open_in: frozenset[SessionKey] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What of something that is meant stands yet in files.

    Attributes:
        groups: The groups that it is of.
        turn_ids: Turns of it that were not blanked yet: what others said in one that was, is noted
            anew by then.
    """

    groups: frozenset[Audience] = frozenset()
    turn_ids: frozenset[TurnId] = frozenset()


class Forgettings(Protocol):
    """What is to be forgotten, and the rows that go with it; each call but ``wipe`` a transaction.

    * ``meant_turns`` gives the turns that a wish means in a stretch behind a turn, with what of
      them; a day is what its daily file has, and what was begun ``between`` two moments;
      ``meant_facts`` the facts, all versions: those it names or finds by its words, and those
      drawn from the turns; ``meant_episodes`` the records of sessions that its words stand in, or
      that belong to a chat of which all is meant; ``meant_reminders`` the texts of reminders. They
      are of what the viewer may have forgotten. ``words_of`` gives facts by their ids, with their
      words; ``standing`` whose files have what is meant.
    * ``keep_proposal`` keeps what is to be confirmed; those that were not within
      :data:`~bot.core.memory.forgetting.VALID_FOR` are dropped.
    * ``confirm_forgetting`` makes a proposal of a person certain; None when there is none of that
      token, it is another person's, or asked in another audience, or too old, or about everybody
      and the person does not speak for all any more. The same once more gives it again.
    * ``cancel_forgetting`` drops a proposal that was not confirmed; False when there is none.
    * ``confirmed_forgettings`` gives what was confirmed and is not done, oldest first.
    * ``remove_turns`` blanks turns that have ended, with all that was made of them: ids, times and
      who else spoke stay. ``remove_rest`` removes facts and records, and what stands beside turns
      with the words in it. What went is added to the forgetting, and the turns that are being
      answered in these chats meanwhile. Doing either again removes nothing twice and loses no
      count. ``repeating`` gives those of some turns in which something stands that is gone.
    * ``add_removed`` adds to a forgetting what was removed elsewhere; ``gone_by`` gives all that is
      known of what is gone.
    * ``still_said`` gives those of the needles that stand in rows which stay.
    * ``wipe`` empties the write-ahead log, and with ``is_whole`` writes the file anew before.
    * ``finish_forgetting`` drops a forgetting and puts its receipt into the outbox.
    """

    async def meant_turns(
        self,
        wish: Wish,
        viewer: Viewer,
        *,
        after: int,
        between: tuple[datetime, datetime] | None = None,
    ) -> MeantTurns: ...
    async def meant_facts(
        self, wish: Wish, viewer: Viewer, parts: tuple[TurnPart, ...]
    ) -> tuple[MeantFact, ...]: ...
    async def meant_episodes(self, wish: Wish, viewer: Viewer) -> tuple[EpisodeId, ...]: ...
    async def meant_reminders(self, wish: Wish, viewer: Viewer) -> tuple[str, ...]: ...
    async def words_of(self, fact_ids: tuple[FactId, ...]) -> tuple[MeantFact, ...]: ...
    async def standing(self, meant: Meant) -> Standing: ...
    async def keep_proposal(self, new: NewForgetting) -> None: ...
    async def confirm_forgetting(
        self,
        token: str,
        viewer: Viewer,
        place: ReceiptPlace,
        *,
        at: datetime,
        may_speak_for_all: bool = False,
    ) -> Forgetting | None: ...
    async def cancel_forgetting(self, token: str, viewer: Viewer) -> bool: ...
    async def confirmed_forgettings(self) -> tuple[Forgetting, ...]: ...
    async def remove_turns(
        self, work: Forgetting, parts: tuple[TurnPart, ...], *, at: datetime
    ) -> RemovedTurns: ...
    async def remove_rest(
        self, work: Forgetting, meant: Meant, *, at: datetime
    ) -> RemovedTurns: ...
    async def repeating(
        self, forgetting_id: ForgettingId, turn_ids: frozenset[TurnId]
    ) -> frozenset[TurnId]: ...
    async def add_removed(
        self, forgetting_id: ForgettingId, removed: Removed, gone: Gone
    ) -> None: ...
    async def gone_by(self, forgetting_id: ForgettingId) -> Gone: ...
    async def still_said(self, needles: tuple[str, ...]) -> frozenset[str]: ...
    async def wipe(self, *, is_whole: bool) -> None: ...
    async def finish_forgetting(
        self, forgetting_id: ForgettingId, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]: ...


class RawSearch(Protocol):
    """Searches the bytes on the disk: databases with their logs, and every other file of ours.

    ``find`` gives where needles stand, in any of their
    :func:`~bot.core.memory.needles.forms_of`; each of a file once. One that is not
    :func:`~bot.core.memory.needles.is_long` counts in the database anywhere, and in another file
    where it stands alone: between line ends, quotation marks, or what is put around a fact. What
    could not be read, or not in time, is given as such.

    Raises:
        StoreError: It could not be done to its end.
    """

    async def find(self, needles: tuple[str, ...]) -> tuple[Trace, ...]: ...
