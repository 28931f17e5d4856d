"""What memory consists of once it is to be searched: pieces of text, each with its origin.

A *ref* names what pieces are made of and follow when it changes: a fact, a turn, a file. One ref
has any number of pieces, each with an id that begins with the ref.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NewType

from bot.core.chat import SessionKey
from bot.core.memory.audience import Origin

ItemKind = Literal["fact", "episode", "day", "note", "turn", "knowledge"]
"""``day`` is an entry of a daily file, ``note`` what a person wrote into ``MEMORY.md``."""

ItemRef = NewType("ItemRef", str)
"""``fact:12``, ``episode:3``, ``turn:34``, ``file:<folder>/2026-11-30.md``, ``knowledge:a/b.md``:
of the database the first three, of folders the others."""

FILE, KNOWLEDGE = "file:", "knowledge:"

OF_FOLDERS = (FILE, KNOWLEDGE)
"""How refs, and so ids, begin of what is read from folders."""

ItemId = NewType("ItemId", str)
"""A ref, alone or with ``#`` and what tells its pieces apart: ``turn:34#0``, ``turn:34#reply``."""


_NO_SESSION = SessionKey("")
_FACT, _FACT_TOLD = re.compile(r"fact:([0-9]{1,18})"), re.compile(r"f([0-9]{1,18})")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """A piece of memory as it is now.

    Attributes:
        text: What it says, without its date and its speaker; Markdown of at most some hundred
            words, longer texts are several pieces.
        moment: When it was said or, of a fact, last confirmed, in the time zone in which people's
            days begin and end, so that its date is theirs; None for what has no date.
        speaker: The name of who said it, empty for none.
        title: Headings it stands under, or a fact's key; empty for none.
        thread: What belongs together in an order, and so is a hint at what else is relevant: a day
            of a chat, a file; empty for what stands alone.
        place: Its place in that order.
        unverified_since: Of a fact that was not confirmed for long: since when; else None.
        session_key: The conversation that it tells of; empty for none, or where it is not known.
        first: The oldest turn that it tells of, ``through`` the newest; both 0 for none.
    """

    id: ItemId
    ref: ItemRef
    kind: ItemKind
    text: str
    origin: Origin
    moment: datetime | None = None
    speaker: str = ""
    title: str = ""
    thread: str = ""
    place: int = 0
    unverified_since: datetime | None = None
    session_key: SessionKey = _NO_SESSION
    first: int = 0
    through: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A piece that answers a question.

    Attributes:
        score: From 0 to 1, calibrated: see :mod:`bot.core.memory.relevance`.
        why: What it was found by, in some words for people: no text of the piece.
    """

    item: MemoryItem
    score: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """That something about a ref is new, changed or gone; of a ref only the newest change is kept.

    Attributes:
        seq: Grows with every change.
    """

    seq: int
    ref: ItemRef


def told_id(item_id: str) -> str:
    """Write an id as people write it, a fact's as ``f12``; others stay as they are."""
    return _FACT.sub(r"f\1", item_id) if _FACT.fullmatch(item_id) else item_id


def read_id(told: str) -> str:
    """Read what :func:`told_id` wrote."""
    return _FACT_TOLD.sub(r"fact:\1", told) if _FACT_TOLD.fullmatch(told) else told
