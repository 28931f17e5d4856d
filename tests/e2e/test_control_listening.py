"""Where the bot cannot listen it goes on trying, says so now and then, and is not called well."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.adapters.control_client import FILE_NAME
from bot.adapters.control_server import ControlServer, Pages
from bot.app.control import TOLD_EVERY_S, WORKER, Door, listen
from bot.config import HttpPlace
from bot.runtime.metrics import Metrics
from bot.runtime.supervisor import Supervisor
from bot.runtime.workers import LONGEST_PAUSE_S, WorkerBook, Workers
from bot.testing.clock import FakeClock
from bot.testing.patience import PATIENCE_S

NOT_OURS = "192.0.2.1"
"""Source: RFC 5737: for examples, so that no machine has it."""


class Hosts:
    """Makes servers for the host that this machine has at the moment."""

    def __init__(self) -> None:
        self.host = NOT_OURS
        self.made = 0

    def make(self) -> ControlServer:
        async def readiness() -> tuple[bool, dict[str, object]]:
            return True, {}

        async def metrics() -> tuple[bytes, str]:
            return b"", ""

        self.made += 1
        pages = Pages(readiness=readiness, metrics=metrics)
        return ControlServer(self.host, 0, token="t" * 43, pages=pages, answers={})


@pytest.fixture
def hosts() -> Hosts:
    return Hosts()


@pytest.fixture
def book(clock: FakeClock) -> WorkerBook:
    return WorkerBook(clock, Metrics())


@pytest.fixture
async def listening(
    hosts: Hosts, book: WorkerBook, clock: FakeClock, tmp_path: Path
) -> AsyncIterator[None]:
    place = HttpPlace(host=NOT_OURS, port=0, token=SecretStr("t" * 16))
    door = Door(make=hosts.make, place=place, data_dir=tmp_path, token="t" * 43)
    async with Supervisor() as supervisor:
        Workers(supervisor.spawn, clock, book).keep(WORKER, lambda: listen(door, book, clock))
        yield


async def let_pass(clock: FakeClock, seconds: float) -> None:
    """Let time pass, and each try have its end, since that takes real sockets."""
    end_s = clock.monotonic() + seconds
    async with asyncio.timeout(PATIENCE_S):
        while clock.monotonic() < end_s or not clock.sleepers:
            await clock.advance(min(end_s - clock.monotonic(), 1.0) if clock.sleepers else 0.0)


@pytest.mark.usefixtures("listening")
async def test_it_is_told_once_an_hour_and_meanwhile_the_worker_is_red(
    hosts: Hosts, book: WorkerBook, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await let_pass(clock, TOLD_EVERY_S - LONGEST_PAUSE_S)
    within_an_hour, trouble, tries = list(caplog.messages), book.trouble, hosts.made
    await let_pass(clock, 2 * LONGEST_PAUSE_S)

    assert ["http.not_listening"] == within_an_hour
    assert ["http.not_listening"] * 2 == caplog.messages
    assert 60 <= tries <= 70
    assert trouble.startswith(f"{WORKER} broke off 59 min ago")


@pytest.mark.usefixtures("listening")
async def test_once_there_is_the_address_it_answers_and_is_well(
    hosts: Hosts, book: WorkerBook, clock: FakeClock, tmp_path: Path
) -> None:
    await let_pass(clock, LONGEST_PAUSE_S)
    was_up, hosts.host = book.up[WORKER], "127.0.0.1"
    async with asyncio.timeout(PATIENCE_S):
        while not book.up[WORKER]:
            await clock.advance(1)

    assert not was_up
    assert "" == book.trouble
    assert (tmp_path / FILE_NAME).exists()
