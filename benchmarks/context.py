"""What keeping a chat's context costs: fitting a window, a turn as the history grows, memory.

    python3 benchmarks/context.py

Prints p50 and p99 of fitting and writing out a window, the cost of the first request of a turn by
stored turns, and what a chat that is kept warm, or known but idle, takes.
"""

from __future__ import annotations

import asyncio
import pickle
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.adapters.token_counter import TiktokenCounter
from bot.core.messages import assistant_text, user_text
from bot.core.turns import Step, Turn, TurnId
from bot.core.window.fit import fit
from bot.core.window.window import Limits, Window
from bot.runtime.context import ContextManager
from bot.runtime.context.scale import Scale
from bot.testing.chat_run import LIMITS, ChatRun, context_parts, tool_step
from bot.testing.clock import START, FakeClock
from bot.testing.store import InMemoryStore

ROUNDS = 400
WORDS = "the invoice of last Tuesday was paid and the meeting is on Thursday at ten in the morning "


def turn(number: int, *, is_open: bool = False) -> Turn:
    """Make a turn of two tool rounds, about 300 tokens."""
    rounds = tuple(tool_step(TurnId(number), each, (WORDS * 3,)) for each in range(2))
    answer = Step(answer=assistant_text(f"{number}: {WORDS * 2}"), stop="end_turn")
    return Turn(
        id=TurnId(number),
        session_key=ChatRun().key,
        request=user_text(f"{number}: {WORDS}"),
        started_at=START,
        steps=() if is_open else (*rounds, answer),
        outcome=None if is_open else "answered",
    )


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """Give p50 and p99 of a piece of work."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


async def fitting() -> None:
    """Fit and write out windows that need nothing, and windows that have to be cut."""
    counter = TiktokenCounter()
    for budget, most in ((50_000, 20), (200_000, 1_000)):
        for stored in (20, 200, 2_000):
            run = ChatRun(counter=counter)
            run.limits = replace(LIMITS, max_context_tokens=budget, max_turns=most)
            past = tuple(map(turn, range(1, stored + 1)))
            scale = run.manager.state.scale(run.limits)
            bounds = scale.limits(run.parts.budget(run.limits), most)
            full = Window(past=past, open_turn=turn(stored + 1, is_open=True))
            first = fit(full, bounds)
            p50, p99 = milliseconds(partial(fit_again, first, scale, bounds))
            print(f"| {budget} | {stored} | {len(first.past)} | {p50:.2f} | {p99:.2f} |")


def fit_again(window: Window, scale: Scale, bounds: Limits) -> None:
    """Fit a window as if it were seen for the first time, and write it out."""
    fresh = replace(window, volatile=("now",))  # another object: nothing is remembered of it
    scale.layout(fit(fresh, bounds))


async def growing() -> None:
    """Open turns and make their first request as the history grows."""
    run = ChatRun(counter=TiktokenCounter())
    marks: dict[int, list[float]] = {}
    for number in range(1, 401):
        claim, context = await run.open(f"{number}: {WORDS}")
        started = time.perf_counter()
        request = await context.request(claim.turn, may_use_tools=True)
        marks.setdefault((number - 1) // 100, []).append((time.perf_counter() - started) * 1_000)
        answer = Step(answer=assistant_text(WORDS), stop="end_turn")
        await run.end(await run.step(claim.turn, context, request, answer))
    told = ", ".join(f"{statistics.median(times):.2f}" for times in marks.values())
    print(f"first request of a turn, ms p50, turns 1-100, 101-200, 201-300, 301-400: {told}")


async def memory() -> None:
    """Hold chats of twenty turns warm."""
    store, clock = InMemoryStore(), FakeClock()
    run = ChatRun(store)
    for _ in range(19):
        await run.turn(WORDS, WORDS * 2, rounds=[(WORDS * 3,)])
    parts = context_parts(store, clock)
    held = pickle.dumps(await ContextManager(run.key, parts).state.hold())
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [pickle.loads(held) for _ in range(200)]  # nothing is shared, as read from a file
    size = (tracemalloc.get_traced_memory()[0] - before) / len(kept)
    tracemalloc.stop()
    print(f"a chat of 19 turns kept warm: {size / 1_000:.1f} kB")
    started = time.perf_counter()
    for _ in range(200):
        await ContextManager(run.key, parts).state.hold()
    took_ms = (time.perf_counter() - started) / 200 * 1_000
    print(f"reading an idle chat back, the store in memory: {took_ms:.2f} ms")


async def main() -> None:
    """Print everything."""
    print("| budget | stored turns | in view | p50 ms | p99 ms |\n|---|---|---|---|---|")
    await fitting()
    await growing()
    await memory()


if __name__ == "__main__":
    asyncio.run(main())
