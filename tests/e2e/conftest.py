"""Both stores, for dialogues that must go the same way over either; dialogues that may crash.

And a bot in a process of its own, beside pretended servers.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.cli import main
from bot.config import Config
from bot.core.chat import Capabilities
from bot.core.llm import ModelRequest
from bot.core.messages import Text
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.processes import BotProcess
from bot.testing.store import InMemoryStore
from bot.testing.telegram_server import PretendedTelegram

OpenStore = Callable[[], Store]
"""Opens the store; a second call opens the same data again, as after a restart."""


@pytest.fixture(params=["memory", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    if request.param == "sqlite":
        return lambda: SqliteStore.open(tmp_path / "daybook.db", inline=True)
    store = InMemoryStore()
    return lambda: store


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        yield server


@pytest.fixture
async def vendor() -> AsyncIterator[PretendedAnthropic]:
    async with PretendedAnthropic() as server:
        yield server


@pytest.fixture
async def bot(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> AsyncIterator[BotProcess]:
    async with BotProcess(tmp_path, telegram, vendor) as process:
        yield process


async def run_verb(
    capsys: pytest.CaptureFixture[str], config: Path, *words: str
) -> tuple[int, str, str]:
    """Run a verb in this process, beside its loop; give its exit code and what it wrote."""
    code = await asyncio.to_thread(main, ["--config", str(config), *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


OPEN = Config(access="open", plugins=("clock",))


async def passes(dialogue: Dialogue, seconds: float) -> None:
    assert isinstance(dialogue.clock, FakeClock)
    await dialogue.clock.advance(seconds)


def told(request: ModelRequest) -> str:
    """Give all texts that the model was shown."""
    blocks = (block for message in request.messages for block in message.blocks)
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


async def begin(
    open_store: OpenStore, capabilities: Capabilities, model: ScriptedModel
) -> Dialogue:
    """Start a dialogue that a test is going to crash."""
    channel = LoopbackChannel(capabilities=capabilities)
    dialogue = Dialogue(model, config=OPEN, store=open_store(), channel=channel)
    await dialogue.__aenter__()
    return dialogue
