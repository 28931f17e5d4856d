"""One seed, one history: the whole application in a world where everything goes wrong."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.app import App
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.oracle import Oracle
from bot.testing.simulator.overhearing import overheard
from bot.testing.simulator.people import STORM_S, People
from bot.testing.simulator.platforms import make_platforms
from bot.testing.simulator.process import Process, Surroundings, start_process
from bot.testing.simulator.sabotage import SABOTAGES, Build
from bot.testing.simulator.virtual_loop import VirtualLoop
from bot.testing.simulator.world import World

PATIENCE_S = 6 * 3_600.0
"""How long the application may take to come to rest once nothing fails any more."""

MONTH_S = 29 * 24 * 3_600.0
"""Nearly as long as the identity of an event is kept (REL-1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a seed went; ``digest`` is the fingerprint of its history, ``lines`` the history."""

    seed: int
    faults: tuple[str, ...]
    digest: str
    lines: tuple[str, ...]
    turns: int
    processes: int


def simulate(seed: int, *, sabotage: str = "", keeps_lines: bool = False) -> Verdict:
    """Play one seed to its end and judge it.

    Raises:
        KeyError: There is no such sabotage.
    """
    build = SABOTAGES[sabotage] if sabotage else Build()
    with (
        tempfile.TemporaryDirectory(prefix="daybook-simulation-", dir=_fast_folder()) as folder,
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
    ):
        file = Path(folder) / "daybook.db"
        try:
            return runner.run(_play(seed, file, build, keeps_lines=keeps_lines))
        except BaseException as error:
            error.add_note(f"in the simulation of seed {seed}")
            raise


async def _play(seed: int, file: Path, build: Build, *, keeps_lines: bool) -> Verdict:
    world = World(seed, keeps_lines=keeps_lines)
    ledger = Ledger(world)
    simulation = _Simulation(world, ledger, file, build)
    with overheard(world, ledger):
        await simulation.play()
    return Verdict(
        seed=seed,
        faults=ledger.faults,
        digest=world.digest,
        lines=tuple(world.lines),
        turns=len(ledger.turns),
        processes=simulation.processes,
    )


class _Simulation:
    def __init__(self, world: World, ledger: Ledger, file: Path, build: Build) -> None:
        self._world = world
        self._ledger = ledger
        self._polling, self._pushing = make_platforms(world, ledger)
        self._people = People(world, self._polling, self._pushing)
        self._surroundings = Surroundings(
            world=world,
            ledger=ledger,
            file=file,
            build=build,
            polling=self._polling,
            pushing=self._pushing,
            addresses=tuple(chat.address for chat in self._people.chats),
        )
        self.processes = 0

    async def play(self) -> None:
        """Let the storm pass, then see that everything comes right, and stays so."""
        dice = self._world.dice
        self._world.note(f"weather: {self._world.weather}")
        self._people.begin()
        while self._world.elapsed_s < STORM_S:
            await self._live_in_the_storm()
            await asyncio.sleep(dice.among((0.0, 1.0, 60.0)))
        self._world.note("calm")
        self._world.is_calm = True
        async with self._process() as process:
            await self._come_to_rest(process.app)
            if dice.chance(0.3):
                await self._let_a_month_pass()
                await self._come_to_rest(process.app)
        self._world.is_at_rest = True
        shown = self._shown()
        async with self._process() as process:
            await self._come_to_rest(process.app)
        if self._shown() != shown:
            self._ledger.fault("a restart with nothing to do changed what people see")
        for fault in Oracle(self._ledger, (self._polling, self._pushing)).faults():
            self._ledger.fault(fault)

    async def _live_in_the_storm(self) -> None:
        """Run a process until it is killed, or told to stop, at the end of the storm at last."""
        left_s = max(1.0, STORM_S - self._world.elapsed_s)
        dice, loop = self._world.dice, asyncio.get_running_loop()
        async with self._process() as process:
            stop_s = min(left_s, dice.between(1.0, 2 * STORM_S))
            alarms = [loop.call_later(stop_s, process.stop)]
            if dice.chance(0.3):
                kill_s = dice.between(0.0, left_s)
                alarms.append(loop.call_later(kill_s, process.life.end, "a random moment"))
            await process.ended()
            for alarm in alarms:
                alarm.cancel()

    @asynccontextmanager
    async def _process(self) -> AsyncIterator[Process]:
        """Run a process; what is left of it at the end has no effect."""
        self.processes += 1
        self._world.note(f"process {self.processes} starts")
        process = await start_process(self._surroundings)
        yield process
        process.stop()
        await process.ended()
        if (fault := process.fault) is not None:
            self._ledger.fault(fault)
        await process.bury()
        self._ledger.process_ended()
        self._pushing.disconnected()
        self._world.note(f"process {self.processes} has ended")

    async def _come_to_rest(self, app: App) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                for _ in range(2):  # the second time for what somebody may begin on his own
                    await self._settled(app)
                    await asyncio.sleep(300)
        except TimeoutError:
            self._ledger.fault("the application does not come to rest")

    async def _settled(self, app: App) -> None:
        is_at_rest = False
        while not is_at_rest:
            await self._world.quiet.wait()
            for address in self._surroundings.addresses:
                await app.settled(address)
            is_at_rest = self._world.quiet.is_set()

    async def _let_a_month_pass(self) -> None:
        """Offer things that were done long ago once more."""
        await asyncio.sleep(MONTH_S)
        said = list(self._ledger.said.values())
        for _ in range(min(3, len(said))):
            event = self._world.dice.among(said).inbound
            self._world.note(f"again {event.event_id}")
            self._surroundings.platform_of(event).offer(event)

    def _shown(self) -> list[tuple[str, str]]:
        posts = (*self._polling.posts, *self._pushing.posts)
        return [(post.message_id, post.text) for post in posts]


def _fast_folder() -> str | None:
    """Name a folder in memory where the system has one; the simulator syncs nothing anyway."""
    folder = Path("/dev/shm")  # noqa: S108 - the names in it are random
    return str(folder) if folder.is_dir() else None
