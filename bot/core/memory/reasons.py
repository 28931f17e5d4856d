"""What speaks for a piece of memory, in words for people.

The law of this file: it is kept in English, of which each clause is a key of its translations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.core.memory.facts import FactTopic
from bot.languages import gettext, gettext_noop

AROUND = gettext_noop("words around it")
MEANING = gettext_noop("meaning")
SPEAKER = gettext_noop("who said it")
DATE = gettext_noop("its date")
NOTHING_BETTER = gettext_noop("nothing better")

STANDING: dict[FactTopic, str] = {
    "name": gettext_noop("a name that is remembered of who writes"),
    "preference": gettext_noop("a preference that is remembered of who writes"),
    "environment": gettext_noop("an environment that is remembered of who writes"),
    "accessibility": gettext_noop("an accessibility need that is remembered of who writes"),
    "style": gettext_noop("a style that is remembered of who writes"),
    "other": gettext_noop("something that is remembered of who writes"),
}
"""Why a fact is always told, by its topic."""

_WORDS = gettext_noop("words: {words}")
_BETWEEN = "; "


def by_words(words: Sequence[str]) -> str:
    """Name words by which something was found."""
    return _WORDS.format(words=", ".join(words))


def why(reasons: Sequence[str]) -> str:
    """Put reasons together."""
    return _BETWEEN.join(reasons)


def reasons_in(kept: str) -> Iterator[str]:
    """Say the reasons of :func:`why` in the language that is spoken."""
    lead = _WORDS.partition("{")[0]
    for reason in filter(None, kept.split(_BETWEEN)):
        if reason.startswith(lead):
            yield gettext(_WORDS, words=reason.removeprefix(lead))
        else:
            yield gettext(reason)
