"""The conversation that is held on every platform, and what has to come back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from scripts.peering.processes import LOOK_AGAIN_S, PATIENCE_S

OVERLOADED = "overloaded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Something a person says and a word that the answer to it must hold.

    ``before`` names what happens to the model first.
    """

    said: str
    expected: str
    before: str = ""


TALK = (
    Exchange(said="hello there", expected="very well"),
    Exchange(said="what time is it?", expected="I read the clock"),
    Exchange(said="once more, please", expected="after the overload", before=OVERLOADED),
    Exchange(said="你好 & a table", expected="Vec<T> & 你好 👋"),
    Exchange(said="!help", expected="Begin a new conversation"),
)

ANSWERS: list[dict[str, object]] = [
    {"match": {"userMessage": "hello there"}, "response": {"content": "I am **very well**."}},
    {
        "match": {"userMessage": "what time is it", "hasToolResult": True},
        "response": {"content": "I read the clock."},
    },
    {
        "match": {"userMessage": "what time is it"},
        "response": {"toolCalls": [{"name": "clock", "arguments": "{}"}]},
    },
    {
        "match": {"userMessage": "once more"},
        "response": {"content": "Here I am, after the overload."},
    },
    {
        "match": {"userMessage": "你好"},
        "response": {"content": "Vec<T> & 你好 👋\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
    },
]
"""What the pretended Claude says, in the words of aimock's fixture files."""


class Side(Protocol):
    """A platform from the person's side: what they write and what they see.

    ``peer`` is the program that plays the platform.
    """

    name: str
    peer: str

    async def say(self, text: str) -> None:
        """Write to the bot."""

    async def seen(self) -> tuple[str, ...]:
        """Give all that the bot has written so far, markup decoded, oldest first."""


async def answer_to(side: Side, exchange: Exchange) -> str:
    """Say something and wait for the answer that is expected.

    Raises:
        TimeoutError: No such answer came.
    """
    before, answer = len(await side.seen()), ""
    await side.say(exchange.said)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while exchange.expected not in answer:
                await asyncio.sleep(LOOK_AGAIN_S)
                answer = "\n".join((await side.seen())[before:])
    except TimeoutError:
        raise TimeoutError(f"wanted {exchange.expected!r}, got {answer!r}") from None
    return answer
