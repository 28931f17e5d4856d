"""Bringing a model client and the pretended vendor together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from bot.core.llm import CacheMark, ModelRequest, ModelResponse, ToolSpec
from bot.core.messages import Message, user_text
from bot.errors import ModelError
from bot.ports import ModelClient
from bot.testing.anthropic_server import Answer, PretendedAnthropic
from bot.testing.patience import PATIENCE_S

MakeModel = Callable[[str, str], ModelClient]
"""Builds the client for an address and a key; it gives up on silence within a second."""

KEY = "-".join(["pretended"] * 3)
MODEL = "claude-sonnet-5-5"

WEATHER = ToolSpec(
    name="weather",
    description="Tell the weather.",
    schema='{"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}',
)


def asking(*messages: Message, marks: tuple[CacheMark, ...] = ()) -> ModelRequest:
    """Write a request with a tool in it."""
    return ModelRequest(
        model=MODEL,
        system="Be kind.",
        messages=messages or (user_text("hello"),),
        tools=(WEATHER,),
        max_tokens=1_000,
        cache_marks=marks,
    )


@asynccontextmanager
async def meeting(
    make: MakeModel, *answers: Answer
) -> AsyncIterator[tuple[ModelClient, PretendedAnthropic]]:
    """Bring a client and a vendor with this script together."""
    async with PretendedAnthropic(answers, api_key=KEY) as server:
        model = make(server.base_url, KEY)
        try:
            yield model, server
        finally:
            await model.close()


async def ask(model: ModelClient, request: ModelRequest) -> ModelResponse:
    """Ask, and give up on a client that does not come back."""
    async with asyncio.timeout(PATIENCE_S):
        return await model.ask(request, lambda delta: None)


async def failure(model: ModelClient, request: ModelRequest) -> ModelError:
    """Ask for an answer that must fail, and give the failure."""
    try:
        answered = await ask(model, request)
    except ModelError as error:
        return error
    raise AssertionError(f"no failure but {answered}")


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def everything_logged() -> Iterator[list[logging.LogRecord]]:
    """Collect every record of every logger, DEBUG included."""
    root, collector = logging.getLogger(), _Collector()
    level_before = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(collector)
    try:
        yield collector.records
    finally:
        root.removeHandler(collector)
        root.setLevel(level_before)
