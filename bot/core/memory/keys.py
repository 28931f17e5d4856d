"""Keys of facts, and when two statements say the same: by their words, with rules one can name.

The law of this file: two spellings of a key meet, two different keys never do. What it cannot tell
is left apart, since a fact that ends another one is worse than one that stands beside it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

MOST_KEY_CHARS = 40
MOST_KEY_WORDS = 5

_WORD = re.compile(r"\w+(?:[.+#'-]\w+)*[+#]*")
_POSSESSIVE = re.compile(r"'s\b")

_NO_PART_OF_KEYS = re.compile("an?|the|my|your|his|her|their|our|users?|of|for|to|is|s")
_NO_PART_OF_STATEMENTS = re.compile(
    "an?|the|i|i'm|i've|me|my|mine|he|him|his|she|hers?|they|them|theirs?|users?|person|speaker"
    "|is|are|am|was|be|been|being|do|does|has|have|had|now|currently|that|this|s"
)
_SAME_WORDS = {
    "preferred": "favorite",
    "favorit": "favorite",
    "grey": "gray",
    "programme": "program",
    "centre": "center",
    "theatre": "theater",
}
"""Another spelling of the same word, or a word that people use for it in a key."""


def key_of(words: str) -> str:
    """Write a key as it is kept: ``My favourite colours`` is ``favorite color``.

    Small letters; without articles and possessives; plurals as their singular, British spellings
    as American ones. Empty where no word is left. What was given is kept as it is.
    """
    kept = (each for each in _words(words) if not _NO_PART_OF_KEYS.fullmatch(each))
    key = ""
    for word in islice(kept, MOST_KEY_WORDS):
        longer = f"{key} {_plain_word(word[:MOST_KEY_CHARS])}".lstrip()
        if len(longer) > MOST_KEY_CHARS:
            break
        key = longer
    return key


def matching_key(key: str, known: tuple[str, ...]) -> str:
    """Give the known key that has the same words in any order, else the key itself.

    Keys are as :func:`key_of` writes them. A key with one word more is another one: the name of a
    dog is not a name.
    """
    if key in known:
        return key
    words = sorted(key.split())
    return next((each for each in known if sorted(each.split()) == words), key)


def told_fact(key: str, text: str) -> str:
    """Word a fact so that it says what it is about: ``editor: emacs``.

    What its key says is left out where the text has all words of that: ``Uses the editor Emacs.``
    """
    known = {_plain_word(each) for each in _words(text)}
    is_said = all(_plain_word(each) in known or each in known for each in _words(key))
    return text if is_said else f"{key}: {text}"


def same_statement(old: str, new: str) -> bool:
    """Say whether two statements have the same words, but for form: who, is, now, a plural.

    Words that turn a statement round, such as *not*, and numbers tell statements apart; so does
    every detail that only one of them has.
    """
    return _meaning_of(old) == _meaning_of(new)


def _meaning_of(statement: str) -> list[str]:
    words = _words(statement)
    kept = [_plain_word(each) for each in words if not _NO_PART_OF_STATEMENTS.fullmatch(each)]
    return sorted(kept) if kept else words


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return _WORD.findall(_POSSESSIVE.sub(" ", folded))


def _plain_word(word: str) -> str:
    """Give one spelling to a word of which there are several."""
    if not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    if len(word) > 4 and word.endswith("our"):  # colour, favour, neighbour; four, hour, tour stay
        word = f"{word[:-3]}or"
    word = word.replace("vourite", "vorite")
    return _SAME_WORDS.get(word, word)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and word[-2] not in "siu":
        return word[:-1]
    return word
