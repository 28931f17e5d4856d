"""What every part of the store's verbs stands on: work handed to its database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from bot.adapters.store.schema import Tables

Asked = ParamSpec("Asked")
Value = TypeVar("Value")


class Verbs(ABC):
    """A part of the store, told apart by what it is about.

    ``_call`` is one transaction that may write, ``_read`` one that does not.
    """

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
