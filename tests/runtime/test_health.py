"""What the signs mean, and who notes them."""

import contextlib

import pytest

from bot.core.llm import ModelRequest
from bot.core.messages import Message, Text
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelOverloaded,
    ModelRequestRefused,
    StoreError,
    StoreLost,
)
from bot.runtime.durations import duration
from bot.runtime.health import (
    BACKLOG_S,
    FAILED_ASKS,
    OUTAGE_S,
    REMINDER_LATE_S,
    ChannelBook,
    ChannelState,
    Health,
    Signs,
    StoreWatch,
    judge,
)
from bot.runtime.metrics import Metrics
from bot.runtime.watched_model import WatchedModel
from bot.testing.clock import FakeClock
from bot.testing.model import Answer, ScriptedModel

WELL = ChannelState(phase="receiving")
OUT = ChannelState(phase="failing", reason="timed out")
LATER_S = OUTAGE_S + 1

REQUEST = ModelRequest(
    model="m",
    system="",
    messages=(Message(role="user", blocks=(Text(text="hello"),)),),
    tools=(),
    max_tokens=100,
)


def test_all_well_is_ok() -> None:
    assert Health() == judge(Signs(now_s=LATER_S, channels={"telegram": WELL}))


@pytest.mark.parametrize("phase", ["starting", "failing"])
def test_a_short_break_is_everyday_life(phase: str) -> None:
    state = OUT if phase == "failing" else ChannelState()

    assert Health() == judge(Signs(now_s=OUTAGE_S, channels={"telegram": state}))
    assert "down" == judge(Signs(now_s=LATER_S, channels={"telegram": state})).condition


def test_one_of_two_channels_out_is_half_a_bot() -> None:
    health = judge(Signs(now_s=185, channels={"telegram": OUT, "slack": WELL}))

    assert "degraded" == health.condition
    assert ("telegram: no connection for 3 min 5 s: timed out",) == health.reasons


def test_a_refused_token_counts_at_once() -> None:
    refused = ChannelState(phase="refused")

    alone = judge(Signs(now_s=0, channels={"telegram": refused}))
    beside = judge(Signs(now_s=0, channels={"telegram": refused, "slack": WELL}))

    assert Health(condition="down", reasons=("telegram: token refused",)) == alone
    assert alone == beside, "only the operator can help"


def test_a_store_that_fails_is_down_whatever_else_is_well() -> None:
    health = judge(Signs(now_s=0, channels={"telegram": WELL}, store_trouble="disk is full"))

    assert Health(condition="down", reasons=("store: disk is full",)) == health


def test_trouble_of_vendors_and_platforms_is_no_reason_to_restart() -> None:
    signs = Signs(
        now_s=0,
        channels={"telegram": WELL},
        model_failures=FAILED_ASKS,
        model_reason="overloaded",
        undelivered_for_s=BACKLOG_S + 60,
    )

    health = judge(signs)

    assert "degraded" == health.condition
    assert (
        "model: failed 3 times in a row: overloaded",
        "delivery: a reply has been waiting for 6 min",
    ) == health.reasons


@pytest.mark.parametrize(("late_s", "store_trouble", "reason", "told"), [
    (REMINDER_LATE_S, "", "", ()),
    (REMINDER_LATE_S + 1, "", "", ("reminders: one was due 1 min 31 s ago",)),
    (3_600.0, "", "it broke", ("reminders: one was due 1 h ago: it broke",)),
    (3_600.0, "full", "full", ("store: full",)),
])  # fmt: skip
def test_reminders_are_late_for_a_reason_that_is_said_once(
    late_s: float, store_trouble: str, reason: str, told: tuple[str, ...]
) -> None:
    signs = Signs(
        now_s=0,
        channels={"telegram": WELL},
        store_trouble=store_trouble,
        reminder_overdue_s=late_s,
        reminder_trouble=reason,
    )

    assert told == judge(signs).reasons


