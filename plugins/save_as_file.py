"""Save as file: lets the model hand over what is read in another program than a chat."""

from __future__ import annotations

from typing import Annotated

from bot.api import PluginAPI, ToolContext, ToolError

MOST_CHARS = 200_000
"""More than any model writes in one answer; and no chat wants to wait for it."""

PLAIN = "text/plain"

_MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "md": "text/markdown",
    "svg": "image/svg+xml",
    "xml": "application/xml",
}
_BYTE_ORDER_MARK = "\ufeff"


def register(api: PluginAPI) -> None:
    """Offer ``save_as_file``."""

    @api.tool(safe_to_repeat=True)  # the same name from the same call is one file
    async def save_as_file(
        context: ToolContext,
        name: Annotated[str, "The file's name with its ending, such as report.md or numbers.csv."],
        text: Annotated[str, "All that is to stand in the file."],
    ) -> str:
        """Send a text file to this chat, below your answer: a table, program, list or long text.

        Use it when somebody asks for a file, or for what they will open, keep or pass on. Say in
        your answer what is in it, and do not repeat it there.
        """
        if not text.strip():
            raise ToolError("The text is empty: there is nothing to send.")
        if len(text) > MOST_CHARS:
            raise ToolError(f"The text has {len(text)} characters; send {MOST_CHARS} at most.")
        ending = name.rpartition(".")[2].lower()
        mark = _BYTE_ORDER_MARK if ending == "csv" else ""  # else Excel takes it for Latin-1
        content = (mark + text).encode(errors="replace")
        await api.chat.send_file(context, name, content, _MEDIA_TYPES.get(ending, PLAIN))
        return f"The file will be sent with your answer ({len(content)} bytes)."
