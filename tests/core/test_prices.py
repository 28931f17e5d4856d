"""What a call costs, to the nano-dollar, and which row of the list is a model's."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.llm import Usage
from bot.core.prices import FREE, PRICE_LIST, Prices, Tariff, price_of

KNOWN = Prices(tariffs={each.model: each.tariff for each in PRICE_LIST})
COUNTS = st.integers(min_value=0, max_value=2_000_000)
USAGES = st.builds(
    Usage,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cache_read_tokens=COUNTS,
    cache_write_tokens=COUNTS,
)
MILLION = 1_000_000


def cost(model: str, usage: Usage) -> int | None:
    tariff = KNOWN.of(model)
    return None if tariff is None else tariff.cost(usage)


def test_a_million_tokens_of_each_kind_cost_what_the_list_says() -> None:
    model = "claude-sonnet-5-5"

    assert [2_000_000_000, 10_000_000_000, 100_000_000, 2_500_000_000] == [
        cost(model, Usage(input_tokens=MILLION)),
        cost(model, Usage(output_tokens=MILLION)),
        cost(model, Usage(cache_read_tokens=MILLION)),
        cost(model, Usage(cache_write_tokens=MILLION)),
    ]


def test_a_single_token_of_the_cheapest_kind_is_not_lost() -> None:
    assert cost("claude-haiku-5-5", Usage(cache_read_tokens=1)) == 10


def test_a_long_prompt_is_dearer_as_a_whole_its_answer_too() -> None:
    short = Usage(input_tokens=60_000, cache_read_tokens=40_000, output_tokens=100)
    long = replace(short, input_tokens=60_001)

    assert cost("claude-haiku-5-5", short) == 60_000 * 100 + 40_000 * 10 + 100 * 500
    assert cost("claude-haiku-5-5", long) == 60_001 * 500 + 40_000 * 50 + 100 * 2_500


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("claude-opus-4-8", "claude-opus-4-8"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-opus-4-1-20250805", "claude-opus-4-1"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-sonnet-5-5[1m]", "claude-sonnet-5-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
    ],
)
def test_the_longest_beginning_counts(name: str, row: str) -> None:
    assert KNOWN.of(name) is KNOWN.tariffs[row]


@pytest.mark.parametrize(
    "name", ["claude-opus-4-9", "claude-fable-5-2", "claude-opus-40", "qwen3:8b", ""]
)
def test_of_another_model_no_price_is_known(name: str) -> None:
    assert KNOWN.of(name) is None
    assert replace(KNOWN, all_free=True).of(name) is FREE


def test_the_operators_own_price_goes_before_the_list_however_short_its_name_is() -> None:
    own = {"claude": Tariff(price=price_of(1, 1)), "claude-opus-5": Tariff(price=price_of(2, 2))}
    prices = replace(KNOWN, own=own)

    assert prices.of("claude-sonnet-5-5") is own["claude"]
    assert prices.of("claude-opus-5") is own["claude-opus-5"]
    assert prices.of("claude-opus-5", "claude-sonnet-5-5") is own["claude-opus-5"]
    assert replace(prices, own={"qwen3": own["claude"]}).of("claude-sonnet-5-5") == KNOWN.of(
        "claude-sonnet-5-5"
    )


def test_who_answered_counts_before_who_was_asked() -> None:
    assert KNOWN.of("claude-haiku-4-5", "claude-opus-5") is KNOWN.of("claude-haiku-4-5")
    assert KNOWN.of("my-alias", "claude-opus-5") is KNOWN.of("claude-opus-5")


def test_every_row_says_whose_word_it_is_and_when() -> None:
    assert all(each.source and each.as_of.startswith("2026-") for each in PRICE_LIST)
    assert len({each.model for each in PRICE_LIST}) == len(PRICE_LIST)


@settings(max_examples=100)
@given(st.sampled_from(PRICE_LIST), USAGES, st.integers(min_value=0, max_value=50_000))
def test_no_call_costs_more_than_the_most_that_was_reckoned(
    listed: object, usage: Usage, spare: int
) -> None:
    """Whatever of the prompt was cached, and however short the answer was."""
    tariff = next(each.tariff for each in PRICE_LIST if each is listed)
    most = tariff.most(usage.prompt_tokens, usage.output_tokens + spare)

    assert 0 <= tariff.cost(usage) <= most


@settings(max_examples=100)
@given(st.lists(USAGES, max_size=20))
def test_sums_are_those_of_whole_prices(usages: list[Usage]) -> None:
    """Added up, calls cost within half a nano-dollar each of all their tokens together."""
    tariff = Tariff(price=price_of(0.37, 1.11))
    whole = Usage()
    for usage in usages:
        whole += usage

    assert abs(sum(map(tariff.cost, usages)) - tariff.cost(whole)) <= len(usages) + 1
