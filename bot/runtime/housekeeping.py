"""What the calendar asks for: rollover at midnight, records of sessions, clean-up in the night."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Protocol

from bot.core.attendance import NEVER, Stretches, attended_since, time_attended
from bot.core.chat import SessionKey
from bot.core.memory.episodes import IDLE_FOR
from bot.core.schedule import SilentChat, last_midnight, silent_before
from bot.ports import Clock, Episodes, Lifecycle, MemoryJobs, Sessions
from bot.runtime.jobs import Job

logger = logging.getLogger(__name__)

REDELIVERY_KNOWN_FOR = timedelta(days=30)
"""How long the same event brought again is known to be the same."""

ROLLOVER = "0 0 * * *"
SESSIONS = "*/15 * * * *"
DISTILLING = "0 2 * * *"
CLEAN_UP = "30 3 * * *"
"""Moments of the local day, as cron writes them."""


class Store(Lifecycle, Sessions, MemoryJobs, Episodes, Protocol):
    """What housekeeping works on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanUpParts:
    """What a clean-up of silent chats works with.

    Attributes:
        stretches: Says when the bot was there, this moment included if it is.
        max_age_days: After how many days a silent chat is removed, at this moment.
        forget: Drops what is held of a chat.
    """

    sessions: Sessions
    clock: Clock
    stretches: Callable[[], Awaitable[Stretches]]
    max_age_days: Callable[[], int]
    forget: Callable[[SessionKey], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanUp:
    """What a clean-up removed, or would remove.

    Attributes:
        max_age_days: How long a chat may be silent.
        before: Since when the chats have been silent, all of them.
        held_back: Chats as silent that stay for now: daily files do not have all their turns, or
            something in them is still to be answered or delivered, or a reminder is to come.
        early: How many chats are silent for so long by the calendar alone: for a part of that time
            the bot was away, and the clean-up of the night leaves them.
        early_until: When the last of them goes, if the bot stays; None without any.
    """

    max_age_days: int
    before: datetime
    chats: tuple[SilentChat, ...]
    held_back: int = 0
    early: int = 0
    early_until: datetime | None = None

    @property
    def turns(self) -> int:
        """Count the turns that go with the chats."""
        return sum(chat.turns for chat in self.chats)


@dataclass(frozen=True, slots=True, kw_only=True)
class HousekeepingParts:
    """What housekeeping works with.

    Attributes:
        zone: Whose midnight divides the days of memory files.
        wake_memory: Lets what is to be remembered be looked at now.
        distil: Has ``MEMORY.md`` of all audiences written; None where there are no files.
    """

    store: Store
    clock: Clock
    zone: tzinfo
    clean_up: CleanUpParts
    wake_memory: Callable[[], None]
    distil: Callable[[], Awaitable[None]] | None = None


def jobs_of(parts: HousekeepingParts) -> tuple[Job, ...]:
    """List the jobs of a bot."""

    async def roll_over() -> None:
        """Ask that the turns of the days before today are written to those days' files.

        And that the sessions of now are recorded as far as they are; they go on as they were.
        """
        now = parts.clock.now()
        chats = await parts.store.ask_to_remember(last_midnight(now, parts.zone), at=now)
        await parts.store.ask_for_episodes(now, at=now)
        logger.info("memory.rolled_over", extra={"chats": chats})
        parts.wake_memory()

    async def record_sessions() -> None:
        """Ask for the records of sessions whose chats have been silent for long."""
        now = parts.clock.now()
        if await parts.store.ask_for_episodes(now - IDLE_FOR, at=now):
            parts.wake_memory()

    async def clean_up_all() -> None:
        there = await parts.clean_up.stretches()
        rows = await parts.store.prune(attended_since(there, REDELIVERY_KNOWN_FOR))
        logger.info("store.pruned", extra={"rows": rows})
        await clean_up(parts.clean_up)

    jobs = (
        Job(name="rollover", schedule=ROLLOVER, work=roll_over),
        Job(name="sessions", schedule=SESSIONS, work=record_sessions),
        Job(name="cleanup", schedule=CLEAN_UP, work=clean_up_all),
    )
    if parts.distil is None:
        return jobs
    # Behind the rollover, when what the day brought has been read.
    return (*jobs, Job(name="distilling", schedule=DISTILLING, work=parts.distil))


async def plan_clean_up(parts: CleanUpParts, *, by_calendar: bool = False) -> CleanUp:
    """Say what a clean-up would remove now; nothing is removed.

    Args:
        parts: What it works with.
        by_calendar: Whether time in which the bot was away counts as silence, too.
    """
    there = await parts.stretches()
    now, max_age_days = parts.clock.now(), parts.max_age_days()
    age = timedelta(days=max_age_days)
    enough, calendar = attended_since(there, age), silent_before(now, max_age_days)
    silent = await parts.sessions.silent_since(calendar)
    heard_early = [at for chat in silent if (at := chat.heard_at or NEVER) >= enough]
    left = (age - time_attended(there, at) for at in heard_early)
    before = calendar if by_calendar else enough
    chats = tuple(chat for chat in silent if (chat.heard_at or NEVER) < before)
    return CleanUp(
        max_age_days=max_age_days,
        before=before,
        chats=chats,
        held_back=await parts.sessions.quiet_since(before) - len(chats),
        early=len(heard_early),
        early_until=max((now + each for each in left), default=None),
    )


async def clean_up(parts: CleanUpParts, *, by_calendar: bool = False) -> CleanUp:
    """Remove chats that were silent for too long, one a transaction; memory files stay."""
    plan = await plan_clean_up(parts, by_calendar=by_calendar)
    removed: list[SilentChat] = []
    for chat in plan.chats:
        if await parts.sessions.remove(chat.session_key, before=plan.before):
            parts.forget(chat.session_key)
            removed.append(chat)
    done = replace(plan, chats=tuple(removed))
    about: dict[str, int | str] = {"chats": len(done.chats), "turns": done.turns}
    if done.early_until is not None and not by_calendar:
        about |= {"early": done.early, "early_until": done.early_until.isoformat()}
    logger.info("store.cleaned_up", extra=about)
    return done
