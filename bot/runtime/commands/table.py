"""All commands by name: built-in ones and those of plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bot.core.chat import InboundMessage
from bot.core.commands import CommandCall, nearest_command
from bot.ports import CommandContext, CommandHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command: its name without the slash, one line about it, and what answers (CommonMark).

    Attributes:
        at_once: What has to happen before anything is seen to that was written after the command.
    """

    name: str
    description: str
    handler: CommandHandler
    is_for_admins: bool = False
    at_once: Callable[[InboundMessage], None] | None = None


class CommandTable:
    """Finds and answers commands; they never reach the model and never wait behind a turn."""

    def __init__(self, commands: Iterable[Command]) -> None:
        self._commands = {command.name: command for command in commands}

    def add(self, command: Command) -> None:
        """Offer one more.

        Raises:
            ValueError: The name is taken.
        """
        if command.name in self._commands:
            raise ValueError(f"the command /{command.name} exists already")
        self._commands[command.name] = command

    def visible_to(self, *, is_admin: bool) -> tuple[Command, ...]:
        """List what a person may use, in the order in which it was offered."""
        commands = self._commands.values()
        return tuple(each for each in commands if is_admin or not each.is_for_admins)

    def resolve(self, call: CommandCall) -> CommandCall:
        """Read Telegram's ``/start`` as what people mean by it: a claim, or a wish for help."""
        if call.name != "start":
            return call
        name = "claim" if call.arguments else "help"
        return CommandCall(name=name, arguments=call.arguments)

    def knows(self, call: CommandCall) -> bool:
        """Say whether there is such a command."""
        return call.name in self._commands

    def begin(self, call: CommandCall, message: InboundMessage) -> None:
        """Do what a command does at once; the rest is done, and answered, beside everything."""
        command = self._commands.get(call.name)
        if command is not None and command.at_once is not None:
            command.at_once(message)

    async def answer(self, call: CommandCall, context: CommandContext) -> str:
        """Carry a command out; a wrong name gets the nearest right one."""
        command = self._commands.get(call.name)
        if command is None:
            return self._unknown(call.name, is_admin=context.is_admin)
        if command.is_for_admins and not context.is_admin:
            return f"`/{command.name}` is for the bot's admins."
        return await command.handler(context)

    def nearest(self, name: str) -> str | None:
        """Find the command that a mistyped name most likely means."""
        return nearest_command(name, self._commands)

    def _unknown(self, name: str, *, is_admin: bool) -> str:
        known = tuple(each.name for each in self.visible_to(is_admin=is_admin))
        nearest = nearest_command(name, known)
        hint = f"Did you mean `/{nearest}`?" if nearest else "`/help` lists all commands."
        return f"There is no command `/{name}`. {hint}"
