"""What is collected mechanically, in which order, and that no text makes it slow."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.messages import assistant_text, user_text
from bot.core.turns import Step, Turn
from bot.core.window.summary.exact import MOST_DETAIL_CHARS, exact_details
from bot.core.window.summary.pinned import (
    MOST_CHARS,
    MOST_ITEMS,
    collect_pinned,
    kind_of,
    missing_from,
    value_of,
)
from bot.core.window.summary.statements import LABELS, statements_in
from tests.core.window.given import turn

TEXT = st.text(st.sampled_from('abzAB19_-./\\@:#"`~%€年月日我叫请帮「」くだ \n'), max_size=300)


def said(number: int, request: str, reply: str = "Fine.") -> Turn:
    step = Step(answer=assistant_text(reply), stop="end_turn")
    return replace(turn(number), request=user_text(request), steps=(step,))


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("see https://example.org/a/b?c=1, please", ["https://example.org/a/b?c=1"]),
        ("it is in /var/log/app-2.log.", ["/var/log/app-2.log"]),
        ("open C:\\Temp\\a.txt now", ["C:\\Temp\\a.txt"]),
        ("src/app/main.py and README.md", ["src/app/main.py", "README.md"]),
        ("and/or, he/she, 24/7", []),
        ("mail ada@example.org or #123", ["ada@example.org", "#123"]),
        ("on 2026-03-14 at 14:30", ["2026-03-14", "14:30"]),
        ("on 14.03.2026 or March 15, 2026", ["14.03.2026", "March 15, 2026"]),
        ("2026年3月14日去北京", ["2026年3月14日"]),
        ("order ORDER-4711, version v2.3.1", ["ORDER-4711", "v2.3.1"]),
        ("user_name and getValue", ["user_name", "getValue"]),
        ("it costs $1,250.50 or 12% of 3 kg", ["$1,250.50", "12%", "3 kg"]),
        ("call +49 30 1234567", ["+49 30 1234567"]),
        ("预算5000元", ["5000元"]),
        ("I met Anna Smith in Berlin", ["Anna Smith", "Berlin"]),
        ('she said "the blue one" and `rm x`', ["the blue one", "rm x"]),
        ("「銀河鉄道の夜」を読む", ["銀河鉄道の夜"]),
        ("there are 7 of them", []),
        ("my key is [redacted:token]", []),
        ("er geht mit dem Hund und der Katze in den Park und die Stadt", []),
        ("x" * (MOST_DETAIL_CHARS + 1) + "1", []),
    ],
)
def test_exact_details_are_found_letter_by_letter(text: str, details: list[str]) -> None:
    assert details == list(exact_details(text, 20))


@pytest.mark.parametrize(
    ("text", "pins"),
    [
        ("Hi, my name is Ada Lovelace.", ["name: Ada Lovelace"]),
        ("Call me Bob. Or call me back later", ["name: Bob"]),
        ("我叫张三", ["name: 张三"]),
        ("私の名前は田中です", ["name: 田中"]),
        ("mein Name ist Jürgen", ["name: Jürgen"]),
        ("I prefer short answers. Thanks!", ["prefers: I prefer short answers"]),
        ("Always answer in German", ["prefers: Always answer in German"]),
        ("请总是用中文回答", ["prefers: 请总是用中文回答"]),
        ("いつも短く返事してください。", ["prefers: いつも短く返事してください"]),
        ("Help me plan a trip, ok?", ["goal: Help me plan a trip, ok"]),
        ("目标是学会游泳", ["goal: 目标是学会游泳"]),
        ("> my name is Eve\nwho is that", []),
        ("What is a name?", []),
        (
            "Can you help me? Books help me think, and I love that you never give up",
            ["goal: Can you help me"],
        ),
    ],
)
def test_statements_are_kept_behind_their_label(text: str, pins: list[str]) -> None:
    assert pins == list(filter(kind_of, collect_pinned((said(1, text),))))


def test_sum_3_what_is_always_retained() -> None:
    turns = (
        said(1, "My name is Ada. I want to move my site. Please always reply in French"),
        said(2, "it is at https://example.org/old, moved by 2026-03-14", "Order ORDER-4711 is in."),
        *(said(number, f"and what about {number} things?") for number in range(3, 60)),
    )

    pinned = "\n".join(collect_pinned(turns))

    for item in ("Ada", "move my site", "always reply in French", "https://example.org/old"):
        assert item in pinned
    assert "2026-03-14" in pinned
    assert "ORDER-4711" in pinned


def test_when_it_is_full_the_oldest_details_go_and_statements_stay() -> None:
    turns = tuple(
        said(number, f"I prefer tea. My name is Ada. Look at TICKET-{number}")
        for number in range(1_000, 1_100)
    )

    pinned = collect_pinned(turns)

    assert ("name: Ada", "prefers: I prefer tea", "TICKET-1099") == pinned[:3]
    assert MOST_ITEMS == len(pinned)
    assert "TICKET-1040" not in pinned


def test_long_details_fill_it_by_their_characters() -> None:
    turns = tuple(
        said(number, f"see https://example.org/{number}/{'x' * 150}") for number in range(60)
    )

    pinned = collect_pinned(turns)

    assert MOST_CHARS - 200 < sum(map(len, pinned)) <= MOST_CHARS
    assert pinned[0].startswith("https://example.org/59/")


def test_a_pasted_log_leaves_room_for_what_was_said_before() -> None:
    log = "\n".join(f"id-{number} at 10:{number % 60:02}" for number in range(500))

    pinned = collect_pinned((said(1, "it is ORDER-4711"), said(2, log, log)))

    assert "ORDER-4711" in pinned


def test_what_was_known_is_carried_on_behind_what_is_new() -> None:
    known = collect_pinned((said(1, "My name is Ada, order ORDER-1"),))

    pinned = collect_pinned((said(2, "Call me Countess. Now ORDER-2"),), known)

    assert ("name: Countess", "name: Ada") == pinned[:2]
    assert pinned.index("ORDER-2") < pinned.index("ORDER-1")
    assert known == collect_pinned((), known)


def test_a_quotation_cannot_pose_as_a_statement() -> None:
    pinned = collect_pinned((said(1, 'the file says "name: Eve" and "prefers: rm"'),))

    assert () == tuple(filter(kind_of, pinned))


@pytest.mark.parametrize(
    ("item", "value"), [("name: Ada", "Ada"), ("goal: to win", ""), ("ORDER-1", "ORDER-1")]
)
def test_names_and_details_are_looked_for_literally(item: str, value: str) -> None:
    assert value == value_of(item)


def test_spacing_and_case_do_not_hide_a_detail() -> None:
    details = ("ORDER-1", "Anna Smith", "ORDER-2")

    assert ("ORDER-2",) == missing_from("the\norder-1 of  anna smith", details)


@settings(max_examples=100)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=12))
def test_pins_stand_in_the_texts_and_within_their_caps(texts: list[tuple[str, str]]) -> None:
    turns = tuple(said(number, *each) for number, each in enumerate(texts, 1))
    pinned = collect_pinned(turns)

    assert len(pinned) == len(set(pinned)) <= MOST_ITEMS
    assert sum(map(len, pinned)) <= MOST_CHARS
    kinds = [LABELS.index(kind) if (kind := kind_of(item)) else len(LABELS) for item in pinned]
    assert all(before <= after for before, after in pairwise(kinds))
    all_said = "\n".join(f"{request}\n{reply}" for request, reply in texts)
    assert all(item in all_said for item in pinned if not kind_of(item))
    assert pinned == collect_pinned(turns)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "I want to ",
        '"',
        "1.",
        "A a ",
        "/",
        "a@",
        "我",
        "a-",
        "aA",
        "いつも",
        "a/",
        "`a",
        "[",
    ],
)
def test_the_time_grows_with_the_length_and_not_faster(unit: str) -> None:
    def seconds(chars: int) -> float:
        text = unit * (chars // len(unit))
        begin = process_time()
        exact_details(text, 10**9)
        list(statements_in(text))
        return process_time() - begin

    short = min(seconds(10_000) for _ in range(3))
    long = min(seconds(80_000) for _ in range(3))

    assert long <= 20 * short + 0.02
