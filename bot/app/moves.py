"""The moving of chats, wired together."""

from __future__ import annotations

from collections.abc import Callable

from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.outside import Outside
from bot.core.chat import ChatMoved
from bot.runtime.activity import Activity
from bot.runtime.lanes import Lanes
from bot.runtime.moves import ChatMoves, MoveParts
from bot.runtime.supervisor import Spawn


def build_moves(
    outside: Outside,
    agent: Agent,
    access: Access,
    lanes: Lanes,
    activity: Activity,
    background: tuple[Spawn, Callable[[], None]],
) -> ChatMoves:
    """Build it; ``background`` starts work and wakes what remembers."""

    async def reload(moved: ChatMoved) -> None:
        await access.gate.load()
        await agent.settings.load()
        agent.spending.follow(moved)

    spawn, wake_memory = background
    return ChatMoves(
        MoveParts(
            lifecycle=outside.store,
            gate=access.gate,
            lanes=lanes,
            runner=agent.runner,
            clock=outside.clock,
            activity=activity,
            spawn=spawn,
            reload=reload,
            wake_memory=wake_memory,
        )
    )
