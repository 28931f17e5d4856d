"""One plan put to the model: its answer is checked, corrected once, and taken or refused."""

from __future__ import annotations

from dataclasses import replace

from bot.core.lifecycle import ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse
from bot.core.memory.jobs import MemoryJob
from bot.core.messages import Message, assistant_text, user_text
from bot.core.window.conversation import KeyPoints
from bot.core.window.summary.audit import Draft, audit, correction, read_draft
from bot.core.window.summary.lines import middle_left_out
from bot.core.window.summary.plan import SUMMARISER, SummaryPlan
from bot.errors import ContextTooLong, ModelError
from bot.ports import Redactor
from bot.runtime.remembering.parts import (
    CORRECTION_TOKENS,
    Failure,
    RememberingParts,
    SummaryLimits,
)
from bot.runtime.waiting import within

ANSWER_WITHIN_S = 120.0
"""How long one call of the model may take."""

TOO_LONG = "too long"
"""The reason of a failure that a shorter request may mend."""


class Summariser:
    """Asks the model for drafts; every call is accounted for, whatever came of it."""

    def __init__(self, parts: RememberingParts) -> None:
        self._parts = parts

    async def draft(
        self, plan: SummaryPlan, job: MemoryJob, limits: SummaryLimits
    ) -> Draft | Failure:
        """Give a draft without faults and without secrets.

        Raises:
            StoreError: The call could not be accounted for.
        """
        count = self._parts.counter.count
        messages: tuple[Message, ...] = (user_text(plan.text),)
        for _ in range(2):
            answer = await self._ask(messages, job, limits)
            if isinstance(answer, Failure):
                return answer
            draft = read_draft(answer.message.text)
            faults = audit(draft, plan, count)
            if draft is not None and not faults:
                return _redacted(draft, self._parts.redactor)
            if answer.stop == "max_tokens":
                faults = ("It was cut off, being too long: write much less.",)
            messages = self._corrected(plan.text, answer.message.text, faults, limits)
        return Failure(reason="nonsense", is_lasting=True)

    def _corrected(
        self, text: str, answer: str, faults: tuple[str, ...], limits: SummaryLimits
    ) -> tuple[Message, ...]:
        """Ask again, beneath the answer where there is one and it leaves room."""
        count = self._parts.counter.count
        again = middle_left_out(correction(faults), CORRECTION_TOKENS, count)
        room = limits.request_tokens(self._parts.counter)
        if answer.strip() and count(text) + count(answer) <= room:
            return (user_text(text), assistant_text(answer), user_text(again))
        return (user_text(f"{text}\n\n{again}"),)

    async def _ask(
        self, messages: tuple[Message, ...], job: MemoryJob, limits: SummaryLimits
    ) -> ModelResponse | Failure:
        request = ModelRequest(
            model=limits.model,
            system=SUMMARISER,
            messages=messages,
            max_tokens=limits.answer_tokens,
        )
        clock = self._parts.clock
        try:
            answer = await within(
                clock, ANSWER_WITHIN_S, self._parts.model.ask(request, _do_not_show)
            )
        except TimeoutError:
            return Failure(reason="no answer in time")
        except ContextTooLong:
            return Failure(reason=TOO_LONG, is_lasting=True)
        except ModelError as error:
            return Failure(
                reason=type(error).__name__,
                is_lasting=not error.retryable,
                retry_after_s=error.retry_after_s or 0.0,
            )
        call = ModelCall(
            session_key=job.session_key,
            person_key=job.person_key,
            model=answer.model,
            asked=limits.model,
            purpose="summary",
            usage=answer.usage,
            at=clock.now(),
        )
        await self._parts.jobs.record_call(call)
        if answer.stop == "refusal":
            return Failure(reason="declined", is_lasting=True)
        return answer


def redacted_points(points: KeyPoints, redactor: Redactor) -> KeyPoints:
    """Take secrets out of what is noted of a turn."""
    redact = redactor.redact
    return replace(
        points,
        decisions=tuple(map(redact, points.decisions)),
        information=tuple(map(redact, points.information)),
        actions=tuple(map(redact, points.actions)),
        open_questions=tuple(map(redact, points.open_questions)),
    )


def _redacted(draft: Draft, redactor: Redactor) -> Draft:
    return Draft(
        overview=redactor.redact(draft.overview),
        turns=tuple(redacted_points(points, redactor) for points in draft.turns),
    )


def _do_not_show(delta: Delta) -> None:
    """Let a piece of the answer pass: nobody watches a summary being written."""
