"""What people can ask of the bot itself: one built-in command a file, and the table of all."""

from bot.runtime.commands.table import Command, CommandTable

__all__ = ["Command", "CommandTable"]
