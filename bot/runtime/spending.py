"""Where every call of the model goes through: held against the day's caps, then accounted for.

What a call took counts on the day on which it ended. The sums of a day are read from the store once
and followed from then on; those of days that a clock was set back to are not read a second time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo

from bot.core.chat import PersonKey
from bot.core.cost import (
    WARNED_AT,
    Amount,
    Cap,
    Caps,
    Place,
    Scope,
    amount_of,
    at_least,
    places_of,
    reservation,
    span_of,
    used_by_place,
)
from bot.core.lifecycle import ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse, Payer, Usage, UsageSoFar
from bot.core.metrics import CAPS_REACHED
from bot.core.prices import Prices
from bot.core.tokens import SAFETY, weigh_request
from bot.errors import CapReached, StoreError
from bot.ports import Clock, ModelClient, TokenCounter, UsageLog
from bot.runtime import notices
from bot.runtime.metrics import Metrics, meter_call

logger = logging.getLogger(__name__)

KEPT_DAYS = 3
"""So many days are held: today, and those that a clock is likely to be set back or forward to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingParts:
    """What spending works with.

    Attributes:
        caps: Gives those of this moment.
        zone: Whose midnight divides the days.
        is_exempt: Says whose calls no cap stops.
        warn: Is told, once a day, that most of the bot's own cap is used.
    """

    model: ModelClient
    usage: UsageLog
    prices: Prices
    caps: Callable[[], Caps]
    counter: TokenCounter
    clock: Clock
    zone: tzinfo
    is_exempt: Callable[[PersonKey], bool] = lambda _: False
    warn: Callable[[datetime], None] = lambda _: None
    metrics: Metrics = field(default_factory=Metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a cap stands: what of it was used today."""

    scope: Scope
    cap: Cap
    used: Amount


@dataclass(slots=True)
class _Day:
    """What was used on a day, and of which caps it was said that most of them is."""

    used: defaultdict[Place, Amount]
    warned: set[Place] = field(default_factory=set)


class Spending:
    """Fills :class:`~bot.ports.ModelClient` for requests that have a payer.

    What several ask side by side is held with the most that it may take, so that a cap is gone over
    by one call's at most. Where nothing is left but what others hold, a call waits for them: they
    seldom take as much.
    """

    def __init__(self, parts: SpendingParts) -> None:
        self._parts = parts
        self._days: dict[date, _Day] = {}
        self._held: defaultdict[Place, Amount] = defaultdict(Amount)
        self._loading = asyncio.Lock()
        self._freed = asyncio.Event()
        self._unpriced: set[str] = set()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask within the caps; the answer says what it cost.

        An answer is accounted for by who keeps it; one that breaks off here, with what the model
        said of it, or what was written of it by then where that is more.

        Raises:
            CapReached: Nothing may be spent today any more.
            ModelError: As :class:`~bot.ports.ModelClient` says.
            ValueError: Nobody pays for the request.
        """
        payer, parts = request.payer, self._parts
        if payer is None:
            raise ValueError("a request without a payer")
        held = await self._reserve(payer, request)
        so_far, written = Usage(), list[str]()
        answer: ModelResponse | None = None

        def follow(delta: Delta) -> None:
            nonlocal so_far
            if isinstance(delta, UsageSoFar):
                so_far = delta.usage
            else:
                written.append(delta.text)
                on_delta(delta)

        try:
            answer = await parts.model.ask(request, follow)
        finally:
            model = request.model if answer is None else answer.model
            usage = self._least(request, so_far, written) if answer is None else answer.usage
            tariff = parts.prices.of(model, request.model)
            cost = None if tariff is None else tariff.cost(usage)
            meter_call(parts.metrics, (model, payer.purpose), usage, cost)
            await self._settle(payer, held, amount_of(usage, cost))
            if answer is None and usage != Usage():
                await self._record_in_vain(payer, model, usage, cost)
        if cost is None and model not in self._unpriced:
            self._unpriced.add(model)
            logger.warning("model.unpriced", extra={"model": model})
        return replace(answer, cost_nano_usd=cost)

    async def close(self) -> None:
        """Let go of the model."""
        await self._parts.model.close()

    async def record(self, call: ModelCall) -> None:
        """Account for an answer of which nothing is kept."""
        await self._parts.usage.record_call(call)

    def warning_for(self, payer: Payer) -> str:
        """Say, once a day, that most of what a person or a chat may use is used; else nothing."""
        day, caps = self._days.get(self._today()), self._parts.caps()
        if day is None or self._parts.is_exempt(payer.person_key):
            return ""
        for place in places_of(payer):
            scope = place[0]
            if scope != "bot" and _is_new_warning(day, place, caps.of(scope)):
                return notices.for_little_left(scope, self.resets_at)
        return ""

    async def standings(self, payer: Payer) -> tuple[Standing, ...]:
        """Say how all caps stand that a call would count towards."""
        day, caps = await self._day(), self._parts.caps()
        return tuple(
            Standing(scope=place[0], cap=caps.of(place[0]), used=day.used[place])
            for place in places_of(payer)
        )

    async def reload(self) -> None:
        """Read anew what was used today: chats have other ids than before."""
        self._days.clear()
        await self._day()

    @property
    def resets_at(self) -> datetime:
        """When the next day begins."""
        return span_of(self._today(), self._parts.zone)[1]

    def _today(self) -> date:
        return self._parts.clock.now().astimezone(self._parts.zone).date()

    async def _reserve(self, payer: Payer, request: ModelRequest) -> Amount:
        """Hold the most that a call may take, once that is not too much.

        Whoever waits here holds nothing, and those that are waited for have limits of time: so it
        comes to an end without one of its own.
        """
        local = self._weigh(request)
        tariff = self._parts.prices.of(request.model)
        most = reservation(tariff, round(local * (1 + SAFETY)), request.max_tokens)
        while not self._has_room(await self._day(), payer, most):
            await self._freed.wait()
        for place in places_of(payer):
            self._held[place] += most
        return most

    def _weigh(self, request: ModelRequest) -> int:
        count = self._parts.counter.count
        return weigh_request(request.system, request.tools, request.messages, count)

    def _least(self, request: ModelRequest, reported: Usage, written: list[str]) -> Usage:
        out = self._parts.counter.count("".join(written))
        return at_least(reported, self._weigh(request), out) if written else reported

    def _has_room(self, day: _Day, payer: Payer, most: Amount) -> bool:
        """Say whether a call may begin now; else it may once others have ended.

        Raises:
            CapReached: It may not before tomorrow.
        """
        if self._parts.is_exempt(payer.person_key):
            return True
        caps, has_room = self._parts.caps(), True
        for place in places_of(payer):
            cap, used = caps.of(place[0]), day.used[place]
            if payer.purpose != "answer":
                cap = cap.part(WARNED_AT)
            if cap.stops(used, most):
                raise self._refusal(place[0], payer)
            if cap.stops(used + self._held[place], most):
                has_room = False
        if not has_room:
            self._freed.clear()
        return has_room

    def _refusal(self, scope: Scope, payer: Payer) -> CapReached:
        resets_at = self.resets_at
        left_s = (resets_at - self._parts.clock.now()).total_seconds()
        logger.info(
            "spending.refused",
            extra={"session": payer.session_key, "purpose": payer.purpose, "scope": scope},
        )
        self._parts.metrics.count(CAPS_REACHED, scope)
        return CapReached(scope, resets_at, retry_after_s=max(1.0, left_s))

    async def _settle(self, payer: Payer, held: Amount, took: Amount) -> None:
        """Put what a call took in the place of what was held for it."""
        try:
            day = await self._day()
            for place in places_of(payer):
                day.used[place] += took
            if _is_new_warning(day, ("bot", ""), self._parts.caps().bot):
                self._parts.warn(self.resets_at)
        except StoreError as error:  # the answer is there; whoever reads the day later has it
            logger.warning("spending.unread", extra={"why": str(error)})
        finally:
            for place in places_of(payer):
                self._held[place] -= held
                if self._held[place] == Amount():
                    del self._held[place]
            self._freed.set()

    async def _record_in_vain(
        self, payer: Payer, model: str, usage: Usage, cost: int | None
    ) -> None:
        """Account for an answer that broke off; what went wrong before is what is told."""
        call = ModelCall(
            session_key=payer.session_key,
            person_key=payer.person_key,
            model=model,
            purpose=payer.purpose,
            usage=usage,
            at=self._parts.clock.now(),
            cost_nano_usd=cost,
        )
        try:
            await self._parts.usage.record_call(call)
        except StoreError as error:
            about = {"session": payer.session_key, "why": str(error)}
            logger.warning("spending.not_recorded", extra=about)

    async def _day(self) -> _Day:
        """Give what was used today."""
        async with self._loading:
            today = self._today()
            if today not in self._days:
                self._days[today] = await self._read(today)
                for oldest in list(self._days)[:-KEPT_DAYS]:
                    del self._days[oldest]
            return self._days[today]

    async def _read(self, today: date) -> _Day:
        """Read a day from the store; what was said of its caps was said by an earlier process."""
        span, caps = span_of(today, self._parts.zone), self._parts.caps()
        day = _Day(used=used_by_place(await self._parts.usage.spent_lines(span)))
        day.warned = {
            place for place, used in day.used.items() if caps.of(place[0]).share(used) >= WARNED_AT
        }
        return day


def _is_new_warning(day: _Day, place: Place, cap: Cap) -> bool:
    """Say whether most of a cap is used and nobody was told; from now on they were."""
    if place in day.warned or cap.share(day.used[place]) < WARNED_AT:
        return False
    day.warned.add(place)
    return True
