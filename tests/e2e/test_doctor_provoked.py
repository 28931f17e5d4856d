"""Every finding of ``doctor`` about the bot itself, provoked; platforms have tests of theirs."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.control_client import Contact, left_in
from bot.adapters.control_server import ControlServer, Pages
from bot.adapters.store.folder import lock_data_folder
from bot.app.data_check import judge_free_files, judge_free_space, judge_shut
from bot.app.doctor import within_limit
from bot.app.model_check import SLOW_S, judge_latency
from bot.app.settings_check import judge_python
from bot.app.stored_check import MOST_LOG_BYTES
from bot.core.findings import Finding, Findings, Grade
from bot.core.memory.forgetting import Meant, NewForgetting
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import START, FakeClock
from bot.testing.stores.forgetting import ALL, HERS, PLACE, TOKEN
from bot.testing.stores.given import model_call
from tests.e2e.doctoring import NOW_US, Machine
from tests.repo.findings import ANYWHERE, ids_in_code

Provoke = Callable[[Machine], Awaitable[Findings]]


async def old_python(machine: Machine) -> Findings:
    return (judge_python((3, 10)),)


async def missing_package(machine: Machine) -> Findings:
    machine.requirements = machine.write("requirements.txt", b"no-such-thing==1.0 \\\n")
    return await machine.see()


async def other_package(machine: Machine) -> Findings:
    machine.requirements = machine.write("requirements.txt", b"pydantic==0.0.1\n")
    return await machine.see()


async def as_it_is(machine: Machine) -> Findings:
    return await machine.see()


async def own_settings(machine: Machine) -> Findings:
    machine.write("config.local.json", b'{"max_tokens": 2048}')
    machine.environ = {"DAYBOOK_MODEL": "claude-x"}
    return await machine.see()


async def plain_secret(machine: Machine) -> Findings:
    machine.keys |= {"channels": {"telegram": {"enabled": False, "token": "1:" + "a" * 35}}}
    return await machine.see()


async def misspelt_variable(machine: Machine) -> Findings:
    machine.write(".env", b"# a note\nTELEGRAM_TOKEN=x\n")
    return await machine.see()


async def open_secrets(machine: Machine) -> Findings:
    machine.write(".env", b"", mode=0o644)
    return await machine.see()


async def no_persona(machine: Machine) -> Findings:
    machine.keys |= {"persona": "none.md"}
    return await machine.see()


async def zone_of_the_machine(machine: Machine) -> Findings:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        found = await machine.see()
    time.tzset()
    return found


async def taken_port(machine: Machine) -> Findings:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        machine.keys |= {"http": {"port": server.getsockname()[1]}}
        return await machine.see()


async def foreign_host(machine: Machine) -> Findings:
    machine.keys |= {"http": {"host": "192.0.2.1", "port": 8787, "token": "t" * 20}}
    return await machine.see()


async def mute_process(machine: Machine) -> Findings:
    with lock_data_folder(machine.data):
        return await machine.see()


async def older_bot(machine: Machine) -> Findings:
    """Examine beside a bot that knows nothing of being examined, at a port that nobody wanted."""

    async def readiness() -> tuple[bool, dict[str, object]]:
        return True, {}

    async def metrics() -> tuple[bytes, str]:
        return b"", "text/plain"

    async def status(_: str) -> dict[str, object]:
        health = {"condition": "ok", "reasons": []}
        return {"pid": 1, "up_s": 1.0, "model": "", "channels": {}, "health": health}

    server = ControlServer(
        "127.0.0.1",
        0,
        token="t" * 43,
        pages=Pages(readiness=readiness, metrics=metrics),
        answers={("GET", "/status"): status},
    )
    machine.keys |= {"http": {"port": 8787}}
    await machine.begin()
    async with server:
        with left_in(machine.data, Contact(address=server.address, token="t" * 43, pid=1)):
            return await machine.see()


async def open_folder(machine: Machine) -> Findings:
    machine.data.mkdir(mode=0o755)
    return await machine.see()


async def read_only_disk(machine: Machine) -> Findings:
    return (judge_shut(machine.data, ("daybook.db",), is_read_only=True),)


async def open_database(machine: Machine) -> Findings:
    (await machine.begin()).chmod(0o644)
    return await machine.see()


async def full_disk(machine: Machine) -> Findings:
    return (judge_free_space(1),)


async def many_files(machine: Machine) -> Findings:
    return (judge_free_files(999, 65_536),)


async def broken_off_restore(machine: Machine) -> Findings:
    await machine.begin()
    machine.write("data/restore.json", b'{"moves": [], "aside": "x", "knowledge_dir": "y"}')
    found = await machine.see()
    assert (machine.data / "restore.json").exists()
    return found


async def restore_not_begun(machine: Machine) -> Findings:
    await machine.begin()
    (machine.data / "restoring").mkdir()
    return await machine.see()


async def odd_restore(machine: Machine) -> Findings:
    await machine.begin()
    machine.write("data/restore.json", b"{}")
    return await machine.see()


async def no_database(machine: Machine) -> Findings:
    lock_data_folder(machine.data).release()
    machine.write("data/daybook.db", b"x" * 8_192)
    return await machine.see()


async def old_schema(machine: Machine) -> Findings:
    return await machine.have("DELETE FROM migration WHERE version > 5")


async def long_log(machine: Machine) -> Findings:
    await machine.begin()
    os.truncate(machine.write("data/daybook.db-wal", b""), MOST_LOG_BYTES + 1)
    return await machine.see()


async def stuck_job(machine: Machine) -> Findings:
    return await machine.have(
        "INSERT INTO memory_job (kind, session_key, generation, through, attempts, due_at)"
        " VALUES ('facts', 'telegram:7:1:', 0, 1, 4, ?)",
        NOW_US,
    )


async def failed_reply(machine: Machine) -> Findings:
    return await machine.have(
        "INSERT INTO outbox (session_key, is_preview, state, created_at, changed_at)"
        " VALUES ('telegram:7:1:', 0, 'failed', 0, 0)"
    )


async def odd_event(machine: Machine) -> Findings:
    return await machine.have(
        "INSERT INTO inbox (channel, event_id, route, state, received_at)"
        " VALUES ('telegram', '1', 'none', 'set_aside', ?)",
        NOW_US,
    )


async def left_forgetting(machine: Machine) -> Findings:
    await machine.begin()
    store = machine.open()
    new = NewForgetting(wish=ALL, viewer=HERS, token=TOKEN, asked_at=START, meant=Meant())
    await store.keep_proposal(new)
    assert await store.confirm_forgetting(TOKEN, HERS, PLACE, at=START) is not None
    await store.close()
    return await machine.see()


async def spent_cap(machine: Machine) -> Findings:
    await machine.begin()
    store = machine.open()
    await store.record_call(
        replace(model_call(), at=machine.clock.now(), cost_nano_usd=6_000_000_000)
    )
    await store.close()
    return await machine.see()


async def odd_setting(machine: Machine) -> Findings:
    return await machine.have(
        "INSERT INTO setting (scope, key, value, changed_by, changed_at)"
        " VALUES ('', 'max_tokens', '\"many\"', 'telegram:1', 0)"
    )


async def odd_index(machine: Machine) -> Findings:
    await machine.begin()
    machine.write("data/search.db", b"x" * 8_192)
    return await machine.see()


async def odd_memory_file(machine: Machine) -> Findings:
    machine.data.mkdir(mode=0o700)
    machine.write("data/memory/telegram/2026-01-05.md", b"\xff")
    return await machine.see()


async def stray_mark(machine: Machine) -> Findings:
    machine.data.mkdir(mode=0o700)
    machine.write("data/memory/telegram/MEMORY.md", b"<!-- daybook:begin -->\n- a\n")
    return await machine.see()


async def asking(machine: Machine, model: str, **keys: object) -> Findings:
    async with PretendedAnthropic(models=(model,)) as vendor:
        machine.keys |= {"model": model, "anthropic": {"base_url": vendor.base_url}, **keys}
        return await machine.see()


async def unreachable_model(machine: Machine) -> Findings:
    machine.keys |= {"anthropic": {"base_url": "http://127.0.0.1:9"}}
    return await machine.see()


async def unknown_window(machine: Machine) -> Findings:
    return await asking(machine, "llama-9")


async def small_window(machine: Machine) -> Findings:
    return await asking(machine, "claude-sonnet-5-5", model_window_tokens=8_000)


async def slow_model(machine: Machine) -> Findings:
    return (judge_latency("claude-x", SLOW_S + 0.1),)


async def slow_clock(machine: Machine) -> Findings:
    machine.clock = FakeClock(START)
    return await asking(machine, "claude-sonnet-5-5")


async def part_that_breaks_off(machine: Machine) -> Findings:
    async def look() -> Findings:
        raise ValueError

    return await within_limit(ANYWHERE, look())


PROVOKED: tuple[tuple[str, Grade, Provoke], ...] = (
    ("bot.python", "broken", old_python),
    ("bot.packages", "broken", missing_package),
    ("bot.packages", "warning", other_package),
    ("bot.settings", "ok", as_it_is),
    ("bot.overridden", "ok", own_settings),
    ("bot.secrets", "warning", plain_secret),
    ("bot.dotenv", "warning", misspelt_variable),
    ("bot.modes", "warning", open_secrets),
    ("bot.persona", "broken", no_persona),
    ("bot.timezone", "warning", zone_of_the_machine),
    ("bot.channels", "warning", as_it_is),
    ("bot.port", "warning", taken_port),
    ("bot.port", "broken", foreign_host),
    ("bot.port", "warning", older_bot),
    ("data.running", "warning", mute_process),
    ("data.asked", "warning", older_bot),
    ("data.folder", "warning", open_folder),
    ("data.folder", "broken", read_only_disk),
    ("data.private", "warning", open_database),
    ("data.disk", "broken", full_disk),
    ("data.inodes", "broken", many_files),
    ("data.restore", "warning", broken_off_restore),
    ("data.restore", "warning", restore_not_begun),
    ("data.restore", "broken", odd_restore),
    ("data.database", "broken", no_database),
    ("data.schema", "warning", old_schema),
    ("data.log", "warning", long_log),
    ("data.jobs", "warning", stuck_job),
    ("data.replies", "warning", failed_reply),
    ("data.set_aside", "warning", odd_event),
    ("data.forgetting", "warning", left_forgetting),
    ("data.caps", "warning", spent_cap),
    ("data.changed", "warning", odd_setting),
    ("data.search", "warning", odd_index),
    ("data.memory_files", "warning", odd_memory_file),
    ("data.lasting", "warning", stray_mark),
    ("model.model", "broken", unreachable_model),
    ("model.window", "warning", unknown_window),
    ("model.window", "warning", small_window),
    ("model.price", "warning", unknown_window),
    ("model.latency", "warning", slow_model),
    ("model.clock", "warning", slow_clock),
    (f"{ANYWHERE}.reach", "broken", part_that_breaks_off),
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="modes and zones are a system's own")
@pytest.mark.parametrize(
    ("id_", "grade", "provoke"),
    PROVOKED,
    ids=[f"{id_}-{provoke.__name__}" for id_, _, provoke in PROVOKED],
)
async def test_it_is_found_and_says_how_to_mend_it(
    machine: Machine, id_: str, grade: Grade, provoke: Provoke
) -> None:
    found = [each for each in await provoke(machine) if each.id == id_]

    assert [grade] == [each.grade for each in found][:1], found
    assert found[0].mend or grade == "ok"


def test_each_finding_is_provoked() -> None:
    others = {each for each in ids_in_code() if each.partition(".")[0] not in ("telegram", "slack")}

    assert others == {id_ for id_, _, _ in PROVOKED}


async def test_what_is_well_is_said_to_be(machine: Machine) -> None:
    """A finding that would always warn says nothing."""
    await machine.begin()
    found = await asking(machine, "claude-sonnet-5-5")

    unwell: list[Finding] = [each for each in found if each.grade != "ok"]
    assert {each.id for each in unwell} <= {"bot.channels", "bot.packages", "data.disk"}
