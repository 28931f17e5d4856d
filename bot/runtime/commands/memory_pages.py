"""How what is remembered of somebody is laid out for them, on a phone too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.facts import Fact, FactTopic, stale_since
from bot.core.memory.items import Hit, ItemKind, MemoryItem, told_id
from bot.core.memory.keys import told_fact
from bot.core.memory.versions import FileVersion
from bot.core.quoting import one_line
from bot.ports import KeptOfChat
from bot.runtime.forgetting.parts import Proposal
from bot.runtime.nouns import how_many

FACTS_A_PAGE = 25
MOST_HIT_CHARS = 200

OFF = (
    "Memory is off here: nothing is added, and nothing is recalled. What was kept before stays "
    "until you forget it; `/memory on` switches it on."
)
NO_FACTS = "I remember no facts about you."
WAYS = (
    "`/memory search WORDS` looks through all of it, `/memory forget f12` (or words, a date, "
    "`all`) removes it, `/memory remember KEY: TEXT` adds to it, `/memory export` gives you a "
    "file, "
)
WAY_OFF, WAY_ON = "`/memory off` ends it here.", "`/memory on` begins it here."
NOTHING_FOUND = "Nothing that is remembered has to do with that."
NOT_ALL_YET = (
    "The index of what I remember is being made anew, so not all is found yet; ask again in a "
    "minute."
)
FOUND_FOOT = "`/memory forget` and what stands in front."

FAR_BELOW = 4
"""A hit that is so many times less likely what was looked for than the best one is not shown:
scores are calibrated (:mod:`bot.core.memory.relevance`)."""

TitleOf = Callable[[Audience], str]
"""Names a group as people know it; empty where nobody knows."""

_TOPICS: dict[FactTopic, str] = {
    "name": "Name",
    "accessibility": "Accessibility",
    "style": "How you like answers",
    "preference": "Preferences",
    "environment": "What you work with",
    "other": "Told to be remembered",
}
"""By topic its heading, in the order in which they are shown."""

_SOURCES: dict[ItemKind, str] = {
    "fact": "a fact",
    "episode": "the record of a session",
    "day": "a daily file",
    "note": "your notes",
    "turn": "said",
    "knowledge": "the knowledge base",
}

_MARKUP = re.compile(r"([\\`*\[\]<]|~(?=~)|^[>#]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;))")
"""Where signs are markup: not all of them everywhere, for somebody may read the escapes."""

_BULLETS = re.compile(r"(?:^|\.?\s*\n)[ \t]*[-*+] +")
_TURN = re.compile(r"(?:^turn:|#turn-)([0-9]{1,18})(?![0-9])")
_DAY = re.compile(r"/([0-9]{4}-[0-9]{2}-[0-9]{2})\.md")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Who looks, when and where.

    Attributes:
        now: In the time zone in which dates are told.
        title_of: Names the groups that facts were told in.
    """

    viewer: Viewer
    now: datetime
    title_of: TitleOf


def overview(
    scene: Scene, facts: tuple[Fact, ...], kept: KeptOfChat, *, page: int, is_on: bool
) -> str:
    """Lay out a page of what is known of the viewer, and how much is kept beside it.

    ``facts`` are those that the viewer may recall; the first page is 1, and too high a number is
    the last one.
    """
    own = [fact for fact in facts if fact.person_key == scene.viewer.person_key]
    own.sort(key=lambda fact: list(_TOPICS).index(fact.topic))
    pages = pages_of(len(own))
    page = min(max(page, 1), pages)
    lines = ["**What I remember about you**", ""] if own else [NO_FACTS, ""]
    if not is_on:
        lines += [OFF, ""]
    lines += _by_topic(scene, own[(page - 1) * FACTS_A_PAGE : page * FACTS_A_PAGE])
    if page < pages:
        lines += [f"Page {page} of {pages}; `/memory show {page + 1}` goes on.", ""]
    elif pages > 1:
        lines += [f"Page {page} of {pages}.", ""]
    if others := len(facts) - len(own):
        lines += [f"Of others in this group I remember {how_many(others, 'fact')}.", ""]
    lines += [_kept(scene, kept), "", WAYS + (WAY_OFF if is_on else WAY_ON)]
    return "\n".join(lines)


