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
from bot.core.quoting import one_line
from bot.languages import gettext, gettext_noop, ngettext
from bot.languages.rows import in_a_row, in_commas, one_behind_the_other
from bot.ports import KeptOfChat
from bot.runtime.forgetting.parts import Proposal

FACTS_A_PAGE = 25
MOST_HIT_CHARS = 200

OFF = gettext_noop(
    "Memory is off here: nothing is added, and nothing is recalled. What was kept before stays "
    "until you forget it; `/memory on` switches it on."
)
NO_FACTS = gettext_noop("I remember no facts about you.")
WAYS_WHILE_ON = gettext_noop(
    "`/memory search WORDS` looks through all of it, `/memory forget f12` (or words, a date, "
    "`all`) removes it, `/memory remember KEY: TEXT` adds to it, `/memory export` gives you a "
    "file, `/memory off` ends it here."
)
WAYS_WHILE_OFF = gettext_noop(
    "`/memory search WORDS` looks through all of it, `/memory forget f12` (or words, a date, "
    "`all`) removes it, `/memory remember KEY: TEXT` adds to it, `/memory export` gives you a "
    "file, `/memory on` begins it here."
)
NOTHING_FOUND = gettext_noop("Nothing that is remembered has to do with that.")
NOT_ALL_YET = gettext_noop(
    "The index of what I remember is being made anew, so not all is found yet; ask again in a "
    "minute."
)
FOUND_FOOT = gettext_noop("`/memory forget` and what stands in front.")

FAR_BELOW = 4
"""A hit that is so many times less likely what was looked for than the best one is not shown:
scores are calibrated (:mod:`bot.core.memory.relevance`)."""

TitleOf = Callable[[Audience], str]
"""Names a group as people know it; empty where nobody knows."""

_TOPICS: dict[FactTopic, str] = {
    "name": gettext_noop("Name"),
    "accessibility": gettext_noop("Accessibility"),
    "style": gettext_noop("How you like answers"),
    "preference": gettext_noop("Preferences"),
    "environment": gettext_noop("What you work with"),
    "other": gettext_noop("Told to be remembered"),
}
"""By topic its heading, in the order in which they are shown."""

