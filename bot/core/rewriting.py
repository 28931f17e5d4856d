"""What follows when an ended turn was rewritten: its summary, its digest, its daily file.

The law of this file: what was made of a turn says what the turn says now, or when that changed;
of a message that was taken back it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.core.edits import Correction, now_reads
from bot.core.memory.daily import time_of
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import user_text
from bot.core.quoting import written
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.core.window.shapes import as_text
from bot.core.window.summary.digest import make_digest
from bot.core.window.summary.pinned import collect_pinned
from bot.core.window.summary.render import entry_text, mechanical_points, phrases_of

LEAST_DIGEST_TOKENS = 500
_CHANGED_LEAD = "changed on "


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """An ended turn whose request was changed.

    Attributes:
        turn: As it is now.
        correction: What of its request was changed.
        at: When the bot learned of it.
    """

    turn: Turn
    correction: Correction
    at: datetime


def rederived(
    cut: Cut, summary: Summary | None, rewriting: Rewriting, left: tuple[Turn, ...]
) -> tuple[Cut, Summary | None]:
    """Say what stands for turns that left a window, one of them having been rewritten.

    A summary that covers an edited message says when it was changed, and into what. Of a deleted
    message the key points are noted anew without a model; where it went into the overview, which
    cannot be taken apart, the whole summary goes, and is to be written anew.

    Args:
        cut: What was decided about the chat.
        summary: The summary that it shows.
        rewriting: The turn as it is now.
        left: The newest turns that left since the last clear, as they are now, oldest first.
    """
    turn = rewriting.turn
    if not cut.cleared_before <= turn.id < cut.kept_from:
        return cut, summary
    had_summary = summary is not None
    if summary is not None and turn.id <= summary.through:
        has_words = bool(rewriting.correction.after)
        summary = _corrected(summary, rewriting) if has_words else _without(summary, rewriting)
    if had_summary and summary is not None and not cut.digest:
        return cut, summary
    return _noted_anew(cut, summary, left), summary


def forgotten(
    cut: Cut,
    summary: Summary | None,
    turn_ids: frozenset[TurnId],
    left: tuple[Turn, ...],
    is_meant: Callable[..., bool],
) -> tuple[Cut, Summary | None]:
    """Say what stands for turns that left a window, words of some of them having been forgotten.

    A summary goes whole: what it says of one turn may be what it knows from another one. Until it
    is written anew, the note that is made without a model stands.

    Args:
        cut: What was decided about the chat.
        summary: The summary that it shows.
        turn_ids: The turns of which words are gone.
        left: The newest turns that left since the last clear, as they are now, oldest first.
        is_meant: Says of texts that were made of others whether they go as well.
    """
    covers = any(cut.cleared_before <= each < cut.kept_from for each in turn_ids)
    says = is_meant(cut.digest) if cut.digest else False
    if summary is not None:
        points = (phrase for each in summary.key_points for phrase in phrases_of(each))
        says = says or is_meant(summary.overview, *points, *summary.pinned)
    if not (covers or says):
        return cut, summary
    return _noted_anew(cut, None, left), None


def amended(entry: MemoryEntry, rewriting: Rewriting, *, is_written: bool) -> MemoryEntry:
    """Say what the daily file is to get of a remembered turn that was rewritten.

    An edit is a dated line of its own. Of a deletion nothing is left of what the file had of the
    turn: it is noted anew without a model.

    Args:
        entry: The newest entry of the turn; its text may be gone once the file has it.
        rewriting: The turn as it is now.
        is_written: Whether the file surely has the entry.
    """
    turn = rewriting.turn
    if not rewriting.correction.after:
        text = written(entry_text(mechanical_points(turn), time_of(entry.text)))
        return replace(entry, moment=turn.started_at, text=text, revision=turn.revision)
    line = f"- {_dated(rewriting)}"
    later = max(rewriting.at, entry.moment + timedelta(microseconds=1))
    if is_written:
        return replace(entry, moment=later, text=line, revision=0)
    whole = f"{entry.text}\n{line}"
    if entry.moment == turn.started_at:
        return replace(entry, text=whole, revision=turn.revision)
    return replace(entry, moment=later, text=whole)


def _noted_anew(cut: Cut, summary: Summary | None, left: tuple[Turn, ...]) -> Cut:
    """Note the turns that left and that no summary covers once more, without a model."""
    through, pinned = (0, ()) if summary is None else (summary.through, summary.pinned)
    uncovered = tuple(as_text(each) for each in left if each.id > through)
    digest = make_digest(
        uncovered,
        collect_pinned(uncovered, pinned),
        max_tokens=max(LEAST_DIGEST_TOKENS, _roughly_tokens(cut.digest)),
        count=_roughly_tokens,
    )
    version = cut.summary_version if summary is not None else 0
    return replace(cut, digest=digest, summary_version=version)


def _corrected(summary: Summary, rewriting: Rewriting) -> Summary:
    """Note a correction as something known of its turn."""
    turn_id, line = rewriting.turn.id, _dated(rewriting)
    points = list(summary.key_points)
    index = next((n for n, each in enumerate(points) if each.turn_id == turn_id), None)
    if index is None:
        points.append(KeyPoints(turn_id=turn_id, information=(line,)))
    else:
        known = points[index]
        points[index] = replace(known, information=(*known.information, line))
    pinned = _pinned_anew(summary.pinned, rewriting)
    return replace(summary, key_points=tuple(points), pinned=pinned)


def _without(summary: Summary, rewriting: Rewriting) -> Summary | None:
    """Take a turn's words out of a summary; None where they cannot be told apart."""
    turn = rewriting.turn
    noted = tuple(each for each in summary.key_points if each.turn_id == turn.id)
    if not noted or all(map(_is_correction, noted)):
        return None
    anew = mechanical_points(turn)
    points = tuple(anew if each.turn_id == turn.id else each for each in summary.key_points)
    return replace(summary, key_points=points, pinned=_pinned_anew(summary.pinned, rewriting))


def _is_correction(points: KeyPoints) -> bool:
    """Say whether nothing but corrections is noted of a turn, whose words are in the overview."""
    phrases = phrases_of(points)
    return bool(phrases) and all(phrase.startswith(_CHANGED_LEAD) for phrase in phrases)


def _pinned_anew(pinned: tuple[str, ...], rewriting: Rewriting) -> tuple[str, ...]:
    """Let go of the exact details of what was said before, and pin those of what is said now."""
    before, after = rewriting.correction.before, rewriting.correction.after
    of_before = frozenset(collect_pinned((_saying(rewriting.turn, before),)))
    kept = tuple(item for item in pinned if item not in of_before)
    return collect_pinned((_saying(rewriting.turn, after),) if after else (), kept)


def _saying(turn: Turn, text: str) -> Turn:
    return replace(turn, request=user_text(text), steps=())


def _dated(rewriting: Rewriting) -> str:
    return f"{_CHANGED_LEAD}{rewriting.at:%Y-%m-%d}: {now_reads(rewriting.correction)}"


def _roughly_tokens(text: str) -> int:
    """Take three bytes for a token: rather too many, in every language."""
    return len(text.encode("utf-8", "surrogatepass")) // 3 + 1
