"""The store's verbs on what calls of the model took and cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from bot.adapters.store import usage, usage_sums
from bot.adapters.store.schema import Tables
from bot.core.chat import PersonKey
from bot.core.cost import Span, Spent, SpentLine
from bot.core.lifecycle import ModelCall

Asked = ParamSpec("Asked")
Value = TypeVar("Value")


class UsageVerbs(ABC):
    """A part of the store, told apart by what it is about; it fills the port UsageLog."""

    @abstractmethod
    async def _call(
        self,
        verb: Callable[Concatenate[Tables, Asked], Value],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Value: ...

    @abstractmethod
    async def _read(
        self,
        verb: Callable[Concatenate[Tables, Asked], Value],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Value: ...

    async def record_call(self, call: ModelCall) -> None:
        """Account for a call of the model that no step of a turn was made of."""
        await self._call(usage.insert, call)

    async def spent_in(
        self, spans: tuple[Span, ...], *, person_key: PersonKey | None = None
    ) -> tuple[Spent, ...]:
        """Add up what all calls, or those for one person, took in each of several spans."""
        return await self._read(usage_sums.spent_in, spans, person_key)

    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]:
        """Add up what each chat, each person, each model and each purpose took."""
        return await self._read(usage_sums.spent_lines, span)
