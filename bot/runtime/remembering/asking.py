"""What the model is asked beside the chats: its answer is judged, corrected once, or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.core.lifecycle import ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse, Payer, Purpose
from bot.core.memory.jobs import MemoryJob
from bot.core.messages import Message, assistant_text, user_text
from bot.core.window.summary.audit import correction
from bot.core.window.summary.lines import middle_left_out
from bot.errors import CapReached, ContextTooLong, ModelError
from bot.runtime.redaction import redact_text
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

NONSENSE = "nonsense"
DECLINED = "declined"

HOPELESS = frozenset({TOO_LONG, NONSENSE, DECLINED})
"""Reasons of failures that the same request will meet again."""

CAPPED = "spending cap"
"""The reason of a pause until the next day."""

Wanted = TypeVar("Wanted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What is wrong with an answer, each fault a sentence for the model."""

    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish(Generic[Wanted]):
    """One request, and how its answer is judged.

    Attributes:
        system: The instructions.
        text: The user's message.
        judge: Makes of the answer's text what is wanted, or says what is wrong with it.
    """

    purpose: Purpose
    system: str
    text: str
    judge: Callable[[str], Wanted | Faults]


class Asking:
    """Asks the model; every call is accounted for, whatever came of it."""

    def __init__(self, parts: RememberingParts) -> None:
        self._parts = parts

    async def fulfil(
        self, wish: Wish[Wanted], job: MemoryJob, limits: SummaryLimits
    ) -> Wanted | Failure:
        """Give what is wanted.

        Secrets leave an answer before anything is made of it: once its lines are joined, some can
        be told no more. What is put together of it later is to be redacted again.

        Raises:
            StoreError: The call could not be accounted for.
        """
        messages: tuple[Message, ...] = (user_text(wish.text),)
        for _ in range(2):
            answer = await self._ask(wish, messages, job, limits)
            if isinstance(answer, Failure):
                return answer
            text = await redact_text(answer.message.text, self._parts.redactor)
            judged = wish.judge(text)
            if not isinstance(judged, Faults):
                return judged
            faults = judged.faults
            if answer.stop == "max_tokens":
                faults = ("It was cut off, being too long: write much less.",)
            messages = self._corrected(wish, text, faults, limits)
        return Failure(reason=NONSENSE, is_lasting=True)

    def _corrected(
        self, wish: Wish[Wanted], answer: str, faults: tuple[str, ...], limits: SummaryLimits
    ) -> tuple[Message, ...]:
        """Ask again, beneath the answer where there is one and it leaves room."""
        count, text = self._parts.counter.count, wish.text
        again = middle_left_out(correction(faults), CORRECTION_TOKENS, count)
        room = limits.request_tokens(self._parts.counter, wish.system)
        if answer.strip() and count(text) + count(answer) <= room:
            return (user_text(text), assistant_text(answer), user_text(again))
        return (user_text(f"{text}\n\n{again}"),)

    async def _ask(
        self,
        wish: Wish[Wanted],
        messages: tuple[Message, ...],
        job: MemoryJob,
        limits: SummaryLimits,
    ) -> ModelResponse | Failure:
        request = ModelRequest(
            model=limits.model,
            system=wish.system,
            messages=messages,
            max_tokens=limits.answer_tokens,
            payer=Payer(
                session_key=job.session_key, person_key=job.person_key, purpose=wish.purpose
            ),
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
        except CapReached as error:
            return Failure(reason=CAPPED, retry_after_s=error.retry_after_s or 0.0, is_pause=True)
        except ModelError as error:
            return Failure(
                reason=type(error).__name__,
                is_lasting=not error.retryable,
                retry_after_s=error.retry_after_s or 0.0,
            )
        if not answer.is_accounted:
            call = ModelCall(
                session_key=job.session_key,
                person_key=job.person_key,
                model=answer.model,
                asked=limits.model,
                purpose=wish.purpose,
                usage=answer.usage,
                at=clock.now(),
                cost_nano_usd=answer.cost_nano_usd,
            )
            await self._parts.jobs.record_call(call)
        if answer.stop == "refusal":
            return Failure(reason=DECLINED, is_lasting=True)
        return answer


def _do_not_show(delta: Delta) -> None:
    """Let a piece of the answer pass: nobody watches it being written."""
