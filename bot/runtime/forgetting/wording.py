"""What a person is told of what was forgotten: numbers and places, never the words."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.memory.forgetting import Removed, Trace
from bot.runtime.nouns import how_many

_LAYERS = (
    ("turns", "turn", "turns"),
    ("facts", "fact", "facts"),
    ("episodes", "record of a session", "records of sessions"),
    ("notes", "summary or note", "summaries and notes"),
    ("messages", "undelivered or unread message", "undelivered or unread messages"),
    ("reminders", "reminder", "reminders"),
    ("entries", "line of memory files", "lines of memory files"),
)
_MOST_PLACES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What the search of the disk has shown.

    Attributes:
        is_searched: The disk was searched to its end.
        is_index_new: The search index was emptied.
        is_quiet: Nothing that the person goes on saying was left out.
        needles: How many runs of words were searched for.
        too_short: How many texts had none that could be.
        said: How many of them stand elsewhere by right: said by others, or in what is kept.
        traces: What is left against the person's wish.
    """

    is_searched: bool
    is_index_new: bool = True
    is_quiet: bool = True
    needles: int = 0
    too_short: int = 0
    said: int = 0
    traces: tuple[Trace, ...] = ()


def receipt_text(removed: Removed, verified: Verified) -> str:
    """Word the receipt."""
    return "\n".join((_gone(removed), *_proof(verified)))


def _gone(removed: Removed) -> str:
    counted = [
        how_many(count, one, many)
        for layer, one, many in _LAYERS
        if (count := getattr(removed, layer))
    ]
    if not counted:
        return "**Forgotten.** There was nothing left to remove."
    return f"**Forgotten:** {', '.join(counted)}."


def _proof(verified: Verified) -> tuple[str, ...]:
    lines: list[str] = []
    if not verified.is_index_new:
        lines.append("The search index could not be emptied yet; that is tried again.")
    if not verified.is_quiet:
        lines.append("What you said while I was at it may be left: ask me once more.")
    if not verified.is_searched:
        lines.append("The disk was not searched for traces: nothing more is proved.")
    elif not verified.needles:
        lines.append("Nothing of it was long enough to be searched for on the disk.")
    elif verified.traces:
        places = sorted({trace.file for trace in verified.traces})
        shown = ", ".join(f"`{place}`" for place in places[:_MOST_PLACES])
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        lines.append(f"Traces are left in {shown}{more}, or it cannot be read:")
        lines.append("the operator has to see to that.")
    else:
        pieces = how_many(verified.needles, "piece")
        searched = "Database, log, index and files were searched byte by byte"
        lines.append(f"{searched} for {pieces} of it: nothing is left.")
    if verified.needles and verified.too_short:
        texts = how_many(verified.too_short, "text was", "texts were")
        lines.append(f"{texts} too short to be told from others, and not searched for.")
    if verified.said:
        stays = "Some of the same words stay where others said them, or where you kept them"
        pieces = how_many(verified.said, "piece")
        lines.append(f"{stays}: of {pieces} the disk proves nothing.")
    return tuple(lines)
