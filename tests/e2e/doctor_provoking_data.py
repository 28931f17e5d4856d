"""What can go wrong with the data folder, what lies in it, and the bot that works on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from bot.adapters.control_client import Contact, left_in
from bot.adapters.control_server import ControlServer, Pages
from bot.adapters.store.folder import lock_data_folder
from bot.app.data_check import LEAST_FREE_FILES
from bot.app.stored_check import MOST_LOG_BYTES
from bot.config import Config, HttpPlace
from bot.core.findings import Grade
from bot.core.memory.forgetting import Meant, NewForgetting
from bot.runtime.checkup import LEAST_FREE_BYTES
from bot.testing.clock import START, settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from bot.testing.stores.forgetting import ALL, HERS, PLACE, TOKEN
from bot.testing.stores.given import model_call
from tests.e2e.doctoring import NOW_US, Machine, Provoke
from tests.e2e.reminding import BREAD, keep


async def mute_process(machine: Machine) -> None:
    with lock_data_folder(machine.data):
        await machine.see()


async def older_bot(machine: Machine) -> None:
    """Examine beside a bot that knows nothing of being examined, at a port that nobody wanted."""

    async def status(_: str) -> dict[str, object]:
        health = {"condition": "ok", "reasons": []}
        return {"pid": 1, "up_s": 1.0, "model": "", "channels": {}, "health": health}

    machine.keys |= {"http": {"port": 8787}}
    await machine.begin()
    await beside(machine, status)


async def beside(machine: Machine, status: Callable[[str], Awaitable[dict[str, object]]]) -> None:
    async def readiness() -> tuple[bool, dict[str, object]]:
        return True, {}

    async def metrics() -> tuple[bytes, str]:
        return b"", "text/plain"

    server = ControlServer(
        "127.0.0.1",
        0,
        token="t" * 43,
        pages=Pages(readiness=readiness, metrics=metrics),
        answers={("GET", "/status"): status},
    )
    async with server:
        with left_in(machine.data, Contact(address=server.address, token="t" * 43, pid=1)):
            await machine.see()


async def bot_that_breaks(machine: Machine) -> None:
    """Examine beside a bot that is there and cannot say how it is."""

    async def status(_: str) -> dict[str, object]:
        raise RuntimeError

    await machine.begin()
    await beside(machine, status)


async def worker_that_broke_off(machine: Machine) -> None:
    """Examine beside a bot of which a part is not at work."""
    machine.data.mkdir(mode=0o700)
    config = Config(access="open", plugins=(), data_dir=machine.data, http=HttpPlace(port=0))
    async with Dialogue(ScriptedModel(), config=config, data_dir=machine.data) as dialogue:
        async with asyncio.timeout(PATIENCE_S):
            while not (machine.data / "control.json").exists():
                await settle()
        dialogue.app.watch.workers.end("reminding")
        await machine.see()


async def open_folder(machine: Machine) -> None:
    machine.data.mkdir(mode=0o755)
    await machine.see()


async def read_only_disk(machine: Machine) -> None:
    await machine.begin()
    machine.room = replace(machine.room, is_read_only=True)
    await machine.see()


async def open_database(machine: Machine) -> None:
    (await machine.begin()).chmod(0o644)
    await machine.see()


async def full_disk(machine: Machine) -> None:
    await machine.begin()
    machine.room = replace(machine.room, free_bytes=LEAST_FREE_BYTES - 1)
    await machine.see()


async def many_files(machine: Machine) -> None:
    await machine.begin()
    machine.room = replace(machine.room, free_files=LEAST_FREE_FILES - 1)
    await machine.see()


async def broken_off_restore(machine: Machine) -> None:
    await machine.begin()
    machine.write("data/restore.json", b'{"moves": [], "aside": "x", "knowledge_dir": "y"}')
    await machine.see()
    assert (machine.data / "restore.json").exists()


async def restore_not_begun(machine: Machine) -> None:
    await machine.begin()
    (machine.data / "restoring").mkdir()
    await machine.see()


async def odd_restore(machine: Machine) -> None:
    await machine.begin()
    machine.write("data/restore.json", b"{}")
    await machine.see()


async def no_database(machine: Machine) -> None:
    lock_data_folder(machine.data).release()
    machine.write("data/daybook.db", b"x" * 8_192)
    await machine.see()


async def old_schema(machine: Machine) -> None:
    await machine.have("DELETE FROM migration WHERE version > 5")


async def long_log(machine: Machine) -> None:
    await machine.begin()
    os.truncate(machine.write("data/daybook.db-wal", b""), MOST_LOG_BYTES + 1)
    await machine.see()


async def stuck_job(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO memory_job (kind, session_key, generation, through, attempts, due_at)"
        " VALUES ('facts', 'telegram:7:1:', 0, 1, 4, ?)",
        NOW_US,
    )


async def failed_reply(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO outbox (session_key, is_preview, state, created_at, changed_at)"
        " VALUES ('telegram:7:1:', 0, 'failed', 0, 0)"
    )


async def odd_event(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO inbox (channel, event_id, route, state, received_at)"
        " VALUES ('telegram', '1', 'none', 'set_aside', ?)",
        NOW_US,
    )


async def left_forgetting(machine: Machine) -> None:
    await machine.begin()
    store = machine.open()
    new = NewForgetting(wish=ALL, viewer=HERS, token=TOKEN, asked_at=START, meant=Meant())
    await store.keep_proposal(new)
    assert await store.confirm_forgetting(TOKEN, HERS, PLACE, at=START) is not None
    await store.close()
    await machine.see()


async def missed_reminder(machine: Machine) -> None:
    await machine.begin()
    store = machine.open()
    await keep(store, replace(BREAD, due_at=machine.clock.now() - timedelta(hours=1)))
    await store.close()
    await machine.see()


async def damaged_reminder(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO reminder (session_key, person_key, due_at, origin, body)"
        " VALUES ('telegram:7:1:', 'telegram::1', ?, '', 'garbage')",
        NOW_US + 3_600_000_000,
    )


async def spent_cap(machine: Machine) -> None:
    await machine.begin()
    store = machine.open()
    await store.record_call(
        replace(model_call(), at=machine.clock.now(), cost_nano_usd=6_000_000_000)
    )
    await store.close()
    await machine.see()


async def away_until_now(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO job_slot (name, slot) VALUES ('here 0', 1), ('here ' || ?1, ?1)", NOW_US
    )


async def odd_setting(machine: Machine) -> None:
    await machine.have(
        "INSERT INTO setting (scope, key, value, changed_by, changed_at)"
        " VALUES ('', 'max_tokens', '\"many\"', 'telegram:1', 0)"
    )


async def odd_index(machine: Machine) -> None:
    await machine.begin()
    machine.write("data/search.db", b"x" * 8_192)
    await machine.see()


async def odd_memory_file(machine: Machine) -> None:
    machine.data.mkdir(mode=0o700)
    machine.write("data/memory/telegram/2026-01-05.md", b"\xff")
    await machine.see()


async def stray_mark(machine: Machine) -> None:
    machine.data.mkdir(mode=0o700)
    machine.write("data/memory/telegram/MEMORY.md", b"<!-- daybook:begin -->\n- a\n")
    await machine.see()


OF_DATA: tuple[tuple[str, Grade, Provoke], ...] = (
    ("bot.port", "warning", older_bot),
    ("data.running", "warning", mute_process),
    ("data.asked", "warning", older_bot),
    ("data.running", "broken", bot_that_breaks),
    ("data.workers", "warning", worker_that_broke_off),
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
    ("data.attendance", "warning", away_until_now),
    ("data.reminders", "warning", missed_reminder),
    ("data.reminders", "warning", damaged_reminder),
    ("data.caps", "warning", spent_cap),
    ("data.changed", "warning", odd_setting),
    ("data.search", "warning", odd_index),
    ("data.memory_files", "warning", odd_memory_file),
    ("data.lasting", "warning", stray_mark),
)
