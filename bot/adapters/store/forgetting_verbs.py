"""The store's verbs on what is to be forgotten, and on secrets that were stored earlier."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime

from bot.adapters.store import (
    forgetting,
    forgetting_gone,
    forgetting_removal,
    reminders,
    scrubbing,
)
from bot.adapters.store.scrubbing import StoredText
from bot.adapters.store.verbs import Verbs
from bot.adapters.store.wordy_columns import WordyColumn
from bot.core.chat import Reply
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Viewer
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
    TurnPart,
    Wish,
)
from bot.core.turns import TurnId
from bot.ports.forgetting import MeantTurns, RemovedTurns, Standing


class ForgettingVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port Forgettings."""

    async def meant_turns(
        self,
        wish: Wish,
        viewer: Viewer,
        *,
        after: int,
        between: tuple[datetime, datetime] | None = None,
    ) -> MeantTurns:
        """Give the turns that a wish means in a stretch behind a turn."""
        return await self._read(forgetting.meant_turns, wish, viewer, after, between)

    async def meant_facts(
        self, wish: Wish, viewer: Viewer, parts: tuple[TurnPart, ...]
    ) -> tuple[MeantFact, ...]:
        """Give the facts that a wish means, all versions of each."""
        return await self._read(forgetting.meant_facts, wish, viewer, parts)

    async def meant_episodes(self, wish: Wish, viewer: Viewer) -> tuple[EpisodeId, ...]:
        """Give the records of sessions that a wish means by itself."""
        return await self._read(forgetting.meant_episodes, wish, viewer)

    async def meant_reminders(self, wish: Wish, viewer: Viewer) -> tuple[str, ...]:
        """Give the texts of the reminders that a wish means."""
        found = await self._read(reminders.meant, wish, viewer)
        return tuple(each.text for each in found)

    async def words_of(self, fact_ids: tuple[FactId, ...]) -> tuple[MeantFact, ...]:
        """Give facts with their words, those of them that are there."""
        return await self._read(forgetting.words_of, fact_ids)

    async def standing(self, meant: Meant) -> Standing:
        """Say of what is meant whose files have it, and which turns were not blanked yet."""
        return await self._read(forgetting_removal.standing, meant)

    async def keep_proposal(self, new: NewForgetting) -> None:
        """Keep what is to be confirmed, and drop what was not in time."""
        await self._call(forgetting.keep_proposal, new)

    async def confirm_forgetting(
        self,
        token: str,
        viewer: Viewer,
        place: ReceiptPlace,
        *,
        at: datetime,
        may_speak_for_all: bool = False,
    ) -> Forgetting | None:
        """Make a proposal certain; the same once more gives it again."""
        return await self._call(
            forgetting.confirm, token, viewer, place, at, may_speak_for_all=may_speak_for_all
        )

    async def cancel_forgetting(self, token: str, viewer: Viewer) -> bool:
        """Drop a proposal that nobody confirmed."""
        return await self._call(forgetting.cancel, token, viewer)

    async def confirmed_forgettings(self) -> tuple[Forgetting, ...]:
        """Give what was confirmed and is not done, oldest first."""
        return await self._read(forgetting.confirmed)

    async def remove_turns(
        self, work: Forgetting, parts: tuple[TurnPart, ...], *, at: datetime
    ) -> RemovedTurns:
        """Blank turns that have ended, with all that was made of them."""
        return await self._call(forgetting_removal.remove_turns, work, parts, at)

    async def remove_rest(self, work: Forgetting, meant: Meant, *, at: datetime) -> RemovedTurns:
        """Remove facts and records, and what stands beside turns."""
        return await self._call(forgetting_removal.remove_rest, work, meant, at)

    async def repeating(
        self, forgetting_id: ForgettingId, turn_ids: frozenset[TurnId]
    ) -> frozenset[TurnId]:
        """Give those of these turns in which something stands that is gone."""
        return await self._read(forgetting_removal.repeating, forgetting_id, turn_ids)

    async def add_removed(self, forgetting_id: ForgettingId, removed: Removed, gone: Gone) -> None:
        """Add to a forgetting what was removed elsewhere."""
        await self._call(forgetting_gone.add, forgetting_id, removed, gone)

    async def gone_by(self, forgetting_id: ForgettingId) -> Gone:
        """Give all that is known of what is gone."""
        return await self._read(forgetting_gone.read, forgetting_id)

    async def still_said(self, needles: tuple[str, ...]) -> frozenset[str]:
        """Give those of the needles that stand in rows which stay."""
        return await self._read(forgetting_gone.still_said, needles)

    async def texts_behind(self, column: WordyColumn, row: int) -> tuple[StoredText, ...]:
        """Give what stands in a column behind a row; empty at the end."""
        return await self._read(scrubbing.texts_behind, column, row)

    async def rewrite_texts(self, column: WordyColumn, texts: tuple[StoredText, ...]) -> None:
        """Write texts in the place of those that stand in a column."""
        await self._call(scrubbing.rewrite, column, texts)

    @abstractmethod
    async def wipe(self, *, is_whole: bool) -> None:
        """Leave no bytes of what was removed."""
        ...

    async def finish_forgetting(
        self, forgetting_id: ForgettingId, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Drop what is done, and tell of it; a second time nothing happens."""
        return await self._call(forgetting.finish, forgetting_id, replies, at)
