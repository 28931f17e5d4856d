"""A model that answers by naming what it answers, or fails in every way a model can."""

from __future__ import annotations

import json
from collections.abc import Callable

from bot.core.llm import Delta, ModelRequest, ModelResponse, StopReason, TextDelta, Usage
from bot.core.looking_back import LEAD
from bot.core.messages import ContentBlock, Message, Text, ToolCall
from bot.core.window.notes import OPENING_LEAD, words_of
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelStreamCut,
    ModelUnavailable,
)
from bot.testing.model import request_faults
from bot.testing.simulator.facts import ids_named
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life
from bot.testing.simulator.tools import TOOL_WEIGHTS

MOST_ROUNDS = 4

_FAILURES: dict[str, float] = {
    "rate limited": 2,
    "overloaded": 2,
    "unavailable": 2,
    "cut": 4,
    "key refused": 1,
    "too long": 1,
    "refused": 1,
}

_PLANS: dict[str, float] = {"answer": 12, "tools": 6, "cut off": 0.5, "refusal": 0.5, "empty": 0.5}


class SimulatedModel:
    """The model of one process: :class:`bot.ports.ModelClient`.

    Its answer names the messages that it found in the newest user message, and a number that no
    other answer has.
    """

    def __init__(self, life: Life, ledger: Ledger) -> None:
        self._life = life
        self._ledger = ledger
        self._world = life.world

    async def ask(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Answer, want tools, or fail."""
        await self._life.cross("model.ask")
        for fault in request_faults(request):
            self._ledger.fault(f"a vendor would refuse the request: {fault}")
        ids, rounds = _open_turn(request)
        opened, shown = _told_apart(request)
        self._ledger.asked(ids, ids_named(shown))
        self._ledger.opened(ids, ids_named(opened))
        self._world.note(f"model is asked for {' '.join(ids)}, round {rounds}")
        if self._world.strikes(self._world.weather.model_fails):
            self._ledger.model_failures.add(ids)
            await self._fail(ids, on_delta)
        plan = "answer" if self._world.is_calm else self._world.dice.weighted(_PLANS)
        if plan == "tools" and request.may_use_tools and rounds < MOST_ROUNDS:
            return await self._call_tools(ids, on_delta)
        return await self._answer(ids, "answer" if plan == "tools" else plan, on_delta)

    async def warm_up(self) -> None:
        """Nothing has to be loaded."""

    async def close(self) -> None:
        """Nothing is held."""

    async def _fail(self, ids: tuple[str, ...], on_delta: Callable[[Delta], None]) -> None:
        how = self._world.dice.weighted(_FAILURES)
        self._world.note(f"model fails: {how}")
        if how == "cut":
            await self._write(self._words(ids), on_delta, stops_early=True)
        raise self._error(how)

    def _error(self, how: str) -> ModelError:
        match how:
            case "rate limited":
                return ModelRateLimited(
                    retry_after_s=self._world.dice.among((None, 3.0, 30.0, 90.0))
                )
            case "overloaded":
                return ModelOverloaded()
            case "unavailable":
                return ModelUnavailable()
            case "key refused":
                return ModelAuthError()
            case "too long":
                return ContextTooLong(needed_tokens=210_000, limit_tokens=200_000)
            case "refused":
                return ModelRequestRefused()
            case _:
                return ModelStreamCut()

    async def _answer(
        self, ids: tuple[str, ...], plan: str, on_delta: Callable[[Delta], None]
    ) -> ModelResponse:
        stops: dict[str, StopReason] = {"cut off": "max_tokens", "refusal": "refusal"}
        if plan in ("empty", "refusal"):
            self._ledger.misses.add(ids)
            return _response((), stops.get(plan, "end_turn"))
        text = self._words(ids)
        await self._write(text, on_delta)
        return _response((Text(text=text),), stops.get(plan, "end_turn"))

    async def _call_tools(
        self, ids: tuple[str, ...], on_delta: Callable[[Delta], None]
    ) -> ModelResponse:
        blocks: list[ContentBlock] = []
        if self._world.dice.chance(0.5):
            text = f"looking into {' '.join(ids)}"
            await self._write(text, on_delta)
            blocks.append(Text(text=text))
        for number in range(self._world.dice.count(1, 3)):
            note = f"n{self._ledger.unique()}"
            arguments = json.dumps({"note": note})
            if self._world.dice.chance(0.05):
                arguments = arguments[:-3]
            # A small local model numbers its calls from one in every answer.
            call_id = f"call_{number}" if self._world.dice.chance(0.2) else f"call_{note}"
            name = self._world.dice.weighted(TOOL_WEIGHTS)
            blocks.append(ToolCall(id=call_id, name=name, arguments=arguments))
        return _response(tuple(blocks), "tool_use")

    def _words(self, ids: tuple[str, ...]) -> str:
        number, parts = self._ledger.unique(), self._world.dice.among((1, 1, 1, 2, 4))
        names = " ".join(ids)
        return "\n\n".join(
            f"re {names} #{number} part {part} of {parts}. {'word ' * 5}end."
            for part in range(1, parts + 1)
        )

    async def _write(
        self, text: str, on_delta: Callable[[Delta], None], *, stops_early: bool = False
    ) -> None:
        pieces = self._world.dice.count(1, 5)
        size = len(text) // pieces + 1
        for start in range(0, len(text), size):
            if stops_early and start:
                return
            on_delta(TextDelta(text=text[start : start + size]))
            await self._life.sleep(self._world.delay_s(self._world.weather.longest_piece_s))
            self._life.risk("model.streaming")


def _open_turn(request: ModelRequest) -> tuple[tuple[str, ...], int]:
    """Say which messages wait for an answer and how many rounds of tools there were.

    What others said before, and is quoted, waits for none.
    """
    rounds = 0
    for message in reversed(request.messages):
        asked = (text for text in words_of(message) if not text.startswith(LEAD))
        if message.role == "user" and (text := "\n".join(asked)):
            return ids_named(text), rounds
        rounds += bool(message.tool_calls)
    return (), rounds


def _told_apart(request: ModelRequest) -> tuple[str, str]:
    """Tell what a session opened with, which is of sessions before it, from all that was said."""
    texts = [
        block.text
        for message in request.messages
        for block in message.blocks
        if isinstance(block, Text)
    ]
    opened = [text for text in texts if text.startswith(OPENING_LEAD)]
    return "\n".join(opened), "\n".join(text for text in texts if text not in opened)


def _response(blocks: tuple[ContentBlock, ...], stop: StopReason) -> ModelResponse:
    message = Message(role="assistant", blocks=blocks)
    usage = Usage(input_tokens=100, output_tokens=20)
    return ModelResponse(message=message, stop=stop, usage=usage, model="simulated")
