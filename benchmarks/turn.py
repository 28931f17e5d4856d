#!/usr/bin/env python3
"""How long does a turn take, alone and under load, and does it stay so?

The time runs from the moment at which the message can be fetched until the request with the whole
answer arrives; the model answers at once. Everything is on disk. The naive bot of ``naive_bot.py``
runs in turn with Daybook, since no machine is as fast twice.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

if TYPE_CHECKING:
    from benchmarks.bench import Bench, Kind

AROUND = (50, 150, 300)
"""Turns at which the time is looked at, with ten on each side."""

MESSAGES = 5
"""How many messages each chat writes at once."""

SETTLING_S = 0.5
"""How long is waited for answers that should not come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What became of many messages written at once."""

    seconds: float
    missing: int
    twice: int
    disordered_chats: int
    sent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one run of one bot gave; turns in milliseconds, memory in MiB."""

    turns: tuple[float, ...]
    cpu: float
    rss: float
    load: Load
    refused: int

    @property
    def p50(self) -> float:
        """The median turn."""
        return median(self.turns)

    @property
    def p99(self) -> float:
        """The turn that one in a hundred exceeds."""
        return quantiles(self.turns, n=100)[98]

    def around(self, turn: int) -> float:
        """The median of the turns near one."""
        return median(self.turns[max(0, turn - 10) : turn + 10])


def main() -> int:
    """Run both bots some rounds and print the table."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--chats", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the data goes (a real disk)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-bench-", dir=options.folder) as folder:
        rounds = asyncio.run(_rounds(Path(folder), options))
    print(table(rounds["daybook"], rounds["naive"]))
    return 0


async def _rounds(folder: Path, options: argparse.Namespace) -> dict[Kind, list[Round]]:
    rounds: dict[Kind, list[Round]] = {"daybook": [], "naive": []}
    for number in range(1, options.rounds + 1):
        for kind, done in rounds.items():
            done.append(await _round(kind, folder, options.turns, options.chats))
            newest = done[-1]
            words = f"p50 {newest.p50:.1f} ms, all at once {newest.load.seconds:.2f} s"
            print(f"round {number}, {kind}: {words}", file=sys.stderr)
    return rounds


async def _round(kind: Kind, folder: Path, turns: int, chats: int) -> Round:
    from benchmarks.bench import running

    async with running(kind, folder) as bench:
        await bench.called("getUpdates")
        await bench.turn("mark-0-0")  # for which the libraries are still being loaded
        cpu_before = bench.cpu_s
        times = [await bench.turn(f"mark-0-{number}") for number in range(1, turns + 1)]
        cpu, rss = bench.cpu_s - cpu_before, bench.rss_mib
        load = await _load(bench, chats)
        return Round(
            turns=tuple(seconds * 1000 for seconds in times),
            cpu=cpu * 1000 / turns,
            rss=rss,
            load=load,
            refused=len(bench.claude.faults),
        )


async def _load(bench: Bench, chats: int) -> Load:
    """Let each of many people write several messages, all at once."""
    from benchmarks.bench import marks_in

    await bench.polling()
    calls = bench.telegram.state.calls
    position, answered = len(calls), Counter[str]()
    began = time.monotonic()
    for number, chat in itertools.product(range(MESSAGES), range(1, chats + 1)):
        bench.telegram.says(2000 + chat, f"mark-{chat}-{number}")

    def is_complete() -> bool:
        nonlocal position
        for call in calls[position:]:
            answered.update(marks_in(call.text) if call.method == "sendMessage" else ())
        position = len(calls)
        return len(answered) == chats * MESSAGES

    beginning = position
    with contextlib.suppress(TimeoutError):
        await bench.until(is_complete)
    await asyncio.sleep(SETTLING_S)
    is_complete()
    sent = [call for call in calls[beginning:] if call.method == "sendMessage"]
    orders = [
        [mark for call in sent if call.chat_id == 2000 + chat for mark in marks_in(call.text)]
        for chat in range(1, chats + 1)
    ]
    return Load(
        seconds=max((call.at for call in sent), default=began) - began,
        missing=chats * MESSAGES - len(answered),
        twice=sum(1 for count in answered.values() if count > 1),
        disordered_chats=sum(1 for order in orders if order != sorted(order)),
        sent=len(sent),
    )


def table(ours: Sequence[Round], naive: Sequence[Round]) -> str:
    """Lay the medians of the rounds out as Markdown, with every round's median turn."""

    def row(title: str, of: Callable[[Round], float], form: str = ".1f") -> str:
        left, right = median(map(of, ours)), median(map(of, naive))
        ratio = f"{left / right:.2f}" if right else ""
        return f"| {title} | {left:{form}} | {right:{form}} | {ratio} |"

    def each(rounds: Sequence[Round]) -> str:
        return " · ".join(f"{one.p50:.1f}" for one in rounds)

    reached = [at for at in AROUND if at <= len(ours[0].turns)]
    rows = [
        "| | Daybook | naive bot | ratio |",
        "|---|---|---|---|",
        row("turn p50 (ms)", lambda one: one.p50),
        f"| p50 of each round (ms) | {each(ours)} | {each(naive)} | |",
        row("turn p99 (ms)", lambda one: one.p99),
        *(row(f"around turn {at} (ms)", partial(Round.around, turn=at)) for at in reached),
        row("processor time a turn (ms)", lambda one: one.cpu),
        row("memory after the turns (MiB)", lambda one: one.rss, ".0f"),
        row("many messages at once (s)", lambda one: one.load.seconds, ".2f"),
        row("… not answered", lambda one: one.load.missing, ".0f"),
        row("… answered twice", lambda one: one.load.twice, ".0f"),
        row("… chats out of order", lambda one: one.load.disordered_chats, ".0f"),
        row("… messages sent", lambda one: one.load.sent, ".0f"),
        row("requests the model's vendor would refuse", lambda one: one.refused, ".0f"),
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
