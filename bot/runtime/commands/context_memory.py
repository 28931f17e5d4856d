"""Why each memory is in a chat's context, laid out for people and as data."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.memory.items import told_id
from bot.core.memory.reasons import reasons_in
from bot.core.memory.recalled import Band, Recalled
from bot.core.quoting import one_line
from bot.languages import gettext, gettext_noop
from bot.languages.rows import all_of, in_clauses
from bot.runtime.context.steering import ContextView

SHOWN_CHARS = 80

_BANDS: dict[Band, str] = {
    "standing": gettext_noop("always told"),
    "verbatim": gettext_noop("word for word, relevance {score}"),
    "line": gettext_noop("in a line, relevance {score}"),
    "spare": gettext_noop("in a line, as there was space, relevance {score}"),
    "below": gettext_noop("not told, relevance {score}"),
}


def memory_list(view: ContextView) -> str:
    """List what memory gave for the newest message, and why; empty where it gave nothing."""
    memory = view.memory
    if memory is None or not (memory.pieces or memory.standing_left or memory.relevant_left):
        return ""
    head = gettext(
        "**Remembered for the newest message**, about {facts} tokens of facts and {found} of what "
        "was found",
        facts=view.facts_tokens,
        found=view.recalled_tokens,
    )
    lines = [*map(_line, memory.pieces), *map(_doubt, memory.conflicts)]
    if left := memory.standing_left + memory.relevant_left:
        lines.append(gettext("{count} more found no room", count=left))
    return "\n".join((head, "", *(f"- {line}" for line in lines)))


def memory_data(view: ContextView) -> dict[str, object] | None:
    """Give the same as data; None where it is not known."""
    memory = view.memory
    if memory is None:
        return None
    return {
        "tokens": {"facts": view.facts_tokens, "recalled": view.recalled_tokens},
        "pieces": [
            {
                "id": piece.id,
                "band": piece.band,
                "score": round(piece.score, 3),
                "why": piece.why,
                "about": piece.about,
                "text": piece.text,
            }
            for piece in memory.pieces
        ],
        "conflicts": [list(ids) for ids in memory.conflicts],
        "left_out": memory.standing_left + memory.relevant_left,
    }


def _line(piece: Recalled) -> str:
    words = one_line(piece.text, SHOWN_CHARS).replace("`", "'")
    reasons = in_clauses(_reasons(piece))
    return gettext(
        "`{id}` `{words}`: {reasons}", id=told_id(piece.id), words=words, reasons=reasons
    )


def _reasons(piece: Recalled) -> Iterator[str]:
    """Say what speaks for a piece; where it is from stands as the model was told it."""
    yield piece.about
    yield gettext(_BANDS[piece.band], score=f"{piece.score:.2f}")
    yield from reasons_in(piece.why)


def _doubt(ids: tuple[str, ...]) -> str:
    codes = all_of(f"`{told_id(each)}`" for each in ids)
    return gettext("Only one of these can hold: {facts}", facts=codes)
