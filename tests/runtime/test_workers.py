"""Work that is to go on for ever does, and whoever watches the bot hears when it did not."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.core.metrics import WORKER_BREAKS
from bot.runtime.metrics import Metrics
from bot.runtime.supervisor import Supervisor
from bot.runtime.workers import FIRST_PAUSE_S, LATELY_S, LONGEST_PAUSE_S, WorkerBook, Workers
from bot.testing.clock import FakeClock, settle
from bot.testing.patience import PATIENCE_S

LOG = "; the log says how at task.failed"


class Work:
    """Work of which a test decides how it ends."""

    def __init__(self) -> None:
        self.begun = 0
        self.tidied = 0
        self._breaks = asyncio.Event()
        self._error: Exception | None = None

    async def run(self) -> None:
        self.begun += 1
        try:
            await self._breaks.wait()
        except asyncio.CancelledError:
            await settle()
            self.tidied += 1
            raise
        self._breaks.clear()
        if self._error is not None:
            raise self._error

    async def end(self, error: Exception | None = None) -> None:
        self._error = error
        self._breaks.set()
        await settle()


@pytest.fixture
def book(clock: FakeClock) -> WorkerBook:
    return WorkerBook(clock, Metrics())


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    async with Supervisor() as supervisor:
        yield supervisor


@pytest.fixture
async def work(supervisor: Supervisor, clock: FakeClock, book: WorkerBook) -> Work:
    work = Work()
    Workers(supervisor.spawn, clock, book).keep("reading", work.run)
    await settle()
    return work


@pytest.mark.parametrize("error", [RuntimeError("boom"), None])
async def test_whatever_ends_it_it_is_begun_again_and_is_red_until_then(
    work: Work, book: WorkerBook, clock: FakeClock, error: Exception | None
) -> None:
    before = (work.begun, book.trouble, book.up)
    await work.end(error)
    during = (work.begun, book.trouble, book.up)
    await clock.advance(FIRST_PAUSE_S)
    after = (work.begun, book.trouble, book.up)

    assert (1, "", {"reading": True}) == before
    assert (1, f"reading broke off 0 s ago{LOG}", {"reading": False}) == during
    assert (2, "", {"reading": True}) == after


async def test_who_cancels_the_work_does_not_cancel_its_keeper(
    supervisor: Supervisor, work: Work, book: WorkerBook, clock: FakeClock
) -> None:
    (task,) = (each for each in asyncio.all_tasks() if each.get_name() == "reading")
    task.cancel()
    await asyncio.wait({task})
    await settle()
    is_red = bool(book.trouble)
    await clock.advance(FIRST_PAUSE_S)

    assert (True, 2, "") == (is_red, work.begun, book.trouble)


async def test_without_its_keeper_it_ends_and_is_red_for_good(
    supervisor: Supervisor, work: Work, book: WorkerBook, clock: FakeClock
) -> None:
    task_named = {each.get_name(): each for each in asyncio.all_tasks()}
    task_named["keeping reading"].cancel()
    await asyncio.wait({task_named["reading"]}, timeout=PATIENCE_S)
    await clock.advance(LATELY_S * 2)

    assert f"reading broke off 2 h ago{LOG}" == book.trouble
    assert (1, 1) == (work.begun, work.tidied)
    assert task_named["reading"].cancelled()


@pytest.mark.parametrize("order", [("reading", "keeping reading"), ("keeping reading", "reading")])
async def test_where_everything_is_told_to_stop_it_may_tidy_up(
    work: Work, order: tuple[str, str]
) -> None:
    task_named = {each.get_name(): each for each in asyncio.all_tasks()}
    for name in order:
        task_named[name].cancel()
    await asyncio.wait({task_named["reading"]}, timeout=PATIENCE_S)

    assert (1, 1) == (work.begun, work.tidied)


async def test_three_times_within_an_hour_are_red_though_it_is_up_again(
    work: Work, book: WorkerBook, clock: FakeClock
) -> None:
    seen = []
    for _ in range(3):
        await work.end(RuntimeError("boom"))
        await clock.advance(600)
        seen.append(book.trouble)
    await clock.advance(LATELY_S - 1_800)
    still = book.trouble
    await clock.advance(1)

    assert ["", "", f"reading broke off 3 times within 30 min{LOG}"] == seen
    assert f"reading broke off 3 times within 1 h{LOG}" == still
    assert "" == book.trouble


async def test_pauses_grow_to_a_minute_and_shrink_after_a_good_while(
    work: Work, book: WorkerBook, clock: FakeClock
) -> None:
    pauses_s = []
    for _ in range(8):
        begun, paused_s = work.begun, 0.0
        await work.end()
        while work.begun == begun:
            await clock.advance(1)
            paused_s += 1
        pauses_s.append(paused_s)
    await clock.advance(LONGEST_PAUSE_S + 1)
    await work.end()
    await clock.advance(FIRST_PAUSE_S)

    assert [1, 2, 4, 8, 16, 32, 60, 60] == pauses_s
    assert 10 == work.begun


async def test_each_time_is_counted_once(clock: FakeClock) -> None:
    metrics = Metrics()
    book = WorkerBook(clock, metrics)
    book.begin("reading")
    for _ in range(2):
        book.end("reading")
        book.end("reading")
        book.begin("reading")

    assert {("reading",): 2.0} == metrics.read({}).numbers[WORKER_BREAKS]
