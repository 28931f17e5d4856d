r"""Where a text may be cut without taking a visible character apart.

The law of this file: never a boundary that Unicode does not have, sometimes one less. The rules
are those of extended grapheme clusters, made stricter where the standard library lacks a property
table: nothing is cut behind a joiner, or between the members of an Indic conjunct.

Source: Unicode Standard Annex #29, "Unicode Text Segmentation", rules GB3 to GB13; the tests hold
it against the ``\X`` of the ``regex`` package.
"""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"
_FIRST_SPECIAL = "\u0300"  # below it, only CR LF belongs together
_LONGEST = 256  # code points; what is longer no reader can tell apart, and it may be endless
_VIRAMA = 9  # canonical combining class
_EXTENDING_CATEGORIES = frozenset({"Mn", "Me", "Mc"})
_SPACING_LETTERS = frozenset("\u0e33\u0eb3")  # Thai and Lao AM, written as one with what precedes
_PREPENDED = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a84\U00011a85"
    "\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46"
)


def first_boundary(text: str, low: int) -> int:
    """Find the end of the visible character that begins at ``low``."""
    position = low + 1
    while not is_boundary(text, position, low) and position - low < _LONGEST:
        position += 1
    return min(position, len(text))


def floor_boundary(text: str, low: int, position: int) -> int:
    """Find the last boundary at or before ``position`` and not before ``low``, itself one."""
    for candidate in range(position, max(low, position - _LONGEST), -1):
        if is_boundary(text, candidate, low):
            return candidate
    return low if position - low <= _LONGEST else position


def is_boundary(text: str, position: int, low: int = 0) -> bool:
    """Say whether a visible character ends before ``position``, looking back to ``low`` at most."""
    if not low < position < len(text):
        return True
    before, after = text[position - 1], text[position]
    if after < _FIRST_SPECIAL:
        return not (before == "\r" and after == "\n") and before not in _PREPENDED
    if before in "\r\n":
        return True
    return not (
        before == _JOINER
        or before in _PREPENDED
        or _extends(after)
        or _is_conjunct(text, position, low)
        or _is_hangul_pair(before, after)
        or _is_surrogate_pair(before, after)
        or (_is_flag(after) and _flags_before(text, position, low) % 2 == 1)
    )


def _extends(character: str) -> bool:
    """Say whether a character belongs to the one before it: marks, joiners, skin tones, tags."""
    return (
        unicodedata.category(character) in _EXTENDING_CATEGORIES
        or character in "\u200c\u200d\uff9e\uff9f"
        or character in _SPACING_LETTERS
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_conjunct(text: str, position: int, low: int) -> bool:
    """Say whether a letter follows a virama, perhaps with other marks between (Devanagari kSSa)."""
    if unicodedata.category(text[position]) != "Lo":
        return False
    position -= 1
    while position > low and _extends(text[position]):
        if unicodedata.combining(text[position]) == _VIRAMA:
            return True
        position -= 1
    return False


def _is_hangul_pair(before: str, after: str) -> bool:
    """Say whether two parts of a Korean syllable stand together (rules GB6 to GB8)."""
    left, right = _hangul_kind(before), _hangul_kind(after)
    match left:
        case "L":
            return right in ("L", "V", "LV", "LVT")
        case "LV" | "V":
            return right in ("V", "T")
        case "LVT" | "T":
            return right == "T"
        case _:
            return False


def _hangul_kind(character: str) -> str:
    if "\uac00" <= character <= "\ud7a3":
        return "LV" if (ord(character) - 0xAC00) % 28 == 0 else "LVT"
    if "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c":
        return "L"
    if "\u1160" <= character <= "\u11a7" or "\ud7b0" <= character <= "\ud7c6":
        return "V"
    if "\u11a8" <= character <= "\u11ff" or "\ud7cb" <= character <= "\ud7fb":
        return "T"
    return ""


def _is_surrogate_pair(before: str, after: str) -> bool:
    """Say whether two halves stand together, as broken decoders leave them in a ``str``."""
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, position: int, low: int) -> int:
    """Count the regional indicators that stand directly before a position: two make a flag."""
    first = position
    while first > low and _is_flag(text[first - 1]):
        first -= 1
    return position - first
