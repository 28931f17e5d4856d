"""How much waits, as numbers for whoever watches the bot."""

from __future__ import annotations

from datetime import timedelta

from bot.core.backlog import Backlog
from bot.core.lifecycle import Received
from bot.testing.clock import START
from bot.testing.stores.given import Check, OpenStore, begin, have_turn, message, saying

HOUR = timedelta(hours=1)


async def an_empty_store_has_nothing_that_waits(open_store: OpenStore) -> None:
    """Zeros, and no job that could be tried."""
    store = open_store()

    assert Backlog() == await store.backlog()
    await store.close()


async def what_waits_is_counted_until_it_is_done(open_store: OpenStore) -> None:
    """Messages until they are claimed, replies until they are sent or have failed."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.receive(
        (
            Received(inbound=message(2), route="turn"),
            Received(inbound=message(3), route="command"),
        ),
        cursor=None,
        at=START,
    )
    await store.add_preview(turn.id, saying("Nine…"), at=START)
    replies = tuple(saying(text) for text in ("Nine.", "Ten.", "Eleven."))
    items = await store.finish_turn(turn.id, "answered", replies, at=START)
    before = await store.backlog()
    await store.mark_sending(items[1].id, at=START)
    await store.mark_failed(items[2].id, "blocked", at=START)
    await store.settle("telegram", message(3).event_id, at=START)
    await store.close()
    store = open_store()

    assert Backlog(unanswered=2, undelivered=3) == before
    assert Backlog(unanswered=1, undelivered=2, failed_replies=1) == await store.backlog()
    await store.close()


async def work_on_memory_is_counted_with_what_failed_of_it(open_store: OpenStore) -> None:
    """And since when the oldest of it may be tried."""
    store = open_store()
    await have_turn(store, 1)
    await store.ask_to_remember(START + HOUR, at=START)
    (job,) = await store.due_jobs(START, limit=9)
    before = await store.backlog()
    await store.postpone(job.id, due_at=START + HOUR, reason="busy")

    after = await store.backlog()

    assert Backlog(memory_jobs=1, oldest_due_at=START) == _of_memory(before)
    assert Backlog(memory_jobs=1, failing_jobs=1, oldest_due_at=START + HOUR) == _of_memory(after)
    await store.close()


def _of_memory(backlog: Backlog) -> Backlog:
    return Backlog(
        memory_jobs=backlog.memory_jobs,
        failing_jobs=backlog.failing_jobs,
        oldest_due_at=backlog.oldest_due_at,
    )


BACKLOG: tuple[Check, ...] = (
    an_empty_store_has_nothing_that_waits,
    what_waits_is_counted_until_it_is_done,
    work_on_memory_is_counted_with_what_failed_of_it,
)
