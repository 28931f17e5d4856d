"""Weighing requests, learning from what a model reports, dividing its window."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.llm import ToolSpec
from bot.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult, user_text
from bot.core.tokens import (
    IMAGE_TOKENS,
    LARGE_WINDOW,
    LEAST_RATIO,
    MOST_RATIO,
    SMALL_WINDOW,
    Calibration,
    budget_for,
    calibrate,
    known_window,
    weigh_message,
    weigh_request,
    weigh_tools,
)

TOOL = ToolSpec(name="clock", description="Tell the time.", schema='{"type": "object"}')
WHOLE = Message(
    role="assistant",
    blocks=(
        Text(text="a text"),
        Thinking(text="a thought", signature="c2lnbmVk"),
        ToolCall(id="1", name="clock", arguments='{"zone": "UTC"}'),
        ToolResult(call_id="1", content="noon"),
        Image(media_type="image/png", data="aGVsbG8="),
    ),
)
SIZES = st.integers(1, 1_000_000)
SAMPLES = st.lists(st.tuples(st.integers(-5, 2_000_000), st.integers(-5, 2_000_000)), max_size=12)


@pytest.mark.parametrize("number", range(len(WHOLE.blocks)))
def test_every_kind_of_block_counts(number: int) -> None:
    without = replace(WHOLE, blocks=WHOLE.blocks[:number] + WHOLE.blocks[number + 1 :])

    assert weigh_message(without, len) < weigh_message(WHOLE, len)


@pytest.mark.parametrize(
    ("shorter", "longer"),
    [
        (Text(text="a"), Text(text="ab")),
        (Thinking(text="a"), Thinking(text="ab")),
        (Thinking(text="", signature="a" * 8), Thinking(text="", signature="a" * 80)),
        (ToolCall(id="", name="a", arguments=""), ToolCall(id="", name="ab", arguments="")),
        (ToolCall(id="", name="", arguments="a"), ToolCall(id="", name="", arguments="ab")),
        (ToolResult(call_id="", content="a"), ToolResult(call_id="", content="ab")),
    ],
)
def test_all_that_the_model_reads_of_a_block_counts(
    shorter: Text | Thinking | ToolCall | ToolResult,
    longer: Text | Thinking | ToolCall | ToolResult,
) -> None:
    sizes = [
        weigh_message(Message(role="user", blocks=(block,)), len) for block in (shorter, longer)
    ]

    assert sizes[0] < sizes[1]


def test_a_picture_weighs_the_same_however_large_its_file() -> None:
    small, large = (
        Message(role="user", blocks=(Image(media_type="image/png", data="A" * size),))
        for size in (4, 400_000)
    )

    assert weigh_message(small, len) == weigh_message(large, len) > IMAGE_TOKENS


def test_a_request_is_its_parts() -> None:
    messages = (user_text("one"), WHOLE)
    whole = weigh_request("the system", (TOOL,), messages, len)
    frame = weigh_request("", (), (), len)

    assert whole == (
        frame
        + len("the system")
        + weigh_tools((TOOL,), len)
        + sum(weigh_message(each, len) for each in messages)
    )
    assert weigh_tools((), len) == 0
    assert weigh_tools((TOOL, TOOL), len) > weigh_tools((TOOL,), len) > len(TOOL.schema)


def test_before_the_model_has_said_anything_the_local_count_stands() -> None:
    assert calibrate(()) == Calibration()
    assert Calibration().estimate(1_234) == 1_234


def test_a_request_that_goes_on_is_the_last_one_and_what_is_new() -> None:
    calibration = calibrate([(1_000, 1_500)])

    assert calibration.estimate(1_000) == 1_500
    assert calibration.estimate(1_100) == 1_650
    assert calibration.estimate(900) == 1_350


def test_a_long_paste_is_not_taken_for_more_of_the_same() -> None:
    modest, lavish = calibrate([(1_000, 500)]), calibrate([(1_000, 1_500)])

    assert modest.estimate(1_250) == 625
    assert modest.estimate(2_250) == 1_625
    assert lavish.estimate(2_250) == 1_875 + 1_500


def test_of_a_request_that_was_cut_the_ratio_is_known() -> None:
    calibration = Calibration(ratio=1.5, last_local=1_000, last_actual=2_000)

    assert calibration.estimate(800) == 1_700
    assert calibration.estimate(799) == round(1.5 * 799)


@pytest.mark.parametrize("lie", [(1_000, 0), (0, 1_000), (1_000, 1), (1_000, 900_000), (-1, -1)])
def test_a_liar_is_not_believed(lie: tuple[int, int]) -> None:
    honest = [(1_000, 1_200), (1_100, 1_320)]

    assert calibrate([*honest, lie]) == calibrate(honest)
    assert calibrate([lie]) == Calibration()


def test_newer_samples_weigh_more() -> None:
    before, after = [(1_000, 1_000)] * 4, [(1_000, 2_000)] * 4

    assert 1.9 < calibrate([*before, *after]).ratio < 2.0


@given(samples=SAMPLES, local=SIZES)
def test_an_estimate_stays_within_belief(samples: list[tuple[int, int]], local: int) -> None:
    calibration = calibrate(samples)
    last = calibration.last_local

    assert LEAST_RATIO <= calibration.ratio <= MOST_RATIO
    assert calibration.estimate(local) >= 0
    if not last <= local:
        return
    assert local * LEAST_RATIO - 1 <= calibration.estimate(local) <= local * MOST_RATIO + 1


@given(samples=SAMPLES, local=SIZES, more=SIZES)
def test_a_longer_request_is_not_estimated_shorter(
    samples: list[tuple[int, int]], local: int, more: int
) -> None:
    calibration = calibrate(samples)
    local += calibration.last_local

    assert calibration.estimate(local) <= calibration.estimate(local + more)


@given(
    most=st.integers(1, 2_000_000),
    window=st.integers(4_000, 1_000_000),
    answer=st.integers(1, 200_000),
)
def test_request_and_answer_share_any_window(most: int, window: int, answer: int) -> None:
    budget = budget_for(most, window, answer)

    assert 0 < budget.limit_tokens <= most
    assert budget.limit_tokens + budget.reserve_tokens <= window
    assert budget.reserve_tokens * 4 <= window
    assert budget.reserve_tokens in (max(2_000, answer), window // 4)


@pytest.mark.parametrize(
    ("most", "window", "answer", "limit", "reserve"),
    [
        (50_000, 200_000, 4_096, 50_000, 4_096),
        (500_000, 200_000, 4_096, 195_904, 4_096),
        (50_000, 4_000, 4_096, 3_000, 1_000),
        (50_000, 8_000, 500, 6_000, 2_000),
        (50_000, 8_001, 500, 6_001, 2_000),
        (50_000, 7_999, 500, 6_000, 1_999),
        (1_000_000, 1_000_000, 128_000, 872_000, 128_000),
    ],
)
def test_budgets(most: int, window: int, answer: int, limit: int, reserve: int) -> None:
    budget = budget_for(most, window, answer)

    assert (budget.limit_tokens, budget.reserve_tokens) == (limit, reserve)


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-opus-5-5", LARGE_WINDOW),
        ("claude-sonnet-5", LARGE_WINDOW),
        ("claude-fable-5-1-20261001", LARGE_WINDOW),
        ("anthropic/claude-haiku-5-5", LARGE_WINDOW),
        ("claude-haiku-4-5-20251001", SMALL_WINDOW),
        ("claude-opus-4-1", SMALL_WINDOW),
        ("claude-3-5-sonnet-20241022", SMALL_WINDOW),
        ("claude-sonnet-20250514", SMALL_WINDOW),
        ("qwen3-coder", SMALL_WINDOW),
        ("demo", SMALL_WINDOW),
        ("", SMALL_WINDOW),
    ],
)
def test_windows_by_name(model: str, window: int) -> None:
    assert known_window(model) == window
