"""One kill at every point of a message's life; ``scripts/crash_matrix.py`` does it many times."""

import shutil
import sys
from pathlib import Path

import pytest

from bot.testing.crash_matrix import Matrix
from bot.testing.crash_processes import fork, start_cold
from bot.testing.crash_scenarios import PointKill, RandomKill
from bot.testing.crash_world import world
from bot.testing.crashing import POINTS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

WORLDS_AT_ONCE = 8


@pytest.mark.parametrize("channel", ["telegram", "slack"])
async def test_a_kill_at_any_point_loses_nothing_and_doubles_nothing(channel: str) -> None:
    matrix = Matrix(start_process=fork, worlds=WORLDS_AT_ONCE, channels=[channel])

    await matrix.kill_at_points([point.name for point in POINTS], kills=1)

    assert [] == matrix.forbidden


@pytest.mark.parametrize("channel", ["telegram", "slack"])
async def test_a_kill_with_many_chats_in_flight(channel: str) -> None:
    verdict = await RandomKill(channel=channel, seed=1, span_s=2.0).play(fork)

    assert [] == verdict.forbidden


async def test_a_process_that_was_not_forked_does_the_same() -> None:
    point = next(point for point in POINTS if point.name == "tool done")

    verdict = await PointKill(point=point, channel="telegram").play(start_cold)

    assert [] == verdict.forbidden
    assert 1 == verdict.calls_in_doubt


async def test_a_bot_that_forgets_what_it_was_told_is_found_out(tmp_path: Path) -> None:
    async with world("telegram", tmp_path, fork) as made:
        await made.say(made.platform.chat(1))
        process = await made.start(at="finishing")
        await process.ended()
        await made.until(lambda: made.platform.told == 1)
        shutil.rmtree(tmp_path / "data")
        made.patience_s = 2.0
        verdict = await made.settle()

    assert ["lost: 1"] == verdict.forbidden
