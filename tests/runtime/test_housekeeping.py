"""The store does not grow for ever, and forgets no redelivery too early."""

import asyncio
from datetime import timedelta

import pytest

from bot.core.lifecycle import Received
from bot.runtime.housekeeping import keep_house
from bot.testing.clock import FakeClock
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore


@pytest.mark.parametrize(
    ("days", "is_new"), [(1 / 86_400, False), (6 / 1_440, False), (29, False), (32, True)]
)
async def test_a_redelivery_is_known_for_thirty_days(days: float, is_new: bool) -> None:
    clock, store = FakeClock(), InMemoryStore()
    event = Received(inbound=LoopbackChannel().message("hello"), route="none")
    keeping = asyncio.ensure_future(keep_house(store, clock))
    await store.receive((event,), cursor=None, at=clock.now())

    await clock.advance(timedelta(days=days).total_seconds())

    assert (is_new,) == await store.receive((event,), cursor=None, at=clock.now())
    keeping.cancel()
