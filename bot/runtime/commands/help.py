"""``/help``: what the bot can be asked."""

from bot.languages import gettext, gettext_noop
from bot.ports import CommandContext
from bot.runtime.commands.table import Command, CommandTable


def help_command(table: CommandTable) -> Command:
    """List the commands that the asking person may use."""

    async def answer(context: CommandContext) -> str:
        lines = [
            "- "
            + gettext(
                "`/{command}`: {description}",
                command=command.name,
                description=gettext(command.description),
            )
            for command in table.visible_to(context)
        ]
        return "\n".join((gettext("Write to me as to a person, or use a command:"), "", *lines))

    return Command(
        name="help",
        description=gettext_noop("Show this list."),
        handler=answer,
        heeds_chat_admins=True,
    )
