"""One turn being run: it carries out what :mod:`bot.core.loop` asks for."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from bot.core import loop
from bot.core.lifecycle import Claim, ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse, Payer, TextDelta, Usage
from bot.core.messages import Message, ToolCall, ToolResult
from bot.core.metrics import RETRIES
from bot.core.retry import RetryPolicy, delay_before
from bot.core.turns import Outcome, Step
from bot.errors import CapReached, ContextTooLong, ModelError
from bot.languages import gettext
from bot.ports import Clock, Lifecycle, ModelClient, Redactor, ToolContext
from bot.runtime import notices
from bot.runtime.context import TurnContext
from bot.runtime.metrics import Metrics
from bot.runtime.preview import Preview
from bot.runtime.redaction import redact_answer
from bot.runtime.spending import Spending
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_answer import Answer

logger = logging.getLogger(__name__)

FATE_UNKNOWN = (
    "The bot was interrupted while this tool was running. Whether it did its work is not known; "
    "it was not run again. Check before repeating it."
)

_WITH_WORDS: frozenset[Outcome] = frozenset({"answered", "cut", "refused"})
"""How a turn ends of which people read what the model wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentParts:
    """What an agent works with.

    Attributes:
        jitter: Gives numbers in [0, 1).
        spending: Says when little is left; None where nobody pays.
    """

    model: ModelClient
    tools: ToolRegistry
    lifecycle: Lifecycle
    clock: Clock
    jitter: Callable[[], float]
    retry: RetryPolicy
    redactor: Redactor
    spending: Spending | None = None
    metrics: Metrics = field(default_factory=Metrics)


