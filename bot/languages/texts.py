"""Sentences in the language that is spoken.

A sentence has its values by name, ``{name}``: other languages need them in another order. One
without values is said as it stands, braces and all.
"""

from __future__ import annotations

import gettext as catalogues
from functools import cache
from pathlib import Path

from bot.languages.speaking import Language, spoken

DOMAIN = "daybook"
FOLDER = Path(__file__).resolve().parent


def gettext(sentence: str, /, **values: object) -> str:
    """Say a sentence in the language that is spoken, in English where it has no translation.

    Raises:
        KeyError: A value is missing that the sentence names.
    """
    said = _catalogue(spoken()).gettext(sentence) if sentence else ""  # which is its header's key
    return said.format(**values) if values else said


def ngettext(one: str, many: str, count: int, /, **values: object) -> str:
    """Say a sentence about so many things, which it may name as ``{count}``.

    Raises:
        KeyError: A value is missing that the sentence names.
    """
    sentence = _catalogue(spoken()).ngettext(one, many, count)
    return sentence.format(count=count, **values)


def gettext_noop(sentence: str) -> str:
    """Mark a sentence that is translated where it is said, not where it stands."""
    return sentence


@cache
def _catalogue(language: Language) -> catalogues.NullTranslations:
    """Read the sentences of a language; English ones are their own translations."""
    if language == "en":
        return catalogues.NullTranslations()
    return catalogues.translation(DOMAIN, FOLDER, languages=[language])
