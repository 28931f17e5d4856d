"""Many kills at many points, some worlds at a time, and the table of what became of them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, fields

from bot.testing.crash_platforms import PLATFORMS
from bot.testing.crash_processes import StartProcess
from bot.testing.crash_scenarios import CHATS_IN_FLIGHT, PointKill, RandomKill, measure_span
from bot.testing.crash_verdict import Verdict
from bot.testing.crashing import POINTS

CHANNELS = tuple(PLATFORMS)

ANY_MOMENT = f"any moment, {CHATS_IN_FLIGHT} chats"

COUNTED = [each.name for each in fields(Verdict) if each.name != "faults"]

Kill = Callable[[], Awaitable[Verdict]]


@dataclass(slots=True, kw_only=True)
class Row:
    """One line of the table; ``forbidden`` names each kill that went wrong, and how."""

    point: str
    channel: str
    kills: int = 0
    total: Verdict = field(default_factory=Verdict)
    forbidden: list[str] = field(default_factory=list)

    def take(self, name: str, verdict: Verdict) -> None:
        """Count a kill in."""
        self.kills += 1
        self.total.add(verdict)
        self.forbidden += (f"{name}: {each}" for each in verdict.forbidden)


@dataclass(slots=True, kw_only=True)
class Matrix:
    """A run over points and channels.

    Attributes:
        worlds: How many live at the same time; each mostly waits.
    """

    start_process: StartProcess
    worlds: int
    channels: Sequence[str] = CHANNELS
    rows: list[Row] = field(default_factory=list)

    async def kill_at_points(self, names: Sequence[str], kills: int) -> None:
        """Kill so often at each of these points, in turn each time that a message passes it."""
        work: list[tuple[Row, str, Kill]] = []
        for point, channel in itertools.product(POINTS, self.channels):
            if point.name not in names or channel not in point.channels:
                continue
            self.rows.append(row := Row(point=point.name, channel=channel))
            for number in range(kills):
                after = number % point.times + 1

                kill = PointKill(point=point, channel=channel, after=after)
                work.append((row, f"{channel}, {point.name} ({after})", self._bound(kill)))
        await self._do(work)

    async def kill_at_random(self, kills: int, first_seed: int) -> None:
        """Kill at any moment; each seed is one history as far as processes can repeat one."""
        for number, channel in enumerate(self.channels):
            self.rows.append(row := Row(point=ANY_MOMENT, channel=channel))
            span_s = await measure_span(channel, self.start_process)
            work: list[tuple[Row, str, Kill]] = []
            for seed in range(first_seed + number, first_seed + kills, len(self.channels)):
                kill = RandomKill(channel=channel, seed=seed, span_s=span_s)
                work.append((row, f"{channel}, seed {seed}", self._bound(kill)))
            await self._do(work)

    def _bound(self, kill: PointKill | RandomKill) -> Kill:
        return lambda: kill.play(self.start_process)

    async def _do(self, work: Sequence[tuple[Row, str, Kill]]) -> None:
        room = asyncio.Semaphore(self.worlds)

        async def do(row: Row, name: str, kill: Kill) -> None:
            async with room:
                row.take(name, await kill())

        async with asyncio.TaskGroup() as group:
            for row, name, kill in work:
                group.create_task(do(row, name, kill))

    @property
    def kills(self) -> int:
        """How many there were."""
        return sum(row.kills for row in self.rows)

    @property
    def forbidden(self) -> list[str]:
        """What must not be, with the kill after which it was; empty when all is well."""
        return [each for row in self.rows for each in row.forbidden]

    @property
    def table(self) -> str:
        """The rows as Markdown."""
        titles = ["point", "channel", "kills", *(name.replace("_", " ") for name in COUNTED)]
        lines = [_line(titles), "|---|---" + "|---:" * (len(titles) - 2) + "|"]
        for row in self.rows:
            numbers = [row.kills, *(getattr(row.total, name) for name in COUNTED)]
            lines.append(_line([row.point, row.channel, *map(str, numbers)]))
        return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
