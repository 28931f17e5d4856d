"""Spending over a fake model and a fake store, for its tests."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest

from bot.core.chat import ChatAddress, ChatMoved, PersonKey
from bot.core.cost import Amount, Cap, Caps, Scope, Span, SpentLine, Unit
from bot.core.lifecycle import CallId, ModelCall
from bot.core.llm import (
    ArgumentsDelta,
    Delta,
    ModelRequest,
    ModelResponse,
    Payer,
    TextDelta,
    Usage,
    UsageSoFar,
)
from bot.core.messages import assistant_text, user_text
from bot.core.prices import FREE, NANO, Prices, Tariff, price_of
from bot.errors import CapReached, StoreError
from bot.runtime.metrics import Metrics
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


count = RuleOfThumb().count


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
        calls_with: The arguments of a tool that follow them.
        refusal: What is answered from now on, before there is any word.
        called: The name that it goes by; empty for that by which it is asked.
        most_at_once: So many were being written side by side.
    """

    def __init__(self, usage: Usage = DOLLAR_A_CALL) -> None:
        self.usage = usage
        self.error: Exception | None = None
        self.begins_with = "Half"
        self.calls_with = ""
        self.refusal: Exception | None = None
        self.called = ""
        self.asked = 0
        self.most_at_once = 0
        self._at_once = 0
        self._may_answer: asyncio.Semaphore | None = None
        self._is_silent = False

    def hold(self, *, before_words: bool = False) -> None:
        self._may_answer, self._is_silent = asyncio.Semaphore(0), before_words

    def answer(self, count: int = 1) -> None:
        assert self._may_answer is not None
        for _ in range(count):
            self._may_answer.release()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        self.asked += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            if self.refusal is not None:
                raise self.refusal
            if self._may_answer is not None and self._is_silent:
                await self._may_answer.acquire()
            on_delta(UsageSoFar(usage=Usage(input_tokens=7, output_tokens=1)))
            on_delta(TextDelta(text=self.begins_with))
            on_delta(ArgumentsDelta(text=self.calls_with))
            if self._may_answer is not None and not self._is_silent:
                await self._may_answer.acquire()
            if self.error is not None:
                raise self.error
        finally:
            self._at_once -= 1
        return ModelResponse(
            message=assistant_text("Half of it."),
            stop="end_turn",
            usage=self.usage,
            model=self.called or request.model,
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
    """A store that cannot be read, or take a beginning or an end, while it is told to be so.

    Attributes:
        slow: What the end of a call waits for.
        slow_beginning: What its beginning does.
    """

    is_full = is_deaf = is_mute = False
    slow: asyncio.Event | None = None
    slow_beginning: asyncio.Event | None = None

    async def begin_call(self, call: ModelCall) -> CallId:
        if self.is_full:
            raise StoreError("the disk is full")
        if self.slow_beginning is not None:
            await self.slow_beginning.wait()
        return await super().begin_call(call)

    async def end_call(self, call_id: CallId, call: ModelCall | None) -> None:
        if self.is_deaf:
            raise StoreError("the disk is full")
        await asyncio.shield(self._end_call(call_id, call))  # as of what is handed to a thread

    async def _end_call(self, call_id: CallId, call: ModelCall | None) -> None:
        if self.slow is not None:
            await self.slow.wait()
        await super().end_call(call_id, call)

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
    warned: list[tuple[Unit, datetime]] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)
    prices: Prices = field(
        default_factory=lambda: Prices(
            tariffs={"paid": Tariff(price=price_of(0, 10)), "free": FREE}
        )
    )

    def open(self) -> Spending:
        return Spending(
            SpendingParts(
                model=self.model,
                usage=self.store,
                prices=self.prices,
                caps=lambda: self.caps,
                counter=RuleOfThumb(),
                clock=self.clock,
                zone=self.zone,
                is_exempt=lambda person: person in self.exempt,
                warn=lambda unit, resets_at: self.warned.append((unit, resets_at)),
                metrics=self.metrics,
            )
        )

    async def ask(self, spending: Spending, of: Payer, model: str = "paid") -> ModelResponse:
        """Ask, keeping nothing oneself."""
        return await spending.ask(request(of, model), ignore)

    async def move(self, spending: Spending, number: int, new_chat: str) -> None:
        """Give a chat another id, as the bot does."""
        await self.store.move_chat(chat(number), new_chat)
        spending.follow(ChatMoved(event_id="m1", address=chat(number), new_chat=new_chat))

    async def used(self, spending: Spending, scope: Scope, of: Payer) -> Amount:
        """Say what counts towards a cap."""
        (standing,) = (each for each in await spending.standings(of) if each.scope == scope)
        return standing.used

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
