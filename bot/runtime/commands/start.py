"""``/start``: what Telegram sends when somebody opens the chat for the first time."""

from bot.ports import CommandContext
from bot.runtime.commands.table import Command
from bot.runtime.telling import in_code

WELCOME = (
    "Write to me as to a person: ask, tell, plan, or send me something to read. `/help` shows the "
    "commands, `/new` begins a new conversation, `/stop` stops me."
)


def start_command() -> Command:
    """Welcome somebody who is let in; a stranger gets a code instead, wherever they write."""

    async def answer(context: CommandContext) -> str:
        return f"Hello {in_code(context.message.sender.name)}! {WELCOME}"

    return Command(name="start", description="Say hello to me.", handler=answer, is_listed=False)
