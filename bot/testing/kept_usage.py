"""What calls of the model took and cost, as the store in memory adds it up."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import count
from typing import get_args

from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Axis, Span, Spent, SpentLine, UnpricedLine, chat_of, total
from bot.core.lifecycle import CallId, ModelCall
from bot.core.llm import Payer, Usage
from bot.testing.kept_moves import KeptMoves


class KeptUsage(KeptMoves):
    """Adds up the calls that were accounted for.

    Attributes:
        begun: Where in ``calls`` those stand that are not over.
    """

    def __init__(self, installation: str) -> None:
        super().__init__(installation)
        self.begun: dict[CallId, int] = {}
        self._call_ids = count(1)

    async def begin_call(self, call: ModelCall) -> CallId:
        """Keep a call that is about to be made."""
        call_id = CallId(next(self._call_ids))
        self.begun[call_id] = len(self.calls)
        self.calls.append(call)
        return call_id

    async def end_call(self, call_id: CallId, call: ModelCall | None) -> None:
        """Put what a call took in the place of what was estimated."""
        place = self.begun.pop(call_id)
        if call is not None:
            kept = self.calls[place]
            call = replace(call, session_key=kept.session_key, person_key=kept.person_key)
            self.calls[place] = replace(call, purpose=kept.purpose)
            return
        del self.calls[place]
        self.begun = {each: at - (at > place) for each, at in self.begun.items()}
        for session in self._sessions.values():
            session.calls_after -= session.calls_after > place

    async def spent_in(
        self, spans: tuple[Span, ...], *, person_key: PersonKey | None = None
    ) -> tuple[Spent, ...]:
        """Add up what all calls, or those for one person, took in each of several spans."""
        return tuple(
            total(
                _spent(call)
                for call in self._calls_in(span)
                if person_key is None or call.person_key == person_key
            )
            for span in spans
        )

    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]:
        """Add up what each chat, each person, each model and each purpose took."""
        sums: defaultdict[tuple[Axis, str], Spent] = defaultdict(Spent)
        for call in self._calls_in(span):
            sums["chat", call.session_key] += _spent(call)
            sums["person", call.person_key] += _spent(call)
            sums["model", call.model] += _spent(call)
            sums["purpose", call.purpose] += _spent(call)
        return tuple(
            SpentLine(axis=axis, name=name, spent=spent) for (axis, name), spent in sums.items()
        )

    async def largest_lines(self, span: Span, *, most: int) -> tuple[SpentLine, ...]:
        """Give the dearest chats, persons, models and purposes."""
        sums: defaultdict[tuple[Axis, str], Spent] = defaultdict(Spent)
        for line in await self.spent_lines(span):
            is_chat = line.axis == "chat"
            sums[line.axis, chat_of(SessionKey(line.name)) if is_chat else line.name] += line.spent
        lines = sorted(
            (SpentLine(axis=axis, name=name, spent=spent) for (axis, name), spent in sums.items()),
            key=lambda each: (-each.spent.nano_usd, -each.spent.amount.tokens, each.name),
        )
        return tuple(
            line
            for axis in get_args(Axis)
            for line in [each for each in lines if each.axis == axis][:most]
        )

    async def unpriced_lines(self, span: Span) -> tuple[UnpricedLine, ...]:
        """Add up the calls whose price nobody knew."""
        sums: defaultdict[tuple[Payer, str, str], Usage] = defaultdict(Usage)
        for call in self._calls_in(span):
            if call.cost_nano_usd is None:
                sums[call.payer, call.model, call.asked] += call.usage
        return tuple(
            UnpricedLine(payer=payer, model=model, asked=asked, usage=usage)
            for (payer, model, asked), usage in sums.items()
        )

    def _calls_in(self, span: Span) -> list[ModelCall]:
        begin, end = span
        return [call for call in self.calls if begin <= call.at < end]


def _spent(call: ModelCall) -> Spent:
    return Spent(
        usage=call.usage,
        nano_usd=call.cost_nano_usd or 0,
        calls=1,
        unpriced=int(call.cost_nano_usd is None),
    )
