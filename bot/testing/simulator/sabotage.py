"""Three ways to break the store's promises, each as a wrapper: what a simulator must find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from peewee import SqliteDatabase

from bot.testing.simulator.database import FencedDatabase
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life
from bot.testing.simulator.observing import verb_of

_Value = TypeVar("_Value")

_LATE_BY_S = 1.0


class LateCommit(FencedDatabase):
    """Says that a verb is kept before it is: the commit comes much later, or never."""

    def __init__(self, db: SqliteDatabase, life: Life, ledger: Ledger, *, verb: str) -> None:
        super().__init__(db, life, ledger)
        self._early_verb = verb
        self._untold: list[Callable[[], None]] = []

    async def carry_out(self, work: Callable[[], _Value]) -> _Value:
        """Do it in the transaction that is held open, if there is one."""
        if not self._connection.in_transaction:
            if verb_of(work) != self._early_verb:
                return await super().carry_out(work)
            self._connection.execute("BEGIN IMMEDIATE")
            asyncio.get_running_loop().call_later(_LATE_BY_S, self._commit_held)
        value = work()
        self._untold.append(partial(self.tell, work, value))
        return value

    async def close(self) -> None:
        """Commit what is held unless the process was killed: then it is gone."""
        self._commit_held()
        await super().close()

    def _commit_held(self) -> None:
        if self._untold and not self._life.is_over:
            self._connection.execute("COMMIT")
            for tell in self._untold:
                tell()
            self._untold.clear()


class ForgetfulDatabase(FencedDatabase):
    """Drops the identities of events that are done, so that a redelivery is taken for new."""

    async def carry_out(self, work: Callable[[], _Value]) -> _Value:
        """Do it, but forget first."""
        if verb_of(work) == "receive":
            await super().carry_out(self._forget)
        return await super().carry_out(work)

    def _forget(self) -> None:
        self._connection.execute("DELETE FROM inbox WHERE state = 'done'")


OpenDatabase = Callable[[SqliteDatabase, Life, Ledger], FencedDatabase]

SABOTAGES: Mapping[str, OpenDatabase] = {
    "acknowledge-early": partial(LateCommit, verb="receive"),
    "drop-tombstone": ForgetfulDatabase,
    "send-before-commit": partial(LateCommit, verb="finish_turn"),
}
"""By the name that ``scripts/simulate.py --break`` knows them under."""
