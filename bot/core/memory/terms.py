"""The terms by which texts are found: stems of words, and signs of scripts without spaces.

The law of this file: a text and a question about it are taken apart by the same function, so that
what was written can be found as it was written. Terms consist of letters, marks and digits alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise

MOST_TERM_CHARS = 64
"""Longer words are no words; what begins alike is found alike."""

_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
_POSSESSIVES = re.compile(r"(?<=[^\W_])['’]s\b")

UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    r"\uac00-\ud7af\U00020000-\U0003ffff]"  # Hangul, whose words end in particles; rarer Han
)
"""A sign of a script that does not tell words apart."""

_VOWEL = re.compile(r"[aeiouy]")
_LEAST_STEM_CHARS = 3

_IRREGULAR = {
    form: base
    for base, forms in {
        "buy": "bought",
        "catch": "caught",
        "choose": "chose chosen",
        "drive": "drove driven",
        "eat": "ate eaten",
        "feel": "felt",
        "find": "found",
        "fly": "flew flown",
        "get": "got gotten",
        "give": "gave given",
        "do": "does did done",
        "go": "goes going went gone",
        "grow": "grew grown",
        "hear": "heard",
        "keep": "kept",
        "know": "knew known",
        "leave": "left",
        "lose": "lost",
        "make": "made",
        "meet": "met",
        "pay": "paid",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "speak": "spoke spoken",
        "spend": "spent",
        "swim": "swam swum",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "wear": "wore worn",
        "win": "won",
        "write": "wrote written",
        "child": "children",
        "man": "men",
        "woman": "women",
        "foot": "feet",
        "tooth": "teeth",
    }.items()
    for form in forms.split()
}


def terms_of(text: str) -> list[str]:
    """Give the terms of a text in their order, each as often as it stands there."""
    return [term for word in words_of(text) for term in terms_of_word(word)]


def words_of(text: str) -> list[str]:
    """Give the words of a text in small letters, without accents on Latin letters.

    A run of a script that has no spaces is one word.
    """
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", _POSSESSIVES.sub("", text)).lower())
    whole = unicodedata.normalize("NFKC", plain)
    return [word[:MOST_TERM_CHARS] for word in _word_pattern().findall(whole)]


def terms_of_word(word: str) -> Iterator[str]:
    """Give what one of :func:`words_of` is found by: its stem, or its signs and their pairs."""
    for is_unspaced, run in groupby(word, key=lambda sign: UNSPACED.match(sign) is not None):
        signs = "".join(run)
        if not is_unspaced:
            yield stem(signs)
            continue
        yield from signs
        yield from map("".join, pairwise(signs))


def stem(word: str) -> str:
    """Take the endings of English off a word in small letters; others stay as they are.

    Light on purpose: plurals, tenses and adverbs, and the irregular forms of common words. Porter's
    rules, which go on to ``-ation`` and ``-ness``, find no more (``docs/adr/0030``).
    """
    if not (word.isascii() and word.isalpha()):
        return word
    word = _IRREGULAR.get(word, word)
    if len(word) <= _LEAST_STEM_CHARS:
        return word
    word = _without_tense(_without_plural(word))
    if word.endswith("ly") and len(word) - 2 > _LEAST_STEM_CHARS:
        word = word[:-2]
    if word.endswith("y") and len(word) > _LEAST_STEM_CHARS and word[-2] not in "aeiou":
        return f"{word[:-1]}i"
    return word[:-1] if word.endswith("e") and len(word) > _LEAST_STEM_CHARS else word


@cache
def _word_pattern() -> re.Pattern[str]:
    r"""Match letters, digits and marks: Python's ``\w`` leaves out vowels of Hindi."""
    marks = "".join(
        chr(code)
        for code in range(0x300, 0x10000)
        if unicodedata.category(chr(code)) in ("Mn", "Mc")
    )
    return re.compile(rf"(?:[^\W_]|[{re.escape(marks)}])+")


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 1 + _LEAST_STEM_CHARS else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _LEAST_STEM_CHARS and _VOWEL.search(rest):
            is_doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if is_doubled else rest
    return word
