"""Both stores, for dialogues that must go the same way over either; dialogues that may crash."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.config import Config
from bot.core.chat import Capabilities
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore

OpenStore = Callable[[], Store]
"""Opens the store; a second call opens the same data again, as after a restart."""


@pytest.fixture(params=["memory", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    if request.param == "sqlite":
        return lambda: SqliteStore.open(tmp_path / "daybook.db", inline=True)
    store = InMemoryStore()
    return lambda: store


OPEN = Config(access="open", plugins=("clock",))


async def passes(dialogue: Dialogue, seconds: float) -> None:
    assert isinstance(dialogue.clock, FakeClock)
    await dialogue.clock.advance(seconds)


async def begin(
    open_store: OpenStore, capabilities: Capabilities, model: ScriptedModel
) -> Dialogue:
    """Start a dialogue that a test is going to crash."""
    channel = LoopbackChannel(capabilities=capabilities)
    dialogue = Dialogue(model, config=OPEN, store=open_store(), channel=channel)
    await dialogue.__aenter__()
    return dialogue
