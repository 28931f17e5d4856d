"""Where every call of the model goes through: held against the day's caps, and accounted for.

What a call took counts on the day on which it ended.
The law of this file: a call is kept before it is made, and what it took before anybody has its
answer; so there is no moment at which an end of the process hides what was paid. What the store
does not take by then it is owed: it is handed over until it has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from bot.core.chat import ChatMoved, PersonKey
from bot.core.cost import (
    WARNED_AT,
    Amount,
    Caps,
    Place,
    Scope,
    Standing,
    Unit,
    reservation,
)
from bot.core.lifecycle import ModelCall
from bot.core.llm import Delta, ModelRequest, ModelResponse, Payer, Usage, UsageSoFar
from bot.core.metrics import CAPS_REACHED
from bot.core.prices import Prices
from bot.core.tokens import SAFETY, weigh_request
from bot.errors import CapReached, ModelError, StoreError
from bot.ports import Clock, ModelClient, TokenCounter, UsageLog
from bot.runtime import notices
from bot.runtime.arrears import Arrears, Owed
from bot.runtime.day_book import Day, DayBook
from bot.runtime.metrics import Metrics, meter_call
from bot.runtime.running_call import RunningCall
from bot.runtime.waiting import whole

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingParts:
    """What spending works with.

    Attributes:
        caps: Gives those of this moment.
        zone: Whose midnight divides the days.
        is_exempt: Says whose calls no cap stops.
        warn: Is told, once a day, that most of the bot's own cap is used, and of which unit.
    """

    model: ModelClient
    usage: UsageLog
    prices: Prices
    caps: Callable[[], Caps]
    counter: TokenCounter
    clock: Clock
    zone: tzinfo
    is_exempt: Callable[[PersonKey], bool] = lambda _: False
    warn: Callable[[Unit, datetime], None] = lambda _unit, _resets_at: None
    metrics: Metrics = field(default_factory=Metrics)


class Spending:
    """Fills :class:`~bot.ports.ModelClient` for requests that have a payer.

    What several ask side by side is held with the most that it may take, so that a cap is gone over
    by one call's at most. Where nothing is left but what others hold, a call waits for them: they
    seldom take as much.
    """

    def __init__(self, parts: SpendingParts) -> None:
        self._parts = parts
        self._days = DayBook(
            usage=parts.usage,
            arrears=Arrears(parts.usage),
            prices=parts.prices,
            caps=parts.caps,
            clock=parts.clock,
            zone=parts.zone,
        )
        self._held: defaultdict[Place, Amount] = defaultdict(Amount)
        self._freed = asyncio.Event()
        self._unpriced: set[str] = set()

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Ask within the caps; the answer says what it cost, and that it is accounted for.

        The call is kept before it is made, with its prompt by local count: so it counts wherever
        the process ends. One that breaks off took what the model said of it, or what was written of
        it by then where that is more; its prompt at least, unless the vendor refused to read it.

        Raises:
            CapReached: Nothing may be spent today any more.
            ModelError: As :class:`~bot.ports.ModelClient` says.
            StoreError: The call could not be kept, and was not made.
            ValueError: Nobody pays for the request.
        """
        if request.payer is None:
            raise ValueError("a request without a payer")
        running = RunningCall(request=request, payer=request.payer, local=self._weigh(request))
        await self._reserve(running)

        def follow(delta: Delta) -> None:
            running.take(delta)
            if not isinstance(delta, UsageSoFar):
                on_delta(delta)

        took: ModelCall | None = None
        try:
            await whole(self._begin(running))
            running.may_be_billed = True
            answer = await self._parts.model.ask(request, follow)
            took = self._call(running, answer.model, answer.usage)
        except ModelError as error:
            running.fail(error)
            raise
        finally:
            await whole(self._end(running, took or self._in_vain(running)))
        cost = took.cost_nano_usd
        return replace(answer, model=took.model, cost_nano_usd=cost, is_accounted=True)

    async def run(self) -> None:
        """Tell the store what it did not take, as long as the bot runs."""
        await self._days.keep_paying()

    async def close(self) -> None:
        """Let go of the model, once all calls are over and the store was told of each."""
        await self._days.pay()
        await self._parts.model.close()

    def warning_for(self, payer: Payer) -> str:
        """Say, once a day, that most of what a person or a chat may use is used; else nothing."""
        day, caps = self._days.known, self._parts.caps()
        if day is None or self._parts.is_exempt(payer.person_key):
            return ""
        for place in self._days.places_of(payer):
            scope = place[0]
            if scope != "bot" and day.is_new_warning(place, caps.of(scope)):
                return notices.for_little_left(scope, self.resets_at)
        return ""

    async def standings(self, payer: Payer) -> tuple[Standing, ...]:
        """Say how all caps stand that a call would count towards."""
        day, caps = await self._days.today(), self._parts.caps()
        return tuple(
            Standing(scope=place[0], cap=caps.of(place[0]), used=day.used[place])
            for place in self._days.places_of(payer)
        )

    def follow(self, moved: ChatMoved) -> None:
        """Count under a chat's new id what it used, and what is held for calls that still run."""
        old = moved.address.whole_chat
        new = replace(old, chat=moved.new_chat).session_key
        self._days.follow(old.session_key, new)
        if (held := self._held.pop(("chat", old.session_key), None)) is not None:
            self._held["chat", new] += held

    @property
    def resets_at(self) -> datetime:
        """When the next day begins."""
        return self._days.ends_at

    def _weigh(self, request: ModelRequest) -> int:
        count = self._parts.counter.count
        return request.local_tokens or weigh_request(
            request.system, request.tools, request.messages, count
        )

    async def _reserve(self, running: RunningCall) -> None:
        """Hold the most that a call may take, once that is not too much.

        Whoever waits here holds nothing, and those that are waited for have limits of time: so it
        comes to an end without one of its own.
        """
        request, payer = running.request, running.payer
        tariff = self._parts.prices.at_most(request.model)
        most = reservation(tariff, round(running.local * (1 + SAFETY)), request.max_tokens)
        while not self._has_room(await self._days.today(), payer, most):
            await self._freed.wait()
        running.held = most
        for place in self._days.places_of(payer):
            self._held[place] += most

    def _has_room(self, day: Day, payer: Payer, most: Amount) -> bool:
        """Say whether a call may begin now; else it may once others have ended.

        Raises:
            CapReached: It may not before tomorrow.
        """
        if self._parts.is_exempt(payer.person_key):
            return True
        caps, has_room = self._parts.caps(), True
        for place in self._days.places_of(payer):
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

    async def _begin(self, running: RunningCall) -> None:
        """Keep a call with what is known of it before it is made: no sample of the truth.

        A store that takes it is well, and gets what it is owed with it.
        """
        estimate = self._call(running, running.request.model, Usage(input_tokens=running.local))
        estimate = replace(estimate, local_tokens=0)
        call_id = await self._parts.usage.begin_call(estimate)
        running.owed = Owed(call_id=call_id, kept=estimate)
        await self._days.pay_unless_busy()

    def _in_vain(self, running: RunningCall) -> ModelCall | None:
        """Say what an answer took that broke off; None for nothing."""
        usage = running.taken(self._parts.counter)
        if usage is None:
            return None
        return replace(self._call(running, running.request.model, usage), local_tokens=0)

    def _call(self, running: RunningCall, answered: str, usage: Usage) -> ModelCall:
        request, payer, prices = running.request, running.payer, self._parts.prices
        tariff = prices.of(answered, request.model)
        return ModelCall(
            session_key=payer.session_key,
            person_key=payer.person_key,
            model=prices.name_of(answered, request.model),
            asked=request.model,
            purpose=payer.purpose,
            usage=usage,
            at=self._parts.clock.now(),
            local_tokens=request.local_tokens,
            cost_nano_usd=None if tariff is None else tariff.cost(usage),
        )

    async def _end(self, running: RunningCall, took: ModelCall | None) -> None:
        """Account for a call that is over; what went wrong before is what is told."""
        if took is not None:
            self._meter(took)
        is_counted = await self._settle(running, took)
        if running.owed is None:
            return
        owed = replace(running.owed, took=took)
        if is_counted:
            await self._days.arrears.hand_over(owed)
        else:  # whoever reads the day has to know of it by then
            self._days.arrears.note(owed)

    def _meter(self, took: ModelCall) -> None:
        model, cost = took.model, took.cost_nano_usd
        meter_call(self._parts.metrics, (model, took.purpose), took.usage, cost)
        if cost is None and model not in self._unpriced:
            self._unpriced.add(model)
            logger.warning("model.unpriced", extra={"model": model})

    async def _settle(self, running: RunningCall, took: ModelCall | None) -> bool:
        """Put what a call took in the place of what was held for it; False for a day unread."""
        places, days = self._days.places_of, self._days
        try:
            day = await days.today()
            if took is not None:
                for place in places(running.payer):
                    day.used[place] += days.amount_of(took)
            cap = self._parts.caps().bot
            of_bot: Place = ("bot", "")
            if day.is_new_warning(of_bot, cap):
                self._parts.warn(cap.nearest(day.used[of_bot]), self.resets_at)
        except StoreError as error:  # the answer is there all the same
            logger.warning("spending.unread", extra={"why": str(error)})
            return False
        finally:
            for place in places(running.payer):
                self._held[place] -= running.held
                if self._held[place] == Amount():
                    del self._held[place]
            self._freed.set()
        return True
