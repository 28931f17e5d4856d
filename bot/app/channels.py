"""Which channels there are, and the building of those that are configured."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from types import ModuleType

from bot.config import Config, secrets_of
from bot.errors import ConfigError
from bot.ports import Channel, Clock
from bot.runtime.access_gate import LOCAL_CHANNEL

Announce = Callable[[str], None]
"""Shows the operator one line: what is ready, what is not configured, the owner's code."""


def build_channels(
    config: Config,
    clock: Clock,
    announce: Announce,
    hide: Callable[[tuple[str, ...]], None],
    *,
    only_local: bool = False,
) -> dict[str, Channel]:
    """Build every configured channel, or the terminal when none is or only that is wanted.

    ``hide`` is told the secrets that no log may show.

    Raises:
        ConfigError: A section names no channel, or its settings cannot be used.
    """
    wanted = () if only_local else wanted_channels(config)
    for section in () if only_local else config.channels:
        if section.name not in wanted:
            missing = ", ".join(section.missing.values())
            why = f"{missing} not set" if missing else "switched off"
            announce(f"{section.name}: not configured ({why})")
    names = wanted or (LOCAL_CHANNEL,)
    return {name: build_channel(config, name, clock, hide) for name in names}


def wanted_channels(config: Config) -> tuple[str, ...]:
    """Name the channels that the operator wants.

    Raises:
        ConfigError: A section names no channel.
    """
    return tuple(
        section.name
        for section in config.channels
        if section.is_wanted_as(_channel_module(section.name).Settings)
    )


def build_channel(
    config: Config, name: str, clock: Clock, hide: Callable[[tuple[str, ...]], None]
) -> Channel:
    """Build one channel; ``hide`` is told its secrets.

    Raises:
        ConfigError: There is no such channel, or its settings cannot be used.
    """
    module = _channel_module(name)
    settings = config.read_channel(name, module.Settings)
    hide(secrets_of(settings))
    channel: Channel = module.build(settings, clock)
    return channel


def slack_manifest(http_url: str = "") -> str:
    """Write the manifest of the Slack app as JSON; with a URL Slack calls the bot there.

    Raises:
        ConfigError: Slack would not call such a URL.
    """
    if http_url and not http_url.startswith("https://"):
        raise ConfigError("--http takes the https:// address at which Slack reaches the bot")
    manifest = importlib.import_module("channels.slack.manifest").manifest(http_url=http_url)
    return json.dumps(manifest, indent=2, ensure_ascii=False)


def _channel_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"channels.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"channels.{name}":
            raise
        raise ConfigError(f"channels.{name}: there is no such channel") from error
