"""Pages of what was used: figures that add up, a chart that fits, and nothing to draw with."""

# ruff: noqa: RUF001 - full-width marks
from datetime import UTC, date, datetime

import pytest

from bot.core.cost import Amount, Axis, Cap, Scope, Spent, Standing
from bot.core.llm import Usage
from bot.core.prices import NANO
from bot.languages import speaking
from bot.runtime.commands.usage_pages import SHOWN_DAYS, UsagePage, spent_words, usage_page

CENT = NANO // 100
MIDNIGHT = datetime(2026, 1, 6, tzinfo=UTC)
CALL = Spent(
    usage=Usage(input_tokens=600, cache_read_tokens=300, cache_write_tokens=100, output_tokens=50),
    nano_usd=CENT,
    calls=1,
)
UNPRICED = Spent(usage=Usage(input_tokens=10), calls=1, unpriced=1)


def page_of(
    days: tuple[Spent, ...],
    *,
    tops: tuple[tuple[Axis, tuple[tuple[str, Spent], ...]], ...] = (),
    standings: tuple[Standing, ...] = (),
    is_of_admin: bool = True,
) -> str:
    empty = (Spent(),) * (SHOWN_DAYS - len(days))
    return usage_page(
        UsagePage(
            title="What you used",
            last=date(2026, 1, 5),
            days=(*empty, *days),
            tops=tops,
            standings=standings,
            resets_at=MIDNIGHT,
            is_of_admin=is_of_admin,
        )
    )


def chart_of(page: str) -> list[str]:
    return page.split("```")[1].strip("\n").split("\n")


def test_what_was_used_is_told_of_a_day_a_week_and_a_month() -> None:
    page = page_of((CALL, *(Spent(),) * 6, CALL + CALL))

    assert "- Today: $0.020, 2.0k tokens in, 100 out, 30% of in from the cache, 2 calls" in page
    assert "- 7 days: $0.020, 2.0k tokens in" in page
    assert "- 30 days: $0.030, 3.0k tokens in" in page


def test_where_nothing_was_used_there_is_nothing_to_draw() -> None:
    page = page_of(())

    assert "- Today: nothing\n- 7 days: nothing\n- 30 days: nothing" in page
    assert "```" not in page


def test_a_day_is_a_column_and_the_dearest_is_full() -> None:
    dear = CALL + CALL + CALL + CALL
    most, columns, dates = chart_of(page_of((CALL, Spent(), dear, CALL)))

    assert "most a day: $0.040" == most
    assert "▂ █▂" == columns[-4:]
    assert SHOWN_DAYS == len(columns)
    assert ("12-07", "01-05", SHOWN_DAYS) == (dates[:5], dates[-5:], len(dates))


def test_where_nothing_costs_anything_tokens_are_drawn() -> None:
    free = Spent(usage=Usage(input_tokens=900, output_tokens=100), calls=1)
    most, columns, _ = chart_of(page_of((free,)))

    assert ("most a day: 1.0k tokens", "█") == (most, columns.strip())


def test_a_price_that_nobody_knows_is_said_and_is_not_nothing() -> None:
    page = page_of((UNPRICED, CALL + UNPRICED, UNPRICED))

    assert "- Today: price unknown, " in page
    assert "- 30 days: $0.010 and more, " in page
    assert "- Without a price: 3 of 4 calls. They count towards caps at the dearest price; " in page
    assert spent_words(CALL).startswith("$0.010, ")


def test_what_is_left_is_told_of_caps_that_there_are() -> None:
    def standing(scope: Scope, cap: Cap, used: Amount) -> Standing:
        return Standing(scope=scope, cap=cap, used=used)

    page = page_of(
        (CALL,),
        standings=(
            standing("person", Cap(nano_usd=5 * NANO), Amount(nano_usd=CENT)),
            standing("chat", Cap(), Amount(tokens=7)),
            standing("bot", Cap(nano_usd=NANO, tokens=1_000), Amount(nano_usd=2 * NANO, tokens=50)),
        ),
    )

    assert "Left until 00:00 (UTC):" in page
    assert "- For you: $4.990 of $5.000" in page
    assert "this chat" not in page
    assert "- For all together: $0.000 of $1.000, 950 of 1.0k tokens" in page


@pytest.mark.parametrize(
    ("cap", "used", "is_said"),
    [
        (Cap(nano_usd=NANO), Amount(nano_usd=NANO), True),
        (Cap(tokens=10), Amount(tokens=10), True),
        (Cap(nano_usd=NANO), Amount(nano_usd=NANO - 1), False),
        (Cap(nano_usd=0), Amount(tokens=10), False),
        (Cap(), Amount(tokens=10, nano_usd=NANO), False),
    ],
    ids=["money", "tokens", "something left", "free models alone", "no cap"],
)
def test_others_than_admins_read_of_the_bots_cap_only_that_it_is_used_up(
    cap: Cap, used: Amount, is_said: bool
) -> None:
    standing = Standing(scope="bot", cap=cap, used=used)
    page = page_of((CALL,), standings=(standing,), is_of_admin=False)

    said = "\n\nLeft until 00:00 (UTC):\n\n- For all together: nothing"
    assert is_said == page.endswith(said)
    assert is_said == ("all together" in page)


def test_names_of_others_cannot_draw() -> None:
    page = page_of((CALL,), tops=(("chat", (("a`b\n# big", CALL), ("", CALL))),))

    assert "**By chat**, 30 days\n\n- `a'b # big` $0.010\n- `?` $0.010" in page


def test_a_page_in_other_languages() -> None:
    cap = Standing(scope="person", cap=Cap(nano_usd=100 * CENT, tokens=5_000), used=Amount())
    with speaking("zh"):
        chinese = page_of((CALL, UNPRICED), tops=(("chat", (("Team", CALL),)),), standings=(cap,))
    with speaking("ja"):
        japanese = page_of((CALL,), standings=(cap,))

    assert (
        "- 最近7天：$0.010以上，输入1.0k个 token，输出50个，输入的30%来自缓存，2次调用" in chinese
    )
    assert "\n**按聊天**（最近30天）\n\n- `Team` $0.010" in chinese
    assert "- 你：$1.000（共$1.000），5.0k个 token（共5.0k）" in chinese
    assert (
        "- 今日：$0.010、入力1.0kトークン、出力50、入力の30%はキャッシュ、呼び出し1回" in japanese
    )
    assert "00:00" in japanese.split("までの残り：")[0].splitlines()[-1]
