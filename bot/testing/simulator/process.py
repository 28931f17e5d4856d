"""One process of the simulated bot: the real application on fenced ports."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from peewee import SqliteDatabase

from bot.adapters.store.database import DatabaseThread, connection_of
from bot.adapters.store.opening import open_database
from bot.adapters.store.schema import Tables, make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside
from bot.config import Config
from bot.core.chat import ChatAddress, Inbound
from bot.core.lifecycle import address_of
from bot.errors import StoreError
from bot.testing.chat_run import RuleOfThumb, Unchanging
from bot.testing.simulator.channels import PollingChannel, PushingChannel
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life, LifeClock
from bot.testing.simulator.model import SimulatedModel
from bot.testing.simulator.oracle import history_faults, leftovers
from bot.testing.simulator.platforms import Platform, PollingPlatform, PushingPlatform
from bot.testing.simulator.sabotage import Build
from bot.testing.simulator.tools import PLUGIN, lent_plugin
from bot.testing.simulator.world import World

CONFIG = Config(access="open", admins=("polled:11",), plugins=(PLUGIN,))

LONGEST_SHUTDOWN_S = CONFIG.shutdown_deadline_s + 15.0
"""The deadline, and what a slow store takes for writes that are never left in the middle.

A real process is ended at the deadline by ``bot.app.signals``, whatever is under way; that a
simulated one cannot have.
"""

_ROUNDS_TO_BURY = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all processes of a seed have in common."""

    world: World
    ledger: Ledger
    file: Path
    build: Build
    polling: PollingPlatform
    pushing: PushingPlatform
    addresses: tuple[ChatAddress, ...]

    def platform_of(self, event: Inbound) -> Platform:
        """Say where something happened."""
        is_polled = address_of(event).channel == self.polling.name
        return self.polling if is_polled else self.pushing


class Process:
    """A running application that may be told to stop, or killed through its life."""

    def __init__(self, life: Life, app: App, store: SqliteStore) -> None:
        self.life = life
        self.app = app
        self._store = store
        self._running = asyncio.ensure_future(app.run())
        self._stopped_at: float | None = None
        self._took_s = 0.0

    def stop(self) -> None:
        """Tell it to end in good order; twice is no hurry."""
        if self._stopped_at is None and not self._running.done():
            self._stopped_at = self.life.world.elapsed_s
            self.life.world.note("told to stop")
            self.app.stop()

    async def ended(self) -> None:
        """Wait for its end, of whatever kind."""
        ends: list[asyncio.Future[int] | asyncio.Future[None]] = [self._running, self.life.over]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if self._stopped_at is not None:
            self._took_s = self.life.world.elapsed_s - self._stopped_at

    @property
    def fault(self) -> str | None:
        """What was wrong about an end that was no kill."""
        if self.life.is_over:
            return None
        error = self._running.exception()
        if isinstance(error, StoreError):
            return None  # it did not get over its start; whoever runs it starts it again
        if error is not None:
            return f"the application ended with {error!r}"
        if self._stopped_at is None:
            return "the application ended by itself"
        if self._took_s > LONGEST_SHUTDOWN_S:
            return f"the shutdown took {self._took_s:.1f} s"
        return None

    async def bury(self) -> None:
        """Let go of everything that is left, without any effect."""
        if not self.life.is_over:
            await self._store.close()  # carrying out what is left, it may be killed yet
        self.life.finish()
        for _ in range(_ROUNDS_TO_BURY):
            left = asyncio.all_tasks() - {asyncio.current_task()}
            if not left:
                break
            for task in left:
                task.cancel()
            await asyncio.sleep(0)
        assert not left, f"these will not end: {left}"
        if self._running.done() and not self._running.cancelled():
            self._running.exception()
        await self._store.close()


@cache
def _any_tables() -> Tables:
    """Make the tables once: it takes a third of a start, and no verb uses the models in them."""
    return make_tables(SqliteDatabase(None))


async def start_process(around: Surroundings) -> Process:
    """Start the application on the same file as the process before, having looked at what it left.

    The file is not synced: a process that is killed loses nothing that it wrote, only a power cut
    would, and that is not simulated.
    """
    life = Life(around.world)
    db = open_database(around.file)
    connection_of(db).execute("PRAGMA synchronous = off")
    tables = replace(_any_tables(), db=db)
    unfenced = SqliteStore(tables, DatabaseThread(db, inline=True))
    for fault in await history_faults(unfenced, around.addresses):
        around.ledger.fault(fault)
    if around.world.is_at_rest:
        for fault in await leftovers(unfenced):
            around.ledger.fault(fault)
    store = around.build.store(tables, around.build.open_database(db, life, around.ledger))
    store.opened_by = f"process {around.ledger.unique()}"  # of its own it is random
    channels = (
        PollingChannel(around.polling, life, around.ledger),
        PushingChannel(around.pushing, life, around.ledger),
    )
    outside = Outside(
        store=store,
        model=SimulatedModel(life, around.ledger),
        model_name="simulated",
        channels={channel.name: channel for channel in channels},
        clock=LifeClock(life),
        announce=around.world.note,
        jitter=around.world.dice.fraction,
        counter=RuleOfThumb(),
        redactor=Unchanging(),
    )
    with lent_plugin(life, around.ledger):
        app = around.build.app(CONFIG, outside)
    return Process(life, app, store)
