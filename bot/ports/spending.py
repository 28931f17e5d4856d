"""The ports to what calls of the model took and cost."""

from __future__ import annotations

from typing import Protocol

from bot.core.chat import PersonKey
from bot.core.cost import Span, Spent, SpentLine, UnpricedLine
from bot.core.lifecycle import CallId, ModelCall


class CallLog(Protocol):
    """Where calls of the model are accounted for.

    ``record_call`` keeps one that is over, that no step of a turn was made of, and that nobody
    began in :class:`UsageLog`.

    Raises:
        StoreError: It could not be kept.
    """

    async def record_call(self, call: ModelCall) -> None: ...


class UsageLog(CallLog, Protocol):
    """What was used and what it cost.

    * ``begin_call`` keeps a call that is about to be made, with an estimate of what it will take:
      so it stands in all sums if the process ends before the call does.
    * ``end_call`` puts what the call took in the place of that, when and by whom it was answered;
      chat, person and purpose stay as they are. With None it took nothing, and is gone.
    * ``spent_in`` adds up all calls in each of several spans of time, in their order; with
      ``person_key`` those on that person's account.
    * ``spent_lines`` adds up the calls in a span by chat, by person, by model and by purpose, each
      call in four of them, in no order that means anything.
    * ``largest_lines`` gives of these at most ``most`` of each kind: what took most money first,
      of what took as much what took most tokens. A chat is one line with all its threads.
    * ``unpriced_lines`` adds up the calls in a span whose price nobody knew.

    Raises:
        StoreError: It could not be read, or kept.
    """

    async def begin_call(self, call: ModelCall) -> CallId: ...
    async def end_call(self, call_id: CallId, call: ModelCall | None) -> None: ...
    async def spent_in(
        self, spans: tuple[Span, ...], *, person_key: PersonKey | None = None
    ) -> tuple[Spent, ...]: ...
    async def spent_lines(self, span: Span) -> tuple[SpentLine, ...]: ...
    async def largest_lines(self, span: Span, *, most: int) -> tuple[SpentLine, ...]: ...
    async def unpriced_lines(self, span: Span) -> tuple[UnpricedLine, ...]: ...
