"""What dialogues about reminders begin with."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.app import Store
from bot.config import Config
from bot.core.chat import ChatAddress, Sender
from bot.core.reminders import MOST_OPEN, Reminder, ZoneName, rhythm_of
from bot.testing.clock import START, FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import passes

CONFIG = Config(access="open", plugins=("reminders",))
ANN = Sender(channel="loopback", user_id="1001", name="Ann")
HOME = ChatAddress(channel="loopback", account="bot", chat="1001")
GROUP = replace(HOME, chat="-4002", thread="5")
HOUR_S, DAY_S = 3_600.0, 86_400.0
BREAD = Reminder(
    author=ANN,
    address=HOME,
    chat_kind="private",
    kind="words",
    text="bread",
    zone=ZoneName("UTC"),
    due_at=START + timedelta(hours=1),
    created_at=START,
    origin="test 1",
)
DAILY = replace(BREAD, rhythm=rhythm_of("daily", START + timedelta(hours=1)))


def at(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


def times_told(dialogue: Dialogue, text: str) -> int:
    return dialogue.channel.texts().count(f"⏰ Reminder: {text}")


async def times_told_around(dialogue: Dialogue, moment: datetime, text: str) -> tuple[int, int]:
    """Let time pass until a moment; say how often it was told a second before, and at it."""
    await passes(dialogue, (moment - dialogue.clock.now()).total_seconds() - 1)
    before = times_told(dialogue, text)
    await passes(dialogue, 1)
    return before, times_told(dialogue, text)


async def keep(store: Store, reminder: Reminder) -> Reminder:
    kept = await store.add_reminder(reminder, most=MOST_OPEN)
    assert kept is not None
    return kept


def talking(
    store: Store,
    channel: LoopbackChannel,
    clock: FakeClock,
    *,
    model: ScriptedModel | None = None,
    config: Config = CONFIG,
) -> Dialogue:
    """Start a process on a world that outlasts it."""
    return Dialogue(
        model or ScriptedModel(), config=config, store=store, channel=channel, clock=clock
    )
