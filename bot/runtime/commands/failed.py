"""``/failed``: what could not be delivered."""

from datetime import tzinfo

from bot.core.lifecycle import OutboxItem
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_commas
from bot.ports import CommandContext, Lifecycle
from bot.runtime.commands.table import Command, always
from bot.runtime.notices import why_undelivered

MOST_LISTED = 10
MOST_CHARS_OF_A_LINE = 80

MOMENT = gettext_noop("%d %b %H:%M")
"""How a day and a time of it are written; what stands in it beside numbers is ASCII."""


def failed_command(lifecycle: Lifecycle, timezone: tzinfo) -> Command:
    """List the replies of this chat that did not arrive: when, the first line, and why."""

    async def answer(context: CommandContext) -> str:
        items = await lifecycle.failed(context.message.address.session_key)
        if not items:
            return gettext("Everything was delivered.")
        lines = [_line(item, timezone) for item in items[-MOST_LISTED:]]
        if len(items) > MOST_LISTED:
            before = len(items) - MOST_LISTED
            lines.insert(0, "- " + gettext("… and {count} before these", count=before))
        return "\n".join((gettext("Not delivered; `/retry` sends it again:"), "", *lines))

    return Command(
        name="failed",
        description=gettext_noop("List what could not be delivered."),
        handler=answer,
        is_about_conversation=always,
    )


def _line(item: OutboxItem, timezone: tzinfo) -> str:
    text = item.reply.text if item.reply.file is None else item.reply.file.name
    first = next((line for line in text.splitlines() if line.strip()), "").strip()
    if len(first) > MOST_CHARS_OF_A_LINE:
        first = f"{first[: MOST_CHARS_OF_A_LINE - 1]}…"
    reason = why_undelivered(item.reason)
    said = gettext("`{text}`: {reason}", text=first.replace("`", "'"), reason=reason)
    if item.failed_at is not None:
        when = f"{item.failed_at.astimezone(timezone):{gettext(MOMENT)}}"
        said = in_commas((when, said))
    return f"- {said}"
