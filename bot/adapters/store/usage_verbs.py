"""The store's verbs on what calls of the model took and cost."""

from __future__ import annotations

from bot.adapters.store import usage, usage_sums
from bot.adapters.store.verbs import Verbs
from bot.core.chat import PersonKey
from bot.core.cost import Span, Spent, SpentLine, UnpricedLine
from bot.core.lifecycle import CallId, ModelCall


class UsageVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port UsageLog."""

    async def record_call(self, call: ModelCall) -> None:
        """Account for a call of the model that no step of a turn was made of."""
        await self._call(usage.insert, call)

    async def begin_call(self, call: ModelCall) -> CallId:
        """Keep a call that is about to be made."""
        return await self._call(usage.insert, call)

    async def end_call(self, call_id: CallId, call: ModelCall | None) -> None:
        """Put what a call took in the place of what was estimated."""
        await self._call(usage.end, call_id, call)

    async def spent_in(
        self, spans: tuple[Span, ...], *, person_key: PersonKey | None = None
    ) -> tuple[Spent, ...]:
        """Add up what all calls, or those for one person, took in each of several spans."""
        return await self._read(usage_sums.spent_in, spans, person_key)

    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]:
        """Add up what each chat, each person, each model and each purpose took."""
        return await self._read(usage_sums.spent_lines, span)

    async def largest_lines(self, span: Span, *, most: int) -> tuple[SpentLine, ...]:
        """Give the dearest chats, persons, models and purposes."""
        return await self._read(usage_sums.largest_lines, span, most)

    async def unpriced_lines(self, span: Span) -> tuple[UnpricedLine, ...]:
        """Add up the calls whose price nobody knew."""
        return await self._read(usage.unpriced_lines, span)
