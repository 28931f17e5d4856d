"""The loading of plugins: what they offer is taken in whole, or not at all."""

from __future__ import annotations

import importlib
import inspect
import logging
import pkgutil
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType, ModuleType
from typing import overload

from bot.errors import PluginError
from bot.ports import CommandHandler, PluginAPI, Tool, Transcriber
from bot.runtime.plugin_reach import PluginReach
from bot.runtime.tools import ToolRegistry

logger = logging.getLogger(__name__)

MAX_COMMAND_DESCRIPTION_CHARS = 256
"""What Telegram takes, as it does names of up to 32. Source: Telegram Bot API, BotCommand."""

_COMMAND_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_PLUGIN_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlugin:
    """A plugin in use and what it offers, in the order of registration."""

    name: str
    tools: tuple[str, ...]
    commands: tuple[str, ...]
    is_transcriber: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPlugin:
    """A plugin that was skipped; ``reason`` is one line for the operator."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginCommand:
    """A command that a plugin offers to people."""

    name: str
    description: str
    handler: CommandHandler
    plugin: str


class PluginHost:
    """Loads plugins by name from the package ``plugins`` and keeps what they offer.

    ``reserved_commands`` are the names of the bot's own commands, which no plugin may take.
    """

    def __init__(
        self,
        reach: PluginReach,
        tools: ToolRegistry,
        *,
        reserved_commands: frozenset[str] = frozenset(),
    ) -> None:
        self._reach = reach
        self._tools = tools
        self._reserved_commands = reserved_commands
        self._commands: dict[str, PluginCommand] = {}
        self._transcriber: tuple[str, Transcriber] | None = None
        self._loaded: set[str] = set()

    @property
    def commands(self) -> Mapping[str, PluginCommand]:
        """The commands of all loaded plugins, by name; follows later loads."""
        return MappingProxyType(self._commands)

    @property
    def transcriber(self) -> Transcriber | None:
        """What puts sound and video into words, None when no plugin does."""
        return self._transcriber[1] if self._transcriber is not None else None

    def load(self, names: tuple[str, ...]) -> tuple[LoadedPlugin | BrokenPlugin, ...]:
        """Load plugins in this order; one that cannot be used is reported and skipped."""
        return tuple(self._load_or_skip(name) for name in names)

    def _load_or_skip(self, name: str) -> LoadedPlugin | BrokenPlugin:
        if name in self._loaded:
            return _skip(name, "it is listed twice")
        try:
            loaded = self._load(name)
        except PluginError as error:
            self._take_back(name)
            return _skip(name, str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - border: one plugin being loaded
            self._take_back(name)
            return _skip(name, f"{type(error).__name__}: {error}", error)
        self._loaded.add(name)
        logger.info(
            "plugin.loaded",
            extra={"plugin": name, "tools": loaded.tools, "commands": loaded.commands},
        )
        return loaded

    def _load(self, name: str) -> LoadedPlugin:
        register = _find_register(name)
        api = _Offers(self._reach)
        register(api)
        api.is_open = False
        specs = [
            self._tools.register(
                offer.function,
                owner=name,
                timeout_s=offer.timeout_s,
                max_chars=offer.max_chars,
                safe_to_repeat=offer.safe_to_repeat,
            )
            for offer in api.tools
        ]
        for command_name, description, handler in api.commands:
            self._add_command(
                PluginCommand(
                    name=command_name, description=description, handler=handler, plugin=name
                )
            )
        for transcriber in api.transcribers:
            self._set_transcriber(name, transcriber)
        return LoadedPlugin(
            name=name,
            tools=tuple(spec.name for spec in specs),
            commands=tuple(command_name for command_name, _, _ in api.commands),
            is_transcriber=bool(api.transcribers),
        )

    def _add_command(self, command: PluginCommand) -> None:
        name = command.name
        if not _COMMAND_NAME.fullmatch(name):
            raise PluginError(f"{name!r} is no name for a command: a-z, 0-9 and _, at most 32")
        if not 1 <= len(command.description) <= MAX_COMMAND_DESCRIPTION_CHARS:
            raise PluginError(
                f"command {name!r} needs a description of 1 to "
                f"{MAX_COMMAND_DESCRIPTION_CHARS} characters"
            )
        if name in self._reserved_commands:
            raise PluginError(f"command {name!r} is one of the bot's own")
        if name in self._commands:
            other = self._commands[name].plugin
            raise PluginError(f"command {name!r} is already registered by plugin {other!r}")
        if not inspect.iscoroutinefunction(command.handler):
            raise PluginError(f"command {name!r} must be an async function")
        self._commands[name] = command

    def _set_transcriber(self, plugin: str, transcriber: Transcriber) -> None:
        if self._transcriber is not None:
            other = self._transcriber[0]
            raise PluginError(f"a transcriber is already registered by plugin {other!r}")
        if not inspect.iscoroutinefunction(transcriber):
            raise PluginError("a transcriber must be an async function")
        self._transcriber = (plugin, transcriber)

    def _take_back(self, plugin: str) -> None:
        self._tools.remove(plugin)
        if self._transcriber is not None and self._transcriber[0] == plugin:
            self._transcriber = None
        for name in [each.name for each in self._commands.values() if each.plugin == plugin]:
            del self._commands[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToolOffer:
    function: Callable[..., Awaitable[str]]
    timeout_s: float
    max_chars: int
    safe_to_repeat: bool


class _Offers:
    """The :class:`bot.ports.PluginAPI` of one plugin: collects what it offers, until closed."""

    def __init__(self, reach: PluginReach) -> None:
        self.clock = reach.clock
        self.timezone = reach.timezone
        self.http = reach.http
        self.chat = reach.chat
        self.memory = reach.memory
        self.reminders = reach.reminders
        self.zones = reach.zones
        self.tools: list[_ToolOffer] = []
        self.commands: list[tuple[str, str, CommandHandler]] = []
        self.transcribers: list[Transcriber] = []
        self.is_open = True

    @overload
    def tool(self, function: Tool, /) -> Tool: ...
    @overload
    def tool(
        self,
        function: None = None,
        /,
        *,
        timeout_s: float = 60.0,
        max_chars: int = 50_000,
        safe_to_repeat: bool = False,
    ) -> Callable[[Tool], Tool]: ...
    def tool(
        self,
        function: Tool | None = None,
        /,
        *,
        timeout_s: float = 60.0,
        max_chars: int = 50_000,
        safe_to_repeat: bool = False,
    ) -> Tool | Callable[[Tool], Tool]:
        """Offer a tool, as a decorator with or without arguments."""

        def offer(offered: Tool) -> Tool:
            self._check_open()
            self.tools.append(
                _ToolOffer(
                    function=offered,
                    timeout_s=timeout_s,
                    max_chars=max_chars,
                    safe_to_repeat=safe_to_repeat,
                )
            )
            return offered

        return offer if function is None else offer(function)

    def command(self, name: str, description: str) -> Callable[[CommandHandler], CommandHandler]:
        """Offer a command, as a decorator."""

        def offer(handler: CommandHandler) -> CommandHandler:
            self._check_open()
            self.commands.append((name, description, handler))
            return handler

        return offer

    def transcriber(self, function: Transcriber, /) -> Transcriber:
        """Offer to put sound and video into words, as a decorator."""
        self._check_open()
        self.transcribers.append(function)
        return function

    def _check_open(self) -> None:
        """Keep the list of tools from changing under a running conversation."""
        if not self.is_open:
            raise PluginError("what is offered is offered in register(api), not later")


def _find_register(name: str) -> Callable[[PluginAPI], None]:
    if not _PLUGIN_NAME.fullmatch(name):
        raise PluginError(f"{name!r} is no name for a plugin: a-z, 0-9 and _")
    register = getattr(_import(name), "register", None)
    if not inspect.isfunction(register):
        raise PluginError(f"plugins/{name}.py has no function register(api)")
    if inspect.iscoroutinefunction(register):
        raise PluginError("register(api) must not be async")
    return register


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"plugins.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"plugins.{name}":
            raise PluginError(f"it needs {error.name!r}, which is not installed") from error
        package = importlib.import_module("plugins")
        present = [module.name for module in pkgutil.iter_modules(package.__path__)]
        near = get_close_matches(name, present, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise PluginError(f"there is no plugins/{name}.py{hint}") from error


def _skip(name: str, reason: str, error: BaseException | None = None) -> BrokenPlugin:
    """Say once that a plugin is not used; a fault of its own code comes with the traceback."""
    one_line = " ".join(reason.split())
    logger.error("plugin.broken", exc_info=error, extra={"plugin": name, "reason": one_line})
    return BrokenPlugin(name=name, reason=one_line)
