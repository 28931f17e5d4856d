"""The words of a text, by which it is known again in another one."""

from __future__ import annotations

import re

from bot.core.memory.terms import UNSPACED

_SIGN_OR_WORD = re.compile(rf"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern})[^\W_])+")


def wording_of(text: str) -> str:
    """Give the words of a text in small letters, each between two spaces, without other signs.

    Of scripts that do not tell words apart each sign is one.
    """
    return f" {' '.join(_SIGN_OR_WORD.findall(text.casefold()))} "


def says(whole: str, part: str) -> bool:
    """Say whether all words of one wording stand in another, whole and in a row; none always do."""
    return part in whole or not part.strip()
