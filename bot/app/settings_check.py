"""The settings examined, and the Python and the packages that read them."""

from __future__ import annotations

import errno
import re
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from bot.app.data_check import DataCheck
from bot.app.stored_check import named
from bot.config import Config, HttpPlace
from bot.config.examining import SettingsLook, look_at_settings
from bot.core.findings import Area, Finding, Findings
from bot.core.zone_names import zone_in_words
from bot.errors import ConfigError
from bot.ports import Clock
from bot.runtime.access_gate import LOCAL_CHANNEL

BOT = Area(name="bot")

OLDEST_PYTHON = (3, 11)

_PINNED = re.compile(r"(?P<name>[\w.-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)\s*(?P<marker>;)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What settings come from (a file, the environment), and what reads them."""

    settings_file: Path
    environ: Mapping[str, str]
    requirements: Path
    python: tuple[int, ...]


def check_settings(
    config: Config, sources: Sources, clock: Clock, channels: tuple[str, ...], skipped: list[str]
) -> Findings:
    """Look at what was decided, and at what it was decided with.

    Args:
        config: The settings as they were read.
        sources: Where they were read from.
        clock: For the time of day.
        channels: Names of those that are configured.
        skipped: A line for each that is not.

    Raises:
        ConfigError: A file of settings can no longer be read.
    """
    file = sources.settings_file
    there = f"{file} is read" if file.exists() else f"there is no {file}; all is as it comes"
    look = look_at_settings(file, sources.environ)
    return (
        judge_python(sources.python),
        check_packages(sources.requirements, version),
        BOT.ok("settings", there),
        _overridden(look),
        _secrets(look, file),
        _dotenv(look),
        _variables(look, file),
        _modes(look),
        _persona(config),
        _timezone(config, clock),
        *_choice_of_channels(channels, skipped),
    )


def judge_python(running: tuple[int, ...]) -> Finding:
    """Say whether a version of Python is new enough."""
    if running >= OLDEST_PYTHON:
        return BOT.ok("python", f"Python {'.'.join(map(str, running))}")
    seen = f"Python {'.'.join(map(str, running))} is too old"
    return BOT.broken("python", seen, "start run.py with Python 3.11 or newer")


def check_packages(requirements: Path, version_of: Callable[[str], str]) -> Finding:
    """Compare the packages that are installed with the list that the bot was tested with.

    ``version_of`` raises PackageNotFoundError for what is not there.
    """
    try:
        lines = requirements.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        mend = "get the bot's files anew, from where you have them"
        return BOT.warning("packages", f"{requirements.name} cannot be read ({error})", mend)
    mend = "let run.py make the environment: remove .venv beside it, then start it"
    wanted = [found for line in lines if (found := _PINNED.match(line))]
    missing: list[str] = []
    others: list[str] = []
    for each in wanted:
        try:
            there = version_of(each["name"])
        except PackageNotFoundError:
            if not each["marker"]:  # else it may be for another system
                missing.append(each["name"])
            continue
        if there != each["version"]:
            others.append(f"{each['name']} {there}, not {each['version']}")
    if missing:
        return BOT.broken("packages", f"not installed: {named(tuple(missing))}", mend)
    if others:
        return BOT.warning("packages", f"of another version: {named(tuple(others))}", mend)
    return BOT.ok("packages", f"all {len(wanted)} packages are as {requirements.name} has them")


def check_port(place: HttpPlace, data: DataCheck) -> Finding:
    """Look whether the bot answers, or can answer, where monitors ask it."""
    wanted = f"{place.host}:{place.port}"
    mend = "stop what listens there, or set another http.port; then restart the bot"
    if data.running.is_there:
        answers_at = urlsplit(data.running.address)
        if place.port in (0, answers_at.port):
            return BOT.ok("port", f"the bot answers at {answers_at.netloc}")
        seen = f"the bot answers at {answers_at.netloc}, not at {wanted}: monitors do not find it"
        return BOT.warning("port", seen, mend)
    if data.is_held or not place.port:
        return BOT.ok("port", "any port will do" if not place.port else f"{wanted} was not tried")
    try:
        _listen_once(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            seen = f"another program listens at {wanted}: the bot will answer at another port"
            return BOT.warning("port", seen, mend)
        seen = f"nobody can listen at {wanted} ({error.strerror or error})"
        return BOT.broken("port", seen, "set http.host to an address of this machine: 127.0.0.1")
    return BOT.ok("port", f"{wanted} is free")


def _listen_once(place: HttpPlace) -> None:
    """See whether a port can be listened on, as the bot's server does it.

    Raises:
        OSError: It cannot.
    """
    family, kind, *_, address = socket.getaddrinfo(
        place.host, place.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with closing(socket.socket(family, kind)) as probe:
        if sys.platform != "win32":  # where it would take the port from whoever has it
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        probe.listen(1)


def _overridden(look: SettingsLook) -> Finding:
    if not look.overriding:
        return BOT.ok("overridden", "nothing overrides the settings file")
    told = "; ".join(f"{source} sets {named(keys)}" for source, keys in look.overriding)
    return BOT.ok("overridden", told, "to have it otherwise, remove it there")


def _secrets(look: SettingsLook, file: Path) -> Finding:
    if not look.plain_secrets:
        return BOT.ok("secrets", f"no secret is written out in {file.name}")
    seen = f"{file.name}, which is shared and tracked, holds secrets: {named(look.plain_secrets)}"
    mend = 'move each to .env beside it, as NAME=value, and write "${NAME}" in its place'
    return BOT.warning("secrets", seen, mend)


def _dotenv(look: SettingsLook) -> Finding:
    if not look.unasked:
        return BOT.ok("dotenv", "every name in .env is asked for")
    seen = f"no setting asks for what .env says of {named(look.unasked)}: it has no effect"
    mend = "mend the name, or ask for it in config.local.json, or set it in the environment itself"
    return BOT.warning("dotenv", seen, mend)


def _variables(look: SettingsLook, file: Path) -> Finding:
    """Say which settings count as not written, such as a proxy whose variable is misspelt."""
    if not look.unset:
        return BOT.ok("variables", "every variable that a setting asks for has a value")
    told = (f'"{each.key}" asks for {each.variable}' for each in look.unset)
    seen = f"without a value, so that the setting counts as not written: {named(tuple(told))}"
    mend = f"put the variable into .env beside {file.name} as NAME=value, or remove the setting"
    return BOT.warning("variables", seen, mend)


def _modes(look: SettingsLook) -> Finding:
    """Look who can read the files that hold secrets."""
    shared = tuple(
        str(file)
        for file in look.own_files
        if sys.platform != "win32" and file.stat().st_mode & 0o077
    )
    if shared:
        seen = f"others on this machine can read secrets in {named(shared)}"
        return BOT.warning("modes", seen, f"chmod 600 {' '.join(shared)}")
    return BOT.ok("modes", "no file with secrets is open to others on this machine")


def _persona(config: Config) -> Finding:
    try:
        text = config.read_persona()
    except ConfigError as error:
        return BOT.broken("persona", str(error), "mend that file, or let persona name another one")
    return BOT.ok("persona", f"{config.persona} has {len(text)} characters")


def _timezone(config: Config, clock: Clock) -> Finding:
    """Show what time it is.

    A zone that was chosen is meant, whatever the machine's is; UTC is what stands there unchosen.
    """
    here, there = clock.now().astimezone(), clock.now().astimezone(ZoneInfo(config.timezone))
    seen = f"the bot's days are those of {zone_in_words(there.tzinfo)}, where it is {there:%H:%M}"
    if config.timezone != "UTC" or not here.utcoffset():
        return BOT.ok("timezone", seen)
    mend = 'set "timezone" to that of the people, such as "Europe/Berlin"'
    return BOT.warning("timezone", f"{seen}; on this machine it is {here:%H:%M}", mend)


def _choice_of_channels(channels: tuple[str, ...], skipped: list[str]) -> Findings:
    passed_over = tuple(BOT.ok("channels", line) for line in skipped)
    if channels != (LOCAL_CHANNEL,):
        return (BOT.ok("channels", f"configured: {', '.join(channels)}"), *passed_over)
    mend = (
        "run `python3 run.py setup`, or put TELEGRAM_BOT_TOKEN=… (from @BotFather), or"
        " SLACK_BOT_TOKEN=… and SLACK_APP_TOKEN=…, into .env beside config.json"
    )
    seen = "no chat platform is configured: the bot talks in the terminal only"
    return (BOT.warning("channels", seen, mend), *passed_over)
