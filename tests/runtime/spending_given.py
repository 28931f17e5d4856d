"""Spending over a fake model and a fake store, for its tests."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from bot.core.chat import ChatAddress, PersonKey
from bot.core.cost import Cap, Caps, Scope, Span, SpentLine
from bot.core.lifecycle import ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse, Payer, TextDelta, Usage, UsageSoFar
from bot.core.messages import assistant_text, user_text
from bot.core.prices import NANO, Prices, Tariff, price_of
from bot.errors import CapReached, StoreError
from bot.runtime.spending import Spending, SpendingParts
from bot.testing.chat_run import RuleOfThumb
from bot.testing.clock import FakeClock
from bot.testing.store import InMemoryStore

BERLIN = ZoneInfo("Europe/Berlin")
DOLLAR_A_CALL = Usage(output_tokens=100_000)
"""At ten dollars a million."""

MAX_TOKENS = 150_000
MOST_OF_A_CALL = 2 * NANO
"""What is held of one, generously: its answer of 150 000 tokens, and a short prompt."""


def ignore(delta: Delta) -> None:
    pass


def chat(number: int) -> ChatAddress:
    return ChatAddress(channel="loopback", account="bot", chat=str(number))


def payer(number: int, who: int | None = None) -> Payer:
    person = PersonKey(f"loopback::{number if who is None else who}")
    return Payer(session_key=chat(number).session_key, person_key=person, purpose="answer")


def request(of: Payer | None, model: str = "paid") -> ModelRequest:
    return ModelRequest(
        model=model, system="", messages=(user_text("Hi"),), max_tokens=MAX_TOKENS, payer=of
    )


class OnCall:
    """A model whose answers come when the test says so, several at a time.

    Attributes:
        error: What answers fail with from now on, behind their first words.
        begins_with: Those.
        most_at_once: So many were being written side by side.
    """

    def __init__(self, usage: Usage = DOLLAR_A_CALL) -> None:
        self.usage = usage
        self.error: Exception | None = None
        self.begins_with = "Half"
        self.asked = 0
        self.most_at_once = 0
        self._at_once = 0
        self._may_answer: asyncio.Semaphore | None = None

    def hold(self) -> None:
        self._may_answer = asyncio.Semaphore(0)

    def answer(self, count: int = 1) -> None:
        assert self._may_answer is not None
        for _ in range(count):
            self._may_answer.release()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        self.asked += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            on_delta(UsageSoFar(usage=Usage(input_tokens=7, output_tokens=1)))
            on_delta(TextDelta(text=self.begins_with))
            if self._may_answer is not None:
                await self._may_answer.acquire()
            if self.error is not None:
                raise self.error
        finally:
            self._at_once -= 1
        return ModelResponse(
            message=assistant_text("Half of it."),
            stop="end_turn",
            usage=self.usage,
            model=request.model,
        )

    async def close(self) -> None:
        pass


class SetClock(FakeClock):
    """A clock that somebody sets.

    Attributes:
        off_by: How far it is from the true time.
    """

    off_by = timedelta()

    def now(self) -> datetime:
        return super().now() + self.off_by


class Failing(InMemoryStore):
    """A store that cannot be read, or written, while it is told to be so."""

    is_deaf = is_mute = False

    async def record_call(self, call: ModelCall) -> None:
        if self.is_deaf:
            raise StoreError("the disk is full")
        await super().record_call(call)

    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]:
        if self.is_mute:
            raise StoreError("the disk is gone")
        return await super().spent_lines(span)


@dataclass
class World:
    """Spending over a fake model and a fake store; a restart is a new ``spending``."""

    model: OnCall = field(default_factory=OnCall)
    store: Failing = field(default_factory=Failing)
    clock: SetClock = field(default_factory=SetClock)
    caps: Caps = field(default_factory=Caps)
    zone: tzinfo = UTC
    exempt: frozenset[PersonKey] = frozenset()
    warned: list[datetime] = field(default_factory=list)

    def open(self) -> Spending:
        return Spending(
            SpendingParts(
                model=self.model,
                usage=self.store,
                prices=Prices(tariffs={"paid": Tariff(price=price_of(0, 10))}),
                caps=lambda: self.caps,
                counter=RuleOfThumb(),
                clock=self.clock,
                zone=self.zone,
                is_exempt=lambda person: person in self.exempt,
                warn=self.warned.append,
            )
        )

    async def ask(self, spending: Spending, of: Payer, model: str = "paid") -> ModelResponse:
        """Ask and account for the answer, as a turn does."""
        answer = await spending.ask(request(of, model), ignore)
        await spending.record(
            ModelCall(
                session_key=of.session_key,
                person_key=of.person_key,
                model=answer.model,
                purpose=of.purpose,
                usage=answer.usage,
                at=self.clock.now(),
                cost_nano_usd=answer.cost_nano_usd,
            )
        )
        return answer

    async def refused(self, spending: Spending, of: Payer) -> CapReached:
        with pytest.raises(CapReached) as caught:
            await self.ask(spending, of)
        return caught.value

    @property
    def spent_usd(self) -> float:
        return sum(call.cost_nano_usd or 0 for call in self.store.calls) / NANO


def dollars(scope: Scope, amount: float) -> Caps:
    cap = Cap(nano_usd=round(amount * NANO))
    return Caps(**{scope: cap})
