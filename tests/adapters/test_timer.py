"""Timers by the real clock and by pretended ones keep the same promises."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.timer import SchedulerTimer
from bot.runtime.jobs import ClockTimer
from bot.testing.clock import FakeClock, HurriedClock
from bot.testing.timer import TIMER_CHECKS, Check, TimerSetting

ROOT = Path(__file__).resolve().parents[2]


async def it_passes_by_itself(seconds: float) -> None:
    pass


def scheduler() -> TimerSetting:
    return TimerSetting(timer=SchedulerTimer(), clock=SystemClock(), let_pass=it_passes_by_itself)


def real_clock() -> TimerSetting:
    clock = SystemClock()
    return TimerSetting(timer=ClockTimer(clock=clock), clock=clock, let_pass=it_passes_by_itself)


def hurried_clock() -> TimerSetting:
    clock = HurriedClock()
    return TimerSetting(timer=ClockTimer(clock=clock), clock=clock, let_pass=it_passes_by_itself)


def fake_clock() -> TimerSetting:
    clock = FakeClock()
    return TimerSetting(timer=ClockTimer(clock=clock), clock=clock, let_pass=clock.advance)


@pytest.mark.parametrize("make", [scheduler, real_clock, hurried_clock, fake_clock])
@pytest.mark.parametrize("check", TIMER_CHECKS)
async def test_every_timer_keeps_its_promises(
    make: Callable[[], TimerSetting], check: Check, caplog: pytest.LogCaptureFixture
) -> None:
    setting = make()
    with caplog.at_level(logging.WARNING):
        await check(setting)
        await setting.timer.close()

    assert [] == caplog.messages


async def test_a_timer_can_be_closed_twice_and_used_again() -> None:
    timer = SchedulerTimer()
    for _ in range(2):
        await TIMER_CHECKS[1](
            TimerSetting(timer=timer, clock=SystemClock(), let_pass=it_passes_by_itself)
        )
        await timer.close()
        await timer.close()


def test_nothing_is_loaded_before_somebody_waits() -> None:
    """It takes a good part of what the first request for updates takes."""
    told = subprocess.run(
        [
            *(sys.executable, "-c"),
            "import sys, bot.cli; print([n for n in sys.modules if n.startswith('apscheduler')])",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT)},
        check=True,
    )

    assert "[]\n" == told.stdout


async def test_the_machine_need_not_know_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Mars/Olympus")

    setting = scheduler()
    await TIMER_CHECKS[1](setting)
    await setting.timer.close()
