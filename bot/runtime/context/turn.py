"""One turn's requests: fitted before every call of the model, smaller when it overflows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from bot.core.chat import SessionKey
from bot.core.llm import ModelRequest, Usage
from bot.core.memory.recalled import Recollection
from bot.core.messages import Message
from bot.core.metrics import COMPACTIONS
from bot.core.turns import Turn
from bot.core.window.assemble import assemble
from bot.core.window.conversation import Compaction, CompactionKind
from bot.core.window.fit import fit
from bot.core.window.overflow import cap_everything, empty_out
from bot.core.window.restart import resume_after_restart
from bot.core.window.window import Limits, Window
from bot.errors import ContextTooLong
from bot.runtime import notices
from bot.runtime.context.parts import ContextParts, TurnLimits
from bot.runtime.context.state import ChatState

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What a turn begins with.

    Attributes:
        generation: That of the conversation; None for a turn that is no part of it, or of which
            the conversation cannot be read: then nothing is decided for it.
        is_fresh: Whether it is the first turn of its chat in this process.
        memory: What was recalled for it; the window says it.
        missing: Sentences on what could not be looked up.
    """

    window: Window
    generation: int | None
    is_fresh: bool
    memory: Recollection = field(default_factory=Recollection)
    missing: tuple[str, ...] = ()


