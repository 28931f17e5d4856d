"""A machine on which something goes wrong, for ``doctor`` to find."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.clock import SystemClock
from bot.adapters.disk import Room
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app.doctor import Patient, examine
from bot.app.settings_check import OLDEST_PYTHON
from bot.config import load
from bot.config.keys import CHECKOUT
from bot.core.findings import Findings
from bot.ports import Clock
from tests.e2e.test_command_line import write_config

NOW_US = int(datetime.now(UTC).timestamp() * 1_000_000)  # noqa: TID251 - the process is real


class LateClock(SystemClock):
    """By which whatever is measured took some seconds longer than it did."""

    def __init__(self, late_s: float) -> None:
        self._late_s, self._asked = late_s, 0

    def monotonic(self) -> float:
        self._asked += 1
        return super().monotonic() + self._asked * self._late_s


class Machine:
    """A folder with settings and data, in which something is to go wrong.

    Attributes:
        keys: What the settings say.
        requirements: The list of packages.
        python: The version that runs.
        room: What its disk has room for.
        found: What the whole examination found last.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.keys: dict[str, object] = {"http": {"port": 0}}
        self.requirements = CHECKOUT / "requirements.txt"
        self.environ: dict[str, str] = {}
        self.clock: Clock = SystemClock()
        self.python: tuple[int, ...] = OLDEST_PYTHON
        self.room = Room(free_bytes=5 << 30, free_files=1_000_000, most_files=2_000_000)
        self.found: Findings = ()

    async def see(self) -> Findings:
        """Examine it."""
        file = write_config(self.folder, **self.keys)
        patient = Patient(
            config=load(file, self.environ),
            settings_file=file,
            clock=self.clock,
            hide=lambda secrets: None,
            environ=self.environ,
            requirements=self.requirements,
            python=self.python,
            room_on=lambda folder: self.room,
        )
        self.found = await examine(patient, lambda part: None)
        return self.found

    async def begin(self) -> Path:
        """Have the database of a bot that ran once."""
        lock_data_folder(self.data).release()
        await self.open().close()
        return self.data / "daybook.db"

    def open(self) -> SqliteStore:
        return SqliteStore.open(self.data / "daybook.db", inline=True)

    async def have(self, statement: str, *values: int) -> Findings:
        """Examine it with a row in its database."""
        with closing(sqlite3.connect(await self.begin())) as connection, connection:
            connection.execute(statement, values)
        return await self.see()

    def write(self, name: str, content: bytes, mode: int = 0o600) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_bytes(content)
        path.chmod(mode)
        return path


Provoke = Callable[[Machine], Awaitable[object]]
"""Has something go wrong and lets the whole doctor see it; what it saw, the machine keeps."""
