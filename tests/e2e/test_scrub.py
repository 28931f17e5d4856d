"""Secrets that were stored before they were known as such are found later, wherever they stand."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.raw_search import DiskSearch
from bot.adapters.store.folder import lock_data_folder
from bot.adapters.store.sqlite_store import SqliteStore
from bot.cli import main
from bot.core.files import OutgoingFile
from bot.core.lifecycle import SetAside
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import Message, Text, ToolCall, ToolResult
from bot.core.turns import Step
from bot.errors import StoreError
from bot.testing.clock import START
from bot.testing.secret_texts import made_up
from bot.testing.stores.given import begin, entry_of, message, model_call, saying
from tests.e2e.test_command_line import write_config

TOKEN = "gh" + "p_" + made_up(36)
PASSWORD = "Tr0ub" + "4dor&3"


async def fill(folder: Path) -> None:
    """Store secrets as an earlier version would have that did not know them."""
    store = SqliteStore.open(folder / "daybook.db", inline=True)
    turn = await begin(store, message(1, f"My token is {TOKEN}"))
    call = ToolCall(id="c1", name="vault", arguments=json.dumps({"password": PASSWORD}))
    answer = Message(role="assistant", blocks=(Text(text=f"It is {TOKEN}."), call))
    await store.record_step(turn.id, 0, Step(answer=answer, stop="tool_use"), model_call())
    await store.record_result(turn.id, 0, ToolResult(call_id="c1", content=f"Token: {TOKEN}"))
    (item,) = await store.finish_turn(
        turn.id, "failed", (saying(f"Your token is {TOKEN}"),), at=START
    )
    await store.mark_failed(item.id, "blocked", at=START)
    for content in (f"token={TOKEN}".encode(), b"\xff\xfe no text"):
        file = OutgoingFile(name="a.txt", media_type="text/plain", content=content)
        (item,) = await store.tell((replace(saying(""), file=file),), at=START)
        await store.mark_failed(item.id, "blocked", at=START)
    odd = SetAside(event_id="u:9", channel="telegram", raw=f'{{"t": "{TOKEN}"}}', reason="odd")
    await store.receive((odd,), cursor=None, at=START)
    await store.close()
    files = MarkdownMemoryFiles(folder / "memory")
    entry: MemoryEntry = entry_of(turn.id, f"- known: the token is {TOKEN}")
    await files.append((entry,))
    (folder / "search.db").write_bytes(TOKEN.encode())


def traces(folder: Path) -> list[str]:
    found = asyncio.run(DiskSearch(folder).find((TOKEN, PASSWORD)))
    return sorted({trace.file for trace in found})


def test_prv_1_what_was_stored_earlier_is_scrubbed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder = write_config(tmp_path), tmp_path / "data"
    folder.mkdir()
    asyncio.run(fill(folder))
    before = traces(folder)

    assert 0 == main(["--config", str(config), "scrub", "--dry-run"])
    dry = capsys.readouterr().out
    assert before == traces(folder)
    assert 0 == main(["--config", str(config), "scrub"])
    done = capsys.readouterr().out
    assert 0 == main(["--config", str(config), "scrub"])
    again = capsys.readouterr().out

    assert ["daybook.db", "search.db"] == [name for name in before if "/" not in name]
    assert any(name.startswith("memory/") for name in before)
    for place in (
        *("turn.request", "step.answer", "step_result.body", "inbox.body", "outbox.body"),
        "outbox.content",
    ):
        assert place in dry, place
        assert place in done, place
    assert "memory files" in done
    assert "would be replaced" in dry
    assert [] == traces(folder)
    assert again.startswith("No secrets found")
    assert TOKEN not in dry + done
    assert not (folder / "search.db").exists()


@pytest.mark.parametrize("number", range(1, 13))
def test_what_was_broken_off_is_finished_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """In whichever write: neither the index nor old bytes outlast what they were known by."""
    config, folder = write_config(tmp_path), tmp_path / "data"
    folder.mkdir()
    asyncio.run(fill(folder))
    calls = 0

    def broken(name: str) -> None:
        inner = getattr(SqliteStore, name)

        async def call(self: SqliteStore, *asked: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls == number:
                raise StoreError("the disk is gone")
            return await inner(self, *asked, **named)

        monkeypatch.setattr(SqliteStore, name, call)

    broken("rewrite_texts")
    broken("wipe")
    is_done = main(["--config", str(config), "scrub"]) == 0
    monkeypatch.undo()
    assert 0 == main(["--config", str(config), "scrub"])

    assert is_done == (calls < number)
    assert [] == traces(folder)


def test_what_is_scrubbed_can_still_be_read(tmp_path: Path) -> None:
    """Calls are calls, rows are rows: only the secret is another text."""
    config, folder = write_config(tmp_path), tmp_path / "data"
    folder.mkdir()
    asyncio.run(fill(folder))
    main(["--config", str(config), "scrub"])

    async def read() -> tuple[str, str, list[bytes]]:
        store = SqliteStore.open(folder / "daybook.db", inline=True)
        (turn,) = await store.turns_between(message(1).address.session_key, 0, 99)
        kept = await store.failed(message(1).address.session_key)
        await store.close()
        files = [each.reply.file.content for each in kept if each.reply.file is not None]
        return turn.request.text, turn.steps[0].answer.tool_calls[0].arguments, files

    request, arguments, files = asyncio.run(read())
    assert [b"token=[redacted:token]", b"\xff\xfe no text"] == files
    assert "My token is [redacted:token]" == request
    assert {"password": "[redacted:password]"} == json.loads(arguments)


def test_it_is_refused_while_the_bot_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder = write_config(tmp_path), tmp_path / "data"
    folder.mkdir()
    asyncio.run(fill(folder))
    with lock_data_folder(folder):
        assert 2 == main(["--config", str(config), "scrub"])

    assert "is in use by process" in capsys.readouterr().err


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    config = write_config(tmp_path)

    assert 0 == main(["--config", str(config), "scrub"])
    assert not (tmp_path / "data").exists()
