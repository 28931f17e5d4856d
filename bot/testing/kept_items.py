"""What can be recalled of a store in memory, and what changed of it: found by comparing.

It notes no changes where they are made, as the SQLite store does: it looks at all there is, and
what is other than it was is changed. So it cannot forget any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from bot.core.chat import ChatAddress, InboundMessage, PersonKey, SessionKey
from bot.core.edits import Change
from bot.core.lifecycle import ModelCall
from bot.core.memory.audience import Audience, Origin, Viewer, audience_of, may_recall
from bot.core.memory.blanking import FORGOTTEN
from bot.core.memory.episodes import Account, Episode
from bot.core.memory.facts import Fact, FactId, NewFact
from bot.core.memory.items import ItemChange, ItemId, ItemRef, MemoryItem
from bot.core.memory.jobs import MemoryEntry, MemoryJob
from bot.core.memory.pieces import (
    day_ref,
    episode_pieces,
    episode_ref,
    fact_piece,
    fact_ref,
    folder_ref,
    ref_of,
    turn_pieces,
    turn_ref,
)
from bot.core.rewriting import Rewriting
from bot.core.turns import Turn, TurnId
from bot.core.window.notes import is_note
from bot.testing.kept_facts import KeptFacts

_Snapshot = dict[ItemRef, tuple[MemoryItem, ...]]


class KeptRecallable(KeptFacts):
    """Fills the port KeptItems.

    Attributes:
        zone: Where the days of chats begin and end.
    """

    def __init__(self, turns: Callable[[], Iterable[Turn]], calls: list[ModelCall]) -> None:
        super().__init__(turns, calls)
        self.zone: tzinfo = UTC
        self._watchers: list[Callable[[], None]] = []
        self._seen: _Snapshot = {}
        self._seqs: dict[ItemRef, int] = {}
        self._newest_seq = 0
        self._kinds: dict[tuple[str, str, str], Audience] = {}

    def _name_of(self, person_key: PersonKey) -> str:
        """Say what somebody is called; nothing of those who were never decided on."""
        return ""

    def watch_changes(self, wake: Callable[[], None]) -> None:
        """Have one more function called after what may have changed something."""
        if wake not in self._watchers:
            self._watchers.append(wake)

    async def changes_after(self, seq: int, *, limit: int) -> tuple[ItemChange, ...]:
        """Give what changed behind a number."""
        self._compare()
        found = sorted((number, ref) for ref, number in self._seqs.items() if number > seq)
        return tuple(ItemChange(seq=number, ref=ref) for number, ref in found[:limit])

    async def newest_seq(self) -> int:
        """Give the number of the newest change."""
        self._compare()
        return self._newest_seq

    async def all_refs(self, after: str, *, limit: int) -> tuple[ItemRef, ...]:
        """Give every ref there is, in the order of their names."""
        refs = sorted(ref for ref in self._snapshot() if ref > after)
        return tuple(refs[:limit])

    async def chats_of(self, turn_ids: frozenset[int]) -> dict[int, SessionKey]:
        """Give for turns in which chat each was."""
        return {turn.id: turn.session_key for turn in self._turns() if turn.id in turn_ids}

    async def audiences(self) -> tuple[Audience, ...]:
        """Give the audiences of all chats that there ever were."""
        return tuple(self._kinds.values())

    async def audiences_of(self, refs: tuple[ItemRef, ...]) -> dict[ItemRef, Audience]:
        """Give the audiences of facts and records, of facts that ended too."""
        there = {fact_ref(each.id): each.audience for each in self.facts.values()}
        there |= {episode_ref(each.id): each.audience for each in self._episodes.values()}
        return {ref: there[ref] for ref in refs if ref in there}

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]:
        """Give the pieces of refs, for the index alone."""
        there = self._snapshot()
        return tuple(piece for ref in refs for piece in there.get(ref, ()))

    async def recallable(self, ids: tuple[ItemId, ...], viewer: Viewer) -> tuple[MemoryItem, ...]:
        """Give those of pieces that are there and may be recalled, as they are now."""
        pieces = await self.pieces_of(tuple(dict.fromkeys(map(ref_of, ids))))
        by_id = {piece.id: piece for piece in pieces if may_recall(viewer, piece.origin)}
        return tuple(by_id[each] for each in dict.fromkeys(ids) if each in by_id)

    async def keep_facts(self, new: tuple[NewFact, ...]) -> tuple[tuple[Fact, Fact | None], ...]:
        """Keep statements, and tell of them."""
        kept = await super().keep_facts(new)
        self._tell_watchers()
        return kept

    async def confirm_fact(self, fact_id: FactId, viewer: Viewer, *, at: datetime) -> bool:
        """Note that a fact was said to hold still, and tell of it."""
        is_theirs = await super().confirm_fact(fact_id, viewer, at=at)
        self._tell_watchers()
        return is_theirs

    async def land_episode(
        self, job: MemoryJob, turns: tuple[Turn, ...], account: Account
    ) -> Episode | None:
        """Keep a record, and tell of it."""
        episode = await super().land_episode(job, turns, account)
        self._tell_watchers()
        return episode

    async def mark_written(self, entries: tuple[MemoryEntry, ...]) -> None:
        """Note that daily files have entries, and tell of the files."""
        await super().mark_written(entries)
        self._note(*(day_ref(entry.audience, entry.day) for entry in entries))

    def note_end(self, turn_id: TurnId, at: datetime) -> None:
        """Note when a turn ended, and tell of it."""
        super().note_end(turn_id, at)
        self._tell_watchers()

    def read_again(self, turn_id: TurnId, *, taken_back_by: PersonKey | None = None) -> None:
        """Drop what was read out of a turn, and tell of it."""
        super().read_again(turn_id, taken_back_by=taken_back_by)
        self._tell_watchers()

    def follow_block(
        self, turn_id: TurnId, places: Mapping[int, int], block: int, change: Change
    ) -> None:
        """Follow a message that was changed, and tell of its turn."""
        super().follow_block(turn_id, places, block, change)
        self._tell_watchers()

    def follow(self, rewriting: Rewriting) -> None:
        """Let what was made of an ended turn follow its new request, and tell of it."""
        super().follow(rewriting)
        self._tell_watchers()

    def move_audiences(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        """Let audiences be known by the ids that their chats have by now."""
        for where, old in tuple(self._kinds.items()):
            channel, account, chat = where
            address = change(ChatAddress(channel=channel, account=account, chat=chat))
            if address.chat != chat:
                del self._kinds[where]
                new = replace(old, chat=address.chat)
                self._kinds[channel, account, address.chat] = new
                self._note(folder_ref(old), folder_ref(new))

    def _note_chat(self, message: InboundMessage, at: datetime) -> int:
        audience = audience_of(message.address.session_key, message.kind)
        where = (audience.channel, audience.account, audience.chat)
        if self._kinds.get(where) != audience:
            self._kinds[where] = audience
            self._note(folder_ref(audience))
        return super()._note_chat(message, at)

    def _remove_chat(self, session_key: SessionKey) -> None:
        super()._remove_chat(session_key)
        self._tell_watchers()

    def _note(self, *refs: ItemRef) -> None:
        """Note changes of files, of which nothing here says what they are."""
        for ref in refs:
            self._newest_seq += 1
            self._seqs[ref] = self._newest_seq
        self._tell_watchers()

    def _tell_watchers(self) -> None:
        for wake in self._watchers:
            wake()

    def _compare(self) -> None:
        there = self._snapshot()
        for ref in sorted(there.keys() | self._seen.keys()):
            if there.get(ref, ()) != self._seen.get(ref, ()):
                self._newest_seq += 1
                self._seqs[ref] = self._newest_seq
        self._seen = there

    def _snapshot(self) -> _Snapshot:
        return {
            ref: tuple(_in_zone(piece, self.zone) for piece in pieces)
            for ref, pieces in self._all_pieces()
            if pieces
        }

    def _all_pieces(self) -> Iterator[tuple[ItemRef, tuple[MemoryItem, ...]]]:
        for fact in self.facts.values():
            if fact.holds:
                yield fact_ref(fact.id), (self._fact_piece(fact),)
        for episode in self._episodes.values():
            yield episode_ref(episode.id), episode_pieces(episode)
        for turn in self._turns():
            if turn.id not in self._off_record:
                yield turn_ref(turn.id), self._turn_pieces(turn)

    def _fact_piece(self, fact: Fact) -> MemoryItem:
        return fact_piece(
            fact_ref(fact.id),
            (fact.key, fact.text),
            Origin(audience=fact.audience, said_by=fact.person_key),
            fact.confirmed_at.astimezone(self.zone),
            self._name_of(fact.person_key),
        )

    def _turn_pieces(self, turn: Turn) -> tuple[MemoryItem, ...]:
        audience = audience_of(turn.session_key, self._known(turn.session_key).kind)
        day = turn.started_at.astimezone(self.zone).date()
        pieces = turn_pieces(turn, self.who_said.get(turn.id, ()), audience, day)
        return tuple(each for each in pieces if not is_note(each.text) and each.text != FORGOTTEN)


def _in_zone(piece: MemoryItem, zone: tzinfo) -> MemoryItem:
    return piece if piece.moment is None else replace(piece, moment=piece.moment.astimezone(zone))