def pages_of(facts: int) -> int:
    """Say on how many pages facts are shown."""
    return max(1, -(-facts // FACTS_A_PAGE))


def fact_line(scene: Scene, fact: Fact) -> str:
    """Word a fact: its text, then when it was last said, where, and since when nobody did."""
    return f"{as_words(told_fact(fact.key, fact.text))} ({as_words(_about(scene, fact))})"


def plain_fact(scene: Scene, fact: Fact) -> str:
    """Word a fact without any markup."""
    told = one_line(told_fact(fact.key, fact.text), MOST_HIT_CHARS)
    return f"{told} ({_about(scene, fact)})"


def found(scene: Scene, hits: tuple[Hit, ...], *, is_all: bool = True) -> str:
    """Lay out what a search found, best first, each with what to write to be rid of it.

    ``is_all`` says whether all that is remembered could be looked through.
    """
    least = max((hit.score for hit in hits), default=0.0) / FAR_BELOW
    shown = [hit.item for hit in hits if hit.score >= least]
    lines = [_hit_line(scene, item) for item in shown]
    parts = ["\n".join(("**Found**", "", *lines))] if lines else [NOTHING_FOUND] * is_all
    if any(map(handle_of, shown)):
        parts.append(FOUND_FOOT)
    return "\n\n".join(parts if is_all else (*parts, NOT_ALL_YET))


def proposed(proposal: Proposal) -> str:
    """Say what would be forgotten: how much of each kind, and how it begins."""
    counts = (
        (proposal.facts, "fact"),
        (proposal.turns, "turn"),
        (proposal.episodes, "record of a session", "records of sessions"),
        (proposal.reminders, "reminder"),
        (proposal.lines, "line of memory files", "lines of memory files"),
    )
    much = ", ".join(how_many(*each) for each in counts if each[0])
    heads = (f"- {as_words(head)}" for head in proposal.heads)
    return "\n".join((f"Forget {much}? It cannot be brought back.", "", *heads)).rstrip()


def versions(name: str, kept: tuple[FileVersion, ...], zone: tzinfo) -> str:
    """List the former texts of a file, newest first."""
    lines = [
        f"- `{each.stamp}`: until {each.at.astimezone(zone):%Y-%m-%d %H:%M}, "
        f"{_size(each.size_bytes)}"
        for each in kept
    ]
    head = f"**Former texts of `{name}`**"
    way = f"`/memory restore {name} VERSION` brings one back; the present text is kept as well."
    return "\n".join((head, "", *lines, "", way))


def as_words(text: str) -> str:
    """Write a text that somebody gave on one line, so that no sign of it is markup."""
    words = _BULLETS.sub("; ", text).removeprefix("; ")
    return _MARKUP.sub(r"\\\1", one_line(words, MOST_HIT_CHARS))


def handle_of(item: MemoryItem) -> str:
    """Say what to write behind ``/memory forget`` to mean a piece; empty for no such word."""
    if item.kind == "fact":
        return told_id(item.ref)
    if turn := _TURN.search(item.id):
        return f"turn {turn[1]}"
    day = _DAY.search(item.ref)
    return "" if day is None else day[1]


def _by_topic(scene: Scene, facts: list[Fact]) -> Iterator[str]:
    for topic, heading in _TOPICS.items():
        of_topic = [fact for fact in facts if fact.topic == topic]
        if of_topic:
            yield from (f"**{heading}**", "")
            yield from (f"- `f{fact.id}` {fact_line(scene, fact)}" for fact in of_topic)
            yield ""


def _about(scene: Scene, fact: Fact) -> str:
    zone = scene.now.tzinfo
    parts = [f"{fact.confirmed_at.astimezone(zone):%Y-%m-%d}"]
    if fact.audience != scene.viewer.audience:
        parts.append(_group(scene, fact.audience))
    if (since := stale_since(fact, scene.now)) is not None:
        parts.append(f"unverified since {since.astimezone(zone):%Y-%m-%d}")
    return ", ".join(parts)


def _kept(scene: Scene, kept: KeptOfChat) -> str:
    counts = (
        how_many(kept.turns, "turn"),
        how_many(kept.sessions, "session"),
        how_many(kept.days, "day"),
    )
    here = f"Kept of this chat: {', '.join(counts)}."
    if scene.viewer.audience.kind == "group":
        return here
    return f"{here} What you said in groups is yours too, and part of a search and of the export."


def _hit_line(scene: Scene, item: MemoryItem) -> str:
    handle = handle_of(item)
    named = f"`{handle}` " if handle else ""
    is_headed = bool(item.title) and item.kind != "fact"
    under = f"{as_words(item.title)}: " if is_headed else ""
    text = told_fact(item.title, item.text) if item.kind == "fact" else item.text
    return f"- {named}{under}{as_words(text)} ({as_words(_about_piece(scene, item))})"


def _about_piece(scene: Scene, item: MemoryItem) -> str:
    zone, origin = scene.now.tzinfo, item.origin
    parts = [] if item.moment is None else [f"{item.moment.astimezone(zone):%Y-%m-%d}"]
    source = _SOURCES[item.kind]
    if item.kind == "turn":
        source = "my answer" if "#reply" in item.id else source
        source = f"said by {item.speaker}" if item.speaker else source
    parts.append(source)
    if origin.audience is not None and origin.audience != scene.viewer.audience:
        parts.append(_group(scene, origin.audience))
    if item.unverified_since is not None:
        parts.append(f"unverified since {item.unverified_since.astimezone(zone):%Y-%m-%d}")
    return ", ".join(parts)


def _group(scene: Scene, audience: Audience) -> str:
    title = " ".join(scene.title_of(audience).split())
    return f"in the group {title}" if title else "in a group"


def _size(size_bytes: int) -> str:
    return f"{size_bytes} bytes" if size_bytes < 1_000 else f"{size_bytes / 1000:.1f} kB"
