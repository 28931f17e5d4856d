"""``/claim CODE``: become the owner of a bot that has none."""

from bot.languages import gettext, gettext_noop, ngettext
from bot.languages.rows import one_behind_the_other
from bot.ports import CommandContext
from bot.runtime.access_gate import OWNER_ALREADY, YOU_ARE_OWNER, AccessGate
from bot.runtime.commands.table import Command


def claim_command(gate: AccessGate) -> Command:
    """Check the one-time code that was printed at start."""

    async def answer(context: CommandContext) -> str:
        if not context.arguments:
            return gettext("Write `/claim CODE`; the code stands in the bot's log.")
        told = await gate.claim(context.message, context.arguments)
        waiting = sum(place.state == "asked" for place in gate.places)
        if told not in map(gettext, (YOU_ARE_OWNER, OWNER_ALREADY)) or not waiting:
            return told
        groups = ngettext(
            "{count} group waits to be allowed: `/allow` lists them.",
            "{count} groups wait to be allowed: `/allow` lists them.",
            waiting,
        )
        return one_behind_the_other(told, groups)

    return Command(
        name="claim",
        description=gettext_noop("Become the owner, with the code from the log."),
        handler=answer,
        is_of_use=lambda: gate.claims.awaits_owner,
    )
