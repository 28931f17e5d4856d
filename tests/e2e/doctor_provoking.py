"""What can go wrong with a bot, each thing seen by the whole of ``doctor``; platforms apart.

The law of this file: nothing judges but ``machine.see()``, which looks as an operator's ``doctor``
does. What a machine has by itself (its disk, its clock, its Python) is put in the place of it.
"""

from __future__ import annotations

import socket
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest
import trustme

from bot.app import doctor
from bot.app.model_check import SLOW_S
from bot.core.findings import Grade
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import START, FakeClock
from bot.testing.slack_server import PretendedSlack
from tests.e2e.doctor_provoking_data import OF_DATA
from tests.e2e.doctoring import LateClock, Machine, Provoke
from tests.repo.findings import ANYWHERE


async def old_python(machine: Machine) -> None:
    machine.python = (3, 10)
    await machine.see()


async def missing_package(machine: Machine) -> None:
    machine.requirements = machine.write("requirements.txt", b"no-such-thing==1.0 \\\n")
    await machine.see()


async def other_package(machine: Machine) -> None:
    machine.requirements = machine.write("requirements.txt", b"pydantic==0.0.1\n")
    await machine.see()


async def as_it_is(machine: Machine) -> None:
    await machine.see()


async def own_settings(machine: Machine) -> None:
    machine.write("config.local.json", b'{"max_tokens": 2048}')
    machine.environ = {"DAYBOOK_MODEL": "claude-x"}
    await machine.see()


async def plain_secret(machine: Machine) -> None:
    machine.keys |= {"channels": {"telegram": {"enabled": False, "token": "1:" + "a" * 35}}}
    await machine.see()


async def misspelt_variable(machine: Machine) -> None:
    machine.write(".env", b"# a note\nTELEGRAM_TOKEN=x\n")
    await machine.see()


async def unset_variable(machine: Machine) -> None:
    machine.keys |= {"proxy": "${PROXY_ADDRESS}"}
    await machine.see()


async def open_secrets(machine: Machine) -> None:
    machine.write(".env", b"", mode=0o644)
    await machine.see()


async def no_persona(machine: Machine) -> None:
    machine.keys |= {"persona": "none.md"}
    await machine.see()


async def zone_of_the_machine(machine: Machine) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        await machine.see()
    time.tzset()


async def taken_port(machine: Machine) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        machine.keys |= {"http": {"port": server.getsockname()[1]}}
        await machine.see()


async def foreign_host(machine: Machine) -> None:
    machine.keys |= {"http": {"host": "192.0.2.1", "port": 8787, "token": "t" * 20}}
    await machine.see()


async def asking(machine: Machine, model: str, **keys: object) -> None:
    async with PretendedAnthropic(models=(model,)) as vendor:
        machine.keys |= {"model": model, "anthropic": {"base_url": vendor.base_url}, **keys}
        await machine.see()


async def proxy_that_is_away(machine: Machine) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("https_proxy", "http://127.0.0.1:9")
        await machine.see()


async def old_certificate(machine: Machine) -> None:
    machine.write("company.pem", trustme.CA().cert_pem.bytes())
    machine.keys |= {"ca_file": "company.pem"}
    machine.clock = FakeClock(datetime(3001, 1, 1, tzinfo=UTC))
    await machine.see()


async def unpriced_model(machine: Machine) -> None:
    """Ask for a model that runs in nobody's own network; that it cannot be reached is no matter."""
    machine.keys |= {"model": "llama-9", "anthropic": {"base_url": "http://model.example"}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("http_proxy", "http://127.0.0.1:9")
        await machine.see()


async def unreachable_model(machine: Machine) -> None:
    machine.keys |= {"anthropic": {"base_url": "http://127.0.0.1:9"}}
    await machine.see()


async def unknown_window(machine: Machine) -> None:
    await asking(machine, "llama-9")


async def small_window(machine: Machine) -> None:
    await asking(machine, "claude-sonnet-5-5", model_window_tokens=8_000)


async def slow_model(machine: Machine) -> None:
    machine.clock = LateClock(SLOW_S + 0.1)
    await asking(machine, "claude-sonnet-5-5")


async def slow_clock(machine: Machine) -> None:
    machine.clock = FakeClock(START)
    await asking(machine, "claude-sonnet-5-5")


async def part_without_an_end(machine: Machine) -> None:
    async with PretendedSlack() as slack:
        slack.fail("auth.test", "hang")
        machine.keys |= {"channels": {"slack": slack.settings}}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(doctor, "PART_LIMIT_S", 0.2)
            await machine.see()


PROVOKED: tuple[tuple[str, Grade, Provoke], ...] = (
    ("bot.python", "broken", old_python),
    ("bot.packages", "broken", missing_package),
    ("bot.packages", "warning", other_package),
    ("bot.settings", "ok", as_it_is),
    ("bot.overridden", "ok", own_settings),
    ("bot.secrets", "warning", plain_secret),
    ("bot.dotenv", "warning", misspelt_variable),
    ("bot.variables", "warning", unset_variable),
    ("bot.modes", "warning", open_secrets),
    ("bot.persona", "broken", no_persona),
    ("bot.timezone", "warning", zone_of_the_machine),
    ("bot.channels", "warning", as_it_is),
    ("bot.port", "warning", taken_port),
    ("bot.port", "broken", foreign_host),
    *OF_DATA,
    ("model.model", "broken", unreachable_model),
    ("model.window", "warning", unknown_window),
    ("model.window", "warning", small_window),
    ("model.price", "warning", unpriced_model),
    ("model.latency", "warning", slow_model),
    ("model.clock", "warning", slow_clock),
    ("network.proxy", "broken", proxy_that_is_away),
    ("network.ca_file", "warning", old_certificate),
    (f"{ANYWHERE}.reach", "broken", part_without_an_end),
)
