"""The summariser's answer: read, checked before it replaces anything, and made a summary."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.core.quoting import objects_in, one_line, written
from bot.core.turns import TurnId
from bot.core.window.conversation import KeyPoints, Summary
from bot.core.window.summary.pinned import missing_from
from bot.core.window.summary.plan import SummaryPlan
from bot.core.window.summary.render import phrases_of, points_line

LEAST_TOKENS = 400
"""A summary may have as many even if it replaces less: a few short words have no shorter form."""

MOST_TOKENS = 3_000
"""Longest overview and new key points together."""

MOST_PHRASES = 40
MOST_PHRASE_CHARS = 1_000
MOST_OVERVIEW_CHARS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a summariser wrote, well formed but not checked."""

    overview: str
    turns: tuple[KeyPoints, ...]


def read_draft(text: str) -> Draft | None:
    """Read the JSON that was asked for, bare, in a fence or among words; None if there is none."""
    for read in objects_in(text):
        if (draft := _draft(read)) is not None:
            return draft
    return None


def audit(draft: Draft | None, plan: SummaryPlan, count: Callable[[str], int]) -> tuple[str, ...]:
    """Say what is wrong with a draft, each fault a sentence for the summariser; empty if nothing.

    It has to be read, to note every turn and no other, to say something, to hold the exact details
    of its turns, and to be smaller than what it replaces.
    """
    if draft is None:
        return ("It is not the JSON object that was asked for.",)
    faults = _faults_of_turns(draft, plan)
    if plan.needs_overview and not draft.overview:
        faults.append('"overview" is empty.')
    if not plan.needs_overview and not any(phrases_of(points) for points in draft.turns):
        faults.append("It says nothing.")
    said = [phrase for points in draft.turns for phrase in phrases_of(points)]
    if plan.needs_overview:
        said.append(draft.overview)
    if missing := missing_from("\n".join(said), plan.required):
        items = json.dumps(missing, ensure_ascii=False)
        faults.append(f"These exact details are missing: {items}")
    tokens = _kept_tokens(draft, plan, count)
    limit = min(MOST_TOKENS, max(LEAST_TOKENS, plan.replaced_tokens))
    if tokens > limit:
        faults.append(f"It is too long: about {tokens} tokens, where {limit} are the most.")
    return tuple(faults)


def correction(faults: tuple[str, ...]) -> str:
    """Ask once more, saying what was wrong."""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return f"Your answer cannot be used:\n{listed}\nWrite the whole JSON object again, corrected."


def apply(draft: Draft, plan: SummaryPlan, made_at: datetime) -> Summary:
    """Make a summary of a draft without faults; the store will give it its version."""
    of_turn = {points.turn_id: points for points in draft.turns}
    newest = tuple(of_turn[turn_id] for turn_id in plan.turn_ids if turn_id in plan.key_ids)
    return Summary(
        generation=plan.generation,
        through=plan.turn_ids[-1],
        overview=draft.overview if plan.needs_overview else "",
        key_points=(*plan.carried, *newest),
        pinned=plan.pinned,
        made_at=made_at,
    )


def _faults_of_turns(draft: Draft, plan: SummaryPlan) -> list[str]:
    given = [points.turn_id for points in draft.turns]
    missed = [str(turn_id) for turn_id in plan.turn_ids if turn_id not in given]
    unknown = [str(turn_id) for turn_id in dict.fromkeys(given) if turn_id not in plan.turn_ids]
    faults = []
    if missed:
        faults.append(f'"turns" has nothing for {", ".join(missed)}.')
    if unknown:
        faults.append(f'"turns" has {", ".join(unknown)}, which were not given.')
    if len(set(given)) < len(given):
        faults.append('"turns" has a number twice.')
    return faults


def _kept_tokens(draft: Draft, plan: SummaryPlan, count: Callable[[str], int]) -> int:
    kept = (points for points in draft.turns if points.turn_id in plan.key_ids)
    overview = count(draft.overview) if plan.needs_overview else 0
    return overview + sum(count(points_line(points)) for points in kept)


def _draft(read: dict[str, object]) -> Draft | None:
    overview, turns = read.get("overview"), read.get("turns")
    if not isinstance(overview, str) or not isinstance(turns, list):
        return None
    points = [_points(each) for each in turns]
    if None in points:
        return None
    return Draft(
        overview=one_line(written(overview), MOST_OVERVIEW_CHARS),
        turns=tuple(each for each in points if each is not None),
    )


def _points(read: object) -> KeyPoints | None:
    if not isinstance(read, dict):
        return None
    turn = read.get("turn")
    if isinstance(turn, str) and turn.isascii() and turn.isdigit():
        turn = int(turn[:20])
    if not isinstance(turn, int) or isinstance(turn, bool):
        return None
    return KeyPoints(
        turn_id=TurnId(turn),
        decisions=_phrases(read.get("decisions")),
        information=_phrases(read.get("information")),
        actions=_phrases(read.get("actions")),
        open_questions=_phrases(read.get("open_questions")),
    )


def _phrases(read: object) -> tuple[str, ...]:
    if isinstance(read, str):
        read = [read]
    if not isinstance(read, list):
        return ()
    texts = (each for each in read[:MOST_PHRASES] if isinstance(each, str))
    phrases = (one_line(written(text), MOST_PHRASE_CHARS) for text in texts)
    return tuple(phrase for phrase in phrases if phrase)
