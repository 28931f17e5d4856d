#!/usr/bin/env python3
"""What do 5 000 messages in 200 chats do to the bot while Telegram now and then wants rest?

The bot is a process of its own, everything on disk; the pretended servers share the process of the
benchmark, whose processor time is told apart. Every fiftieth message is refused for a second with
429, and that chat is watched for calls that come all the same. The time of a message runs from the
moment at which it can be fetched until the request with its answer arrives.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import run  # noqa: E402 - found through the line above

if TYPE_CHECKING:
    from benchmarks.bench import Bench
    from bot.testing.telegram_rules import Json

FIRST_CHAT = 2001
REST_S = 1
"""How long a chat is to be left alone after a 429."""

SAMPLE_S = 0.25
SETTLING_S = 1.0
"""How long is waited for answers that should not come."""


@dataclass(slots=True, kw_only=True)
class Weather:
    """Refuses every ``one_in``-th message, and watches whether its chat is left alone."""

    one_in: int
    count: int = 0
    refused: int = 0
    disobeyed: int = 0
    _rest_until: dict[str, float] = field(default_factory=dict)

    def meet(self, params: Json) -> None:
        """Let a request pass or refuse it.

        Raises:
            Refusal: Telegram wants rest.
        """
        from bot.testing.telegram_rules import Refusal

        chat, now = str(params.get("chat_id")), time.monotonic()
        self.disobeyed += now < self._rest_until.get(chat, 0.0)
        self.count += 1
        if self.one_in and self.count % self.one_in == 0:
            self.refused += 1
            self._rest_until[chat] = now + REST_S
            raise Refusal(429, "Too Many Requests: retry later", retry_after=REST_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """What became of it; seconds, and memory in MiB: before, at half, at the end, the most."""

    messages: int
    seconds: float
    latencies: tuple[float, ...]
    missing: int
    twice: int
    disordered_chats: int
    weather: Weather
    memory: tuple[float, float, float, float]
    bot_cpu: float
    server_cpu: float
    refused_by_vendor: int


def main() -> int:
    """Run the flood at once and spread over a while, and print what became of it."""
    run.enter(".venv", "requirements.txt", run.NEEDED)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=5000)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--over", type=float, nargs="+", default=[0, 90], metavar="SECONDS")
    parser.add_argument("--refuse", type=int, default=50, metavar="N", help="one in N; 0 for none")
    options = parser.parse_args()
    floods = [asyncio.run(_flood(options, over_s)) for over_s in options.over]
    print(table(options.over, floods))
    return 0 if all(_is_well(flood) for flood in floods) else 1


async def _flood(options: argparse.Namespace, over_s: float) -> Flood:
    from benchmarks.bench import running

    with tempfile.TemporaryDirectory(prefix="daybook-flood-") as folder:
        async with running("daybook", Path(folder)) as bench:
            await bench.turn("mark-0-0")
            return await _Run(bench, options, over_s).measure()


class _Run:
    """One flood over one bot."""

    def __init__(self, bench: Bench, options: argparse.Namespace, over_s: float) -> None:
        self._bench = bench
        self._messages: int = options.messages
        self._chats: int = options.chats
        self._over_s = over_s
        self._weather = Weather(one_in=options.refuse)
        self._written: dict[str, float] = {}
        self._answered: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._orders: dict[int, list[str]] = {}
        self._position = len(bench.telegram.state.calls)
        self._memory: list[tuple[int, float]] = []

    async def measure(self) -> Flood:
        bench = self._bench
        self._make_weather()
        bot_cpu, server_cpu, began = bench.cpu_s, time.process_time(), time.monotonic()
        before = bench.rss_mib
        async with self._sampling():
            await self._write()
            with contextlib.suppress(TimeoutError):
                await bench.until(self._is_complete)
        ended, used, servers = time.monotonic(), bench.cpu_s - bot_cpu, time.process_time()
        await asyncio.sleep(SETTLING_S)
        self._is_complete()
        halfway = next(mib for count, mib in self._memory if count >= self._messages / 2)
        return Flood(
            messages=self._messages,
            seconds=ended - began,
            latencies=tuple(at - self._written[mark] for mark, at in self._answered.items()),
            missing=self._messages - len(self._answered),
            twice=sum(1 for count in self._counts.values() if count > 1),
            disordered_chats=sum(
                1 for marks in self._orders.values() if marks != sorted(marks, key=_number)
            ),
            weather=self._weather,
            memory=(before, halfway, bench.rss_mib, max(mib for _, mib in self._memory)),
            bot_cpu=used,
            server_cpu=servers - server_cpu,
            refused_by_vendor=len(bench.claude.faults),
        )

    def _make_weather(self) -> None:
        methods = self._bench.telegram.state.methods
        send = methods["sendmessage"]

        def send_in_weather(params: Json) -> object:
            self._weather.meet(params)
            return send(params)

        methods["sendmessage"] = send_in_weather

    async def _write(self) -> None:
        """Let the people write, each chat in its turn, evenly over the time given."""
        began = time.monotonic()
        for number in range(self._messages):
            chat, mark = number % self._chats, f"mark-{number % self._chats}-{number}"
            self._written[mark] = time.monotonic()
            self._bench.telegram.says(FIRST_CHAT + chat, mark)
            ahead_s = began + self._over_s * number / self._messages - time.monotonic()
            if ahead_s > 0:
                await asyncio.sleep(ahead_s)

    def _is_complete(self) -> bool:
        from benchmarks.bench import marks_in

        calls = self._bench.telegram.state.calls
        for call in calls[self._position :]:
            marks = marks_in(call.text) if call.method == "sendMessage" else []
            self._counts.update(marks)
            for mark in marks:
                self._answered.setdefault(mark, call.at)
                self._orders.setdefault(call.chat_id, []).append(mark)
        self._position = len(calls)
        return len(self._answered) == self._messages

    @asynccontextmanager
    async def _sampling(self) -> AsyncIterator[None]:
        async def sample() -> None:
            while True:
                self._memory.append((len(self._answered), self._bench.rss_mib))
                await asyncio.sleep(SAMPLE_S)

        task = asyncio.create_task(sample())
        try:
            yield
        finally:
            task.cancel()
            self._memory.append((self._messages, self._bench.rss_mib))


def table(overs: Sequence[float], floods: Sequence[Flood]) -> str:
    """Lay the floods out as Markdown, a column each."""
    rows = [
        ("messages written", [_over(over_s) for over_s in overs]),
        ("answered in (s)", [f"{flood.seconds:.1f}" for flood in floods]),
        ("messages a second", [f"{flood.messages / flood.seconds:.0f}" for flood in floods]),
        ("p50 (ms)", [f"{median(flood.latencies) * 1000:.0f}" for flood in floods]),
        ("p99 (ms)", [f"{quantiles(flood.latencies, n=100)[98] * 1000:.0f}" for flood in floods]),
        ("not answered", [str(flood.missing) for flood in floods]),
        ("answered twice", [str(flood.twice) for flood in floods]),
        ("chats out of order", [str(flood.disordered_chats) for flood in floods]),
        ("refused with 429", [str(flood.weather.refused) for flood in floods]),
        ("… called all the same", [str(flood.weather.disobeyed) for flood in floods]),
        ("messages sent", [str(flood.weather.count - flood.weather.refused) for flood in floods]),
        ("requests the vendor would refuse", [str(flood.refused_by_vendor) for flood in floods]),
        ("memory before → half → end, most (MiB)", [_memory(flood) for flood in floods]),
        ("processor time of the bot (s)", [f"{flood.bot_cpu:.1f}" for flood in floods]),
        ("… of the pretended servers (s)", [f"{flood.server_cpu:.1f}" for flood in floods]),
    ]
    first, *others = (f"| {title} | {' | '.join(cells)} |" for title, cells in rows)
    return "\n".join([first, "|---" * (len(floods) + 1) + "|", *others])


def _over(over_s: float) -> str:
    return f"over {over_s:g} s" if over_s else "all at once"


def _memory(flood: Flood) -> str:
    before, halfway, end, most = flood.memory
    return f"{before:.0f} → {halfway:.0f} → {end:.0f}, {most:.0f}"


def _number(mark: str) -> int:
    return int(mark.rpartition("-")[2])


def _is_well(flood: Flood) -> bool:
    bad = (flood.missing, flood.twice, flood.disordered_chats, flood.weather.disobeyed)
    return not any(bad)


if __name__ == "__main__":
    sys.exit(main())
