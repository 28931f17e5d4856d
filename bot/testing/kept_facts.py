"""What a store in memory keeps of facts about people."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.chat import ChatAddress, PersonKey, SessionKey
from bot.core.edits import Change
from bot.core.lifecycle import ModelCall
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.extraction import UnreadTurn
from bot.core.memory.facts import (
    NOT_KEPT,
    Fact,
    FactId,
    NewFact,
    is_own,
    placed,
    rechained,
    settle,
    shown_to,
)
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.said import Said, moved
from bot.core.memory.taking_back import without_turn
from bot.core.turns import Turn, TurnId
from bot.testing.kept_episodes import KeptEpisodes

READ_AFTER = timedelta(minutes=2)

_Place = tuple[PersonKey, str, str, str, str]
"""Under what versions are one chain: person, channel, account, chat, key."""


class KeptFacts(KeptEpisodes):
    """Fills the port Facts from dicts.

    Attributes:
        facts: All versions of all facts, by their ids.
        who_said: Who said which block of each turn's request.
    """

    def __init__(self, turns: Callable[[], Iterable[Turn]], calls: list[ModelCall]) -> None:
        super().__init__(turns, calls)
        self.facts: dict[FactId, Fact] = {}
        self._newest_fact = 0
        self._read_through: set[TurnId] = set()
        self._ended_at: dict[TurnId, datetime] = {}
        self.who_said: dict[TurnId, tuple[Said, ...]] = {}

    @abstractmethod
    def _audience_now(self, audience: Audience) -> Audience: ...

    async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]:
        """Give the facts that hold and may be recalled by a viewer."""
        return shown_to(viewer, self.facts.values())

    async def facts_about(
        self, viewer: Viewer, people: tuple[PersonKey, ...], *, most: int
    ) -> tuple[Fact, ...]:
        """Give of the facts about some people that hold and may be recalled the newest."""
        about = (each for each in await self.facts_for(viewer) if each.person_key in people)
        newest = sorted(about, key=lambda each: (each.confirmed_at, each.id), reverse=True)
        return shown_to(viewer, newest[:most])

    async def history_of(self, fact_id: FactId, viewer: Viewer) -> tuple[Fact, ...]:
        """Give all versions of what a fact's key said, for whom it is about."""
        fact = self.facts.get(fact_id)
        if fact is None or not is_own(viewer, fact):
            return ()
        return self._versions(_place_of(fact))[::-1]

    async def keep_facts(self, new: tuple[NewFact, ...]) -> tuple[tuple[Fact, Fact | None], ...]:
        """Keep statements; gives of each the fact, and what it ended."""
        return tuple(map(self._keep_fact, new))

    async def confirm_fact(self, fact_id: FactId, viewer: Viewer, *, at: datetime) -> bool:
        """Note that a fact was said to hold still."""
        fact = self.facts.get(fact_id)
        if fact is None or not fact.holds or not is_own(viewer, fact):
            return False
        self.facts[fact_id] = replace(fact, confirmed_at=max(fact.confirmed_at, at))
        return True

    async def ask_to_read(self) -> int:
        """Keep jobs for turns that are to be read for facts; gives how many are new or grew."""
        waiting: dict[SessionKey, list[Turn]] = {}
        for turn in self._turns():
            if turn.outcome is not None and self._is_unread(turn):
                waiting.setdefault(turn.session_key, []).append(turn)
        asked = 0
        for key, turns in sorted(waiting.items()):
            through = max(turn.id for turn in turns)
            job = self._jobs.get((key, "facts"))
            if job is None:
                due_at = min(self._ended_at[turn.id] for turn in turns) + READ_AFTER
                self._add_job("facts", key, through, due_at)
            elif job.through >= through:
                continue
            else:
                self._newest_job += 1
                job.through = through
            asked += 1
        return asked

    async def unread(self, job: MemoryJob, *, limit: int) -> tuple[UnreadTurn, ...]:
        """Give the turns of a job that no facts were read out of."""
        turns = self._unread_of(job.session_key, job.through)
        return tuple(
            UnreadTurn(turn=turn, said=self.who_said.get(turn.id, ())) for turn in turns[:limit]
        )

    async def land_facts(
        self, job: MemoryJob, read: tuple[UnreadTurn, ...], new: tuple[NewFact, ...]
    ) -> None:
        """Keep what was read out of turns, and end the job with the last of them."""
        if self.is_memory_off(job.session_key):
            return
        now = {(turn.id, turn.started_at, turn.revision): turn for turn in self._turns()}
        done: set[TurnId | None] = set()
        for each in read:
            turn = now.get((each.turn.id, each.turn.started_at, each.turn.revision))
            if turn is not None and turn.outcome is not None and self._is_unread(turn):
                self._read_through.add(turn.id)
                done.add(turn.id)
        await self.keep_facts(tuple(each for each in new if each.turn_id in done))
        kept = self._waiting_job(job.id)
        if kept is not None and not self._unread_of(kept.session_key, kept.through):
            await self.drop(job.id)

    def read_again(self, turn_id: TurnId, *, taken_back_by: PersonKey | None = None) -> None:
        """Drop what was read out of a turn, and have it read anew."""
        moments = {turn.id: turn.started_at for turn in self._turns()}
        for place in {_place_of(each) for each in self.facts.values()}:
            told_too = taken_back_by is not None and taken_back_by in ("", place[0])
            versions = self._versions(place)
            changed, gone = without_turn(versions, turn_id, moments, told_too=told_too)
            for fact_id in gone:
                del self.facts[fact_id]
            self.facts.update((each.id, each) for each in changed)
            self.let_go_of_facts(frozenset(gone))
        self._read_through.discard(turn_id)

    def follow_block(
        self, turn_id: TurnId, places: Mapping[int, int], block: int, change: Change
    ) -> None:
        """Follow a message that was changed: who said what, and what was read out of it."""
        known = moved(self.who_said.get(turn_id, ()), places)
        author = next((each.person_key for each in known if each.block == block), PersonKey(""))
        new = change.message
        self.who_said[turn_id] = tuple(
            each if new is None or each.block != block else replace(each, name=new.sender.name)
            for each in known
            if new is not None or each.block != block
        )
        self.read_again(turn_id, taken_back_by=None if new is not None else author)

    def move_facts(self, change: Callable[[ChatAddress], ChatAddress]) -> None:
        """Give the facts of chats the ids that they go on under."""
        for fact in tuple(self.facts.values()):
            audience = fact.audience
            address = ChatAddress(
                channel=audience.channel, account=audience.account, chat=audience.chat
            )
            moved = replace(audience, chat=change(address).chat)
            self.facts[fact.id] = replace(fact, audience=moved)
        for place in {_place_of(each) for each in self.facts.values()}:
            versions = rechained(self._versions(place))
            self.facts.update((each.id, each) for each in versions)

    def note_end(self, turn_id: TurnId, at: datetime) -> None:
        """Note when a turn ended."""
        self._ended_at[turn_id] = at

    def _speakers_of(self, turn: Turn) -> frozenset[PersonKey]:
        return frozenset(each.person_key for each in self.who_said.get(turn.id, ()))

    def _is_unread(self, turn: Turn) -> bool:
        return turn.id not in self._read_through and turn.id not in self._off_record

    def _unread_of(self, session_key: SessionKey, through: int) -> list[Turn]:
        ended = (turn for turn in self._ended(session_key, 0) if turn.id <= through)
        return [turn for turn in ended if self._is_unread(turn)]

    def _keep_fact(self, new: NewFact) -> tuple[Fact, Fact | None]:
        new = replace(new, audience=self._audience_now(new.audience))
        where, facts = _chat_of(new), self.facts.values()
        new = placed(new, tuple(f.key for f in facts if f.holds and _chat_of(f) == where))
        settled = settle(self._versions((*_chat_of(new), new.key)), new)
        for fact in settled.changed:
            if fact.id == NOT_KEPT:
                self._newest_fact += 1
                fact = replace(fact, id=FactId(self._newest_fact))
                settled = replace(settled, fact=fact)
            self.facts[fact.id] = fact
            if not fact.holds:
                self.let_go_of_facts(frozenset({fact.id}))
        return settled.fact, settled.ended

    def _versions(self, place: _Place) -> tuple[Fact, ...]:
        of_place = (each for each in self.facts.values() if _place_of(each) == place)
        return tuple(sorted(of_place, key=lambda each: (each.valid_from, each.id)))


def _chat_of(fact: Fact | NewFact) -> tuple[PersonKey, str, str, str]:
    audience = fact.audience
    return (fact.person_key, audience.channel, audience.account, audience.chat)


def _place_of(fact: Fact) -> _Place:
    return (*_chat_of(fact), fact.key)
