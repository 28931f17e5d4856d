"""Which language the bot speaks at this moment: that of whoever it is answering.

A task takes it over from the one that began it, as context variables do, so that it is set once:
where the event comes in that somebody caused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, get_args

Language = Literal["en", "zh", "ja"]
"""The languages of the built-in texts; Chinese is written in simplified characters."""

LANGUAGES: tuple[Language, ...] = get_args(Language)

_spoken: ContextVar[Language] = ContextVar("spoken", default="en")


def language_of(tag: str) -> Language:
    """Choose the language for whom a platform knows a BCP 47 tag of (``zh-hant-TW``, ``ja_JP``).

    English where the texts are not in theirs, and where the platform tells nothing.
    """
    primary = tag.replace("_", "-").partition("-")[0].lower()
    return next((language for language in LANGUAGES if language == primary), "en")


def spoken() -> Language:
    """Tell which language is spoken."""
    return _spoken.get()


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language within the block, and in all tasks that begin in it."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)
