"""All commands by name: built-in ones and those of plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from bot.core.chat import ChatAddress, InboundMessage, SessionKey
from bot.core.commands import CommandCall, MenuReader, nearest_command
from bot.languages import gettext
from bot.languages.rows import one_behind_the_other
from bot.ports import CommandAnswer, CommandContext, CommandHandler

Readers = Literal["chat", "asker", "asker_in_private"]
"""Who reads the answer to a command of a group: all in it; who asked alone, there if the platform
can do that, else in their private chat; or who asked, in their private chat in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a command has something to do, if that is not everywhere.

    Attributes:
        conversations: Gives those of a chat, its threads and itself.
        otherwise: What is answered where there are none, a key of its translations.
    """

    conversations: Callable[[ChatAddress], tuple[SessionKey, ...]]
    otherwise: str


def always(_: str) -> bool:
    """Say so whatever stands behind the name."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command: its name without the slash, one line about it, and what answers (CommonMark).

    Attributes:
        is_for_admins: Of the bot; others are told so, and do not find it in lists.
        heeds_chat_admins: Admins of a group may do more with it there than others.
        refuses_itself: It is for admins, but has more to say to others than that.
        is_everybodys: What it does in a group is done to all in it: only admins of it may.
        is_listed: It is found in lists; what nobody would think of writing is not.
        is_of_use: Says whether it can do anything at present; else it is in no list.
        is_about_conversation: Says of what stands behind its name whether one conversation is
            meant, where a chat has several.
        scope: In which of several conversations it has something to do; None for all.
        at_once: What has to happen before anything is seen to that was written after the command.
        read_by: Says of what stands behind its name who is to read the answer in a group.
        is_told_all: Says of what stands behind its name, and of whether an admin gave it, if a
            whole group is to read the answer though the command is for admins.
    """

    name: str
    description: str
    handler: CommandHandler
    is_for_admins: bool = False
    heeds_chat_admins: bool = False
    refuses_itself: bool = False
    is_everybodys: bool = False
    is_listed: bool = True
    is_of_use: Callable[[], bool] = lambda: True
    is_about_conversation: Callable[[str], bool] = lambda _: False
    scope: Scope | None = None
    at_once: Callable[[InboundMessage], None] | None = None
    read_by: Callable[[str], Readers] = lambda _: "chat"
    is_told_all: Callable[[str, bool], bool] = lambda _arguments, _by_admin: False

    @property
    def reader(self) -> MenuReader:
        """Who finds it in lists."""
        if not self.is_for_admins:
            return "owners_of_chat" if self.is_everybodys else "everyone"
        return "chat_admins" if self.heeds_chat_admins else "admins"

    def is_refused(self, context: CommandContext) -> bool:
        """Say whether whoever gave it may not."""
        if not self.is_for_admins or self.refuses_itself or context.is_admin:
            return False
        return not (self.heeds_chat_admins and context.is_chat_admin)


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

    def visible_to(self, context: CommandContext) -> tuple[Command, ...]:
        """List what a person may use where they ask, in the order in which it was offered."""
        readers: set[MenuReader] = {"everyone"}
        if context.message.kind == "private":
            readers |= {"owners_of_chat"}
        if context.is_chat_admin:
            readers |= {"owners_of_chat", "chat_admins"}
        if context.is_admin:
            readers |= {"owners_of_chat", "chat_admins", "admins"}
        return tuple(each for each in self.listed if each.reader in readers)

    @property
    def listed(self) -> tuple[Command, ...]:
        """All that lists may show to somebody, in the order in which it was offered."""
        return tuple(
            each for each in self._commands.values() if each.is_listed and each.is_of_use()
        )

    def heeds_chat_admins(self, call: CommandCall) -> bool:
        """Say whether it makes a difference to a command that an admin of the group gives it."""
        command = self._commands.get(call.name)
        return command is not None and command.heeds_chat_admins

    def is_about_conversation(self, call: CommandCall) -> bool:
        """Say whether one conversation of a chat is meant."""
        command = self._commands.get(call.name)
        return command is not None and command.is_about_conversation(call.arguments)

    def scope_of(self, call: CommandCall) -> Scope | None:
        """Give where a command has something to do; None for everywhere."""
        command = self._commands.get(call.name)
        return None if command is None else command.scope

    def is_told_all(self, call: CommandCall, *, by_admin: bool) -> bool:
        """Say whether a whole group is to read the answer to a command for admins."""
        command = self._commands.get(call.name)
        return command is not None and command.is_told_all(call.arguments, by_admin)

    def is_for_admins(self, call: CommandCall) -> bool:
        """Say whether others may not give it."""
        command = self._commands.get(call.name)
        return command is not None and command.is_for_admins

    def asks_for_rights(self, call: CommandCall) -> bool:
        """Say whether a command does less for some, or nothing, and has no more to say to them."""
        command = self._commands.get(call.name)
        has_more_to_say = command is None or command.refuses_itself or not command.is_for_admins
        return self.heeds_chat_admins(call) or not has_more_to_say

    def readers_of(self, call: CommandCall) -> Readers:
        """Say who is to read the answer in a group."""
        command = self._commands.get(call.name)
        return "chat" if command is None else command.read_by(call.arguments)

    def knows(self, call: CommandCall) -> bool:
        """Say whether there is such a command."""
        return call.name in self._commands

    def begin(self, call: CommandCall, message: InboundMessage) -> None:
        """Do what a command does at once; the rest is done, and answered, beside everything."""
        command = self._commands.get(call.name)
        if command is not None and command.at_once is not None:
            command.at_once(message)

    async def answer(self, call: CommandCall, context: CommandContext) -> str | CommandAnswer:
        """Carry a command out; a wrong name gets the nearest right one."""
        command = self._commands.get(call.name)
        if command is None:
            return self._unknown(call.name, context)
        if command.is_refused(context):
            return gettext("`/{command}` is for the bot's admins.", command=command.name)
        return await command.handler(context)

    def nearest(self, name: str) -> str | None:
        """Find the command that a mistyped name most likely means."""
        return nearest_command(name, self._commands)

    def _unknown(self, name: str, context: CommandContext) -> str:
        known = tuple(each.name for each in self.visible_to(context))
        nearest = nearest_command(name, known)
        hint = gettext("`/help` lists all commands.")
        if nearest:
            hint = gettext("Did you mean `/{command}`?", command=nearest)
        none = gettext("There is no command `/{command}`.", command=name)
        return one_behind_the_other(none, hint)
