"""``/failed``: what could not be delivered."""

from datetime import tzinfo

from bot.core.lifecycle import OutboxItem
from bot.ports import CommandContext, Lifecycle
from bot.runtime.commands.table import Command, always

MOST_LISTED = 10
MOST_CHARS_OF_A_LINE = 80


def failed_command(lifecycle: Lifecycle, timezone: tzinfo) -> Command:
    """List the replies of this chat that did not arrive: when, the first line, and why."""

    async def answer(context: CommandContext) -> str:
        items = await lifecycle.failed(context.message.address.session_key)
        if not items:
            return "Everything was delivered."
        lines = [_line(item, timezone) for item in items[-MOST_LISTED:]]
        if len(items) > MOST_LISTED:
            lines.insert(0, f"- … and {len(items) - MOST_LISTED} before these")
        return "Not delivered; `/retry` sends it again:\n\n" + "\n".join(lines)

    return Command(
        name="failed",
        description="List what could not be delivered.",
        handler=answer,
        is_about_conversation=always,
    )


def _line(item: OutboxItem, timezone: tzinfo) -> str:
    when = "" if item.failed_at is None else f"{item.failed_at.astimezone(timezone):%d %b %H:%M}, "
    text = item.reply.text if item.reply.file is None else item.reply.file.name
    first = next((line for line in text.splitlines() if line.strip()), "").strip()
    if len(first) > MOST_CHARS_OF_A_LINE:
        first = f"{first[: MOST_CHARS_OF_A_LINE - 1]}…"
    quoted = first.replace("`", "'")
    return f"- {when}`{quoted}`: {item.reason}"
