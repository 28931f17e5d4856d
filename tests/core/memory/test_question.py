"""Questions taken apart, and the days that they name."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.memory.days import Days, days_in
from bot.core.memory.question import MOST_WORDS, Question, read_question, without_names

TODAY = date(2026, 11, 30)  # a Monday


def _words(text: str) -> list[str]:
    return [each.word for each in read_question(Question(text=text, asked_on=TODAY)).words]


def test_words_that_say_nothing_are_left_out() -> None:
    assert ["ann", "paint"] == _words("What did Ann paint?")
    assert ["heißt", "mein", "hund"] == _words("Wie heißt mein Hund?")


def test_where_nothing_else_is_asked_they_are_what_is_asked() -> None:
    assert ["who", "was", "it"] == _words("Who was it?")
    assert [] == _words("?")


def test_a_word_is_looked_for_once_and_of_many_the_first_ones() -> None:
    assert ["tea"] == _words("tea, tea and more tea")
    assert MOST_WORDS == len(_words(" ".join(f"word{number}" for number in range(500))))


@pytest.mark.parametrize(
    ("text", "is_about_asker"),
    [("my dog", True), ("What did I say?", True), ("我的狗叫什么", True), ("Ann's dog", False)],
)
def test_questions_about_who_asks(text: str, is_about_asker: bool) -> None:
    sought = read_question(Question(text=text, asked_on=TODAY, asked_by="Ann Lee"))

    assert (("ann", "lee") if is_about_asker else ()) == sought.myself


def test_names_are_taken_out_of_what_is_meant() -> None:
    assert "What is dog called?" == without_names("What is Ann's dog called?", frozenset({"ann"}))
    assert "Annual report" == without_names("Annual report", frozenset({"ann"}))
    assert "Ann" == without_names("Ann", frozenset({"ann"}))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 16 August, 2023", "2023-08-16", "2023-08-16"),
        ("on August 16th 2023", "2023-08-16", "2023-08-16"),
        ("in August 2023", "2023-08-01", "2023-08-31"),
        ("in May", "2026-05-01", "2026-05-31"),
        ("in December", "2025-12-01", "2025-12-31"),
        ("on 2023-05-08", "2023-05-08", "2023-05-08"),
        ("2024-02", "2024-02-01", "2024-02-29"),
        ("am 3. Mai 2025", "2025-05-03", "2025-05-03"),
        ("el 3 de mayo de 2025", "2025-05-03", "2025-05-03"),
        ("5 мая", "2026-05-05", "2026-05-05"),
        ("2023年5月8日", "2023-05-08", "2023-05-08"),
        ("十二月二十日到期", "2025-12-20", "2025-12-20"),
        ("10월 3일", "2026-10-03", "2026-10-03"),
        ("yesterday", "2026-11-29", "2026-11-29"),
        ("the day before yesterday", "2026-11-28", "2026-11-28"),
        ("昨日は何を食べた", "2026-11-29", "2026-11-29"),
        ("gestern", "2026-11-29", "2026-11-29"),
        ("last week", "2026-11-23", "2026-11-29"),
        ("上个月", "2026-10-01", "2026-10-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("on Friday", "2026-11-27", "2026-11-27"),
        ("last Monday", "2026-11-23", "2026-11-23"),
        ("3 days ago", "2026-11-27", "2026-11-27"),
        ("two weeks ago", "2026-11-13", "2026-11-19"),
        ("a month ago", "2026-10-01", "2026-10-31"),
        ("in 2022", "2022-01-01", "2022-12-31"),
    ],
)
def test_days_in_a_question(text: str, first: str, last: str) -> None:
    days = Days(first=date.fromisoformat(first), last=date.fromisoformat(last))

    assert days == days_in(text, TODAY)


@pytest.mark.parametrize(
    "text",
    ["May I?", "march on", "0000-00", "0000年", "5000 years ago", "3 of 4", ""],
)
def test_texts_that_name_no_day(text: str) -> None:
    assert days_in(text, TODAY) is None


@given(st.text(max_size=80), st.dates())
def test_any_text_on_any_day_is_read(text: str, today: date) -> None:
    days = days_in(f"{text} yesterday, 3 years ago", today)

    assert days is None or days.first <= days.last


@given(st.dates(min_value=date(1000, 1, 1)))
def test_a_date_names_its_day(day: date) -> None:
    assert Days(first=day, last=day) == days_in(f"What was on {day.isoformat()}?", TODAY)
