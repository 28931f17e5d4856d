"""Records of past sessions, as the store in memory keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from bot.core.chat import ChatAddress, PersonKey, SessionKey
from bot.core.lifecycle import ModelCall
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.episodes import (
    LEAST_TURNS,
    Account,
    Borders,
    Episode,
    EpisodeId,
    Unrecorded,
    first_run,
)
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.opening import (
    Opening,
    session_of,
    with_session,
    without_facts,
    without_turns,
)
from bot.core.rewriting import Rewriting
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, takes_in
from bot.testing.chat_memory import ChatMemory


class KeptEpisodes(ChatMemory):
    """Fills the port Episodes from dicts."""

    def __init__(self, turns: Callable[[], Iterable[Turn]], calls: list[ModelCall]) -> None:
        super().__init__(turns, calls)
        self._episodes: dict[EpisodeId, Episode] = {}
        self._newest_episode = 0
        self._recorded: set[int] = set()

    async def ask_for_episodes(
        self, silent_since: datetime, *, at: datetime, session_key: str = ""
    ) -> int:
        """Keep jobs for sessions that are not recorded; gives how many."""
        chats = [SessionKey(session_key)] if session_key else sorted(self._sessions)
        asked = 0
        for key in chats:
            session, turns = self._known(key), self._unrecorded(key)
            is_silent = session.heard_at is None or session.heard_at <= silent_since
            has_task = session.task is not None or bool(session_key and session.former_task)
            if turns and (session_key or is_silent) and (len(turns) >= LEAST_TURNS or has_task):
                known = None if session_key else self._jobs.get((key, "episode"))
                self._ask_for_episode(key, turns[-1].id, known.due_at if known else at)
                asked += 1
        return asked

    async def unrecorded(self, session_key: SessionKey, *, through: int, limit: int) -> Unrecorded:
        """Give the oldest run of a chat's turns that no record covers."""
        turns = tuple(t for t in self._unrecorded(session_key) if t.id <= through)[:limit]
        behind = turns[0].id if turns else through
        recorded = (t.id for t in self._all_of(session_key) if t.id > behind and self._has(t))
        return self._first_run(session_key, turns, min(recorded, default=None))

    async def last_unrecorded(self, session_key: SessionKey, *, limit: int) -> Unrecorded:
        """Give the newest turns of a chat that no record covers, without what was cleared away."""
        recorded = max((t.id for t in self._all_of(session_key) if self._has(t)), default=0)
        first = max(recorded + 1, self._known(session_key).cut.recalled_from)
        turns = tuple(t for t in self._unrecorded(session_key) if t.id >= first)
        return self._first_run(session_key, turns[-limit:], None)

    async def land_episode(
        self, job: MemoryJob, turns: tuple[Turn, ...], account: Account
    ) -> Episode | None:
        """Keep the record of turns that are still as they were."""
        if self.is_memory_off(job.session_key):
            return None
        now = {turn.id: turn for turn in self._turns()}
        for turn in turns:
            known = now.get(turn.id)
            if known is None or known.outcome is None or self._has(known):
                return None
            if (known.started_at, known.revision) != (turn.started_at, turn.revision):
                return None
        key = now[turns[0].id].session_key
        self._newest_episode += 1
        episode = Episode(
            id=EpisodeId(self._newest_episode),
            session_key=key,
            audience=audience_of(key, self._known(key).kind),
            person_key=self._only_speaker(turns),
            first=turns[0].id,
            through=turns[-1].id,
            started_at=turns[0].started_at,
            ended_at=turns[-1].started_at,
            account=account,
        )
        self._episodes[episode.id] = episode
        self._recorded |= {turn.id for turn in turns}
        kept = self._waiting_job(job.id)
        if kept and not any(t.id <= kept.through for t in self._unrecorded(kept.session_key)):
            await self.drop(job.id)
        self._refresh(episode)
        return episode

    async def pass_over(self, turns: tuple[Turn, ...]) -> None:
        """Have turns count as recorded."""
        self._recorded |= {turn.id for turn in turns}

    async def last_episodes(self, viewer: Viewer, *, limit: int) -> tuple[Episode, ...]:
        """Give the newest records of an audience, newest first."""
        theirs = [each for each in self._episodes.values() if each.audience == viewer.audience]
        theirs.sort(key=lambda each: each.through, reverse=True)
        return tuple(theirs[:limit])

    async def last_episode(self, viewer: Viewer, session_key: SessionKey) -> Episode | None:
        """Give the newest record of a chat that was not cleared away, else of its audience."""
        first = self._known(session_key).cut.recalled_from
        theirs = (
            each
            for each in await self.last_episodes(viewer, limit=len(self._episodes))
            if each.session_key != session_key or each.first >= first
        )
        in_order = sorted(theirs, key=lambda each: each.session_key != session_key)
        return next(iter(in_order), None)

    def follow(self, rewriting: Rewriting) -> None:
        """Let what was made of an ended turn follow its new request."""
        super().follow(rewriting)
        self.drop_covering(rewriting.turn, rewriting.at)

    def drop_covering(self, turn: Turn, at: datetime) -> None:
        """Drop the record of a turn's session, to be written anew, and what openings have of it."""
        for episode in tuple(self._episodes.values()):
            is_same_chat = episode.session_key == turn.session_key
            if is_same_chat and episode.first <= turn.id <= episode.through:
                del self._episodes[episode.id]
                ids = {each.id for each in self._all_of(turn.session_key)}
                self._recorded -= ids & set(range(episode.first, episode.through + 1))
                self._ask_for_episode(turn.session_key, episode.through, at)
        chat = ChatAddress.from_session_key(turn.session_key).whole_chat.session_key
        self._change_openings(
            lambda opening: without_turns(opening, frozenset({turn.id})), beginning=chat
        )

    def let_go_of_facts(self, fact_ids: frozenset[int]) -> None:
        """Take facts that hold no more out of all openings."""
        self._change_openings(lambda opening: without_facts(opening, fact_ids))

    def _move_episodes(self, rename: Callable[[SessionKey], SessionKey]) -> None:
        for episode in tuple(self._episodes.values()):
            key = rename(episode.session_key)
            audience = audience_of(key, episode.audience.kind)
            self._episodes[episode.id] = replace(episode, session_key=key, audience=audience)

    def _change_openings(
        self, change: Callable[[Opening], Opening | None], *, beginning: str = ""
    ) -> None:
        def changed(cut: Cut) -> Cut:
            return cut if cut.opening is None else replace(cut, opening=change(cut.opening))

        for key, session in self._sessions.items():
            if not key.startswith(beginning):
                continue
            before = session.cut, session.former
            session.cut = changed(session.cut)
            session.former = None if session.former is None else changed(session.former)
            session.generation += (session.cut, session.former) != before

    def _refresh(self, episode: Episode) -> None:
        """Let a session in which nothing was said yet open with a new record."""
        session = self._known(episode.session_key)
        cut = session.cut
        has_begun = any(t.id >= cut.cleared_before for t in self._all_of(episode.session_key))
        last = session_of(episode, None)
        if cut.opening is not None and takes_in(cut, last) and not has_begun:
            session.cut = replace(cut, opening=with_session(cut.opening, last))

    def _ask_for_episode(self, key: SessionKey, through: int, at: datetime) -> None:
        job = self._jobs.get((key, "episode"))
        if job is None:
            self._add_job("episode", key, through, at)
        else:
            self._newest_job += 1
            job.through, job.due_at = max(job.through, through), min(job.due_at, at)

    def _first_run(
        self, key: SessionKey, turns: tuple[Turn, ...], recorded_from: TurnId | None
    ) -> Unrecorded:
        session = self._known(key)
        borders = Borders(
            recorded_from=recorded_from,
            cleared_before=session.cut.recalled_from,
            begun_from=session.cut.cleared_before,
        )
        return first_run(turns, borders, session.task, session.former_task)

    def _only_speaker(self, turns: tuple[Turn, ...]) -> PersonKey:
        speakers = frozenset[PersonKey]().union(*map(self._speakers_of, turns))
        return next(iter(speakers)) if len(speakers) == 1 else PersonKey("")

    def _speakers_of(self, turn: Turn) -> frozenset[PersonKey]:
        return frozenset({self._known(turn.session_key).person_key})

    def _all_of(self, key: SessionKey) -> list[Turn]:
        return [turn for turn in self._turns() if turn.session_key == key]

    def _unrecorded(self, key: SessionKey) -> list[Turn]:
        return [turn for turn in self._ended(key, 0) if not self._has(turn)]

    def _has(self, turn: Turn) -> bool:
        """Say whether a turn is recorded, or never to be."""
        return turn.id in self._recorded or turn.id in self._off_record
