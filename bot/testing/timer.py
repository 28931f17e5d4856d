"""The checks that every :class:`bot.ports.Timer` passes, on whatever clock it goes by.

Each takes the timer, its clock, and a way to let seconds pass on that clock: where it is the real
one that does nothing, since waiting for the timer lets them pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from bot.ports import Clock, Timer
from bot.testing.clock import settle

BRIEF_S = 0.02
"""What is waited for: short, as some of these clocks are real."""

FAR = timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerSetting:
    """A timer, and the clock that it goes by."""

    timer: Timer
    clock: Clock
    let_pass: Callable[[float], Awaitable[None]]


Check = Callable[[TimerSetting], Awaitable[None]]


async def a_moment_that_is_past_is_not_waited_for(setting: TimerSetting) -> None:
    """Nor the present one."""
    now = setting.clock.now()
    await setting.timer.wait_until(now)
    await setting.timer.wait_until(now - FAR)


async def a_moment_is_reached_and_never_too_early(setting: TimerSetting) -> None:
    """Whoever waits reads the moment, or a later one, off the same clock."""
    moment = setting.clock.now() + timedelta(seconds=BRIEF_S)
    waiting = asyncio.ensure_future(setting.timer.wait_until(moment))
    await settle()
    assert not waiting.done() or setting.clock.now() >= moment

    await setting.let_pass(BRIEF_S)
    await waiting

    assert setting.clock.now() >= moment


async def several_wait_and_wake_in_the_order_of_their_moments(setting: TimerSetting) -> None:
    """Whatever the order in which they began to wait."""
    woken: list[int] = []
    now = setting.clock.now()

    async def wait(number: int) -> None:
        await setting.timer.wait_until(now + timedelta(seconds=number * BRIEF_S))
        woken.append(number)

    waiting = asyncio.gather(*map(wait, (3, 1, 2)))
    await setting.let_pass(3 * BRIEF_S)
    await waiting

    assert woken == [1, 2, 3]


async def who_gives_up_leaves_the_others_waiting(setting: TimerSetting) -> None:
    """And closing the timer then leaves nothing behind."""
    now = setting.clock.now()
    given_up = asyncio.ensure_future(setting.timer.wait_until(now + FAR))
    waiting = asyncio.ensure_future(setting.timer.wait_until(now + timedelta(seconds=BRIEF_S)))
    await settle()
    given_up.cancel()
    await asyncio.wait({given_up})
    assert given_up.cancelled()

    await setting.let_pass(BRIEF_S)
    await waiting


TIMER_CHECKS: tuple[Check, ...] = (
    a_moment_that_is_past_is_not_waited_for,
    a_moment_is_reached_and_never_too_early,
    several_wait_and_wake_in_the_order_of_their_moments,
    who_gives_up_leaves_the_others_waiting,
)
