"""What a question wants to be told, and what a text that was said asks or tells itself.

What answers a question says a time where *when* was asked, and seldom repeats the question: who
asks the same has its words, and not the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from bot.core.memory.days import days_in
from bot.core.memory.terms import terms_of

Telling = Literal["time", "number"]
"""What a question may want, and a text may tell."""

QUESTION_MARKS = ("?", "？", "؟")

_SENTENCE = re.compile(r"[^.!?？؟。！…\n]+[.!?？؟。！…]*")

_OPENING_WORDS = 3
"""A question says within so many words what it wants; later ones are of clauses."""

_TIME = frozenset(("when", "wann", "quand", "cuando", "quando", "wanneer", "когда"))
_TIME_SIGNS = ("什么时候", "什麼時候", "何时", "何時", "哪天", "几时", "幾時", "いつ", "언제")
_NUMBER = frozenset(
    (
        *("combien", "wieviel", "wieviele", "hoeveel", "сколько"),
        *("cuanto", "cuanta", "cuantos", "cuantas", "quanto", "quanta", "quanti", "quante"),
        *("quantos", "quantas"),
    )
)
_NUMBER_SIGNS = ("多少", "多久", "几个", "幾個", "几次", "幾次", "いくつ", "何人", "何回", "몇")
_HOW = frozenset(("how", "wie", "hoe"))
_MUCH = frozenset(
    (
        *("many", "much", "long", "often", "far", "old", "tall", "big"),
        *("viel", "viele", "lange", "oft", "lang", "vaak"),
    )
)

_COUNTED = re.compile(
    r"\d|[二三四五六七八九十百千万萬兩两]"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand"
    r"|once|twice)\b",
    re.IGNORECASE,
)
_SOME_DAY = date(2000, 1, 1)
_OTHER_TIME = re.compile(
    r"\b(?:tomorrow|next\s+(?:week|weekend|month|year|summer|winter|spring|fall|autumn)"
    r"|(?:next\s+|coming\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|morgen|demain|mañana|domani|amanhã|завтра)\b"
    r"|明天|后天|明日|明後日|내일|모레|[下来來](?:个?月|周|週|星期|年)|明年|다음\s?[주달해]|내년"
    r"|[每毎](?:天|日|周|週|月|年|朝|晩)|매[일주월년]|[周週][一二三四五六日末]|星期[一二三四五六日天]"
    r"|[月火水木金土日]曜|[월화수목금토일]요일|[十二三]?[一二三四五六七八九十][日号]",
    re.IGNORECASE,
)
"""Times that :func:`days_in` does not read, since they are still to come, or come again."""


def is_question(text: str) -> bool:
    """Say whether a text ends by asking something."""
    return text.rstrip().endswith(QUESTION_MARKS)


def terms_only_asked(text: str) -> tuple[str, ...]:
    """Give the terms of a text that stand in its questions and nowhere else in it, each once."""
    if not any(mark in text for mark in QUESTION_MARKS):
        return ()
    asked, said = list[str](), set[str]()
    for sentence in _SENTENCE.findall(text):
        if is_question(sentence):
            asked += terms_of(sentence)
        else:
            said.update(terms_of(sentence))
    return tuple(term for term in dict.fromkeys(asked) if term not in said)


def wanted_by(words: Sequence[str]) -> Telling | None:
    """Say what a question wants to be told, by its words in their order; None for neither."""
    opening = words[:_OPENING_WORDS]
    if _TIME.intersection(opening) or _has_sign(opening, _TIME_SIGNS):
        return "time"
    if _NUMBER.intersection(opening) or _has_sign(opening, _NUMBER_SIGNS):
        return "number"
    pairs = zip(opening, words[1:], strict=False)
    return "number" if any(one in _HOW and two in _MUCH for one, two in pairs) else None


def told_by(text: str) -> frozenset[Telling]:
    """Say what a text tells: a day or days that it names, a number."""
    told = set[Telling]()
    if days_in(text, _SOME_DAY) is not None or _OTHER_TIME.search(text) is not None:
        told.add("time")
    if _COUNTED.search(text) is not None:
        told.add("number")
    return frozenset(told)


def _has_sign(words: Sequence[str], signs: tuple[str, ...]) -> bool:
    return any(sign in word for word in words for sign in signs)
