"""Summaries and records without a language model: heads of what was said, from the request.

The offline demo model and the pretended models of tests answer with it, so that everything around
them runs without a vendor.
"""

from __future__ import annotations

import json
import re

from bot.core.quoting import one_line, sections_in
from bot.core.window.summary.pinned import missing_from
from bot.core.window.summary.plan import KEY_POINT_TURNS, SUMMARISER
from bot.core.window.summary.sessions import BEFORE, RECORDER

_TURN = re.compile(r"turn (\d+), (request|tools|reply|exact details)")
_HEAD_CHARS = 80
_OVERVIEW_CHARS = 300
_OLDER_CHARS = 60


def is_summary_request(system: str) -> bool:
    """Say whether these are the instructions of the summariser."""
    return system == SUMMARISER


def extractive_answer(request_text: str) -> str:
    """Answer a summary's request with JSON made of heads of texts and all exact details."""
    notes: list[str] = []
    turns: dict[int, dict[str, str]] = {}
    for label, text in sections_in(request_text):
        if found := _TURN.fullmatch(label):
            turns.setdefault(int(found[1]), {})[found[2]] = text
        elif not label.endswith("stays"):
            notes.append(one_line(text, _OVERVIEW_CHARS))
    older = list(turns.values())[: max(0, len(turns) - KEY_POINT_TURNS)]
    notes += [one_line(parts.get("request", ""), _OLDER_CHARS) for parts in older]
    overview = " · ".join(notes) or ("Nothing of note." if older else "")
    answer = {
        "overview": overview,
        "turns": [_noted(number, parts) for number, parts in turns.items()],
    }
    return json.dumps(answer, ensure_ascii=False)


def is_record_request(system: str) -> bool:
    """Say whether these are the instructions of the recorder of sessions."""
    return system == RECORDER


def extractive_record(request_text: str) -> str:
    """Answer a recorder's request with JSON made of heads of texts: nothing is judged in it."""
    before, turns = "", dict[int, dict[str, str]]()
    for label, text in sections_in(request_text):
        if found := _TURN.fullmatch(label):
            turns.setdefault(int(found[1]), {})[found[2]] = text
        elif label == BEFORE:
            before = one_line(text, _OVERVIEW_CHARS)
    asked = [one_line(parts.get("request", ""), _HEAD_CHARS) for parts in turns.values()]
    replies = [one_line(parts.get("reply", ""), _HEAD_CHARS) for parts in turns.values()]
    said = " · ".join(filter(None, [before, *asked[:1], *asked[-1:]]))
    answer = {
        "summary": said or "Nothing of note.",
        "attempted": [*dict.fromkeys(filter(None, asked))],
        "succeeded": [*filter(None, replies[-1:])],
        "failed": [],
        "decisions": [],
        "open_tasks": [],
    }
    return json.dumps(answer, ensure_ascii=False)


def _noted(number: int, parts: dict[str, str]) -> dict[str, object]:
    asked = one_line(parts.get("request", ""), _HEAD_CHARS)
    answered = one_line(parts.get("reply", ""), _HEAD_CHARS)
    details = tuple(filter(None, parts.get("exact details", "").split("\n")))
    return {
        "turn": number,
        "decisions": [],
        "information": [*filter(None, [asked]), *missing_from(f"{asked}\n{answered}", details)],
        "actions": [*filter(None, [answered])],
        "open_questions": [],
    }
