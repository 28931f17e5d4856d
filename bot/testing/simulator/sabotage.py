"""Ways to break the product's promises, each as a wrapper or a subclass: what must be found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from peewee import SqliteDatabase

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App
from bot.core.chat import Reply, SessionKey
from bot.core.lifecycle import OutboxId, OutboxItem
from bot.core.turns import TurnId
from bot.runtime.lanes import Lanes
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


class IdleDatabase(FencedDatabase):
    """Pretends that some verbs found nothing to do: they run on a doctored copy that is dropped."""

    def __init__(self, db: SqliteDatabase, life: Life, ledger: Ledger, *, verbs: set[str]) -> None:
        super().__init__(db, life, ledger)
        self._idle_verbs = verbs

    async def carry_out(self, work: Callable[[], _Value]) -> _Value:
        """Do it, then have never done it."""
        if verb_of(work) not in self._idle_verbs:
            return await super().carry_out(work)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.execute("UPDATE outbox SET state = 'sent' WHERE state = 'failed'")
            self._connection.execute("UPDATE turn SET outcome = 'answered' WHERE outcome NOTNULL")
            return work()
        finally:
            self._connection.execute("ROLLBACK")


class QuietStore(SqliteStore):
    """Keeps to itself that an answer failed."""

    async def mark_failed(
        self, item: OutboxId, reason: str, *, at: datetime, notice: Reply | None = None
    ) -> OutboxItem | None:
        """Note it, and nothing else."""
        return await super().mark_failed(item, reason, at=at, notice=notice and None)


class _DeafLanes(Lanes):
    def stop(self, session_key: SessionKey, event_id: str, *, only: TurnId | None = None) -> bool:
        return bool(session_key and event_id)

    @classmethod
    def instead_of(cls, lanes: Lanes) -> Lanes:
        return cls(lanes._parts)


class DeafApp(App):
    """Says that it stopped, and goes on."""

    def _build_lanes(self) -> Lanes:
        return _DeafLanes.instead_of(super()._build_lanes())


OpenDatabase = Callable[[SqliteDatabase, Life, Ledger], FencedDatabase]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What a simulated process is made of; nothing in it is broken unless said so."""

    open_database: OpenDatabase = FencedDatabase
    app: type[App] = App
    store: type[SqliteStore] = SqliteStore


SABOTAGES: Mapping[str, Build] = {
    "acknowledge-early": Build(open_database=partial(LateCommit, verb="receive")),
    "drop-tombstone": Build(open_database=ForgetfulDatabase),
    "hide-failed": Build(open_database=partial(IdleDatabase, verbs={"failed"})),
    "ignore-new": Build(open_database=partial(IdleDatabase, verbs={"clear"})),
    "ignore-retry": Build(open_database=partial(IdleDatabase, verbs={"send_again", "reopen"})),
    "ignore-stop": Build(app=DeafApp),
    "keep-failures-quiet": Build(store=QuietStore),
    "send-before-commit": Build(open_database=partial(LateCommit, verb="finish_turn")),
}
"""By the name that ``scripts/simulate.py --break`` knows them under."""
