"""``/start``: what Telegram sends when somebody opens the chat for the first time."""

from bot.languages import gettext, gettext_noop
from bot.languages.rows import one_behind_the_other
from bot.ports import CommandContext
from bot.runtime.commands.table import Command
from bot.runtime.telling import in_code

WELCOME = gettext_noop(
    "Write to me as to a person: ask, tell, plan, or send me something to read. `/help` shows the "
    "commands, `/new` begins a new conversation, `/stop` stops me."
)


def start_command() -> Command:
    """Welcome somebody who is let in; a stranger gets a code instead, wherever they write."""

    async def answer(context: CommandContext) -> str:
        hello = gettext("Hello {name}!", name=in_code(context.message.sender.name))
        return one_behind_the_other(hello, gettext(WELCOME))

    description = gettext_noop("Say hello to me.")
    return Command(name="start", description=description, handler=answer, is_listed=False)
