"""What breaks inside one message harms nothing outside."""

import asyncio

import pytest

from bot.errors import StoreError, StoreUnreadable
from bot.runtime.border import Incident, guarded, incident_number
from bot.runtime.storing import until_stored
from bot.runtime.waiting import either, within
from bot.testing.clock import FakeClock, settle


async def _fail(error: BaseException) -> str:
    raise error


async def test_a_result_passes() -> None:
    async def work() -> str:
        return "fine"

    assert "fine" == await guarded(work(), FakeClock(), {})


async def test_what_nobody_foresaw_becomes_an_incident(caplog: pytest.LogCaptureFixture) -> None:
    result = await guarded(_fail(ZeroDivisionError()), FakeClock(), {"session": "s"})

    assert Incident(number="20260105-090000-000") == result
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize("error", [StoreError(), asyncio.CancelledError()])
async def test_what_must_not_be_swallowed_passes(error: BaseException) -> None:
    with pytest.raises(type(error)):
        await guarded(_fail(error), FakeClock(), {})


async def test_what_is_damaged_becomes_an_incident_since_no_patience_mends_it() -> None:
    result = await guarded(_fail(StoreUnreadable()), FakeClock(), {})

    assert isinstance(result, Incident)


async def test_what_is_damaged_is_not_asked_again() -> None:
    asked: list[int] = []

    async def write() -> None:
        asked.append(1)
        raise StoreUnreadable

    with pytest.raises(StoreUnreadable):
        await until_stored(FakeClock(), "a row", write)
    assert asked == [1]


async def test_two_incidents_within_a_second_have_two_numbers() -> None:
    clock = FakeClock()
    first = incident_number(clock)
    await clock.advance(0.25)

    assert (first, incident_number(clock)) == ("20260105-090000-000", "20260105-090000-250")


async def test_work_within_its_limit_gives_its_result() -> None:
    async def work() -> int:
        return 7

    assert 7 == await within(FakeClock(), 1.0, work())


async def test_work_beyond_its_limit_is_told_to_stop() -> None:
    clock = FakeClock()
    stopped = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    limited = asyncio.ensure_future(within(clock, 5.0, endless()))
    await clock.advance(5)
    with pytest.raises(TimeoutError):
        await limited
    await settle()
    assert stopped.is_set()


async def test_whichever_comes_first_ends_the_wait_and_the_others() -> None:
    clock = FakeClock()
    stopped = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    waiting = asyncio.ensure_future(either(endless(), clock.sleep(5)))
    await clock.advance(4)
    before = waiting.done()
    await clock.advance(1)
    await settle()

    assert (False, True, True) == (before, waiting.done(), stopped.is_set())
