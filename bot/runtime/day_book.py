"""What was used of the caps on each day: read from the store once, and followed from then on.

Days that a clock was set back to are not read a second time, nor is any when a chat gets another
id: a call that is not over would count as it is kept by then, and again as it ends. The law of this
file: a call counts once, with what it took, whether the store has taken that yet or not.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo

from bot.core.chat import SessionKey
from bot.core.cost import (
    WARNED_AT,
    Amount,
    Cap,
    Caps,
    Place,
    Span,
    amount_of,
    places_of,
    span_of,
    used_by_place,
)
from bot.core.lifecycle import ModelCall
from bot.core.llm import Payer
from bot.core.prices import Prices
from bot.ports import Clock, UsageLog
from bot.runtime.arrears import Arrears, Owed
from bot.runtime.storing import STORE_RETRY_S
from bot.runtime.waiting import whole

KEPT_DAYS = 3
"""So many days are held: today, and those that a clock is likely to be set back or forward to."""


@dataclass(slots=True)
class Day:
    """What was used on a day, and of which caps it was said that most of them is."""

    used: defaultdict[Place, Amount]
    warned: set[Place] = field(default_factory=set)

    def is_new_warning(self, place: Place, cap: Cap) -> bool:
        """Say whether most of a cap is used and nobody was told; from now on they were."""
        if place in self.warned or cap.share(self.used[place]) < WARNED_AT:
            return False
        self.warned.add(place)
        return True


@dataclass(slots=True, kw_only=True)
class DayBook:
    """Holds the days; ``zone`` says whose midnight divides them, ``caps`` gives those of now."""

    usage: UsageLog
    arrears: Arrears
    prices: Prices
    caps: Callable[[], Caps]
    clock: Clock
    zone: tzinfo
    _days: dict[date, Day] = field(default_factory=dict)
    _moved: dict[str, str] = field(default_factory=dict)
    _loading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def ends_at(self) -> datetime:
        """When the next day begins."""
        return span_of(self._today(), self.zone)[1]

    @property
    def known(self) -> Day | None:
        """Today, if it was read."""
        return self._days.get(self._today())

    async def today(self) -> Day:
        """Give what was used today.

        Raises:
            StoreError: It could not be read.
        """
        if self.known is not None:
            return self.known
        async with self._loading:
            today = self._today()
            if today not in self._days:
                self._days[today] = await self._read(today)
                for oldest in list(self._days)[:-KEPT_DAYS]:
                    del self._days[oldest]
            return self._days[today]

    async def keep_paying(self) -> None:
        """Hand the store what it is owed, once it had time to get well, for ever."""
        while True:
            await self.arrears.pending.wait()
            await self.clock.sleep(STORE_RETRY_S)
            await self.pay()

    async def pay(self) -> None:
        """Hand the store what it is owed, while nobody reads a day from it."""
        async with self._loading:
            await whole(self.arrears.pay())

    async def pay_unless_busy(self) -> None:
        """Do the same, but wait for nobody who is at it."""
        if self.arrears.owed and not self._loading.locked():
            await self.pay()

    def amount_of(self, call: ModelCall) -> Amount:
        """Say what a call takes of caps; where its price is not known, the most it may be."""
        cost = call.cost_nano_usd
        if cost is None:
            cost = self.prices.at_most(call.model, call.asked).cost(call.usage)
        return amount_of(call.usage, cost)

    def places_of(self, payer: Payer) -> tuple[Place, ...]:
        """Say what a call counts towards; whose chat has another id by now, under that."""
        return tuple(map(self._place_now, places_of(payer)))

    def follow(self, old: SessionKey, new: SessionKey) -> None:
        """Count under ``new`` what chat ``old`` used, and what it has still under way."""
        self._moved.pop(new, None)
        self._moved |= {each: new for each, to in self._moved.items() if to == old}
        self._moved[old] = new
        for day in self._days.values():
            day.used = self._as_of_now(day.used)
            day.warned = set(map(self._place_now, day.warned))

    def _place_now(self, place: Place) -> Place:
        scope, name = place
        return (scope, self._moved.get(name, name)) if scope == "chat" else place

    def _as_of_now(self, used: defaultdict[Place, Amount]) -> defaultdict[Place, Amount]:
        now = defaultdict[Place, Amount](Amount)
        for place, amount in used.items():
            now[self._place_now(place)] += amount
        return now

    def _today(self) -> date:
        return self.clock.now().astimezone(self.zone).date()

    async def _read(self, today: date) -> Day:
        """Read a day from the store; what was said of its caps was said by an earlier process."""
        span, caps = span_of(today, self.zone), self.caps()
        lines = await self.usage.spent_lines(span)
        has_unpriced = any(line.spent.unpriced for line in lines)
        unpriced = await self.usage.unpriced_lines(span) if has_unpriced else ()
        day = Day(used=self._as_of_now(used_by_place(lines, unpriced, self.prices)))
        for owed in self.arrears.owed.values():
            self._put_right(day, owed, span)
        day.warned = {
            place for place, used in day.used.items() if caps.of(place[0]).share(used) >= WARNED_AT
        }
        return day

    def _put_right(self, day: Day, owed: Owed, span: Span) -> None:
        """Put what a call took in the place of what its row says, as far as each was that day."""
        begin, end = span
        for place in self.places_of(owed.kept.payer):
            if begin <= owed.kept.at < end:
                day.used[place] -= self.amount_of(owed.kept)
            if owed.took is not None and begin <= owed.took.at < end:
                day.used[place] += self.amount_of(owed.took)
