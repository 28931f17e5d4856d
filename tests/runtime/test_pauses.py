"""A pause holds up no shutdown, and whoever does not pause is left alone."""

import asyncio

import pytest

from bot.runtime.pauses import Pauses
from bot.testing.clock import FakeClock, settle


async def test_only_pauses_beyond_the_end_are_cut(clock: FakeClock) -> None:
    pauses = Pauses(clock)
    short, long = (asyncio.ensure_future(pauses.sleep(each)) for each in (10, 60))
    at_work = asyncio.ensure_future(asyncio.Event().wait())
    await settle()
    pauses.end_by(clock.monotonic() + 20)
    await settle()
    states = (short.done(), long.cancelled(), at_work.done())
    await clock.advance(10)
    at_work.cancel()

    assert (False, True, False) == states
    assert short.done()
    assert not short.cancelled()


async def test_a_pause_begun_after_the_end_is_cut_at_once(clock: FakeClock) -> None:
    pauses = Pauses(clock)
    pauses.end_by(20)
    with pytest.raises(asyncio.CancelledError):
        await pauses.sleep(21)
    begun = asyncio.ensure_future(pauses.sleep(20))
    await clock.advance(20)

    assert begun.done()
    assert not begun.cancelled()
