"""The store's verb on how much waits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from bot.adapters.store import backlog
from bot.adapters.store.schema import Tables
from bot.core.backlog import Backlog

Asked = ParamSpec("Asked")
Value = TypeVar("Value")


class BacklogVerbs(ABC):
    """A part of the store, told apart by what it is about; it fills the port Backlogs."""

    @abstractmethod
    async def _read(
        self,
        verb: Callable[Concatenate[Tables, Asked], Value],
        *asked: Asked.args,
        **named: Asked.kwargs,
    ) -> Value: ...

    async def backlog(self) -> Backlog:
        """Count what waits."""
        return await self._read(backlog.backlog)
