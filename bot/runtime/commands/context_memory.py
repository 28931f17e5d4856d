"""Why each memory is in a chat's context, laid out for people and as data."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.memory.items import told_id
from bot.core.memory.recalled import Band, Recalled
from bot.core.quoting import one_line
from bot.runtime.context.steering import ContextView

SHOWN_CHARS = 80

_BANDS: dict[Band, str] = {
    "standing": "always told",
    "verbatim": "word for word",
    "line": "in a line",
    "spare": "in a line, as there was space",
    "below": "not told",
}


def memory_list(view: ContextView) -> str:
    """List what memory gave for the newest message, and why; empty where it gave nothing."""
    memory = view.memory
    if memory is None or not (memory.pieces or memory.standing_left or memory.relevant_left):
        return ""
    lines = [
        f"**Remembered for the newest message**, about {view.facts_tokens} tokens of facts and "
        f"{view.recalled_tokens} of what was found",
        "",
        *map(_line, memory.pieces),
        *(f"- Only one of these can hold: {_codes(ids)}" for ids in memory.conflicts),
    ]
    if left := memory.standing_left + memory.relevant_left:
        lines.append(f"- {left} more found no room")
    return "\n".join(lines)


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
    return f"- `{told_id(piece.id)}` `{words}`: {'; '.join(_reasons(piece))}"


def _reasons(piece: Recalled) -> Iterator[str]:
    yield piece.about
    yield (
        _BANDS[piece.band]
        if piece.band == "standing"
        else (f"{_BANDS[piece.band]}, relevance {piece.score:.2f}")
    )
    if piece.why:
        yield piece.why


def _codes(ids: tuple[str, ...]) -> str:
    return " and ".join(f"`{told_id(each)}`" for each in ids)
