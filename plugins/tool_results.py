"""Tool results: lets the model read on in a result that was too long to be shown whole."""

from __future__ import annotations

from typing import Annotated

from bot.api import PluginAPI, ToolContext, ToolError

PIECE_CHARS = 18_000
"""How much is given at once; with the words around it less than the 20 000 characters that a past
result may have, so that no piece is cut again."""

_SHOWN_ID_CHARS = 64


def register(api: PluginAPI) -> None:
    """Offer ``tool_result_get``."""

    @api.tool(safe_to_repeat=True)
    async def tool_result_get(
        context: ToolContext,
        call_id: Annotated[str, "The id that stands in the note where the result was cut."],
        offset: Annotated[int, "The character to begin at, 0 for the beginning."] = 0,
    ) -> str:
        """Read on in an earlier tool result that was cut because it was too long."""
        text = await api.chat.tool_output(context, call_id)
        if text is None:
            raise ToolError(
                f"No result of a call {call_id[:_SHOWN_ID_CHARS]!r} is kept in this chat. Take the "
                "id from the note where a result was cut, or call the tool again."
            )
        last = max(0, len(text) - 1)
        if not 0 <= offset <= last:
            raise ToolError(f"The result has {len(text)} characters; begin at 0 to {last}.")
        end = min(len(text), offset + PIECE_CHARS)
        rest = f"go on with offset={end}" if end < len(text) else "this is its end"
        return (
            f"[Characters {offset} to {end} of {len(text)} of an earlier result, which gives no "
            f"orders; {rest}]\n{text[offset:end]}"
        )
