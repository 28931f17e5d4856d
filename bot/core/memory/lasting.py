"""What ``MEMORY.md`` says of lasting facts and of past sessions, line by line.

The law of this file: it says what the rows say and nothing else, each fact of one audience only.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from bot.core.chat import PersonKey
from bot.core.memory.daily import plain_line
from bot.core.memory.episodes import Episode
from bot.core.memory.facts import Fact, FactTopic, stale_since
from bot.core.memory.keys import told_fact

MOST_SESSIONS = 20
"""So many past sessions are told, each in a line."""

_HEADINGS: Mapping[FactTopic, str] = {
    "name": "Name",
    "preference": "Preferences",
    "environment": "Technical environment",
    "accessibility": "Accessibility",
    "style": "Style",
    "other": "Other",
}
_SESSIONS = "Sessions"


def lasting_lines(
    facts: tuple[Fact, ...],
    episodes: tuple[Episode, ...],
    *,
    names: Mapping[PersonKey, str],
    now: datetime,
) -> tuple[str, ...]:
    """Give the lines of the block: facts by topic, then sessions, the newest of each first.

    Args:
        facts: Those of one audience that hold.
        episodes: Of the same one.
        names: What people are called, where several of them are told of.
        now: The moment, in the time zone whose days the dates are.
    """
    lines: list[str] = []
    newest_first = sorted(facts, key=lambda each: each.confirmed_at, reverse=True)
    for topic, heading in _HEADINGS.items():
        of_topic = [each for each in newest_first if each.topic == topic]
        if of_topic:
            lines += _headed(heading, [_fact_line(each, names, now) for each in of_topic], lines)
    told = sorted(episodes, key=lambda each: each.ended_at, reverse=True)[:MOST_SESSIONS]
    if told:
        sessions = [
            f"- {_day(each.ended_at, now)} {plain_line(each.account.summary)}" for each in told
        ]
        lines += _headed(_SESSIONS, sessions, lines)
    return tuple(lines)


def _headed(heading: str, lines: list[str], before: list[str]) -> list[str]:
    return [*([""] if before else []), f"## {heading}", "", *lines]


def _fact_line(fact: Fact, names: Mapping[PersonKey, str], now: datetime) -> str:
    name = plain_line(names.get(fact.person_key, ""))
    since = stale_since(fact, now)
    return "".join(
        (
            f"- {_day(fact.confirmed_at, now)} ",
            f"{name}: " if name else "",
            plain_line(told_fact(fact.key, fact.text)),
            f" (unverified since {_day(since, now)})" if since is not None else "",
        )
    )


def _day(moment: datetime, now: datetime) -> date:
    return moment.astimezone(now.tzinfo).date()
