"""What is kept of a chat's context, as JSON text and back.

The law of ``codec`` holds here too: every name is spelled out by hand. A field that a text does not
have, written by an earlier version, has its default.
"""

from __future__ import annotations

from typing import Any

from bot.adapters.store.codec import decoded, json_text, micros_of, moment_of
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
        }
    )


def decode_cut(text: str | None) -> Cut:
    """Read a cut; without one nothing was ever decided.

    Raises:
        StoreError: It is no such text. So say all readers here.
    """
    return decoded(text, _cut) if text else Cut()


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


def _cut(data: _Data) -> Cut:
    return Cut(
        kept_from=TurnId(data["kept_from"]),
        cleared_before=TurnId(data["cleared_before"]),
        text_through=TurnId(data.get("text_through", 0)),
        capped_through=TurnId(data.get("capped_through", 0)),
        summary_version=data.get("summary_version", 0),
        digest=data.get("digest", ""),
        turns_left=data.get("turns_left", 0),
    )


def _compaction(data: _Data) -> Compaction:
    return Compaction(
        kind=data["kind"],
        at=moment_of(data["at"]),
        turns_left=data["turns_left"],
        tokens_before=data["tokens_before"],
        tokens_after=data["tokens_after"],
    )


def _task(data: _Data) -> TaskState:
    return TaskState(
        goal=data["goal"], done=tuple(data["done"]), remaining=tuple(data["remaining"])
    )


def _summary(data: _Data) -> Summary:
    return Summary(
        generation=data["generation"],
        through=TurnId(data["through"]),
        overview=data["overview"],
        key_points=tuple(_points(each) for each in data["key_points"]),
        pinned=tuple(data["pinned"]),
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
        turn_id=TurnId(data["turn_id"]),
        decisions=tuple(data["decisions"]),
        information=tuple(data["information"]),
        actions=tuple(data["actions"]),
        open_questions=tuple(data["open_questions"]),
    )
