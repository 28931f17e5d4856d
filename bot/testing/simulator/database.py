"""The database of one process: the real one, with delays, failures and death around it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from peewee import SqliteDatabase

from bot.adapters.store.database import DatabaseThread
from bot.errors import StoreError
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life
from bot.testing.simulator.observing import commit_of, observe, verb_of

_Value = TypeVar("_Value")


class FencedDatabase(DatabaseThread):
    """Carries work out one piece after the other, in the order in which it was asked for.

    A piece takes its time, may fail before the commit, and may be the last thing that its process
    does; who asked for it may be cancelled, and it is carried out all the same. The ledger is told
    of each commit at that very moment.
    """

    def __init__(self, db: SqliteDatabase, life: Life, ledger: Ledger) -> None:
        super().__init__(db, inline=True)
        self._life = life
        self._ledger = ledger
        self._order = asyncio.Lock()

    async def call(self, work: Callable[[], _Value]) -> _Value:
        """Carry out a piece of work when its turn comes."""
        self._life.require()
        committing = asyncio.ensure_future(self._in_order(work))
        committing.add_done_callback(_look)  # nobody else does once the caller is cancelled
        return await asyncio.shield(committing)

    async def close(self) -> None:
        """Carry out what was asked so far, then close the file."""
        async with self._order:
            await super().close()

    async def carry_out(self, work: Callable[[], _Value]) -> _Value:
        """Do it in a transaction and tell the ledger; it never waits."""
        value = await super().call(work)
        self.tell(work, value)
        return value

    def tell(self, work: Callable[[], _Value], value: _Value) -> None:
        """Tell the ledger that a piece of work is committed."""
        commit = commit_of(work, value)
        self._life.world.note(f"committed {commit.words}")
        observe(self._ledger, commit)

    async def _in_order(self, work: Callable[[], _Value]) -> _Value:
        life, verb = self._life, verb_of(work)
        async with self._order:
            await life.cross(f"store.{verb}")
            if life.world.strikes(life.world.weather.store_fails):
                life.world.note(f"failed store.{verb}")
                raise StoreError("The disk has a bad moment.")
            value = await self.carry_out(work)
            life.risk(f"store.{verb}, committed")
            return value


def _look(task: asyncio.Future[_Value]) -> None:
    if not task.cancelled():
        task.exception()
