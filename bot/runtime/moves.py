"""Chats that go on under another id: held, moved once nothing of them runs, and let go on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from bot.core.chat import ChatMoved, SessionKey
from bot.core.lifecycle import Received
from bot.ports import Clock, Lifecycle
from bot.runtime.access_gate import AccessGate
from bot.runtime.activity import Activity
from bot.runtime.lanes import Lanes
from bot.runtime.plan import Plan
from bot.runtime.runner import AgentRunner
from bot.runtime.storing import STORE_RETRY_S, until_stored
from bot.runtime.supervisor import Spawn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveParts:
    """What moving chats works with.

    Attributes:
        reload: Reads settings and permissions anew, which go by the ids of chats, and has what is
            spent follow.
        wake_memory: Says that files of memory are to be moved.
    """

    lifecycle: Lifecycle
    gate: AccessGate
    lanes: Lanes
    runner: AgentRunner
    clock: Clock
    activity: Activity
    spawn: Spawn
    reload: Callable[[ChatMoved], Awaitable[None]]
    wake_memory: Callable[[], None]


class ChatMoves:
    """Moves chats. A turn that runs comes to its end first: all that it notes goes by the old id.

    What comes in meanwhile under either id waits, so that it is answered with all that was said
    before.
    """

    def __init__(self, parts: MoveParts) -> None:
        self._parts = parts

    def plan(self, moved: ChatMoved) -> Plan:
        """Say how a move goes on; who is let in under the old id is at once under the new one."""
        self._parts.gate.follow(moved)
        stored = Received(inbound=moved, route="none")
        return Plan(stored=stored, act=lambda: self.begin(moved))

    def begin(self, moved: ChatMoved) -> None:
        """Move a chat as soon as can be."""
        self._parts.gate.follow(moved)
        self._parts.lanes.hold(_chats(moved))
        session_key, activity = moved.address.session_key, self._parts.activity
        task = self._parts.spawn(f"move {moved.event_id}", self._move(moved))
        activity.begin(session_key)
        task.add_done_callback(lambda _: activity.end(session_key))  # also if it never began

    async def _move(self, moved: ChatMoved) -> None:
        parts, chats = self._parts, _chats(moved)
        while await parts.lanes.quiet(chats):
            try:
                await until_stored(
                    parts.clock,
                    "move_chat",
                    lambda: parts.lifecycle.move_chat(moved.address, moved.new_chat),
                )
            except ValueError:  # a turn that somebody stopped began meanwhile, only to end
                await parts.clock.sleep(STORE_RETRY_S)
            else:
                await self._go_on(moved)
                return

    async def _go_on(self, moved: ChatMoved) -> None:
        """Forget what is held of both chats, and see to what waited."""
        parts, chats = self._parts, _chats(moved)
        parts.runner.forget_chats(chats)
        await until_stored(parts.clock, "moved chat", partial(parts.reload, moved))
        waiting = await until_stored(parts.clock, "moved chat", parts.lifecycle.unfinished)
        parts.lanes.release(chats)
        for session_key in waiting.waiting:
            if session_key.startswith(chats):
                parts.lanes.wake(session_key)
        parts.wake_memory()
        about = {"session": moved.address.session_key, "new_chat": moved.new_chat}
        logger.info("chat.moved", extra=about)


def _chats(moved: ChatMoved) -> tuple[SessionKey, SessionKey]:
    """Give what all keys of the old and of the new chat begin with."""
    old = moved.address.whole_chat
    return old.session_key, replace(old, chat=moved.new_chat).session_key
