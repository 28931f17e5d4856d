"""``/help``: what the bot can be asked."""

from bot.ports import CommandContext
from bot.runtime.commands.table import Command, CommandTable


def help_command(table: CommandTable) -> Command:
    """List the commands that the asking person may use."""

    async def answer(context: CommandContext) -> str:
        lines = [
            f"- `/{command.name}`: {command.description}" for command in table.visible_to(context)
        ]
        return "Write to me as to a person, or use a command:\n\n" + "\n".join(lines)

    return Command(
        name="help", description="Show this list.", handler=answer, heeds_chat_admins=True
    )
