"""The operator's settings: files and environment in, one frozen value out, once, at start.

The law of this package: nothing else in the product reads settings from files or the environment,
and whatever is wrong with them is a :class:`~bot.errors.ConfigError` of one line that names the
place, the key, and what would be right. No text that may be a secret is ever repeated.

``layers`` reads and lays the sources over each other, ``keys`` says what may stand in them (values
of a kind of their own are in ``kinds``, files of certificates in ``certificates``), ``loading``
makes one of the other, ``wording`` turns a validator's findings into that one line. ``changes``
says which of them admins may change in the chat while the bot runs. ``own_files`` and ``writing``
are for the set-up, which alone writes any.
"""

from bot.config.keys import Config
from bot.config.kinds import AnthropicKeys, HttpPlace, ProxyPlace, is_own_machine
from bot.config.loading import load, settings_file
from bot.config.own_files import Held, OwnFiles
from bot.config.sections import ChannelSection, read_section, secrets_of
from bot.config.writing import check_place, read_own_files, write_own_files

__all__ = [
    "AnthropicKeys",
    "ChannelSection",
    "Config",
    "Held",
    "HttpPlace",
    "OwnFiles",
    "ProxyPlace",
    "check_place",
    "is_own_machine",
    "load",
    "read_own_files",
    "read_section",
    "secrets_of",
    "settings_file",
    "write_own_files",
]
