"""By the calendar: nothing grows for ever, nothing is forgotten too early."""

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.adapters.calendar import CronCalendar
from bot.core.chat import SessionKey
from bot.core.lifecycle import Received
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import MemoryEntry
from bot.runtime.attendance import AttentiveTimer
from bot.runtime.housekeeping import (
    CleanUpParts,
    HousekeepingParts,
    clean_up,
    jobs_of,
    plan_clean_up,
)
from bot.runtime.job_book import JobBook
from bot.runtime.jobs import ClockTimer, JobParts, run_job
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import ChatRun
from bot.testing.clock import START, FakeClock
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore

HOUR_S = 3_600.0
DAY_S = 86_400.0


class House:
    """A store whose jobs run.

    Attributes:
        forgotten: The chats of which nothing is to be held any more.
        woken: How often the worker that remembers was told that there is work.
        max_age_days: What an admin has set.
    """

    def __init__(self, store: InMemoryStore, clock: FakeClock, zone: str = "UTC") -> None:
        self.store, self.clock = store, clock
        self.zone = ZoneInfo(zone)
        self.forgotten: list[SessionKey] = []
        self.woken = 0
        self.max_age_days = 30
        self.timer = AttentiveTimer(ClockTimer(clock=clock), store, clock)
        self.clean_up = CleanUpParts(
            sessions=store,
            clock=clock,
            stretches=self.timer.look,
            max_age_days=lambda: self.max_age_days,
            forget=self.forgotten.append,
        )

    def keep(self, supervisor: Supervisor) -> None:
        parts = JobParts(
            slots=self.store,
            calendar=CronCalendar(),
            timer=self.timer,
            clock=self.clock,
            zone=self.zone,
            spawn=supervisor.spawn,
            book=JobBook(self.clock),
        )
        housekeeping = HousekeepingParts(
            store=self.store,
            clock=self.clock,
            zone=self.zone,
            clean_up=self.clean_up,
            wake_memory=self._note_wake,
        )
        supervisor.spawn("attendance", self.timer.run())
        for job in jobs_of(housekeeping):
            supervisor.spawn(job.name, run_job(job, parts))

    def _note_wake(self) -> None:
        self.woken += 1


async def have_remembered_chat() -> ChatRun:
    """Have a chat of one turn at the beginning, which its daily file has."""
    chat = ChatRun()
    await chat.turn()
    await chat.store.ask_to_remember(START + timedelta(days=1), at=START)
    (job,) = await chat.store.due_jobs(START, limit=1)
    (turn,) = await chat.store.unremembered(job, limit=5)
    entry = MemoryEntry(
        turn_id=turn.id,
        moment=turn.started_at,
        audience=audience_of(chat.key, "private"),
        day=START.date(),
        text="- known: all",
    )
    await chat.store.remember(job, (entry,), is_done=True)
    await chat.store.mark_written((entry,))
    return chat


async def until(chat: ChatRun, seconds: float) -> None:
    """Let time pass until so long after the beginning."""
    await chat.clock.advance(seconds - chat.clock.monotonic())


@pytest.mark.parametrize(
    ("days", "is_new"), [(1 / 86_400, False), (6 / 1_440, False), (29, False), (32, True)]
)
async def test_rel_1_a_redelivery_is_known_for_thirty_days(
    days: float, is_new: bool, supervisor: Supervisor
) -> None:
    clock, store = FakeClock(), InMemoryStore()
    event = Received(inbound=LoopbackChannel().message("hello"), route="none")
    House(store, clock).keep(supervisor)
    await store.receive((event,), cursor=None, at=clock.now())

    await clock.advance(days * DAY_S)

    assert (is_new,) == await store.receive((event,), cursor=None, at=clock.now())


