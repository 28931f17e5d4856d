"""One chat's context: made on first use, dropped when idle, asked for every turn's requests."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial

from bot.core.chat import InboundMessage, SessionKey
from bot.core.lifecycle import Claim
from bot.core.memory.recalled import Recollection
from bot.core.tasks import TaskState
from bot.core.turns import Turn
from bot.core.window.fit import fit
from bot.core.window.recent import Work, recent_work
from bot.core.window.restart import resume_after_restart
from bot.core.window.window import Limits, Window
from bot.errors import CannotFit, StoreError, StoreLost
from bot.runtime import notices
from bot.runtime.context.parts import ContextParts
from bot.runtime.context.recalling import Asked
from bot.runtime.context.state import ChatState
from bot.runtime.context.turn import Opened, TurnContext
from bot.runtime.context.volatile import clocks_of, volatile_lines

logger = logging.getLogger(__name__)


class ContextManager:
    """Decides what the model sees of a chat.

    It may be dropped at any time: everything it holds is in the store.

    Attributes:
        state: What is held of the chat.
        running: The turn being answered, None between turns.
        memory: What was recalled for the newest turn, None where that is not known: it is kept
            nowhere.
    """

    def __init__(self, session_key: SessionKey, parts: ContextParts) -> None:
        self.state = ChatState(session_key, parts)
        self.running: TurnContext | None = None
        self.memory: Recollection | None = None
        self._session_key = session_key
        self._parts = parts

    async def open_turn(self, claim: Claim) -> TurnContext:
        """Begin or go on with a turn: what its requests are made from until it ends.

        What cannot be read is done without, at worst all but the turn itself.
        """
        opened = await self._with_memory(await self._read(claim), claim.messages)
        self.memory = opened.memory
        self.running = TurnContext(self._session_key, self._parts, self.state, opened)
        return self.running

    async def _read(self, claim: Claim) -> Opened:
        turn, missing = claim.turn, tuple[str, ...]()
        moment = partial(self._moment, claim.messages)
        try:
            held = await self.state.hold()
            if turn.id >= held.conversation.cut.kept_from:
                window = self.state.window_of(held, turn, self._parts.limits(self._session_key))
                # Tools note it while turns run: it is read anew for each and held nowhere.
                task = await self._parts.tasks.task_of(self._session_key)
                return Opened(
                    window=replace(window, volatile=moment(task, held.work)),
                    generation=held.conversation.generation,
                    is_fresh=held.conversation.is_fresh,
                )
        except StoreLost:
            raise
        except StoreError as error:
            about = {"session": self._session_key, "why": str(error)}
            logger.warning("context.history_unreadable", extra=about)
            missing = (notices.WITHOUT_HISTORY,)
        window = replace(self.state.lone_window(turn), volatile=moment(None, ()))
        return Opened(window=window, generation=None, is_fresh=False, missing=missing)

    async def _with_memory(self, opened: Opened, messages: tuple[InboundMessage, ...]) -> Opened:
        """Recall what matters for a turn, once: it stays the same while the turn runs."""
        recalling = self._parts.recalling
        if recalling is None or not messages or not recalling.is_on(self._session_key):
            return opened  # and need not be weighed
        live = self._parts.limits(self._session_key)
        scale, budget = self.state.scale(live), self._parts.budget(live)
        window = _as_it_fits(opened, scale.limits(budget, live.max_turns))
        memory, has_failed = await recalling.recall(
            Asked(
                session_key=self._session_key,
                messages=messages,
                window=window,
                limit_tokens=budget.limit_tokens,
                spare_tokens=max(0, budget.limit_tokens - scale.estimate(window)),
            )
        )
        window = replace(opened.window, facts=memory.standing_text, recalled=memory.relevant_text)
        missing = (*opened.missing, notices.WITHOUT_MEMORY) if has_failed else opened.missing
        return replace(opened, window=window, memory=memory, missing=missing)

    def _moment(
        self, messages: tuple[InboundMessage, ...], task: TaskState | None, work: tuple[Work, ...]
    ) -> tuple[str, ...]:
        now, parts = self._parts.clock.now(), self._parts
        zone, others = clocks_of(messages, parts.timezone, parts.zone_of)
        told = volatile_lines(now, zone, task, others)
        return (*told, *filter(None, [recent_work(work, now, zone)]))

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
        self.memory = None
        self.state.forget(is_in_use=self.running is not None)


def _as_it_fits(opened: Opened, limits: Limits) -> Window:
    """Give the window that a turn's first request will have, but for what is recalled."""
    window = opened.window
    if opened.is_fresh:
        window = resume_after_restart(window, limits)
    try:
        return fit(window, limits)
    except CannotFit:
        return window  # the request itself will say so
