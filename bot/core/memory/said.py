"""Who said what of a turn's request.

The law of this file: words are a person's where the bot heard them say it, and nowhere else. What
their message replies to, what it passes on of others, what its files brought and what was said
before it are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.chat import ChatKind, InboundMessage, PersonKey
from bot.core.reminders.wording import without_lead

_LABEL = re.compile(r"\[(?:picture|document|sound|video)\b[^\[\]\n]*\](?:\n|\Z)")
_FORWARDED = re.compile(r"Forwarded from [^\n]*:\n  ")
_NO_TEXT = "(no text)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text block of a turn's request that somebody said.

    Attributes:
        block: Its place among the blocks, from 0.
        person_key: Who said it; empty where that is not known.
        name: What people call them; empty likewise.
    """

    block: int
    person_key: PersonKey
    name: str


def said_in(messages: tuple[InboundMessage, ...], first: int = 0) -> tuple[Said, ...]:
    """Say who said the blocks of a request made of messages, the first at block ``first``."""
    return tuple(
        Said(block=place, person_key=each.sender.person_key, name=each.sender.name)
        for place, each in enumerate(messages, first)
    )


def moved(said: tuple[Said, ...], places: Mapping[int, int]) -> tuple[Said, ...]:
    """Let what was said stand where its blocks stand now, by where they stood before."""
    return tuple(replace(each, block=places.get(each.block, each.block)) for each in said)


def own_words(text: str, kind: ChatKind) -> tuple[str, str]:
    """Give the speaker's name that stands in a block, and their own words alone.

    The name is empty in a private chat, where none stands there; so are the words of a message
    that had none, or that passes on somebody else's. What :func:`~bot.core.lifecycle.worded` put
    around them goes: the quotation that the message replies to, labels of files, the indentation of
    a group; so does what a scheduled prompt tells of itself. A quotation that a person writes above
    their own words cannot be told from that, and goes too.
    """
    name, words = _apart(without_lead(text), kind)
    return name, "" if _FORWARDED.match(words) else _written(words)


def passed_on(text: str, kind: ChatKind) -> str:
    """Give the words of somebody else that a message passes on; empty where it has its own."""
    _, words = _apart(text, kind)
    found = _FORWARDED.match(words)
    return _written(words[found.end() :].replace("\n  ", "\n")) if found else ""


def _apart(text: str, kind: ChatKind) -> tuple[str, str]:
    """Give the speaker's name and their message, without a quotation above it."""
    words = _without_quotation(text)
    if kind == "group":
        label, colon, rest = words.partition(": ")
        if colon:
            return label.partition("#")[0], rest.replace("\n  ", "\n")
    return "", words


def _written(words: str) -> str:
    while found := _LABEL.match(words):
        words = words[found.end() :]
    words = words.strip()
    return "" if words == _NO_TEXT else words


def _without_quotation(text: str) -> str:
    if not text.startswith("> "):
        return text
    lines = text.split("\n")
    end = next((n for n, line in enumerate(lines) if not line.startswith(">")), len(lines))
    rest = "\n".join(lines[end + 1 :])
    return rest if end < len(lines) and not lines[end] and rest.strip() else text
