"""The running bot being asked from outside: started late, since nothing waits for it."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.adapters.control_client import Contact, left_in
from bot.app.access import Access
from bot.app.agent import Agent
from bot.app.backup import Backups
from bot.app.clean_up import Answer, answer_clean_up
from bot.app.export import answer_export
from bot.app.memory import build_exporter
from bot.app.outside import Outside
from bot.app.stored_check import check_stored, judge_workers
from bot.app.watch import Watch
from bot.config import Config, HttpPlace
from bot.core.chat import PersonKey
from bot.core.findings import Findings
from bot.ports import Clock
from bot.runtime.access_gate import OPERATOR
from bot.runtime.border import incident_number
from bot.runtime.exporting import Exporter
from bot.runtime.housekeeping import CleanUpParts
from bot.runtime.pairing import Pairings
from bot.runtime.workers import FIRST_PAUSE_S, GROWTH, LONGEST_PAUSE_S, WorkerBook

if TYPE_CHECKING:
    from bot.adapters.control_server import ControlServer

logger = logging.getLogger(__name__)

WORKER = "control"
"""By what name :func:`answer_questions` is kept at work."""

TOLD_EVERY_S = 3_600.0
"""So often, at most, the log says that nothing can be listened on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorParts:
    """What does what an operator asks for; without ``backups`` there is nothing on a disk.

    ``examine`` looks at what is kept in the data folder; blocking.
    """

    clock: Clock
    clean_up: CleanUpParts
    pairings: Pairings
    exporter: Exporter
    backups: Backups | None
    examine: Callable[[], Findings]


def operator_parts(
    config: Config, outside: Outside, agent: Agent, access: Access, clean_up: CleanUpParts
) -> OperatorParts:
    """Give what does what an operator asks for."""
    source, zone = outside.backup_source, ZoneInfo(config.timezone)
    return OperatorParts(
        clock=outside.clock,
        clean_up=clean_up,
        pairings=access.pairings,
        exporter=build_exporter(outside, agent),
        backups=None if source is None else Backups(source, outside.clock, zone),
        examine=partial(check_stored, config, outside.clock, is_running=True),
    )


async def answer_questions(
    place: HttpPlace, data_dir: Path, watch: Watch, parts: OperatorParts
) -> None:
    """Answer until cancelled, as :func:`listen` does.

    ``data_dir`` is where word is left of how to ask.
    """
    await asyncio.to_thread(importlib.import_module, "bot.adapters.control_server")
    from bot.adapters.control_server import ControlServer, Pages, Stream

    token = secrets.token_urlsafe(32)

    async def status(_: str) -> dict[str, object]:
        await watch.look()
        return asdict(watch.vitals()) | {"pid": os.getpid()}

    async def would_go(_: str) -> Answer:
        return await answer_clean_up(parts.clean_up, is_dry_run=True)

    async def remove(_: str) -> Answer:
        return await answer_clean_up(parts.clean_up, is_dry_run=False)

    async def pair(code: str) -> dict[str, object]:
        return asdict(await parts.pairings.let_in(code, by=OPERATOR))

    async def export(person_key: str) -> Answer:
        return await answer_export(parts.exporter, PersonKey(person_key))

    async def examine(_: str) -> dict[str, object]:
        found = (judge_workers(watch.workers), *await asyncio.to_thread(parts.examine))
        return {"findings": [asdict(each) for each in found]}

    make = partial(
        ControlServer,
        place.host,
        place.port,
        token=token,
        pages=Pages(
            readiness=watch.readiness,
            metrics=lambda: _metrics_page(watch),
            token=None if place.token is None else place.token.get_secret_value(),
        ),
        answers={
            ("GET", "/status"): status,
            ("GET", "/examine"): examine,
            ("GET", "/cleanup"): would_go,
            ("POST", "/cleanup"): remove,
            ("POST", "/pair"): pair,
            ("POST", "/export"): export,
            **({("POST", "/backup"): Stream(begin=parts.backups.write)} if parts.backups else {}),
        },
        incident=partial(incident_number, parts.clock),
    )
    door = Door(make=make, place=place, data_dir=data_dir, token=token)
    await listen(door, watch.workers, parts.clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Where questions come in: ``make`` makes a server for ``place``, asked with ``token``.

    ``data_dir`` is where word is left of that.
    """

    make: Callable[[], ControlServer]
    place: HttpPlace
    data_dir: Path
    token: str = field(repr=False)


async def listen(door: Door, workers: WorkerBook, clock: Clock) -> None:
    """Listen until cancelled, trying again where that cannot be done.

    Meanwhile the worker counts as broken off, so that a chat's ``/status`` tells of it.
    """
    pause_s, told_s = FIRST_PAUSE_S, float("-inf")
    while True:
        try:
            async with door.make() as server:
                contact = Contact(address=server.address, token=door.token, pid=os.getpid())
                with left_in(door.data_dir, contact):
                    workers.begin(WORKER)
                    logger.info("http.listening", extra={"address": server.address})
                    await asyncio.Event().wait()
        except OSError as error:
            workers.end(WORKER)
            if clock.monotonic() - told_s >= TOLD_EVERY_S:
                told_s = clock.monotonic()
                about = {"host": door.place.host, "port": door.place.port, "why": str(error)}
                logger.warning("http.not_listening", extra=about)
        await clock.sleep(pause_s)
        pause_s = min(pause_s * GROWTH, LONGEST_PAUSE_S)


async def _metrics_page(watch: Watch) -> tuple[bytes, str]:
    """Write what Prometheus asks for."""
    await asyncio.to_thread(importlib.import_module, "bot.adapters.prometheus_text")
    from bot.adapters.prometheus_text import CONTENT_TYPE, written

    return written(await watch.reading()), CONTENT_TYPE
