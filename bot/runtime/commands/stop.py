"""``/stop``: cancel the answer being written."""

from bot.ports import CommandContext
from bot.runtime.commands.table import Command
from bot.runtime.lanes import Lanes


def stop_command(lanes: Lanes) -> Command:
    """Cancel the running turn of the chat at once."""

    async def answer(context: CommandContext) -> str:
        if lanes.stop(context.message.address.session_key):
            return "Stopped."
        return "Nothing is running."

    return Command(name="stop", description="Stop the answer being written.", handler=answer)
