"""The owner of all tasks."""

import asyncio
import inspect

import pytest

from bot.errors import StoreError
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import settle


async def test_work_that_fails_ends_alone(caplog: pytest.LogCaptureFixture) -> None:
    ended = asyncio.Event()

    async def fail() -> None:
        raise RuntimeError("boom")

    async def go_on() -> None:
        await settle()
        ended.set()

    async with Supervisor() as supervisor:
        supervisor.spawn("bad", fail())
        supervisor.spawn("good", go_on())
        await ended.wait()

    assert ["task.failed"] == [record.message for record in caplog.records]


async def test_an_error_inside_the_block_comes_out_as_it_is() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    async def fail() -> None:
        async with Supervisor() as supervisor:
            supervisor.spawn("endless", for_ever())
            raise StoreError("full")

    with pytest.raises(StoreError, match="full"):
        await fail()


async def test_nothing_outlives_the_block() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    async with Supervisor() as supervisor:
        task = supervisor.spawn("endless", for_ever())
        await settle()

    assert task.cancelled()


async def test_work_that_never_began_leaves_nothing_behind() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    work = for_ever()
    async with Supervisor() as supervisor:
        supervisor.spawn("never begun", work).cancel()

    assert inspect.CORO_CLOSED == inspect.getcoroutinestate(work)
