"""The ports to what calls of the model took and cost."""

from __future__ import annotations

from typing import Protocol

from bot.core.chat import PersonKey
from bot.core.cost import Span, Spent, SpentLine
from bot.core.lifecycle import ModelCall


class CallLog(Protocol):
    """Where calls of the model are accounted for.

    ``record_call`` keeps one that no step of a turn was made of: beside the chats, or in vain.

    Raises:
        StoreError: It could not be kept.
    """

    async def record_call(self, call: ModelCall) -> None: ...


class UsageLog(CallLog, Protocol):
    """What was used and what it cost.

    * ``spent_in`` adds up all calls in each of several spans of time, in their order; with
      ``person_key`` those on that person's account.
    * ``spent_lines`` adds up the calls in a span by chat, by person, by model and by purpose, each
      call in four of them, in no order that means anything.

    Raises:
        StoreError: It could not be read.
    """

    async def spent_in(
        self, spans: tuple[Span, ...], *, person_key: PersonKey | None = None
    ) -> tuple[Spent, ...]: ...
    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]: ...
