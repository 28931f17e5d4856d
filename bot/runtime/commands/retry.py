"""``/retry``: once more, what did not work."""

from bot.ports import Clock, CommandContext, Lifecycle
from bot.runtime.commands.table import Command
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes

NOTHING_FAILED = "Nothing has failed here."


def retry_command(lifecycle: Lifecycle, delivery: Delivery, lanes: Lanes, clock: Clock) -> Command:
    """Send what could not be delivered, or else go on with the answer that failed.

    An answer that is tried again is its own reply: nothing else is said.
    """

    async def answer(context: CommandContext) -> str:
        session_key = context.message.address.session_key
        count = await delivery.send_again(session_key)
        if count:
            return f"Sending {count} message{'s' if count > 1 else ''} again."
        claim = await lifecycle.reopen(session_key, at=clock.now())
        if claim is None:
            return NOTHING_FAILED
        lanes.wake(session_key, claim)
        return ""

    return Command(name="retry", description="Try again what failed.", handler=answer)
