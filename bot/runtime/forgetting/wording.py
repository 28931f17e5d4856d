"""What a person is told of what was forgotten: numbers and places, never the words."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.memory.forgetting import Removed, Trace
from bot.languages import gettext, ngettext
from bot.languages.rows import in_a_row

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
    counted = (
        (removed.turns, ngettext("{count} turn", "{count} turns", removed.turns)),
        (removed.facts, ngettext("{count} fact", "{count} facts", removed.facts)),
        (
            removed.episodes,
            ngettext(
                "{count} record of a session", "{count} records of sessions", removed.episodes
            ),
        ),
        (
            removed.notes,
            ngettext("{count} summary or note", "{count} summaries and notes", removed.notes),
        ),
        (
            removed.messages,
            ngettext(
                "{count} undelivered or unread message",
                "{count} undelivered or unread messages",
                removed.messages,
            ),
        ),
        (removed.reminders, ngettext("{count} reminder", "{count} reminders", removed.reminders)),
        (
            removed.entries,
            ngettext(
                "{count} line of memory files", "{count} lines of memory files", removed.entries
            ),
        ),
    )
    gone = [words for count, words in counted if count]
    if not gone:
        return gettext("**Forgotten.** There was nothing left to remove.")
    return gettext("**Forgotten:** {things}.", things=in_a_row(gone))


def _proof(verified: Verified) -> tuple[str, ...]:
    lines: list[str] = []
    if not verified.is_index_new:
        lines.append(gettext("The search index could not be emptied yet; that is tried again."))
    if not verified.is_quiet:
        lines.append(gettext("What you said while I was at it may be left: ask me once more."))
    lines.append(_found(verified))
    if verified.needles and verified.too_short:
        lines.append(
            ngettext(
                "{count} text was too short to be told from others, and not searched for.",
                "{count} texts were too short to be told from others, and not searched for.",
                verified.too_short,
            )
        )
    if verified.said:
        lines.append(
            ngettext(
                "Some of the same words stay where others said them, or where you kept them: "
                "of {count} piece the disk proves nothing.",
                "Some of the same words stay where others said them, or where you kept them: "
                "of {count} pieces the disk proves nothing.",
                verified.said,
            )
        )
    return tuple(lines)


def _found(verified: Verified) -> str:
    if not verified.is_searched:
        return gettext("The disk was not searched for traces: nothing more is proved.")
    if not verified.needles:
        return gettext("Nothing of it was long enough to be searched for on the disk.")
    if not verified.traces:
        return ngettext(
            "Database, log, index and files were searched byte by byte for {count} piece of it: "
            "nothing is left.",
            "Database, log, index and files were searched byte by byte for {count} pieces of it: "
            "nothing is left.",
            verified.needles,
        )
    places = sorted({trace.file for trace in verified.traces})
    shown = in_a_row([f"`{place}`" for place in places[:_MOST_PLACES]])
    if len(places) <= _MOST_PLACES:
        return gettext(
            "Traces are left in {places}, or it cannot be read:\nthe operator has to see to that.",
            places=shown,
        )
    return gettext(
        "Traces are left in {places} and {count} more, or it cannot be read:\n"
        "the operator has to see to that.",
        places=shown,
        count=len(places) - _MOST_PLACES,
    )
