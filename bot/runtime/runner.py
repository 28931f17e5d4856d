"""The shared agent runner: turns of all chats, one context manager a chat."""

from __future__ import annotations

from bot.core.chat import SessionKey
from bot.core.lifecycle import Claim
from bot.core.tokens import Budget
from bot.core.turns import Turn
from bot.runtime.context import ContextManager, ContextParts
from bot.runtime.context.steering import ContextSteering
from bot.runtime.preview import Preview
from bot.runtime.turn_answer import Answer
from bot.runtime.turn_run import AgentParts, TurnRun

KEPT_CONVERSATIONS = 1_000
"""How many chats stay in memory; the one longest without a turn is dropped first."""


class AgentRunner:
    """Gives each turn its context and runs it."""

    def __init__(self, parts: AgentParts, context: ContextParts) -> None:
        self._parts = parts
        self._context = context
        self._managers: dict[SessionKey, ContextManager] = {}

    async def run(self, claim: Claim, preview: Preview) -> Answer:
        """Run a turn from where its journal stands to its end.

        The end is not recorded here: the caller stores it together with the replies, and then
        says :meth:`close_turn`. Cancelling leaves a turn that can be gone on with.
        """
        manager = self.context_of(claim.turn.session_key)
        answer: Answer | None = None
        try:
            context = await manager.open_turn(claim)
            answer = await TurnRun(self._parts, claim, preview, context).run()
        finally:
            if answer is None:
                manager.break_off()
        return answer

    def close_turn(self, turn: Turn) -> None:
        """Let an ended turn become part of its chat's conversation."""
        manager = self._managers.get(turn.session_key)
        if manager is not None:
            manager.close_turn(turn)

    def forget(self, session_key: SessionKey) -> None:
        """Drop what is held of a chat, its store having changed; nothing is lost.

        Its manager stays: a turn or a command may be at work on it, and there are never two.
        """
        manager = self._managers.get(session_key)
        if manager is not None:
            manager.forget()

    def forget_chats(self, chats: tuple[SessionKey, ...]) -> None:
        """Drop what is held of chats and their threads, by what their keys begin with."""
        for session_key in tuple(self._managers):
            if session_key.startswith(chats):
                self.forget(session_key)

    def budget_of(self, session_key: SessionKey) -> Budget:
        """Say how many tokens a chat's requests and their answers may have now."""
        return self._context.budget(self._context.limits(session_key))

    def steering_of(self, session_key: SessionKey) -> ContextSteering:
        """Give what people can do to a chat's context."""
        return ContextSteering(session_key, self._context, self.context_of(session_key))

    def context_of(self, session_key: SessionKey) -> ContextManager:
        """Give a chat's context manager, made on first use.

        The idle one that was unused longest goes for it when there are many.
        """
        manager = self._managers.pop(session_key, None)
        if manager is None:
            manager = ContextManager(session_key, self._context)
            if len(self._managers) >= KEPT_CONVERSATIONS:
                self._drop_longest_idle()
        self._managers[session_key] = manager
        return manager

    def _drop_longest_idle(self) -> None:
        idle = (key for key, each in self._managers.items() if each.running is None)
        if (longest := next(idle, None)) is not None:
            del self._managers[longest]
