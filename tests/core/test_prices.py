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
        ("anthropic/claude-opus-5", "claude-opus-5"),
        ("openrouter/anthropic/claude-opus-4.5:beta", "claude-opus-4-5"),
        ("us.anthropic.claude-sonnet-5-5-20261024-v1:0", "claude-sonnet-5-5"),
        ("bedrock:claude-haiku-4-5", "claude-haiku-4-5"),
        ("claude-opus-5@20260901", "claude-opus-5"),
    ],
)
def test_the_longest_beginning_counts(name: str, row: str) -> None:
    assert KNOWN.of(name) is KNOWN.tariffs[row]


@pytest.mark.parametrize(
    ("name", "is_of_the_vendor"),
    [
        ("claude-opus-4-9", True),
        ("anthropic/claude-fable-5-2", True),
        ("claude-opus-40", True),
        ("not-claude-opus-5", False),
        ("qwen3:8b", False),
        ("", False),
    ],
)
def test_of_another_model_no_price_is_known(name: str, is_of_the_vendor: bool) -> None:
    """What runs on a machine of one's own is free, if it may run there."""
    assert KNOWN.of(name) is None
    assert replace(KNOWN, all_free=True).of(name) is (None if is_of_the_vendor else FREE)


def test_towards_caps_counts_the_most_that_any_token_costs() -> None:
    """Whatever its kind and whosever price it is; a price that is known stays what it is."""
    prices = replace(KNOWN, own={"mine": Tariff(price=price_of(1, 80, cache_read_usd=9))})
    expected = price_of(15, 80, cache_read_usd=9, cache_write_usd=18.75)

    assert Tariff(price=expected) == prices.at_most("claude-opus-6", "my-alias")
    assert prices.at_most("claude-opus-6", "claude-opus-5") is prices.of("claude-opus-5")
    assert FREE == Prices(tariffs={}).at_most("any")


@pytest.mark.parametrize(
    ("answered", "asked", "name"),
    [
        ("claude-opus-5-20260901", "claude-opus-5", "claude-opus-5-20260901"),
        ("claude-opus-5", "claude-opus-latest", "claude-opus-5"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"),
        ("claude-sonnet-5-5", "claude-opus-5", "claude-sonnet-5-5"),
        ("us.anthropic.claude-opus-5-v1:0", "auto", "claude-opus-5-v1:0"),
        ("gpt-9-2026-11-01", "vendor/gpt-9", "gpt-9-2026-11-01"),
        ("gpt-9-9f3c", "gpt-9", "gpt-9"),
        ("request-17-of-claude", "claude-opus-5", "claude-opus-5"),
        ("claude-opus-5-17", "claude-opus-5", "claude-opus-5"),
        ("anything", "", "anything"),
        ("", "claude-opus-5", "claude-opus-5"),
    ],
)
def test_a_gateway_cannot_make_up_names_for_sums(answered: str, asked: str, name: str) -> None:
    assert name == KNOWN.name_of(answered, asked)


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
