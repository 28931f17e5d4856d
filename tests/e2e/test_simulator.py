"""Whole histories in which everything goes wrong, and what must be true of them all the same."""

import asyncio
import os
import subprocess
import sys

import pytest

from bot.testing.simulator import SABOTAGES, simulate
from bot.testing.simulator.virtual_loop import StandsStill, VirtualLoop
from tests.repo.tree import ROOT

SEEDS = 20
SEEDS_A_TEST = 10
FOUND_WITHIN = 60


@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_A_TEST))
def test_nothing_is_lost_or_doubled(first: int) -> None:
    """``python3 scripts/simulate.py --seed N --verbose`` shows the history of a seed."""
    verdicts = [simulate(seed) for seed in range(first, first + SEEDS_A_TEST)]

    assert {} == {verdict.seed: verdict.faults for verdict in verdicts if verdict.faults}
    assert sum(verdict.turns for verdict in verdicts) > SEEDS_A_TEST
    assert sum(verdict.processes for verdict in verdicts) > 3 * SEEDS_A_TEST


@pytest.mark.parametrize("sabotage", sorted(SABOTAGES))
def test_a_broken_promise_is_found(sabotage: str) -> None:
    faults = (simulate(seed, sabotage=sabotage).faults for seed in range(FOUND_WITHIN))

    assert any(faults)


def test_one_seed_is_one_history() -> None:
    """Also where sets of texts have another order."""
    seed = 7
    script = f"from bot.testing.simulator import simulate; print(simulate({seed}).digest)"
    elsewhere = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    here, again = simulate(seed, keeps_lines=True), simulate(seed, keeps_lines=True)

    assert here.lines == again.lines
    assert here.digest == again.digest == elsewhere.stdout.strip()
    assert here.digest != simulate(seed + 1).digest


def test_time_passes_only_when_nothing_else_can_happen() -> None:
    told: list[tuple[float, str]] = []

    async def wait_for_all() -> None:
        loop = asyncio.get_running_loop()
        over = loop.create_future()
        loop.call_later(86_400 * 30, over.set_result, None)

        def tell(name: str) -> None:
            told.append((loop.time(), name))

        for seconds, name in ((60, "a minute"), (0, "now"), (1, "a second")):
            loop.call_later(seconds, tell, name)
        await over
        tell("a month")

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(wait_for_all())

    assert [(0, "now"), (1, "a second"), (60, "a minute"), (86_400 * 30, "a month")] == told


def test_waiting_for_what_never_comes_is_an_error() -> None:
    loop = VirtualLoop()
    try:
        never = loop.create_future()
        with pytest.raises(StandsStill):
            loop.run_until_complete(never)
    finally:
        loop.close()
