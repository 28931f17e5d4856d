"""``/stop``: cancel the answer being written."""

from bot.core.chat import InboundMessage
from bot.ports import CommandContext
from bot.runtime.commands.table import Command, always
from bot.runtime.lanes import Lanes


def stop_command(lanes: Lanes) -> Command:
    """Cancel the running turn of the chat at once; what was written after the command goes on."""
    stopped: dict[str, bool] = {}

    def stop(message: InboundMessage) -> None:
        stopped[message.event_id] = lanes.stop(message.address.session_key, message.event_id)

    async def answer(context: CommandContext) -> str:
        return "Stopped." if stopped.pop(context.message.event_id, False) else "Nothing is running."

    return Command(
        name="stop",
        description="Stop the answer being written.",
        handler=answer,
        at_once=stop,
        is_about_conversation=always,
    )
