"""What daily memory files get of turns: their key points, dated and without secrets."""

from __future__ import annotations

from bot.core.memory.daily import time_in_file
from bot.core.memory.jobs import MemoryEntry, MemoryJob
from bot.core.turns import Turn
from bot.core.window.conversation import KeyPoints
from bot.core.window.summary.render import entry_text
from bot.runtime.remembering.parts import RememberingParts
from bot.runtime.remembering.summariser import redacted_points


def make_entries(
    parts: RememberingParts,
    job: MemoryJob,
    points: tuple[KeyPoints, ...],
    turns: tuple[Turn, ...],
    *,
    on_their_day: bool = False,
) -> tuple[MemoryEntry, ...]:
    """Make the entries of ``turns``: for today's file, where they left, or for their own.

    None while the chat's memory is off: the turns wait for their own day's file.
    """
    if not parts.is_remembered(job.session_key):
        return ()
    of_id = {turn.id: turn for turn in turns}
    today = parts.day_of(parts.clock.now())
    entries: list[MemoryEntry] = []
    for each in points:
        turn = of_id[each.turn_id]
        moment = turn.started_at.astimezone(parts.timezone)
        day = moment.date() if on_their_day else today
        clean = redacted_points(each, parts.redactor)
        entry = MemoryEntry(
            turn_id=turn.id,
            moment=moment,
            audience=job.audience,
            day=day,
            text=entry_text(clean, time_in_file(moment, day)),
            revision=turn.revision,
        )
        entries.append(entry)
    return tuple(entries)
