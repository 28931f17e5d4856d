"""What questions want to be told, and what texts ask and tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.memory.asking import Telling, is_question, terms_only_asked, told_by, wanted_by
from bot.core.memory.terms import terms_of, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Why? ", True), ("什么\uff1f", True), ("Why? So.", False), ("", False)],
)
def test_a_question_ends_by_asking(text: str, expected: bool) -> None:
    assert expected == is_question(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Ann move?", "time"),
        ("Since when does she paint?", "time"),
        ("Wann ist Ann umgezogen?", "time"),
        ("¿Cuándo se mudó?", "time"),
        ("Когда она переехала?", "time"),
        ("安什么时候搬家的", "time"),
        ("結婚式はいつ", "time"),
        ("언제 이사했어?", "time"),
        ("How many cats does she have?", "number"),
        ("And how long did it take?", "number"),
        ("Combien de chats ?", "number"),
        ("Wie viele Katzen hat sie?", "number"),
        ("她有多少只猫", "number"),
        ("What did she say when she moved?", None),
        ("How does she feel?", None),
        ("How", None),
        ("", None),
    ],
)
def test_what_a_question_wants(text: str, expected: Telling | None) -> None:
    assert expected == wanted_by(words_of(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We moved last week.", {"time"}),
        ("I moved on 2026-05-08.", {"time", "number"}),
        ("See you next Friday!", {"time"}),
        ("来月の十日に京都へ出張する", {"time", "number"}),
        ("다음 주 금요일에 치과 예약이 있다", {"time"}),
        ("每天早上要吃降压药", {"time"}),
        ("She has three cats.", {"number"}),
        ("减重八公斤", {"number"}),
        ("I may go one day, she said.", set()),
        ("We love the mountains.", set()),
    ],
)
def test_what_a_text_tells(text: str, expected: set[Telling]) -> None:
    assert expected == told_by(text)


def test_words_of_its_own_questions_are_told_apart_from_what_it_says() -> None:
    text = "Your new hair looks amazing! What made you choose that hair?"

    assert ("what", "mak", "you", "choos", "that") == terms_only_asked(text)
    assert ("去", "哪", "去哪") == terms_only_asked("我们走。去哪\uff1f")
    assert () == terms_only_asked("I chose it. It is bright.")


@given(st.text("ab ?!.\n\uff1f", max_size=40))
def test_only_words_of_a_text_are_asked_by_it(text: str) -> None:
    asked = terms_only_asked(text)

    assert {*asked} <= {*terms_of(text)}
    assert len({*asked}) == len(asked)
    if not any(sign in text for sign in "?\uff1f"):
        assert () == asked
