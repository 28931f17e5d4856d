"""``/stop``: cancel the answer being written."""

from bot.core.chat import InboundMessage
from bot.languages import gettext, gettext_noop
from bot.ports import CommandContext
from bot.runtime.commands.table import Command, Scope, always
from bot.runtime.lanes import Lanes

NOTHING_RUNS = gettext_noop("Nothing is running.")


def stop_command(lanes: Lanes) -> Command:
    """Cancel the running turn of the chat at once; what was written after the command goes on."""
    stopped: set[str] = set()

    def stop(message: InboundMessage) -> None:
        if lanes.stop(message.address.session_key, message.event_id):
            stopped.add(message.event_id)

    async def answer(context: CommandContext) -> str:
        if context.message.event_id not in stopped:
            return gettext(NOTHING_RUNS)
        stopped.discard(context.message.event_id)
        return gettext("Stopped.")

    return Command(
        name="stop",
        description=gettext_noop("Stop the answer being written."),
        handler=answer,
        at_once=stop,
        is_about_conversation=always,
        scope=Scope(conversations=lanes.stoppable_in, otherwise=NOTHING_RUNS),
    )
