"""``/claim CODE``: become the owner of a bot that has none."""

from bot.ports import CommandContext
from bot.runtime.access_gate import AccessGate
from bot.runtime.commands.table import Command


def claim_command(gate: AccessGate) -> Command:
    """Check the one-time code that was printed at start."""

    async def answer(context: CommandContext) -> str:
        if not context.arguments:
            return "Write `/claim CODE`; the code stands in the bot's log."
        return await gate.claim(context.message, context.arguments)

    return Command(
        name="claim", description="Become the owner, with the code from the log.", handler=answer
    )
