"""Forgetting: what somebody wants gone, what that means, and what became of it.

The law of this file: a wish is of one person, in one audience. In private they have what they said
anywhere and all of that chat forgotten, in a group what they said there; all that a group ever said
goes only at the wish of who may speak for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Literal, NewType

from bot.core.chat import ChatAddress
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import FactId
from bot.core.turns import TurnId
from bot.languages import Language

ForgettingId = NewType("ForgettingId", int)

WishKind = Literal["fact", "turn", "day", "words", "all"]

VALID_FOR = timedelta(days=1)
"""How long a proposal can be confirmed, as long as a button can be pressed."""

MOST_WISH_CHARS = 200

_FACT = re.compile(r"(?:f|fact[ :#]?)\s*([0-9]{1,18})", re.IGNORECASE)
_NAMED = re.compile(
    r"(?<![^\s,;])(?:f|fact[ :#]?|t|turn[ :#]?)\s*[0-9]{1,18}(?![^\s,;])", re.IGNORECASE
)
_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
_TURN = re.compile(r"(?:t|turn[ :#]?)\s*([0-9]{1,18})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants forgotten.

    Attributes:
        text: The number of a fact or turn, a day as ISO writes it, or the words; empty for all.
        of_everyone: What all in a group said is meant, not only what the person did.
    """

    kind: WishKind
    text: str = ""
    of_everyone: bool = False

    @property
    def number(self) -> int:
        """The id of the fact or turn; 0 for every other kind."""
        return int(self.text) if self.kind in ("fact", "turn") else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPart:
    """A turn that is meant, or which text blocks of its request are, by their places.

    Attributes:
        blocks: None for the whole turn.
        head: How it begins, for people: a line of the request.
    """

    turn_id: TurnId
    blocks: tuple[int, ...] | None = None
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantFact:
    """A version of a fact that is meant."""

    id: FactId
    text: str
    turn_id: TurnId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """What a wish means in the database.

    Attributes:
        facts: All versions.
        episodes: Records of sessions that go because of their words; those that cover a turn which
            goes, go besides.
    """

    parts: tuple[TurnPart, ...] = ()
    facts: tuple[MeantFact, ...] = ()
    episodes: tuple[EpisodeId, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is meant."""
        return not (self.parts or self.facts or self.episodes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much was removed, by layer.

    Attributes:
        turns: Turns of which the person's words, and the replies to these, were blanked.
        facts: Versions of facts.
        notes: Summaries, digests, task states and corrections.
        messages: Events and replies that were kept beside the turns.
        reminders: Reminders that were still to come.
        entries: Entries and lines of memory files.
        files: Files and older versions that went as a whole.
    """

    turns: int = 0
    facts: int = 0
    episodes: int = 0
    notes: int = 0
    messages: int = 0
    reminders: int = 0
    entries: int = 0
    files: int = 0

    def plus(self, other: Removed) -> Removed:
        """Add up."""
        names = (field.name for field in fields(Removed))
        return Removed(**{name: getattr(self, name) + getattr(other, name) for name in names})


NOTHING = Removed()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """What must be known of what is gone, to prove that it is.

    Attributes:
        needles: Runs of its words, each once, to be searched for on the disk.
        too_short: How many texts had no run that could be told from other words.
        lines: Texts of facts, which stand alone on lines of memory files.
        groups: Audiences whose files may have something of it, besides the one it was asked in.
        turn_ids: Turns that were blanked whole.
        watched: Turns that were being answered meanwhile, and may have said it once more.
    """

    needles: tuple[str, ...] = ()
    too_short: int = 0
    lines: tuple[str, ...] = ()
    groups: frozenset[Audience] = frozenset()
    turn_ids: frozenset[TurnId] = frozenset()
    watched: frozenset[TurnId] = frozenset()


NOTHING_GONE = Gone()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewForgetting:
    """A wish that was proposed to be carried out.

    Attributes:
        token: By which the person confirms it.
        meant: What was proposed; what else is meant by then is looked for when it is done.
    """

    wish: Wish
    viewer: Viewer
    token: str
    asked_at: datetime
    meant: Meant


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptPlace:
    """Where it is told what was forgotten.

    Attributes:
        for_person: The platform's user id of who alone should see it there; empty for everybody.
        language: In which who confirmed it was answered.
    """

    address: ChatAddress
    for_person: str = ""
    language: Language = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """A wish that was confirmed, on its way to the receipt.

    Attributes:
        removed: What is gone by now.
    """

    id: ForgettingId
    new: NewForgetting
    place: ReceiptPlace
    removed: Removed = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Where a needle was found on the disk: the file, as a path below the data folder.

    The needle is empty where the file could not be read.
    """

    needle: str
    file: str


def all_gone(parts: Iterable[Gone]) -> Gone:
    """Put together what is known; what several have once."""
    parts = tuple(parts)
    return Gone(
        needles=tuple(dict.fromkeys(needle for part in parts for needle in part.needles)),
        too_short=sum(part.too_short for part in parts),
        lines=tuple(dict.fromkeys(line for part in parts for line in part.lines)),
        groups=frozenset().union(*(part.groups for part in parts)),
        turn_ids=frozenset().union(*(part.turn_ids for part in parts)),
        watched=frozenset().union(*(part.watched for part in parts)),
    )


def read_wish(text: str, *, of_everyone: bool = False) -> Wish | None:
    """Read what somebody wrote: ``f12``, ``turn 34``, ``2026-11-30``, ``all``, or words.

    None for nothing, and for words so short that they would be found everywhere.
    """
    text = " ".join(text.split())[:MOST_WISH_CHARS]
    if text.casefold() in ("all", "everything"):
        return Wish(kind="all", of_everyone=of_everyone)
    kinds: tuple[tuple[WishKind, re.Pattern[str]], ...] = (("fact", _FACT), ("turn", _TURN))
    for kind, form in kinds:
        if found := form.fullmatch(text):
            return Wish(kind=kind, text=str(int(found[1])), of_everyone=of_everyone)
    if _is_day(text):
        return Wish(kind="day", text=text, of_everyone=of_everyone)
    if not _is_telling(text):
        return None
    return Wish(kind="words", text=text, of_everyone=of_everyone)


def read_wishes(text: str, *, of_everyone: bool = False) -> tuple[Wish, ...]:
    """Read several facts and turns that somebody named, ``f1, f2``, or the one wish that it is."""
    named = _NAMED.findall(text)
    if len(named) > 1 and not _NAMED.sub("", text).strip(" \t,;&+"):
        wishes = [read_wish(each, of_everyone=of_everyone) for each in named]
    else:
        wishes = [read_wish(text, of_everyone=of_everyone)]
    return tuple(dict.fromkeys(each for each in wishes if each is not None))


def folded(text: str) -> str:
    """Write a text as it is compared: without differences of case, width, and of blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def mentions(wish: Wish, *texts: str) -> bool:
    """Say whether a wish for words finds them in one of these texts, with accents or without."""
    if wish.kind != "words":
        return False
    words = _without_accents(wish.text)
    return any(words in _without_accents(text) for text in texts)


def _without_accents(text: str) -> str:
    """Fold a text as searching does, for which ``zurich`` is ``Zürich``."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", folded(text)))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_telling(text: str) -> bool:
    """Demand three letters or figures, of scripts without spaces one."""
    signs = [each for each in text if each.isalnum()]
    return len(signs) >= 3 or any(ord(each) >= 0x2E80 for each in signs)
