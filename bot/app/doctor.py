"""The examination of everything an operator can get wrong: what is so, and how to mend it.

The law of this file: nothing is changed, nobody is disturbed, and of a running bot nothing is
opened; what only it knows, it is asked for.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.app.channels import build_channels
from bot.app.data_check import check_data
from bot.app.model_check import check_model
from bot.config import Config
from bot.core.findings import Finding, one_line
from bot.errors import ConfigError
from bot.ports import Clock
from bot.runtime.access_gate import LOCAL_CHANNEL

PART_LIMIT_S = 60.0
"""How long one part may take; each question in it has a limit of its own, far below."""

Findings = tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined: settings as they were read, and the file they were read from.

    ``hide`` is told the secrets that nothing may show.
    """

    config: Config
    settings_file: Path
    clock: Clock
    hide: Callable[[tuple[str, ...]], None]


async def examine(patient: Patient, tell: Callable[[Findings], None]) -> Findings:
    """Look at everything, and give all that was found.

    Args:
        patient: What is examined.
        tell: Is given the findings of each part in turn, as soon as there are any.

    Raises:
        ConfigError: A channel's settings cannot be used.
    """
    config, clock = patient.config, patient.clock
    skipped: list[str] = []
    channels = build_channels(config, clock, skipped.append, patient.hide)
    found = _look_at_settings(patient, tuple(channels), skipped)
    tell(found)
    data = await asyncio.to_thread(check_data, config.data_dir)
    found += data.findings
    tell(data.findings)
    parts: list[tuple[str, Awaitable[Findings]]] = [
        ("model", check_model(config, clock, running=data.running.model)),
        *(
            (name, channel.examine(is_running=data.receives_for(name)))
            for name, channel in channels.items()
        ),
    ]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_within_limit(*part)) for part in parts]
            for task in tasks:
                found += (findings := await task)
                tell(findings)
    finally:
        for channel in channels.values():
            await channel.close()
    return found


async def _within_limit(area: str, part: Awaitable[Findings]) -> Findings:
    try:
        async with asyncio.timeout(PART_LIMIT_S):
            return await part
    except TimeoutError:
        seen = f"no end of it within {PART_LIMIT_S:.0f} s"
        mend = "look at the network and at https_proxy, then run doctor again"
        return (Finding(area=area, check="reach", grade="broken", seen=seen, mend=mend),)


def _look_at_settings(patient: Patient, channels: tuple[str, ...], skipped: list[str]) -> Findings:
    file = patient.settings_file
    there = f"{file} is read" if file.exists() else f"there is no {file}; all is as it comes"
    return (
        Finding(area="bot", check="python", seen=f"Python {platform.python_version()}"),
        Finding(area="bot", check="settings", seen=one_line(there)),
        _persona(patient.config),
        _timezone(patient.config, patient.clock),
        *_choice_of_channels(channels, skipped),
    )


def _persona(config: Config) -> Finding:
    try:
        text = config.read_persona()
    except ConfigError as error:
        return Finding(
            area="bot",
            check="persona",
            grade="broken",
            seen=one_line(str(error)),
            mend="mend that file, or let persona name another one",
        )
    seen = one_line(f"{config.persona} has {len(text)} characters")
    return Finding(area="bot", check="persona", seen=seen)


def _timezone(config: Config, clock: Clock) -> Finding:
    """Show what time it is.

    A zone that was chosen is meant, whatever the machine's is; UTC is what stands there unchosen.
    """
    here, there = clock.now().astimezone(), clock.now().astimezone(ZoneInfo(config.timezone))
    seen = f"the bot's days are those of {config.timezone}, where it is {there:%H:%M}"
    if config.timezone != "UTC" or not here.utcoffset():
        return Finding(area="bot", check="timezone", seen=seen)
    return Finding(
        area="bot",
        check="timezone",
        grade="warning",
        seen=f"{seen}; on this machine it is {here:%H:%M}",
        mend='set "timezone" to that of the people, such as "Europe/Berlin"',
    )


def _choice_of_channels(channels: tuple[str, ...], skipped: list[str]) -> Findings:
    passed_over = tuple(
        Finding(area="bot", check="channels", seen=one_line(line)) for line in skipped
    )
    if channels != (LOCAL_CHANNEL,):
        seen = f"configured: {', '.join(channels)}"
        return (Finding(area="bot", check="channels", seen=seen), *passed_over)
    alone = Finding(
        area="bot",
        check="channels",
        grade="warning",
        seen="no chat platform is configured: the bot talks in the terminal only",
        mend=(
            "put TELEGRAM_BOT_TOKEN=… (from @BotFather), or SLACK_BOT_TOKEN=… and"
            " SLACK_APP_TOKEN=…, into .env beside config.json"
        ),
    )
    return (alone, *passed_over)
