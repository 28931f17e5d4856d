from dataclasses import replace

import pytest

from bot.core.chat import SessionKey
from bot.core.files import MOST_FILE_BYTES, OutgoingFile
from bot.core.tasks import TaskState
from bot.errors import ToolError
from bot.testing.clock import FakeClock
from bot.testing.plugins import SECRET, TOOL_CONTEXT, chat_records
from bot.testing.store import InMemoryStore
from bot.testing.stores.given import begin, message

ELSEWHERE = replace(TOOL_CONTEXT, session_key=SessionKey("console:local:another:"))


async def test_a_task_is_noted_in_the_chat_of_the_tool_and_in_no_other() -> None:
    records = chat_records(InMemoryStore(), FakeClock())
    task = TaskState(goal="Move house", done=("boxes",), remaining=("van",))

    await records.note_task(TOOL_CONTEXT, task)

    assert await records.task(TOOL_CONTEXT) == task
    assert await records.task(ELSEWHERE) is None


async def test_secrets_are_taken_out_of_a_task_and_none_takes_it_away() -> None:
    records = chat_records(InMemoryStore(), FakeClock())

    await records.note_task(TOOL_CONTEXT, TaskState(goal=SECRET))
    assert await records.task(TOOL_CONTEXT) == TaskState(goal="[redacted:password]")

    await records.note_task(TOOL_CONTEXT, None)
    assert await records.task(TOOL_CONTEXT) is None


async def test_a_file_is_kept_with_its_turn_under_a_clean_name_and_as_it_is() -> None:
    store = InMemoryStore()
    records = chat_records(store, FakeClock())
    assert TOOL_CONTEXT.turn_id == (await begin(store, message(1))).id

    await records.send_file(TOOL_CONTEXT, "../a.txt", SECRET.encode(), "text/plain")

    file = OutgoingFile(name="a.txt", media_type="text/plain", content=SECRET.encode())
    assert await store.files_of(TOOL_CONTEXT.turn_id) == (file,)


@pytest.mark.parametrize(
    ("size", "why"), [(0, "nothing to send"), (MOST_FILE_BYTES + 1, "20000000 are the most")]
)
async def test_a_file_of_no_size_that_can_be_sent_is_refused(size: int, why: str) -> None:
    store = InMemoryStore()
    records = chat_records(store, FakeClock())
    turn = await begin(store, message(1))

    with pytest.raises(ToolError, match=why):
        await records.send_file(TOOL_CONTEXT, "a.bin", bytes(size), "application/octet-stream")

    assert await store.files_of(turn.id) == ()
