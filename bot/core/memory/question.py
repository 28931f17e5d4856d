"""What is asked of memory, and what of it can be looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from bot.core.memory.asking import Telling, wanted_by
from bot.core.memory.days import Days, days_in
from bot.core.memory.stop_words import SELF_SIGNS, SELF_WORDS, STOP_WORDS
from bot.core.memory.terms import terms_of_word, words_of

MOST_WORDS = 32
"""Of a question that are looked for; of a longer text the rest would cost more than it finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Words to be searched for.

    Attributes:
        asked_on: The day on which it is asked, where the asker is: what *yesterday* counts from.
        asked_by: The name of who asks, whom *I* and *my* mean; empty where it is not known.
    """

    text: str
    asked_on: date
    asked_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoughtWord:
    """A word of a question that may be found, or be the name of somebody who spoke.

    Attributes:
        terms: What it is found by: one stem, or the signs and pairs of a script without spaces.
    """

    word: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a question asks for.

    Attributes:
        words: Each once, in their order, without those that say nothing.
        myself: The words of the asker's name, where the question is about who asks.
        days: When it was said, or happened; None where the question names no time.
        wanted: What is to be told; None where that is not a time or a number.
    """

    words: tuple[SoughtWord, ...]
    myself: tuple[str, ...]
    days: Days | None
    wanted: Telling | None = None


def read_question(question: Question) -> Sought:
    """Take a question apart. One that has nothing but stop words is looked for by these."""
    spoken = words_of(question.text)
    words = list(dict.fromkeys(spoken))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return Sought(
        words=tuple(
            SoughtWord(word=word, terms=tuple(dict.fromkeys(terms_of_word(word))))
            for word in telling[:MOST_WORDS]
        ),
        myself=tuple(words_of(question.asked_by)) if _is_about_asker(words) else (),
        days=days_in(question.text, question.asked_on),
        wanted=wanted_by(spoken),
    )


def without_names(text: str, names: frozenset[str]) -> str:
    """Leave words out of a text, and what makes them possessive: *Ann's dog* becomes *dog*."""
    if not names:
        return text
    alternatives = "|".join(map(re.escape, sorted(names)))
    plain = re.sub(rf"\b(?:{alternatives})\b(?:['’]s)?", " ", text, flags=re.IGNORECASE)
    return " ".join(plain.split()) or text


def _is_about_asker(words: list[str]) -> bool:
    return any(word in SELF_WORDS or word.startswith(SELF_SIGNS) for word in words)
