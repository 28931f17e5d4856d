"""Forgetting, as the store in memory does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.chat import ChatAddress, PersonKey, Reply, SessionKey
from bot.core.edits import Correction
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Audience, Viewer, audience_of
from bot.core.memory.blanking import (
    blanked,
    gone_texts,
    is_blank,
    part_meant,
    said_by_label,
    texts_of,
    without_talk_of,
)
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import Fact, FactId
from bot.core.memory.forgetting import (
    NOTHING,
    NOTHING_GONE,
    VALID_FOR,
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
    all_gone,
    mentions,
)
from bot.core.memory.needles import Echoes, needles_of
from bot.core.memory.said import Said
from bot.core.messages import Message
from bot.core.rewriting import Rewriting, forgotten
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut
from bot.ports.forgetting import MeantTurns, RemovedTurns, Standing
from bot.testing.kept_personal import KeptPersonal


@dataclass(slots=True)
class _Kept:
    new: NewForgetting
    place: ReceiptPlace | None = None
    removed: Removed = NOTHING
    gone: Gone = NOTHING_GONE


class KeptForgetting(KeptPersonal):
    """Fills the port Forgettings from dicts; it has no disk on which anything could be left."""

    def __init__(self, installation: str) -> None:
        super().__init__(installation)
        self._forgettings: dict[ForgettingId, _Kept] = {}
        self._newest_forgetting = 0

    async def meant_turns(
        self,
        wish: Wish,
        viewer: Viewer,
        *,
        after: int,
        between: tuple[datetime, datetime] | None = None,
    ) -> MeantTurns:
        """Give the turns that a wish means, all in one stretch."""
        found = (
            self._part_of(turn, wish, viewer)
            for turn in self._turns_by_id.values()
            if turn.id > after and self._is_candidate(turn, wish, viewer, between)
        )
        return MeantTurns(parts=tuple(each for each in found if each), next_after=None)

    async def meant_facts(
        self, wish: Wish, viewer: Viewer, parts: tuple[TurnPart, ...]
    ) -> tuple[MeantFact, ...]:
        """Give the facts that a wish means, all versions of each."""
        own = [each for _, each in sorted(self.facts.items()) if _is_theirs(each, wish, viewer)]
        keys = {
            (each.person_key, each.audience, each.key)
            for each in own
            if wish.kind == "all"
            or (wish.kind == "fact" and each.id == wish.number)
            or mentions(wish, each.key, each.text)
        }
        turn_ids = {part.turn_id for part in parts if part.blocks != ()}
        return tuple(
            MeantFact(id=each.id, text=each.text, turn_id=each.turn_id)
            for each in own
            if (each.person_key, each.audience, each.key) in keys or each.turn_id in turn_ids
        )

    async def meant_episodes(self, wish: Wish, viewer: Viewer) -> tuple[EpisodeId, ...]:
        """Give the records of sessions that a wish means by itself."""
        if viewer.audience.kind == "group" and not wish.of_everyone:
            return ()
        return tuple(
            each.id
            for each in self._episodes.values()
            if each.audience == viewer.audience
            and (wish.kind == "all" or mentions(wish, repr(each.account)))
        )

    async def meant_reminders(self, wish: Wish, viewer: Viewer) -> tuple[str, ...]:
        """Give the texts of the reminders that a wish means: here there are none."""
        return ()

    async def words_of(self, fact_ids: tuple[FactId, ...]) -> tuple[MeantFact, ...]:
        """Give facts with their words, those of them that are there."""
        found = (self.facts[each] for each in sorted(fact_ids) if each in self.facts)
        return tuple(MeantFact(id=each.id, text=each.text, turn_id=each.turn_id) for each in found)

    async def standing(self, meant: Meant) -> Standing:
        """Say of what is meant whose files have it, and which turns were not blanked yet."""
        parts = {part.turn_id: part for part in meant.parts if part.turn_id in self._turns_by_id}
        keys = {self._turns_by_id[each].session_key for each in parts}
        groups = {audience_of(key, "group") for key in keys if self._known(key).kind == "group"}
        of_facts = {self.facts[each.id].audience for each in meant.facts if each.id in self.facts}
        groups |= {each for each in of_facts if each.kind == "group"}
        return Standing(
            groups=frozenset(groups),
            turn_ids=frozenset(key for key, part in parts.items() if self._stands(part)),
        )

    async def keep_proposal(self, new: NewForgetting) -> None:
        """Keep what is to be confirmed, and drop what was not in time."""
        for number, kept in tuple(self._forgettings.items()):
            if kept.place is None and new.asked_at - kept.new.asked_at >= VALID_FOR:
                del self._forgettings[number]
        self._newest_forgetting += 1
        self._forgettings[ForgettingId(self._newest_forgetting)] = _Kept(new=_without_words(new))

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
        for number, kept in self._forgettings.items():
            if kept.new.token != token or kept.new.viewer != viewer:
                continue
            if kept.new.wish.of_everyone and not may_speak_for_all:
                return None
            if kept.place is None and at - kept.new.asked_at >= VALID_FOR:
                return None
            kept.place = kept.place or place
            return _work(number, kept, kept.place)
        return None

    async def cancel_forgetting(self, token: str, viewer: Viewer) -> bool:
        """Drop a proposal that nobody confirmed."""
        for number, kept in tuple(self._forgettings.items()):
            if (kept.new.token, kept.new.viewer, kept.place) == (token, viewer, None):
                del self._forgettings[number]
                return True
        return False

    async def confirmed_forgettings(self) -> tuple[Forgetting, ...]:
        """Give what was confirmed and is not done, oldest first."""
        return tuple(
            _work(number, kept, kept.place)
            for number, kept in self._forgettings.items()
            if kept.place is not None
        )

    async def remove_turns(
        self, work: Forgetting, parts: tuple[TurnPart, ...], *, at: datetime
    ) -> RemovedTurns:
        """Blank turns that have ended, with all that was made of them."""
        sessions: set[SessionKey] = set()
        open_in: set[SessionKey] = set()
        for part in parts:
            turn = self._turns_by_id.get(part.turn_id)
            if turn is None:
                continue
            if turn.outcome is None:
                open_in.add(turn.session_key)
            else:
                self._blank(work, turn, part, at)
                sessions.add(turn.session_key)
        return RemovedTurns(sessions=frozenset(sessions), open_in=frozenset(open_in))

    async def remove_rest(self, work: Forgetting, meant: Meant, *, at: datetime) -> RemovedTurns:
        """Remove facts and records, and what stands beside turns."""
        gone = {fact.id for fact in meant.facts} & self.facts.keys()
        lines = tuple(self.facts[each].text for each in sorted(gone))
        groups = (await self.standing(Meant(facts=meant.facts))).groups
        for fact_id in gone:
            del self.facts[fact_id]
        self.let_go_of_facts(frozenset(gone))
        records = set(meant.episodes) & self._episodes.keys()
        for episode_id in records:
            del self._episodes[episode_id]
        home = work.new.viewer.audience
        keys = {turn.session_key for turn in self._turns_by_id.values()} | self._sessions.keys()
        turn_ids = frozenset(part.turn_id for part in meant.parts)
        of_turns = {t.session_key for t in self._turns_by_id.values() if t.id in turn_ids}
        touched = {key for key in keys if _is_of(key, home) or key in of_turns}
        touched |= {key for key in keys if any(_is_of(key, each) for each in groups)}
        for key in sorted(touched):
            self._forget_beside(key, work, turn_ids, at)
        running = [
            turn
            for turn in self._turns_by_id.values()
            if turn.outcome is None and turn.session_key in touched
        ]
        watched = frozenset(turn.id for turn in running)
        self._add(
            work.id,
            Removed(facts=len(gone), episodes=len(records)),
            Gone(needles=needles_of(lines), lines=lines, groups=groups, watched=watched),
        )
        open_in = frozenset(turn.session_key for turn in running)
        return RemovedTurns(sessions=frozenset(keys), open_in=open_in)

    async def repeating(
        self, forgetting_id: ForgettingId, turn_ids: frozenset[TurnId]
    ) -> frozenset[TurnId]:
        """Give those of these turns in which something stands that is gone."""
        gone = await self.gone_by(forgetting_id)
        echoes = Echoes(gone.needles, gone.lines)
        there = turn_ids & self._turns_by_id.keys()
        return frozenset(each for each in there if echoes.are_in(texts_of(self._turns_by_id[each])))

    async def add_removed(self, forgetting_id: ForgettingId, removed: Removed, gone: Gone) -> None:
        """Add to a forgetting what was removed elsewhere."""
        self._add(forgetting_id, removed, gone)

    async def gone_by(self, forgetting_id: ForgettingId) -> Gone:
        """Give all that is known of what is gone."""
        kept = self._forgettings.get(forgetting_id)
        return NOTHING_GONE if kept is None else kept.gone

    async def still_said(self, needles: tuple[str, ...]) -> frozenset[str]:
        """Give those of the needles that stand in what stays: nothing is searched for here."""
        return frozenset()

    async def wipe(self, *, is_whole: bool) -> None:
        """Leave no bytes of what was removed, where there are none."""

    async def finish_forgetting(
        self, forgetting_id: ForgettingId, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        """Drop what is done, and tell of it; a second time nothing happens."""
        if self._forgettings.pop(forgetting_id, None) is None:
            return ()
        return self._outbox.add(replies, at)

    def _add(
        self, forgetting_id: ForgettingId, removed: Removed, gone: Gone = NOTHING_GONE
    ) -> None:
        kept = self._forgettings.get(forgetting_id)
        if kept is not None:
            kept.removed = kept.removed.plus(removed)
            kept.gone = all_gone((kept.gone, gone))

    def _stands(self, part: TurnPart) -> bool:
        turn = self._turns_by_id[part.turn_id]
        said = self._who_said(turn, PersonKey(""))
        is_blanked = blanked(turn.request, said, part.blocks)[0] == turn.request
        return part.blocks != () and not (is_blanked and not turn.steps)

    def _who_said(self, turn: Turn, person_key: PersonKey) -> tuple[Said, ...] | None:
        said = self.who_said.get(turn.id)
        if said is None and self._known(turn.session_key).kind == "group":
            return said_by_label(turn.request, person_key)
        return said

    def _is_candidate(
        self, turn: Turn, wish: Wish, viewer: Viewer, between: tuple[datetime, datetime] | None
    ) -> bool:
        if wish.kind == "fact" or (wish.kind == "turn" and turn.id != wish.number):
            return False
        is_here = _is_of(turn.session_key, viewer.audience)
        if wish.kind == "day":
            entry = self.entries.get(turn.id)
            is_noted = entry is not None and entry.day.isoformat() == wish.text
            is_that_day = between is not None and between[0] <= turn.started_at < between[1]
            return is_here and (is_noted or is_that_day)
        is_group = self._known(turn.session_key).kind == "group"
        return is_here or (viewer.audience.kind == "private" and is_group)

    def _part_of(self, turn: Turn, wish: Wish, viewer: Viewer) -> TurnPart | None:
        kind = self._known(turn.session_key).kind
        return part_meant(turn, self.who_said.get(turn.id), wish, viewer.person_key, kind)

    def _blank(self, work: Forgetting, turn: Turn, part: TurnPart, at: datetime) -> None:
        viewer, wish = work.new.viewer, work.new.wish
        if part.blocks == ():
            talk = without_talk_of(turn.request, viewer.person_key, wish)
            self._turns_by_id[turn.id] = replace(turn, request=talk or turn.request)
            return
        said = self._who_said(turn, viewer.person_key)
        request, left = blanked(turn.request, said, part.blocks)
        if request == turn.request and not turn.steps:
            return
        is_whole = part.blocks is None or is_blank(request)
        request = without_talk_of(request, viewer.person_key, wish) or request
        after = replace(turn, request=request, steps=(), revision=turn.revision + 1)
        self._turns_by_id[turn.id] = after
        self.who_said[turn.id] = left
        facts = len(self.facts)
        self.read_again(turn.id, taken_back_by=None if not is_whole else viewer.person_key)
        self._wholes = {key: text for key, text in self._wholes.items() if key[0] != turn.id}
        self._inbox.forget(turn.id, None if is_whole else part.blocks)
        self._outbox.forget(turn.id)
        if is_whole:
            self.entries.pop(turn.id, None)
            self._remembered.add(turn.id)
            self._read_through.add(turn.id)
        self.follow(Rewriting(turn=after, correction=Correction(before="", after=""), at=at))
        if is_whole:
            self._recorded.add(turn.id)
        answered = replace(turn, request=Message(role="user", blocks=()))
        texts = (*gone_texts(turn.request, request), *texts_of(answered))
        gone = Gone(
            needles=needles_of(texts),
            groups=frozenset({audience_of(turn.session_key, "group")})
            if self._known(turn.session_key).kind == "group"
            else frozenset(),
            turn_ids=frozenset({turn.id}) if is_whole else frozenset(),
        )
        self._add(work.id, Removed(turns=1, facts=facts - len(self.facts)), gone)

    def _forget_beside(
        self, key: SessionKey, work: Forgetting, turn_ids: frozenset[TurnId], at: datetime
    ) -> None:
        session, wish = self._session(key), work.new.wish
        is_all = wish.kind == "all" and (session.kind == "private" or wish.of_everyone)

        def is_meant(*texts: str) -> bool:
            return is_all or mentions(wish, *texts)

        def after(cut: Cut) -> Cut:
            ended = self._ended(key, cut.cleared_before)
            left = tuple(turn for turn in ended if turn.id < cut.kept_from)
            summary = self._summaries.get(cut.summary_version)
            return forgotten(cut, summary, turn_ids, left, is_meant)[0]

        session.generation += 1
        before, session.cut = session.cut, after(session.cut)
        session.former = None if session.former is None else after(session.former)
        if session.cut != before:
            self._ask_for_summary(key, at)
        session.task = _unless_meant(session.task, is_meant)
        session.former_task = _unless_meant(session.former_task, is_meant)


def _unless_meant(task: TaskState | None, is_meant: Callable[..., bool]) -> TaskState | None:
    if task is None or is_meant(task.goal, *task.done, *task.remaining):
        return None
    return task


def _without_words(new: NewForgetting) -> NewForgetting:
    """Give what the row of a proposal holds: no heads, and no words of facts."""
    parts = tuple(replace(part, head="") for part in new.meant.parts)
    facts = tuple(replace(fact, text="") for fact in new.meant.facts)
    return replace(new, meant=replace(new.meant, parts=parts, facts=facts))


def _work(number: ForgettingId, kept: _Kept, place: ReceiptPlace) -> Forgetting:
    return Forgetting(id=number, new=kept.new, place=place, removed=kept.removed)


def _is_theirs(fact: Fact, wish: Wish, viewer: Viewer) -> bool:
    is_here = fact.audience == viewer.audience
    is_own = fact.person_key == viewer.person_key
    if viewer.audience.kind == "private":
        return is_own and (is_here or fact.audience.kind == "group")
    return is_here and (is_own or wish.of_everyone)


def _is_of(key: SessionKey, audience: Audience) -> bool:
    address = ChatAddress.from_session_key(key)
    return (address.channel, address.account, address.chat) == (
        audience.channel,
        audience.account,
        audience.chat,
    )
