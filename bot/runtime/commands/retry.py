"""``/retry``: once more, what did not work."""

from bot.core.chat import SessionKey
from bot.languages import gettext, gettext_noop, ngettext
from bot.ports import Clock, CommandContext, Lifecycle
from bot.runtime.commands.table import Command, always
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes

NOTHING_FAILED = gettext_noop("Nothing has failed here.")
BEING_WRITTEN = gettext_noop("An answer is being written; `/stop` ends it.")
UNDER_WAY = gettext_noop("What there is to say here is still being sent.")


def retry_command(lifecycle: Lifecycle, delivery: Delivery, lanes: Lanes, clock: Clock) -> Command:
    """Send what could not be delivered, or else go on with the answer that failed.

    An answer that is tried again is its own reply: nothing else is said, also when the command was
    cut behind its work and is run again. Then the turn that it opened is one that was left open.
    """

    async def answer(context: CommandContext) -> str:
        session_key = context.message.address.session_key
        count = await delivery.send_again(session_key)
        if count:
            return ngettext(
                "Sending {count} message again.", "Sending {count} messages again.", count
            )
        claim = await lifecycle.reopen(session_key, at=clock.now())
        if claim is None:
            return await beside_what_is_open(session_key)
        lanes.wake(session_key, claim)
        return ""

    async def beside_what_is_open(session_key: SessionKey) -> str:
        unfinished = await lifecycle.unfinished()
        turns = (claim.turn for claim in unfinished.claims)
        turn = next((turn for turn in turns if turn.session_key == session_key), None)
        if turn is not None:
            return "" if lanes.was_resumed(turn.id) else gettext(BEING_WRITTEN)
        items = (item for item in unfinished.outbox if item.reply.kind == "final")
        is_sending = any(item.reply.address.session_key == session_key for item in items)
        return gettext(UNDER_WAY) if is_sending else gettext(NOTHING_FAILED)

    return Command(
        name="retry",
        description=gettext_noop("Try again what failed."),
        handler=answer,
        is_about_conversation=always,
    )
