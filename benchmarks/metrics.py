"""What counting costs a turn, and what a scrape costs the bot.

Run ``.venv/bin/python -m benchmarks.metrics``.
"""

from __future__ import annotations

import asyncio
import time

from bot.adapters.prometheus_text import written
from bot.config import Config
from bot.core.llm import Usage
from bot.core.messages import Message, ToolCall, ToolResult, user_text
from bot.core.metrics import DELIVERIES, DELIVERY_SECONDS, MODEL_SECONDS
from bot.core.turns import Step, Turn, TurnId
from bot.runtime.metrics import Metrics, meter_call, meter_turn
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel

TURNS = 300
COUNTINGS = 20_000
SCRAPES = 50
USAGE = Usage(input_tokens=700, output_tokens=40, cache_read_tokens=9_000, cache_write_tokens=80)


def counting_us() -> float:
    """Count what a turn of two steps and one call of a tool counts; give its microseconds."""
    call = ToolCall(id="1", name="clock", arguments="{}")
    asking = Step(
        answer=Message(role="assistant", blocks=(call,)),
        stop="tool_use",
        results=(ToolResult(call_id="1", content="noon"),),
    )
    turn = Turn(
        id=TurnId(1),
        session_key="telegram:77:1001:",  # type: ignore[arg-type]  # a key as it is written
        request=user_text("what time is it?"),
        started_at=START,
        steps=(asking, asking),
        outcome="answered",
    )
    metrics = Metrics()
    began = time.perf_counter()
    for _ in range(COUNTINGS):
        for _ in range(2):
            metrics.observe(MODEL_SECONDS, 1.2, "answer")
            meter_call(metrics, ("claude-sonnet-5-5", "answer"), USAGE, 1_000_000)
        meter_turn(metrics, turn, "telegram", 2.5)
        metrics.count(DELIVERIES, "telegram", "sent")
        metrics.observe(DELIVERY_SECONDS, 0.2, "telegram")
    return (time.perf_counter() - began) / COUNTINGS * 1e6


async def turn_us() -> tuple[float, float]:
    """Answer messages with everything in memory; give the microseconds of a turn and a scrape."""
    model = ScriptedModel(["Here."] * (TURNS + 10))
    async with Dialogue(model, config=Config(access="open", plugins=())) as dialogue:
        await dialogue.says(*["warm up"] * 10)
        began = time.perf_counter()
        await dialogue.says(*["hello"] * TURNS)
        each_us = (time.perf_counter() - began) / TURNS * 1e6
        began = time.perf_counter()
        for _ in range(SCRAPES):
            written(await dialogue.app.watch.reading())
        scrape_us = (time.perf_counter() - began) / SCRAPES * 1e6
    return each_us, scrape_us


def main() -> None:
    """Print the costs and their ratio."""
    counting = min(counting_us() for _ in range(5))
    turn, scrape = asyncio.run(turn_us())
    print(f"counting a turn: {counting:.1f} us; a turn on fakes: {turn:.0f} us")
    print(f"share of a turn: {counting / turn:.2%}; a scrape: {scrape / 1000:.2f} ms")


if __name__ == "__main__":
    main()
