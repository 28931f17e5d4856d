"""``/new``: begin afresh."""

from bot.ports import CommandContext
from bot.runtime.commands.context import ONLY_ADMINS, may_change
from bot.runtime.commands.table import Command
from bot.runtime.runner import AgentRunner


def new_command(runner: AgentRunner) -> Command:
    """Begin a new generation: no earlier turn is shown to the model again.

    A turn that is running meanwhile is delivered, and belongs to what came before.
    """

    async def answer(context: CommandContext) -> str:
        if not may_change(context):
            return ONLY_ADMINS
        await runner.steering_of(context.message.address.session_key).clear()
        return "A new conversation begins; I no longer see what was said before."

    return Command(name="new", description="Begin a new conversation.", handler=answer)
