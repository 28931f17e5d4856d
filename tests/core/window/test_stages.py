"""Every law of a stage, on every stage."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.window.stages import STAGES, Stage
from bot.core.window.window import Limits, Window
from bot.testing.stages import LAWS, Law
from tests.core.window.conftest import random_window


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_a_stage_keeps_the_law(stage: Stage, law: Law, seed: int) -> None:
    window, limits = random_window(seed)

    law(stage, window, limits)


def forgets_the_last_turn(window: Window, _: Limits) -> Window:
    return replace(window, past=window.past[:-1])


def test_the_laws_find_a_stage_that_forgets() -> None:
    window, limits = next(
        made for seed in range(100) if len((made := random_window(seed))[0].past) > 1
    )
    broken = []
    for law in LAWS:
        try:
            law(forgets_the_last_turn, window, limits)
        except AssertionError:
            broken.append(law.__name__)

    assert {"keeps_order", "covers_what_left"} <= set(broken)
