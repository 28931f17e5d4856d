"""What is planted in private places: each piece under a word that is nowhere else.

The law of this file: who may see a piece is said here once more, in other words than the bot's own
rule has, so that a fault of that rule is not one of its test too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bot.core.chat import ChatAddress, ChatKind, PersonKey, Sender
from bot.core.memory.audience import Audience

PlaceKind = Literal[
    "message",
    "edit",
    "quotation",
    "forwarded",
    "file",
    "reply",
    "undelivered",
    "tool result",
    "long result",
    "task",
    "overheard",
    "told fact",
    "commanded fact",
    "former fact",
    "extracted fact",
    "summary",
    "digest",
    "episode",
    "daily",
    "note",
    "former note",
    "reminder",
]
"""Every kind of place in which something of a chat is kept."""

SAID: frozenset[PlaceKind] = frozenset(
    {
        "message",
        "edit",
        "told fact",
        "commanded fact",
        "former fact",
        "extracted fact",
        "reminder",
    }
)
"""Places in which words stand that are one person's own."""

NOBODY = PersonKey("")

_WORD = re.compile(r"Q(?:[bdfgklmnprtvz][aeiou]){5}")

_SYLLABLES = tuple(a + b for a in "bdfgklmnprtvz" for b in "aeiou")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A conversation that people can see.

    Attributes:
        realm: Where user ids are unique, as a person's; empty where they are global.
    """

    channel: str
    account: str
    chat: str
    kind: ChatKind
    thread: str = ""
    realm: str = ""

    @property
    def address(self) -> ChatAddress:
        """Give its address."""
        return ChatAddress(
            channel=self.channel, account=self.account, chat=self.chat, thread=self.thread
        )

    @property
    def audience(self) -> Audience:
        """Say who can see it: threads make no difference."""
        return Audience(channel=self.channel, account=self.account, chat=self.chat, kind=self.kind)

    def person(self, user: str) -> Sender:
        """Give somebody who writes there."""
        return Sender(channel=self.channel, realm=self.realm, user_id=user, name=f"Person {user}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A piece of what is kept.

    Attributes:
        word: Stands in it, and in no other.
        audience: Of where it was said; None for everybody.
        said_by: Whose own words it has; empty for nobody's.
        owner: Whose private chat it was said in; empty for a group.
    """

    word: str
    kind: PlaceKind | Literal["knowledge"]
    audience: Audience | None
    said_by: PersonKey = NOBODY
    owner: PersonKey = NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Something that was shown, or given to a model.

    Attributes:
        path: By which way of asking.
        audience: Those who can see it; None for what an operator takes out of the bot for
            ``person``.
        person: Whose private chat it is; empty in a group.
    """

    path: str
    audience: Audience | None
    person: PersonKey
    text: str

    @property
    def who(self) -> str:
        """Name those who see it."""
        of = self.audience
        return f"{of.channel}/{of.account}/{of.chat}" if of else f"operator, of {self.person}"


def may_be_seen(planted: Planted, seen: Seen) -> bool:
    """Say by MEM-9 whether a piece may stand in something that was shown."""
    if planted.audience is None or planted.audience == seen.audience:
        return True
    if seen.audience is None and planted.owner != NOBODY:
        return planted.owner == seen.person
    is_shared = seen.audience is not None and seen.audience.kind == "group"
    is_private = planted.audience.kind == "private"
    return not (is_shared or is_private) and planted.said_by == seen.person != NOBODY


def words_in(text: str) -> frozenset[str]:
    """Give the planted words that stand in a text."""
    return frozenset(_WORD.findall(text))


def marked_words() -> Iterator[str]:
    """Give words of no language, each once, none of which is part of another."""
    source = random.Random(1)  # noqa: S311 - nothing is kept secret
    given: set[str] = set()
    while True:
        word = "Q" + "".join(source.choice(_SYLLABLES) for _ in range(5))
        if word not in given:
            given.add(word)
            yield word
