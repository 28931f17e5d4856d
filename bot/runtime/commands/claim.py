"""``/claim CODE``: become the owner of a bot that has none."""

from bot.ports import CommandContext
from bot.runtime.access_gate import YOU_ARE_OWNER, AccessGate
from bot.runtime.commands.table import Command


def claim_command(gate: AccessGate) -> Command:
    """Check the one-time code that was printed at start."""

    async def answer(context: CommandContext) -> str:
        if not context.arguments:
            return "Write `/claim CODE`; the code stands in the bot's log."
        told = await gate.claim(context.message, context.arguments)
        waiting = sum(place.state == "asked" for place in gate.places)
        if told != YOU_ARE_OWNER or not waiting:
            return told
        groups = "1 group waits" if waiting == 1 else f"{waiting} groups wait"
        return f"{told} {groups} to be allowed: `/allow` lists them."

    return Command(
        name="claim",
        description="Become the owner, with the code from the log.",
        handler=answer,
        is_of_use=lambda: gate.claims.awaits_owner,
    )
