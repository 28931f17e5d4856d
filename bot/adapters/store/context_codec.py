"""What is kept of a chat's context, as JSON text and back.

The law of ``codec`` holds here too: every name is spelled out by hand. A field that a text does not
have, written by an earlier version, has its default.
"""

from __future__ import annotations

from typing import Any

from bot.adapters.store.codec import decoded, json_text, micros_of, moment_of, text_in
from bot.adapters.store.episode_codec import data_of_opening, opening_in
from bot.core.edits import Correction
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction, Cut, KeyPoints, Summary

_Data = dict[str, Any]  # JSON as it was read: each reader below says what it expects in it


def encode_cut(cut: Cut) -> str:
    """Write a cut."""
    return json_text(
        {
            "kept_from": cut.kept_from,
            "cleared_before": cut.cleared_before,
            "text_through": cut.text_through,
            "capped_through": cut.capped_through,
            "summary_version": cut.summary_version,
            "digest": cut.digest,
            "turns_left": cut.turns_left,
            "opening": None if cut.opening is None else data_of_opening(cut.opening),
            "recalled_from": cut.recalled_from,
        }
    )


def decode_cut(text: str) -> Cut:
    """Read a cut.

    Raises:
        StoreUnreadable: It is no such text. So say all readers here.
    """
    return decoded(text, _cut)


def encode_compaction(compaction: Compaction) -> str:
    """Write what was compacted."""
    return json_text(
        {
            "kind": compaction.kind,
            "at": micros_of(compaction.at),
            "turns_left": compaction.turns_left,
            "tokens_before": compaction.tokens_before,
            "tokens_after": compaction.tokens_after,
        }
    )


def decode_compaction(text: str) -> Compaction:
    """Read what was compacted."""
    return decoded(text, _compaction)


def encode_task(task: TaskState) -> str:
    """Write the state of a task."""
    return json_text({"goal": task.goal, "done": task.done, "remaining": task.remaining})


def decode_task(text: str) -> TaskState:
    """Read the state of a task."""
    return decoded(text, _task)


def encode_summary(summary: Summary) -> str:
    """Write what a summary says and how far; its version is its row's."""
    return json_text(
        {
            "generation": summary.generation,
            "through": summary.through,
            "overview": summary.overview,
            "key_points": [_of_points(points) for points in summary.key_points],
            "pinned": summary.pinned,
            "made_at": micros_of(summary.made_at),
        }
    )


def decode_summary(text: str) -> Summary:
    """Read a summary, all but its version."""
    return decoded(text, _summary)


def encode_correction(correction: Correction) -> str:
    """Write what somebody changed."""
    return json_text({"before": correction.before, "after": correction.after})


def decode_correction(text: str) -> Correction:
    """Read what somebody changed."""
    return decoded(text, _correction)


def _correction(data: _Data) -> Correction:
    return Correction(before=text_in(data, "before"), after=text_in(data, "after"))


def _cut(data: _Data) -> Cut:
    return Cut(
        kept_from=TurnId(_count(data["kept_from"])),
        cleared_before=TurnId(_count(data["cleared_before"])),
        text_through=TurnId(_count(data.get("text_through", 0))),
        capped_through=TurnId(_count(data.get("capped_through", 0))),
        summary_version=_count(data.get("summary_version", 0)),
        digest=text_in({"digest": "", **data}, "digest"),
        turns_left=_count(data.get("turns_left", 0)),
        opening=None if data.get("opening") is None else opening_in(data["opening"]),
        recalled_from=TurnId(_count(data.get("recalled_from", data["cleared_before"]))),
    )


def _compaction(data: _Data) -> Compaction:
    return Compaction(
        kind=data["kind"],
        at=moment_of(data["at"]),
        turns_left=_count(data["turns_left"]),
        tokens_before=_count(data["tokens_before"]),
        tokens_after=_count(data["tokens_after"]),
    )


def _task(data: _Data) -> TaskState:
    return TaskState(
        goal=text_in(data, "goal"), done=_texts(data["done"]), remaining=_texts(data["remaining"])
    )


def _summary(data: _Data) -> Summary:
    return Summary(
        generation=_count(data["generation"]),
        through=TurnId(_count(data["through"])),
        overview=text_in(data, "overview"),
        key_points=tuple(_points(each) for each in data["key_points"]),
        pinned=_texts(data["pinned"]),
        made_at=moment_of(data["made_at"]),
    )


def _of_points(points: KeyPoints) -> _Data:
    return {
        "turn_id": points.turn_id,
        "decisions": points.decisions,
        "information": points.information,
        "actions": points.actions,
        "open_questions": points.open_questions,
    }


def _points(data: _Data) -> KeyPoints:
    return KeyPoints(
        turn_id=TurnId(_count(data["turn_id"])),
        decisions=_texts(data["decisions"]),
        information=_texts(data["information"]),
        actions=_texts(data["actions"]),
        open_questions=_texts(data["open_questions"]),
    )


def _count(number: object) -> int:
    if not isinstance(number, int):
        raise TypeError("no number")
    return number


def _texts(texts: object) -> tuple[str, ...]:
    if not isinstance(texts, list):
        raise TypeError("no list")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("no texts")
    return tuple(texts)
