"""What calls of the model took and cost, as the store in memory adds it up."""

from __future__ import annotations

from collections import defaultdict

from bot.core.chat import PersonKey
from bot.core.cost import Axis, Span, Spent, SpentLine, total
from bot.core.lifecycle import ModelCall
from bot.testing.kept_moves import KeptMoves


class KeptUsage(KeptMoves):
    """Adds up the calls that were accounted for."""

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