_SOURCES: dict[ItemKind, str] = {
    "fact": gettext_noop("a fact"),
    "episode": gettext_noop("the record of a session"),
    "day": gettext_noop("a daily file"),
    "note": gettext_noop("your notes"),
    "turn": gettext_noop("said"),
    "knowledge": gettext_noop("the knowledge base"),
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
    lines = [gettext("**What I remember about you**") if own else gettext(NO_FACTS), ""]
    if not is_on:
        lines += [gettext(OFF), ""]
    lines += _by_topic(scene, own[(page - 1) * FACTS_A_PAGE : page * FACTS_A_PAGE])
    if page < pages:
        lines += [_goes_on(page, pages), ""]
    elif pages > 1:
        lines += [gettext("Page {page} of {pages}.", page=page, pages=pages), ""]
    if others := len(facts) - len(own):
        lines += [_of_others(others), ""]
    lines += [_kept(scene, kept), "", gettext(WAYS_WHILE_ON if is_on else WAYS_WHILE_OFF)]
    return "\n".join(lines)


def pages_of(facts: int) -> int:
    """Say on how many pages facts are shown."""
    return max(1, -(-facts // FACTS_A_PAGE))


def fact_line(scene: Scene, fact: Fact) -> str:
    """Word a fact: its text, then when it was last said, where, and since when nobody did."""
    words = as_words(told_fact(fact.key, fact.text))
    return gettext("{text} ({about})", text=words, about=as_words(_about(scene, fact)))


def plain_fact(scene: Scene, fact: Fact) -> str:
    """Word a fact without any markup."""
    told = one_line(told_fact(fact.key, fact.text), MOST_HIT_CHARS)
    return gettext("{text} ({about})", text=told, about=_about(scene, fact))


def found(scene: Scene, hits: tuple[Hit, ...], *, is_all: bool = True) -> str:
    """Lay out what a search found, best first, each with what to write to be rid of it.

    ``is_all`` says whether all that is remembered could be looked through.
    """
    least = max((hit.score for hit in hits), default=0.0) / FAR_BELOW
    shown = [hit.item for hit in hits if hit.score >= least]
    lines = [_hit_line(scene, item) for item in shown]
    parts = [gettext(NOTHING_FOUND)] * is_all
    if lines:
        parts = ["\n".join((gettext("**Found**"), "", *lines))]
    if any(map(handle_of, shown)):
        parts.append(gettext(FOUND_FOOT))
    return "\n\n".join(parts if is_all else (*parts, gettext(NOT_ALL_YET)))


def proposed(proposal: Proposal) -> str:
    """Say what would be forgotten: how much of each kind, and how it begins."""
    much = in_a_row(_parts_of(proposal))
    question = gettext("Forget {much}? It cannot be brought back.", much=much)
    heads = (f"- {as_words(head)}" for head in proposal.heads)
    return "\n".join((question, "", *heads)).rstrip()


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
            yield from (f"**{gettext(heading)}**", "")
            yield from (f"- `f{fact.id}` {fact_line(scene, fact)}" for fact in of_topic)
            yield ""


def _about(scene: Scene, fact: Fact) -> str:
    zone = scene.now.tzinfo
    parts = [f"{fact.confirmed_at.astimezone(zone):%Y-%m-%d}"]
    if fact.audience != scene.viewer.audience:
        parts.append(_group(scene, fact.audience))
    if (since := stale_since(fact, scene.now)) is not None:
        parts.append(_unverified(since, zone))
    return in_commas(parts)


def _unverified(since: datetime, zone: tzinfo | None) -> str:
    return gettext("unverified since {day}", day=f"{since.astimezone(zone):%Y-%m-%d}")


def _goes_on(page: int, pages: int) -> str:
    return gettext(
        "Page {page} of {pages}; `/memory show {next}` goes on.",
        page=page,
        pages=pages,
        next=page + 1,
    )


def _of_others(facts: int) -> str:
    return ngettext(
        "Of others in this group I remember {count} fact.",
        "Of others in this group I remember {count} facts.",
        facts,
    )


def _kept(scene: Scene, kept: KeptOfChat) -> str:
    counts = (
        ngettext("{count} turn", "{count} turns", kept.turns),
        ngettext("{count} session", "{count} sessions", kept.sessions),
        ngettext("{count} day", "{count} days", kept.days),
    )
    here = gettext("Kept of this chat: {counts}.", counts=in_a_row(counts))
    if scene.viewer.audience.kind == "group":
        return here
    elsewhere = gettext(
        "What you said in groups is yours too, and part of a search and of the export."
    )
    return one_behind_the_other(here, elsewhere)


def _parts_of(proposal: Proposal) -> Iterator[str]:
    """Count what would be forgotten, kind by kind, but for kinds of which there is nothing."""
    counted = (
        (proposal.facts, ngettext("{count} fact", "{count} facts", proposal.facts)),
        (proposal.turns, ngettext("{count} turn", "{count} turns", proposal.turns)),
        (
            proposal.episodes,
            ngettext(
                "{count} record of a session", "{count} records of sessions", proposal.episodes
            ),
        ),
        (
            proposal.reminders,
            ngettext("{count} reminder", "{count} reminders", proposal.reminders),
        ),
        (
            proposal.lines,
            ngettext(
                "{count} line of memory files", "{count} lines of memory files", proposal.lines
            ),
        ),
    )
    return (words for count, words in counted if count)


def _hit_line(scene: Scene, item: MemoryItem) -> str:
    handle = handle_of(item)
    named = f"`{handle}` " if handle else ""
    is_headed = bool(item.title) and item.kind != "fact"
    under = f"{as_words(item.title)}: " if is_headed else ""
    text = told_fact(item.title, item.text) if item.kind == "fact" else item.text
    about = as_words(_about_piece(scene, item))
    told = gettext("{text} ({about})", text=f"{under}{as_words(text)}", about=about)
    return f"- {named}{told}"


def _about_piece(scene: Scene, item: MemoryItem) -> str:
    zone, origin = scene.now.tzinfo, item.origin
    parts = [] if item.moment is None else [f"{item.moment.astimezone(zone):%Y-%m-%d}"]
    parts.append(_source(item))
    if origin.audience is not None and origin.audience != scene.viewer.audience:
        parts.append(_group(scene, origin.audience))
    if item.unverified_since is not None:
        parts.append(_unverified(item.unverified_since, zone))
    return in_commas(parts)


def _source(item: MemoryItem) -> str:
    if item.kind == "turn" and item.speaker:
        return gettext("said by {name}", name=item.speaker)
    if item.kind == "turn" and "#reply" in item.id:
        return gettext("my answer")
    return gettext(_SOURCES[item.kind])


def _group(scene: Scene, audience: Audience) -> str:
    title = " ".join(scene.title_of(audience).split())
    return gettext("in the group {title}", title=title) if title else gettext("in a group")
