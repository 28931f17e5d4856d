"""What people, groups and files call themselves, made fit to be shown beside other words.

The law of this file: a name is chosen by whoever bears it. So nothing in it may turn the direction
of what stands around it, hide, break a line, or pose as another speaker.
"""

from __future__ import annotations

import re
import unicodedata

NOBODY = "someone"

MOST_CHARS_IN_LINE = 64

MOST_NUMBER_CHARS = 6
"""So much of a user's id tells them from a namesake: of digits a million, which are two tokens."""

_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols by their category, and nothing to be seen: fillers of Hangul, an empty
pattern of Braille."""

_MARKS_OF_LABELS = re.compile(
    r"[:#\[\]\u02d0\u02f8\u2236\ua789\ufe13\ufe30\ufe55\uff1a\ufe5f\uff03]"
)
"""What ends a speaker's name or begins their number, or stands around the bot's own remarks; with
look-alikes."""

_NUMBERED = re.compile(
    rf"^(?=\S)([^\n:#\[\]]{{1,{MOST_CHARS_IN_LINE}}})#[^\W_]{{1,{MOST_NUMBER_CHARS}}}(?=: )",
    re.MULTILINE,
)

_SEPARATORS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain_name(name: str, otherwise: str = NOBODY) -> str:
    """Keep of a name what is seen of it, on one line; ``otherwise`` where that is nothing."""
    spaced = _SEPARATORS.sub(" ", name)
    shown = " ".join("".join(each for each in spaced if not _is_hidden(each)).split())
    return shown if any(_is_seen(each) for each in shown) else otherwise


def name_in_line(name: str) -> str:
    """Keep a name from posing as several lines of the conversation, or as another speaker."""
    shown = plain_name(_MARKS_OF_LABELS.sub(" ", name))
    return plain_name(shown[:MOST_CHARS_IN_LINE])


def speaker(name: str, user_id: str) -> str:
    """Name who speaks so that no two people of one name are one: ``Ann#394711``.

    ``user_id`` is the platform's, of which the end is enough; where it is empty there is no number.
    The same person has the same number everywhere, and nobody can have it in their name.
    """
    number = "".join(each for each in user_id if each.isalnum())[-MOST_NUMBER_CHARS:]
    return f"{name_in_line(name)}#{number}" if number else name_in_line(name)


def without_numbers(text: str) -> str:
    """Write a text of the conversation for people, who are not told by a number who speaks.

    Whose own words begin as ``Ann#394711:`` does is shown without that number as well.
    """
    return _NUMBERED.sub(r"\1", text)


def _is_hidden(character: str) -> bool:
    """Tell controls, marks of direction, joiners, half characters and blanks from letters."""
    return character in _BLANK_LETTERS or unicodedata.category(character) in ("Cc", "Cf", "Cs")


def _is_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPSC"  # "C" is left of private use alone
