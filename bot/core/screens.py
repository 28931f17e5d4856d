"""What people are shown beside the chat, where a platform has a place for it: a form, a page.

The law of this file: plain text, without any markup, so that nothing anybody wrote can become a
command to a platform; how it looks is for the channel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FieldKind = Literal["number", "choice", "word"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """A setting to be filled in.

    Attributes:
        description: One sentence about it.
        value: As it holds now, as text; empty where nothing is set.
        source: Whose value that is, in words.
        left_empty: What holds when nothing is filled in, in words.
        least: The smallest number that it may be; None for no number.
        most: The largest one; None where there is none.
        choices: All that it may be, where it is one of a few.
        is_of_groups: It belongs to a group as a whole, not to all chats.
    """

    key: str
    description: str
    kind: FieldKind
    value: str
    source: str
    left_empty: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    is_of_groups: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A command that a page offers, in the words of its button."""

    label: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of a page, with what can be done about that line alone."""

    text: str
    wish: Wish


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page: lines, then rows; ``wishes`` are what can be done about all it shows."""

    title: str
    lines: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    wishes: tuple[Wish, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """What one person is shown of themselves; ``may_configure``: also the form of settings."""

    sections: tuple[Section, ...]
    may_configure: bool = False