async def test_rel_1_a_clock_that_is_ahead_forgets_no_event(supervisor: Supervisor) -> None:
    clock, store = FastClock(), InMemoryStore()
    event = Received(inbound=LoopbackChannel().message("hello"), route="none")
    House(store, clock).keep(supervisor)
    await store.receive((event,), cursor=None, at=clock.now())
    await clock.advance(DAY_S)
    clock.ahead = timedelta(days=365)
    await clock.advance(2 * DAY_S)

    assert (False,) == await store.receive((event,), cursor=None, at=clock.now())


class FastClock(FakeClock):
    """A clock that may be ahead of the time."""

    ahead = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.ahead


@pytest.mark.parametrize(("zone", "hours"), [("UTC", 15), ("Asia/Tokyo", 6), ("Asia/Kolkata", 9.5)])
async def test_mem_3_the_turns_of_yesterday_are_asked_for_at_local_midnight(
    zone: str, hours: float, supervisor: Supervisor
) -> None:
    """And nothing leaves the window for that; those of the new day wait for the next midnight."""
    chat = ChatRun()
    house = House(chat.store, chat.clock, zone)
    await chat.turn()
    house.keep(supervisor)
    await until(chat, hours * HOUR_S - 1)
    assert ((), 0) == (await chat.store.due_jobs(chat.clock.now(), limit=5), house.woken)

    await chat.clock.advance(2)
    await chat.turn()
    (job,) = await chat.store.due_jobs(chat.clock.now(), limit=5)
    assert ("remember", 1, 1) == (job.kind, job.through, house.woken)
    assert 2 == len((await chat.store.load(chat.key)).turns)

    await chat.clock.advance(DAY_S)
    jobs = await chat.store.due_jobs(chat.clock.now(), limit=5)
    (job,) = (each for each in jobs if each.kind == "remember")
    assert 2 == job.through


async def test_ctx_16_a_chat_goes_in_the_night_after_thirty_silent_days(
    supervisor: Supervisor,
) -> None:
    """At 09:00 it is silent for 30 days; at 03:30 of the next day it goes."""
    chat = await have_remembered_chat()
    house = House(chat.store, chat.clock)
    house.keep(supervisor)
    await until(chat, 30 * DAY_S)
    assert () == (await plan_clean_up(house.clean_up)).chats

    await until(chat, 30 * DAY_S + 18.4 * HOUR_S)
    plan = await plan_clean_up(house.clean_up)
    (silent,) = plan.chats
    assert (chat.key, 1, START) == (silent.session_key, silent.turns, silent.heard_at)
    assert (30, 1) == (plan.max_age_days, plan.turns)
    assert 1 == len((await chat.store.load(chat.key)).turns)
    assert [] == house.forgotten

    await chat.clock.advance(0.2 * HOUR_S)
    assert () == (await chat.store.load(chat.key)).turns
    assert [chat.key] == house.forgotten


async def test_what_admins_set_holds_from_the_next_clean_up_on(supervisor: Supervisor) -> None:
    chat = await have_remembered_chat()
    house = House(chat.store, chat.clock)
    house.keep(supervisor)
    await chat.clock.advance(2 * DAY_S)
    assert [] == house.forgotten

    house.max_age_days = 2
    await chat.clock.advance(DAY_S)
    assert [chat.key] == house.forgotten


async def test_a_chat_in_which_somebody_writes_meanwhile_stays() -> None:
    """Between being found silent and being removed."""
    chat = await have_remembered_chat()
    house = House(chat.store, chat.clock)
    await house.timer.look()
    await chat.clock.advance(31 * DAY_S)

    done = await clean_up(replace(house.clean_up, sessions=Overtaken(chat)))

    assert ((), 0) == (done.chats, done.turns)
    assert 2 == len((await chat.store.load(chat.key)).turns)
    assert [] == house.forgotten


class Overtaken:
    """Fills Sessions: before a chat is removed somebody writes in it."""

    def __init__(self, chat: ChatRun) -> None:
        self._chat = chat
        self.silent_since = chat.store.silent_since
        self.quiet_since = chat.store.quiet_since

    async def remove(self, session_key: SessionKey, *, before: datetime) -> bool:
        await self._chat.turn()
        return await self._chat.store.remove(session_key, before=before)
