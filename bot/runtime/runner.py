"""The shared agent runner: turns of all chats, one context manager a chat."""

from __future__ import annotations

from bot.core.chat import SessionKey
from bot.core.lifecycle import Claim
from bot.core.turns import Turn
from bot.ports import Conversations
from bot.runtime.context_manager import ContextManager
from bot.runtime.preview import Preview
from bot.runtime.turn_run import AgentParts, Answer, TurnRun

KEPT_CONVERSATIONS = 1_000
"""How many chats stay in memory; the one longest without a turn is dropped first."""


class AgentRunner:
    """Gives each turn its window and runs it."""

    def __init__(self, parts: AgentParts, conversations: Conversations) -> None:
        self._parts = parts
        self._conversations = conversations
        self._managers: dict[SessionKey, ContextManager] = {}

    async def run(self, claim: Claim, preview: Preview) -> Answer:
        """Run a turn from where its journal stands to its end.

        The end is not recorded here: the caller stores it together with the replies, and then
        says :meth:`close_turn`. Cancelling leaves a turn that can be gone on with.
        """
        turn = claim.turn
        manager = self._context_manager(turn.session_key)
        window = await manager.open_turn(turn, max_turns=self._parts.settings.max_turns)
        return await TurnRun(self._parts, claim, preview, window, manager.shorten).run()

    def close_turn(self, turn: Turn) -> None:
        """Let an ended turn become part of its chat's conversation."""
        manager = self._managers.get(turn.session_key)
        if manager is not None:
            manager.close_turn(turn)

    def forget(self, session_key: SessionKey) -> None:
        """Drop what is held of a chat, its store having changed; nothing is lost."""
        self._managers.pop(session_key, None)

    def _context_manager(self, session_key: SessionKey) -> ContextManager:
        manager = self._managers.pop(session_key, None)
        if manager is None:
            manager = ContextManager(session_key, self._conversations)
            if len(self._managers) >= KEPT_CONVERSATIONS:
                del self._managers[next(iter(self._managers))]
        self._managers[session_key] = manager
        return manager
