"""Both stores, for dialogues that must go the same way over either."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.testing.store import InMemoryStore

OpenStore = Callable[[], Store]
"""Opens the store; a second call opens the same data again, as after a restart."""


@pytest.fixture(params=["memory", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    if request.param == "sqlite":
        return lambda: SqliteStore.open(tmp_path / "daybook.db", inline=True)
    store = InMemoryStore()
    return lambda: store
