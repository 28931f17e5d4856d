"""``/new``: begin afresh."""

from bot.ports import CommandAnswer, CommandContext
from bot.runtime.commands.context import ONLY_ADMINS, may_change, with_undo
from bot.runtime.commands.table import Command, always
from bot.runtime.runner import AgentRunner


def new_command(runner: AgentRunner) -> Command:
    """Begin a new generation: no earlier turn is shown to the model again.

    A turn that is running meanwhile is delivered, and belongs to what came before.
    """

    async def answer(context: CommandContext) -> str | CommandAnswer:
        if not may_change(context):
            return ONLY_ADMINS
        steering = runner.steering_of(context.message.address.session_key)
        text = "A new conversation begins; I no longer see what was said before."
        if not await steering.clear():
            return text
        return with_undo(text, await steering.view(), context, "")

    return Command(
        name="new",
        description="Begin a new conversation.",
        handler=answer,
        heeds_chat_admins=True,
        is_everybodys=True,
        is_about_conversation=always,
    )
