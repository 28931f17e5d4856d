"""Counting work, and waiting until there is none."""

import asyncio

from bot.core.chat import SessionKey
from bot.runtime.activity import Activity
from bot.testing.clock import settle

ONE, TWO = SessionKey("a:b:1:"), SessionKey("a:b:2:")


async def test_who_waits_for_a_chat_wakes_with_its_last_piece_of_work() -> None:
    activity = Activity()
    activity.begin(ONE)
    activity.begin(ONE)
    waiting = asyncio.ensure_future(activity.idle(ONE))
    await settle()
    activity.end(ONE)
    await settle()
    early = waiting.done()
    activity.end(ONE)
    await settle()

    assert (False, True) == (early, waiting.done())


async def test_a_chat_without_work_is_not_waited_for() -> None:
    activity = Activity()
    with activity.work(TWO):
        await activity.idle(ONE)
        assert activity.is_busy(TWO)
        assert not activity.is_busy(ONE)


async def test_waiting_for_everything_ends_with_the_last_chat() -> None:
    activity = Activity()
    activity.begin(ONE)
    activity.begin(TWO)
    waiting = asyncio.ensure_future(activity.idle())
    await settle()
    activity.end(ONE)
    await settle()
    assert not waiting.done()
    assert 1 == activity.busy_chats
    activity.end(TWO)
    await waiting


async def test_work_that_begins_anew_before_the_waiter_runs_is_waited_for() -> None:
    activity = Activity()
    activity.begin(ONE)
    waiting = asyncio.ensure_future(activity.idle(ONE))
    await settle()
    activity.end(ONE)
    activity.begin(ONE)
    await settle()
    assert not waiting.done()
    activity.end(ONE)
    await waiting