def test_every_reason_is_told_and_the_gravest_counts() -> None:
    signs = Signs(
        now_s=LATER_S, channels={"telegram": OUT}, store_trouble="full", model_failures=FAILED_ASKS
    )

    health = judge(signs)

    assert "down" == health.condition
    assert 3 == len(health.reasons)


async def test_the_book_counts_from_the_first_failure(clock: FakeClock) -> None:
    book = ChannelBook(["telegram"], clock)
    book.note("telegram", "receiving")
    await clock.advance(100)
    book.note("telegram", "failing", "timed out")
    await clock.advance(200)
    book.note("telegram", "failing", "refused to connect")

    assert {"telegram": "no connection for 3 min 20 s: refused to connect"} == book.worded()


async def test_the_book_tells_of_changes_only(clock: FakeClock) -> None:
    told: list[str] = []
    book = ChannelBook(["telegram"], clock, lambda: told.append(book.states["telegram"].phase))
    for phase in ("receiving", "receiving", "failing", "failing", "receiving"):
        book.note("telegram", phase)
        await clock.advance(1)

    assert ["receiving", "failing", "receiving"] == told


def test_all_are_heard_once_each_had_its_connection(clock: FakeClock) -> None:
    book = ChannelBook(["telegram", "slack", "other"], clock)
    seen = []
    for name, phase in (
        ("telegram", "receiving"),
        ("slack", "failing"),
        ("telegram", "failing"),
        ("other", "refused"),
        ("slack", "receiving"),
    ):
        book.note(name, phase)  # type: ignore[arg-type]  # as above
        seen.append((book.heard, book.is_starting))

    assert [((), True), ((), True), ((), True), ((), False)] == seen[:-1]
    assert (("telegram", "slack"), False) == seen[-1]


async def test_a_model_is_watched_over_all_chats(clock: FakeClock) -> None:
    failures: list[Answer] = [
        *(ModelOverloaded("busy"), ModelAuthError("no"), "Fine.", ModelOverloaded("busy"))
    ]
    model = WatchedModel(ScriptedModel(failures), clock, Metrics())
    counts = []
    for _ in failures:
        with contextlib.suppress(ModelOverloaded, ModelAuthError):
            await model.ask(REQUEST, lambda delta: None)
        counts.append(model.failures)

    assert [1, 2, 0, 1] == counts
    assert "busy" == model.reason


@pytest.mark.parametrize("error", [ContextTooLong(), ModelRequestRefused()])
async def test_a_request_at_fault_says_nothing_about_the_model(
    error: Exception, clock: FakeClock
) -> None:
    model = WatchedModel(ScriptedModel([error]), clock, Metrics())
    with pytest.raises(type(error)):
        await model.ask(REQUEST, lambda delta: None)

    assert 0 == model.failures


def test_trouble_of_the_store_passes_and_a_loss_does_not() -> None:
    watch, lost = StoreWatch(), []
    watch.on_loss = lambda: lost.append(watch.loss)
    watch.tell(StoreError("disk is full"))
    before = watch.trouble
    watch.tell(None)
    after = watch.trouble
    for _ in range(2):
        watch.tell(StoreLost("damaged"))
    watch.tell(None)

    assert ("disk is full", "") == (before, after)
    assert ["damaged"] == [str(each) for each in lost]
    assert watch.loss is not None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3_700, "1 h 1 min"), (90_000, "1 d 1 h")],
)
def test_durations_are_for_people(seconds: float, text: str) -> None:
    assert text == duration(seconds)


def test_memory_files_that_cannot_be_written_make_people_forget_not_wait() -> None:
    signs = Signs(now_s=LATER_S, channels={"telegram": WELL}, memory_trouble="read-only")

    assert Health(condition="degraded", reasons=("memory: read-only",)) == judge(signs)


def test_memory_that_cannot_be_searched_is_told_and_holds_nothing_up() -> None:
    signs = Signs(now_s=LATER_S, channels={"telegram": WELL}, search_trouble="locked")

    assert Health(condition="degraded", reasons=("search of memory: locked",)) == judge(signs)
