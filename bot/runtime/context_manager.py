"""One chat's conversation in memory, and the window made of it."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import SessionKey
from bot.core.turns import Conversation, Turn
from bot.core.window.assemble import Window
from bot.core.window.stages import STAGES
from bot.ports import Conversations


class ContextManager:
    """Keeps a chat's conversation while the chat is active and decides what the model sees.

    It is made on first use and may be dropped at any time: everything it holds is in the store.
    """

    def __init__(self, session_key: SessionKey, conversations: Conversations) -> None:
        self._session_key = session_key
        self._store = conversations
        self._conversation: Conversation | None = None

    async def open_turn(self, turn: Turn, *, max_turns: int) -> Window:
        """Make the window for a turn, moving its beginning forward where limits ask for it."""
        conversation = self._conversation
        if conversation is None or conversation.generation != turn.generation:
            conversation = await self._store.load(self._session_key)
        is_current = conversation.generation == turn.generation
        past = conversation.turns if is_current else ()
        window = Window(past=past, open_turn=turn, has_left=conversation.has_left and is_current)
        for stage in STAGES:
            window = stage(window, max_turns)
        if is_current:
            if window.past != past:
                first = window.past[0] if window.past else turn
                await self._store.keep_from(self._session_key, first.id)
            self._conversation = replace(conversation, turns=window.past, has_left=window.has_left)
        return window

    async def shorten(self, window: Window) -> Window:
        """Let the older half of a window's past turns leave, the vendor having refused it all.

        They stay in the store.
        """
        past = window.past[(len(window.past) + 1) // 2 :]
        shorter = replace(window, past=past, has_left=True)
        conversation = self._conversation
        if conversation is not None and conversation.generation == window.open_turn.generation:
            first = past[0] if past else window.open_turn
            await self._store.keep_from(self._session_key, first.id)
            self._conversation = replace(conversation, turns=past, has_left=True)
        return shorter

    def close_turn(self, turn: Turn) -> None:
        """Take an ended turn into the conversation, unless it was cleared meanwhile."""
        conversation = self._conversation
        if conversation is not None and conversation.generation == turn.generation:
            self._conversation = replace(conversation, turns=(*conversation.turns, turn))

    def forget(self) -> None:
        """Drop what is held; the next turn reads the store."""
        self._conversation = None
