"""Details that must not get lost, collected mechanically from what was said.

The law of this file: the time it takes grows with the length of a text and not faster, whatever
the text. A pattern begins only where a word does, and each of its parts has an upper bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.shortening import head_and_tail
from bot.core.turns import Turn
from bot.core.window.summary.exact import exact_details
from bot.core.window.summary.statements import GOAL, LABELS, NAME, PREFERENCE, statements_in

MOST_ITEMS = 60
MOST_CHARS = 2_400
"""How much is pinned of a chat. When it is full, bare numbers go first, then the details mentioned
longest ago; names, goals and preferences stay, since each of these kinds has a cap of its own."""

MOST_LOOKED_AT = 4 * MOST_ITEMS
"""So many details are told apart by their worth; those of older turns are among ``known``."""

_BARE_NUMBER = re.compile(r"[\d.,' ]+")

MOST_OF_A_KIND = {NAME: 4, GOAL: 2, PREFERENCE: 8}
"""Of each kind the newest stay: 14 items of 160 characters, so that details always have room."""

MOST_OF_A_REQUEST = 20
MOST_OF_A_REPLY = 8
"""What one text adds at most, so that a pasted log or a long list does not push out all before."""

SCANNED_CHARS = 10_000
"""Of longer texts the head and the tail are read."""


def collect_pinned(turns: tuple[Turn, ...], known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Collect names, goals, preferences and exact details; ``known`` are those of older turns.

    Statements come first, each behind the label of its kind, then details: within a kind the newest
    first, in a turn those of the request before those of the reply.
    """
    of_kind: dict[str, dict[str, None]] = {kind: {} for kind in LABELS}
    details: dict[str, None] = {}
    for turn in reversed(turns):
        for kind, statement in statements_in(_scanned(turn.request.text)):
            if len(of_kind[kind]) < MOST_OF_A_KIND[kind]:
                of_kind[kind].setdefault(f"{kind}{statement}")
        if len(details) < MOST_LOOKED_AT:
            details.update(dict.fromkeys(details_of(turn)))
    for item in known:
        kind = kind_of(item)
        if not kind:
            details.setdefault(item)
        elif len(of_kind[kind]) < MOST_OF_A_KIND[kind]:
            of_kind[kind].setdefault(item)
    statements = [item for kind in LABELS for item in of_kind[kind]]
    names = {value_of(item) for item in of_kind[NAME]}
    exact = [item for item in details if item not in names]
    exact.sort(key=_is_bare_number)  # stable: within both, the newest first
    return tuple(_capped([*statements, *exact]))


def details_of(turn: Turn) -> tuple[str, ...]:
    """Give the exact details of one turn, those of the request first."""
    request = exact_details(_scanned(turn.request.text), MOST_OF_A_REQUEST)
    reply = exact_details(_scanned(turn.reply), MOST_OF_A_REPLY)
    return tuple(dict.fromkeys((*request, *reply)))


def kind_of(item: str) -> str:
    """Give the label that a pinned item begins with, empty for an exact detail."""
    return next((label for label in LABELS if item.startswith(label)), "")


def value_of(item: str) -> str:
    """Give what must be found literally of a pinned item; empty where it is a whole clause."""
    kind = kind_of(item)
    return item.removeprefix(kind) if kind in ("", NAME) else ""


def missing_from(text: str, details: tuple[str, ...]) -> tuple[str, ...]:
    """Name the details that a text does not hold, whatever its spacing and case."""
    plain = _plain(text)
    return tuple(detail for detail in details if _plain(detail) not in plain)


def _is_bare_number(item: str) -> bool:
    """Say whether an item is digits and nothing else: of these a chat has the most."""
    return _BARE_NUMBER.fullmatch(item) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _scanned(text: str) -> str:
    return head_and_tail(text, SCANNED_CHARS, lambda _: "\n\n")


def _capped(items: list[str]) -> Iterator[str]:
    room = MOST_CHARS
    for item in items[:MOST_ITEMS]:
        room -= len(item)
        if room < 0:
            return
        yield item