class TurnRun:
    """Runs one turn from where its journal stands to its end."""

    def __init__(
        self, parts: AgentParts, claim: Claim, preview: Preview, context: TurnContext
    ) -> None:
        self._parts = parts
        self._context = context
        self._claim = claim
        self._preview = preview
        self._usage = Usage()
        self._cost_nano_usd = 0
        self._failure: ModelError | None = None
        self._as_written: dict[int, Message] = {}

    async def run(self) -> Answer:
        """Ask, run tools, and ask again until the loop says that the turn is over."""
        state, action = loop.start(self._begin())
        while True:
            match action:
                case loop.AskModel():
                    state, action = await self._ask(state)
                case loop.RunTools(calls=calls):
                    results = await self._run_tools(state, calls)
                    state, action = loop.on_results(state, results)
                case loop.Finish(outcome=outcome, text=text):
                    return self._answer(state, outcome, text)
                case _:
                    assert_never(action)

    def _begin(self) -> loop.LoopState:
        past_calls = (
            call.id
            for turn in self._context.window.past
            for step in turn.steps
            for call in step.answer.tool_calls
        )
        return loop.LoopState(
            turn_id=self._claim.turn.id,
            max_steps=self._context.limits().max_steps,
            steps=self._claim.turn.steps,
            taken_ids=frozenset(past_calls),
        )

    async def _ask(self, state: loop.LoopState) -> tuple[loop.LoopState, loop.Action]:
        state = replace(state, max_steps=self._context.limits().max_steps)
        may_use_tools = state.rounds < state.max_steps  # by the limit of now, not of the action
        try:
            response = await self._ask_with_what_fits(state, may_use_tools)
        except ModelError as error:
            self._failure = error
            return loop.on_failure(state)
        self._usage += response.usage
        self._cost_nano_usd += response.cost_nano_usd or 0
        self._context.answered(response.usage)
        state, _ = loop.on_answer(state, response)
        state, action = await self._without_secrets(state)
        call = None if response.is_accounted else self._accounted(response)
        await self._parts.lifecycle.record_step(
            self._claim.turn.id, len(state.steps) - 1, state.steps[-1], call
        )
        return state, action

    async def _without_secrets(self, state: loop.LoopState) -> tuple[loop.LoopState, loop.Action]:
        """Take secrets out of what is kept of the newest answer, remembering it as it was written.

        What was written is what tools are called with and what people read; it is kept nowhere.
        """
        last = state.steps[-1]
        answer = await redact_answer(last.answer, self._parts.redactor)
        if answer is not last.answer:
            self._as_written[len(state.steps) - 1] = last.answer
            kept = replace(last, answer=answer)
            state = replace(state, steps=(*state.steps[:-1], kept))
        return loop.start(state)

    async def _ask_with_what_fits(
        self, state: loop.LoopState, may_use_tools: bool
    ) -> ModelResponse:
        """Ask, with less and less of what was before while the model finds it too long."""
        while True:
            turn = replace(self._claim.turn, steps=state.steps)
            request = await self._context.request(turn, may_use_tools=may_use_tools)
            try:
                response = await self._ask_with_retries(replace(request, payer=self._payer))
            except ContextTooLong as error:
                if not await self._context.overflowed(error):
                    raise
                continue
            if response.stop != "window_full":
                return response
            await self._context.filled(response.usage)
            if response.message.text.strip():
                return response  # cut, but usable; the next request is made to leave more room
            if not await self._context.overflowed(ContextTooLong()):
                return response

    async def _ask_with_retries(self, request: ModelRequest) -> ModelResponse:
        failures = 0
        while True:
            self._preview.restart()
            try:
                return await self._parts.model.ask(request, self._show)
            except CapReached:
                raise  # the model was not asked
            except ModelError as error:
                failures += 1
                delay_s = None
                if error.retryable:
                    policy, jitter = self._parts.retry, self._parts.jitter()
                    delay_s = delay_before(policy, failures, error.retry_after_s, jitter)
                logger.warning(
                    "model.failed",
                    extra={
                        "session": self._claim.turn.session_key,
                        "turn": self._claim.turn.id,
                        "error": type(error).__name__,
                        "why": str(error),
                        "retry_in_s": delay_s,
                    },
                )
                if delay_s is None:
                    raise
                self._parts.metrics.count(RETRIES, "model")
                await self._parts.clock.sleep(delay_s)

    def _show(self, delta: Delta) -> None:
        if isinstance(delta, TextDelta):
            self._preview.add(delta.text)

    @property
    def _payer(self) -> Payer:
        """On whose account the turn is: that of who wrote last in it."""
        return Payer(
            session_key=self._claim.turn.session_key,
            person_key=self._claim.messages[-1].sender.person_key,
            purpose="answer",
        )

    def _accounted(self, response: ModelResponse) -> ModelCall:
        payer = self._payer
        return ModelCall(
            session_key=payer.session_key,
            person_key=payer.person_key,
            model=response.model,
            asked=self._context.model,
            purpose=payer.purpose,
            usage=response.usage,
            at=self._parts.clock.now(),
            local_tokens=self._context.local_tokens,
            cost_nano_usd=response.cost_nano_usd,
        )

    async def _run_tools(
        self, state: loop.LoopState, calls: tuple[ToolCall, ...]
    ) -> tuple[ToolResult, ...]:
        lifecycle, tools = self._parts.lifecycle, self._parts.tools
        turn_id, index = self._claim.turn.id, len(state.steps) - 1
        if index in self._as_written:
            written = {call.id: call for call in self._as_written[index].tool_calls}
            calls = tuple(written[call.id] for call in calls)

        async def record(result: ToolResult, whole: str | None) -> None:
            await lifecycle.record_result(turn_id, index, result, whole=whole)

        unsafe = {call.id for call in calls if not tools.is_safe_to_repeat(call.name)}
        doubtful = unsafe & self._claim.started
        unknown = tuple(
            ToolResult(call_id=call.id, content=FATE_UNKNOWN, is_error=True)
            for call in calls
            if call.id in doubtful
        )
        for result in unknown:
            await record(result, None)
        rest = tuple(call for call in calls if call.id not in doubtful)
        starting = tuple(call.id for call in rest if call.id in unsafe)
        if starting:
            await lifecycle.record_start(turn_id, index, starting)
        return unknown + await tools.run(rest, self._tool_context(), record)

    def _tool_context(self) -> ToolContext:
        last = self._claim.messages[-1]
        speakers = {each.sender.person_key: each.sender for each in self._claim.messages}
        return ToolContext(
            session_key=self._claim.turn.session_key,
            turn_id=self._claim.turn.id,
            kind=last.kind,
            sender=last.sender,
            call_id="",
            speakers=tuple(speakers.values()),
        )

    def _answer(self, state: loop.LoopState, outcome: Outcome, text: str) -> Answer:
        ended = replace(self._claim.turn, steps=state.steps, outcome=outcome)
        if self._as_written:
            text = loop.last_words(self._steps_as_written(state))
        words = text if outcome in _WITH_WORDS and text.strip() else ""
        told, notice = notices.for_outcome(outcome), self._context.notice
        if self._failure is not None:
            words, told = "", notices.for_model_error(self._failure, self._context.model)
            notice = notice and notices.LEFT_IN_VAIN
        if words or told:
            beside = (told, *map(gettext, (notice, *self._context.missing)), self._warning())
            told = "\n\n".join(filter(None, beside))
        return Answer(
            turn=ended,
            outcome=outcome,
            text=words,
            usage=self._usage,
            notice=told,
            cost_nano_usd=self._cost_nano_usd,
        )

    def _warning(self) -> str:
        """Say that little is left of what may be spent today, where that is so and was not said."""
        if self._parts.spending is None or self._failure is not None:
            return ""
        return self._parts.spending.warning_for(self._payer)

    def _steps_as_written(self, state: loop.LoopState) -> tuple[Step, ...]:
        return tuple(
            replace(step, answer=self._as_written.get(number, step.answer))
            for number, step in enumerate(state.steps)
        )
