"""What ``/new`` opens a session with, and the record of the session it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.core.chat import InboundMessage, SessionKey
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.episodes import MOST_TURNS, Account, Unrecorded, with_task
from bot.core.memory.facts import Fact, stale_since
from bot.core.memory.keys import told_fact
from bot.core.memory.opening import (
    KnownFact,
    LastSession,
    Opening,
    make_opening,
    opening_facts,
    session_of,
)
from bot.core.memory.recalled import in_doubt
from bot.core.names import name_in_line
from bot.core.turns import TurnId
from bot.core.window.summary.sessions import mechanical_account, redacted_account, with_details
from bot.ports import ChatMemories, Clock, Episodes, Facts, Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningParts:
    """What openings are made with.

    Attributes:
        zone: Where dates are told.
        wake_memory: Lets what is to be recorded be looked at now.
    """

    episodes: Episodes
    facts: Facts
    memories: ChatMemories
    redactor: Redactor
    clock: Clock
    zone: tzinfo
    wake_memory: Callable[[], None]


class Openings:
    """Says what a chat's next session opens with, for whoever begins it."""

    def __init__(self, parts: OpeningParts) -> None:
        self._parts = parts

    async def opening_for(self, message: InboundMessage) -> Opening | None:
        """Give what is known at this moment; None where that is nothing, or memory is off.

        As long as no model has recorded the session before, it is told mechanically: the record
        takes the place of that unless somebody writes first.
        """
        session_key = message.address.session_key
        if not self._parts.memories.is_remembered(session_key):
            return None
        viewer = viewer_of(session_key, message.kind, message.sender.person_key)
        facts = opening_facts(await self._parts.facts.facts_for(viewer), viewer)
        now = self._parts.clock.now()
        return make_opening(
            await self._last(session_key, viewer),
            tuple(self._known(fact, now) for fact in facts),
            name=name_in_line(message.sender.name) if message.kind == "group" else "",
        )

    async def ask_for_record(self, session_key: SessionKey) -> None:
        """Have the session that was just ended recorded, if it is worth it."""
        now = self._parts.clock.now()
        if not self._parts.memories.is_remembered(session_key):
            return
        if await self._parts.episodes.ask_for_episodes(now, at=now, session_key=session_key):
            self._parts.wake_memory()

    async def _last(self, session_key: SessionKey, viewer: Viewer) -> LastSession | None:
        """Say what was before, as far as no person cleared it away."""
        episodes = self._parts.episodes
        found = await episodes.last_unrecorded(session_key, limit=MOST_TURNS)
        if found.is_session:
            return self._told_mechanically(found)
        episode = await episodes.last_episode(viewer, session_key)
        if episode is not None:
            return session_of(episode, found.task)
        if found.task is None:
            return None
        account = with_task(Account(summary=""), found.task)
        now = self._parts.clock.now()
        return LastSession(account=account, first=TurnId(0), through=TurnId(0), ended_at=now)

    def _told_mechanically(self, found: Unrecorded) -> LastSession:
        turns = found.turns
        account = with_details(with_task(mechanical_account(turns), found.task), turns)
        return LastSession(
            account=redacted_account(account, self._parts.redactor.redact),
            first=turns[0].id,
            through=turns[-1].id,
            ended_at=turns[-1].started_at,
        )

    def _known(self, fact: Fact, now: datetime) -> KnownFact:
        since, text = stale_since(fact, now), told_fact(fact.key, fact.text)
        if since is None:
            return KnownFact(id=fact.id, text=text)
        return KnownFact(id=fact.id, text=f"{text} ({in_doubt(since, self._parts.zone)})")