class TurnContext:
    """Makes the requests of one turn.

    Attributes:
        notice: What people are told besides the answer: that the chat was shortened; empty else.
        missing: Sentences on what could not be looked up for it, for people too.
        memory: What was recalled for it.
    """

    def __init__(
        self,
        session_key: SessionKey,
        parts: ContextParts,
        state: ChatState,
        opened: Opened,
    ) -> None:
        self.notice = ""
        self.missing = opened.missing
        self.memory = opened.memory
        self._session_key = session_key
        self._parts = parts
        self._state = state
        self._window = opened.window
        self._kept = opened.window.cut
        self._generation = opened.generation
        self._is_fresh = opened.is_fresh
        self._overflows = 0
        self._model = ""
        self._local = 0

    @property
    def window(self) -> Window:
        """The window of the newest request."""
        return self._window

    @property
    def model(self) -> str:
        """The model of the newest request, by the name it is asked for."""
        return self._model

    @property
    def local_tokens(self) -> int:
        """The local count of the newest request, uncorrected."""
        return self._local

    def limits(self) -> TurnLimits:
        """Give the limits that hold at this moment."""
        return self._parts.limits(self._session_key)

    async def request(self, turn: Turn, *, may_use_tools: bool) -> ModelRequest:
        """Make the request for a turn's next step, within all limits that hold now.

        Raises:
            CannotFit: It is too long even with nothing but the turn's own request.
        """
        live = self.limits()
        budget = self._parts.budget(live)
        scale = self._state.scale(live)
        limits = scale.limits(budget, live.max_turns)
        before = replace(self._window, open_turn=turn)
        window = before
        if self._is_fresh:
            window = resume_after_restart(window, limits)
        resumed = window
        window = fit(window, limits)
        await self._keep(before, resumed, window, limits)
        layout = scale.layout(window)
        self._window, self._model, self._local = window, live.model, scale.local(window)
        return ModelRequest(
            model=live.model,
            system=layout.system,
            messages=layout.messages,
            tools=scale.tools,
            max_tokens=min(live.max_tokens, budget.reserve_tokens),
            may_use_tools=may_use_tools,
            cache_marks=layout.cache_marks,
            local_tokens=self._local,
        )

    def answered(self, usage: Usage) -> None:
        """Take in how long the newest request was in truth."""
        self._state.sample(self._model, self._local, usage.prompt_tokens)

    async def filled(self, usage: Usage) -> None:
        """Take in that request and answer together filled the model's window."""
        total = usage.prompt_tokens + usage.output_tokens
        await self._parts.windows.learn(self._model, total)

    async def overflowed(self, error: ContextTooLong) -> bool:
        """Go one step down the ladder; False when there is none left.

        What is current is summarised into memory by a job that this does not wait for. First the
        conversation is capped, then it begins anew with the request alone.
        """
        if error.needed_tokens:
            self._state.sample(self._model, self._local, error.needed_tokens)
        if error.limit_tokens:
            await self._parts.windows.learn(self._model, error.limit_tokens)
        live = self.limits()
        scale = self._state.scale(live)
        limits = scale.limits(self._parts.budget(live), live.max_turns)
        while self._overflows < len(_LADDER):
            kind, make_smaller, notice = _LADDER[self._overflows]
            self._overflows += 1
            before, after = self._window, make_smaller(self._window, limits)
            if _kept_messages(after) == _kept_messages(before):
                continue  # there was nothing of the kind to go
            self.notice = notice
            await self._save_overflow(before, after, kind)
            self._window = after
            return True
        return False

    async def _save_overflow(self, before: Window, after: Window, kind: CompactionKind) -> None:
        """Write the smaller window down, and ask that everything current is remembered."""
        if self._generation is None:
            return
        now = self._parts.clock.now()
        await self._parts.jobs.ask_to_remember(now, at=now, session_key=self._session_key)
        await self._save(before, after, kind)

    async def _keep(self, before: Window, resumed: Window, after: Window, limits: Limits) -> None:
        if self._generation is None:
            return
        if after.cut != self._kept:
            kind = _kind_of(before, resumed, after, limits)
            await self._save(before, after, kind)
        elif self._is_fresh:
            is_saved = await self._parts.conversations.save_cut(
                self._session_key,
                after.cut,
                generation=self._generation,
                at=self._parts.clock.now(),
            )
            if is_saved:
                self._state.keep(after)
            else:
                self._leave()
        self._is_fresh = False

    def _leave(self) -> None:
        """Note that the chat was cleared or changed meanwhile: this turn is of what was before.

        What is held of the chat is as old, and the next turn reads it anew.
        """
        self._generation = None
        self._state.forget(is_in_use=True)

    async def _save(self, before: Window, after: Window, kind: CompactionKind) -> None:
        assert self._generation is not None
        now = self._parts.clock.now()
        scale = self._state.scale(self.limits())
        compaction = Compaction(
            kind=kind,
            at=now,
            turns_left=before.turns - after.turns,
            tokens_before=scale.estimate(before),
            tokens_after=scale.estimate(after),
        )
        is_saved = await self._parts.conversations.save_cut(
            self._session_key,
            after.cut,
            generation=self._generation,
            at=now,
            compaction=compaction,
        )
        if not is_saved:
            self._leave()
            return
        self._kept = after.cut
        self._state.keep(after)
        self._parts.on_left()
        self._parts.metrics.count(COMPACTIONS, kind)
        logger.info(
            "context.compacted",
            extra={
                "session": self._session_key,
                "kind": kind,
                "turns_left": compaction.turns_left,
                "tokens_before": compaction.tokens_before,
                "tokens_after": compaction.tokens_after,
            },
        )


def _kept_messages(window: Window) -> tuple[Message, ...]:
    return assemble(replace(window, volatile=(), facts="", recalled="")).messages


_Rung = tuple[CompactionKind, Callable[[Window, Limits], Window], str]

_LADDER: tuple[_Rung, ...] = (
    ("overflow", cap_everything, notices.SHORTENED),
    ("emptied", lambda window, _: empty_out(window), notices.EMPTIED),
)
"""What is done when the model finds a request too long, again and again."""


def _kind_of(before: Window, resumed: Window, after: Window, limits: Limits) -> CompactionKind:
    if resumed.cut != before.cut:
        return "restart"
    if before.turns > limits.max_turns:
        return "turns"
    return "tokens" if after.turns < before.turns else "text"
