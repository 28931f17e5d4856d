"""Phrases in a row and sentences one behind the other, with the marks of the language spoken.

The law of this file: what is put together is said already, and whole by itself; a word that only
has a meaning beside others belongs into one sentence with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from bot.languages.texts import gettext


def in_a_row(phrases: Iterable[str]) -> str:
    """Enumerate phrases: ``1 turn, 2 facts``."""
    return gettext(", ").join(phrases)


def in_commas(phrases: Iterable[str]) -> str:
    """Say one thing after the other of something: ``yesterday, in a group``."""
    said = tuple(phrases)
    return reduce(_continued, said) if said else ""


def in_clauses(phrases: Iterable[str]) -> str:
    """Enumerate what has commas itself: ``first, or so; second``."""
    return gettext("; ").join(phrases)


def all_of(phrases: Iterable[str]) -> str:
    """Say that each is meant, of few: ``this and that``."""
    return gettext(" and ").join(phrases)


def one_behind_the_other(*sentences: str) -> str:
    """Put whole sentences into one paragraph; empty ones are none."""
    said = [each for each in sentences if each]
    return reduce(_followed, said) if said else ""


def _continued(before: str, after: str) -> str:
    return gettext("{before}, {after}", before=before, after=after)


def _followed(before: str, after: str) -> str:
    return gettext("{before} {after}", before=before, after=after)
