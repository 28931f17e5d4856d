"""One chat's context: made on first use, dropped when idle, asked for every turn's requests."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import SessionKey
from bot.core.turns import Turn
from bot.core.window.window import Window
from bot.runtime.context.parts import ContextParts
from bot.runtime.context.state import ChatState
from bot.runtime.context.turn import TurnContext
from bot.runtime.context.volatile import volatile_lines


class ContextManager:
    """Decides what the model sees of a chat.

    It may be dropped at any time: everything it holds is in the store.

    Attributes:
        state: What is held of the chat.
        running: The turn being answered, None between turns.
    """

    def __init__(self, session_key: SessionKey, parts: ContextParts) -> None:
        self.state = ChatState(session_key, parts)
        self.running: TurnContext | None = None
        self._session_key = session_key
        self._parts = parts

    async def open_turn(self, turn: Turn) -> TurnContext:
        """Begin or go on with a turn: what its requests are made from until it ends."""
        held = await self.state.hold()
        is_current = turn.id >= held.conversation.cut.kept_from
        limits = self._parts.limits(self._session_key)
        # Tools note it while turns run: it is read anew for each turn and held nowhere.
        task = await self._parts.tasks.task_of(self._session_key) if is_current else None
        volatile = volatile_lines(self._parts.clock.now(), self._parts.timezone, task)
        window = Window(open_turn=turn, volatile=volatile)
        if is_current:
            window = self.state.window_of(held, turn, limits)
            window = replace(window, volatile=volatile)
        self.running = TurnContext(
            self._session_key,
            self._parts,
            self.state,
            window,
            generation=held.conversation.generation if is_current else None,
            is_fresh=held.conversation.is_fresh and is_current,
        )
        return self.running

    def close_turn(self, turn: Turn) -> None:
        """Take an ended turn into the conversation, unless it was cleared meanwhile.

        Of one that was broken off the store alone knows how far it got.
        """
        if self.running is None:
            self.forget()
        else:
            self.state.add_turn(turn)
        self.running = None

    def break_off(self) -> None:
        """Let go of the running turn without its end: it may be gone on with, or be ended so."""
        self.running = None

    def forget(self) -> None:
        """Drop what is held: the next turn reads the store; the one that runs goes on."""
        self.state.forget(is_in_use=self.running is not None)
