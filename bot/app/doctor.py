"""The examination of everything an operator can get wrong: what is so, and how to mend it.

The law of this file: nothing is changed, nobody is disturbed, and of a running bot nothing is
opened; what only it knows, it is asked for.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.disk import RoomOn, room_on
from bot.app.channels import build_channels
from bot.app.data_check import DataCheck, check_data
from bot.app.model_check import KEY, KEY_VARIABLE, examine_model
from bot.app.network_check import examine_network
from bot.app.settings_check import Sources, check_port, check_settings
from bot.config import Config, read_own_files
from bot.config.keys import CHECKOUT
from bot.core.findings import Area, Findings
from bot.ports import Clock

logger = logging.getLogger(__name__)

PART_LIMIT_S = 60.0
"""How long one part may take; each question in it has a limit of its own, far below."""

DATA_LIMIT_S = 300.0
"""How long the data may take, of which a database is read once, some seconds a gigabyte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is examined: settings as they were read, and the file they were read from.

    Attributes:
        hide: Is told the secrets that nothing may show.
        environ: The environment in which they were read.
        requirements: The list of the packages that the bot was tested with.
        python: The version of Python that runs.
        room_on: Looks at the disk.
    """

    config: Config
    settings_file: Path
    clock: Clock
    hide: Callable[[tuple[str, ...]], None]
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    requirements: Path = CHECKOUT / "requirements.txt"
    python: tuple[int, ...] = sys.version_info[:2]
    room_on: RoomOn = room_on


async def examine(patient: Patient, tell: Callable[[Findings], None]) -> Findings:
    """Look at everything, and give all that was found.

    Args:
        patient: What is examined.
        tell: Is given the findings of each part in turn, as soon as there are any.

    Raises:
        ConfigError: A channel's settings cannot be used, or a file of settings is gone.
    """
    config, clock = patient.config, patient.clock
    key = read_own_files(patient.settings_file).look_up(patient.environ, KEY, KEY_VARIABLE)
    skipped: list[str] = []
    channels = build_channels(config, clock, skipped.append, patient.hide)
    sources = Sources(
        settings_file=patient.settings_file,
        environ=patient.environ,
        requirements=patient.requirements,
        python=patient.python,
    )
    found = check_settings(config, sources, clock, tuple(channels), skipped)
    tell(found)
    data = DataCheck(findings=(), is_held=True)  # what is not known must not be disturbed

    async def look_at_data() -> Findings:
        nonlocal data
        data = await asyncio.to_thread(check_data, config, clock, patient.room_on)
        return (check_port(config.http, data), *data.findings)

    found += (kept := await within_limit("data", look_at_data(), DATA_LIMIT_S))
    tell(kept)
    parts: list[tuple[str, Awaitable[Findings]]] = [
        ("network", examine_network(config, clock)),
        ("model", examine_model(config, clock, key, running=data.running.model)),
        *(
            (name, channel.examine(is_running=data.receives_for(name)))
            for name, channel in channels.items()
        ),
    ]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(within_limit(*part)) for part in parts]
            for task in tasks:
                found += (findings := await task)
                tell(findings)
    finally:
        for channel in channels.values():
            await channel.close()
    return found


async def within_limit(
    area: str, part: Awaitable[Findings], limit_s: float | None = None
) -> Findings:
    """Examine a part, for as long as a part may take; ``limit_s`` for another time."""
    limit_s = PART_LIMIT_S if limit_s is None else limit_s
    try:
        async with asyncio.timeout(limit_s):
            return await part
    except TimeoutError:
        seen = f"no end of it within {limit_s:g} s"
        mend = 'look at the network, and at "proxy" or https_proxy, then run doctor again'
        return (Area(name=area).broken("reach", seen, mend),)
    except Exception as error:  # border: one part of an examination
        logger.debug("doctor.part_broke_off", exc_info=True, extra={"area": area})
        seen = f"the examination broke off ({type(error).__name__})"
        mend = f"look for a value that cannot be among the settings of {area}; else report it"
        return (Area(name=area).broken("reach", seen, mend),)
