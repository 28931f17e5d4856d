"""What is told once, what only a search brings back, and what is told as a question."""

from dataclasses import replace

import pytest

from bot.core.chat import SessionKey
from bot.core.memory.audience import GLOBAL, Origin
from bot.core.memory.recall import recollect
from bot.core.memory.recalled import Recollection
from tests.core.memory.recall_given import (
    GROUP,
    OCCASION,
    ROOM,
    fact,
    hit,
)


def test_what_the_window_shows_is_not_told_again() -> None:
    shown = replace(
        OCCASION,
        turns_shown=frozenset({950}),
        text_shown="[Summary: …] The gate code changed on Monday, they said.",
        opening_shown="[Opening] Ann likes tea; and: Prefers metric units.",
    )
    hits = (
        hit(0.95),
        hit(0.94, "The gate code changed on Monday"),
        hit(0.93, "where did we put the SPARE keys"),
        hit(0.92, "Noted: the keys.", kind="day", first=950, through=950),
        hit(0.91, "Keys were hidden.", kind="episode", first=950, through=950),
    )

    memory = recollect(shown, (fact(1, "Prefers metric units."),), hits, ROOM)

    assert Recollection() == memory


def test_the_same_is_told_once() -> None:
    hits = (
        hit(0.95, "The keys are below the pot.", item_id="turn:7#0", first=7),
        hit(0.94, "the keys are below the pot", item_id="turn:8#0", first=8),
        hit(0.93, "Keys: below the pot.", kind="day", first=7, through=7),
        hit(0.92, "Likes tea.", kind="fact", item_id="fact:1"),
    )

    memory = recollect(OCCASION, (fact(1, "Likes tea."),), hits, ROOM)

    assert ["fact:1", "turn:7#0"] == [each.id for each in memory.pieces]


@pytest.mark.parametrize(
    ("opening", "request_text"),
    [
        ("Uses JavaScript for the site.", "hello"),
        ("[none]", "May I use Javanese?"),
        ("[none]", "JavaVMを使う"),
    ],
)
def test_a_word_that_is_part_of_another_is_not_that_word(opening: str, request_text: str) -> None:
    asked = replace(OCCASION, opening_shown=opening, text_shown=opening, request=request_text)
    hits = (hit(0.95, "Use Java."), hit(0.94, "住む"))

    memory = recollect(asked, (fact(1, "Uses Java."),), hits, ROOM)

    assert ["Uses Java.", "Use Java.", "住む"] == [each.text for each in memory.pieces]


def test_where_words_are_not_told_apart_they_are_known_again_among_others() -> None:
    asked = replace(OCCASION, request="彼は日本に住むと言った")

    assert Recollection() == recollect(asked, (), (hit(0.95, "日本に住む"),), ROOM)


def test_ctx_17_what_was_cleared_away_and_what_was_made_of_it_come_back_by_a_search_alone() -> None:
    cleared = replace(OCCASION, recalled_from=900)
    other = SessionKey("loopback:bot:1:5")
    hits = (
        hit(0.89),
        hit(0.88, "Keys again.", kind="day", first=88, through=88),
        hit(0.87, "In another thread.", first=870, through=870, session_key=other),
        hit(0.86, "Of all of it.", kind="episode", first=860, through=899),
        hit(0.85, "Across it.", kind="episode", first=860, through=901),
        hit(0.84, "Of another.", kind="episode", first=860, through=899, session_key=other),
        hit(0.83, "Noted of another.", kind="day", first=830, through=830, session_key=other),
        hit(0.82, "Nobody knows whose.", kind="day", first=820, through=820, session_key=""),
        hit(0.81, "A note by hand.", kind="day", first=0, through=0, session_key=""),
        hit(0.95, "Said after it.", item_id="turn:900#0", first=900, through=900),
    )

    told_texts = [each.text for each in recollect(cleared, (), hits, ROOM).relevant]

    assert [
        "Said after it.",
        "In another thread.",
        "Of another.",
        "Noted of another.",
        "A note by hand.",
    ] == told_texts


def test_ctx_17_a_clear_in_a_group_puts_nothing_away_that_was_said_elsewhere() -> None:
    cleared = replace(OCCASION, recalled_from=900)
    in_group = Origin(audience=GROUP, said_by=OCCASION.viewer.person_key)
    said = hit(0.89, "In the group.", origin=in_group, session_key="")

    assert 1 == len(recollect(cleared, (), (said,), ROOM).relevant)


def test_a_record_is_told_of_which_the_window_shows_a_part_alone() -> None:
    shown = replace(OCCASION, turns_shown=frozenset({9, 10}))
    record = hit(0.95, "Keys were hidden.", kind="episode", first=8, through=10)

    assert 1 == len(recollect(shown, (), (record,), ROOM).relevant)


def test_a_page_of_the_knowledge_is_of_no_turn_whatever_its_headings() -> None:
    shown = replace(OCCASION, turns_shown=frozenset({12}))
    page = hit(0.95, kind="knowledge", item_id="knowledge:dance.md#turn-12", origin=GLOBAL,
               first=0, through=0)  # fmt: skip

    assert 1 == len(recollect(shown, (), (page,), ROOM).relevant)


def test_mem_5_two_values_that_contradict_each_other_are_told_as_a_question() -> None:
    here = fact(1, "Lives in Lisbon.", topic="other", key="home city", days=9)
    there = fact(2, "Lives in Porto.", topic="other", key="home city", audience=GROUP, days=2)
    found = hit(0.8, "Lives in Lisbon.", kind="fact", item_id="fact:1")

    memory = recollect(OCCASION, (here, there), (found,), ROOM)

    assert {("fact:1", "fact:2")} == {tuple(sorted(ids)) for ids in memory.conflicts}
    assert "contradict each other: ask which holds" in memory.standing_text
    assert {"home city: Lives in Lisbon.", "home city: Lives in Porto."} == {
        each.text for each in memory.standing
    }
    assert () == memory.relevant


def test_a_contradiction_that_has_nothing_to_do_with_the_turn_is_not_told() -> None:
    here = fact(1, "Lives in Lisbon.", topic="other", key="home city")
    there = fact(2, "Lives in Porto.", topic="other", key="home city", audience=GROUP)

    assert Recollection() == recollect(OCCASION, (here, there), (), ROOM)


@pytest.mark.parametrize(
    ("max_tokens", "doubt"),
    [
        (2_000, "fact:2 and fact:1 contradict each other: ask which holds before you rely on one."),
        (300, "fact:2 is contradicted by one that was left out: ask whether it holds."),
        (60, ""),
    ],
)
def test_mem_5_no_contradiction_names_a_fact_that_found_no_room(
    max_tokens: int, doubt: str
) -> None:
    long = fact(1, "Drinks " + "very strong black coffee " * 30, key="drink", days=2)
    short = fact(2, "Drinks green tea.", key="drink", audience=GROUP, days=1)

    memory = recollect(OCCASION, (long, short), (), replace(ROOM, max_tokens=max_tokens))

    doubts = [each for each in memory.standing_text.splitlines() if "contradict" in each]
    assert list(filter(None, [doubt])) == doubts
