from dataclasses import replace

from bot.core.chat import SessionKey
from bot.core.tasks import TaskState
from bot.testing.clock import FakeClock
from bot.testing.plugins import SECRET, TOOL_CONTEXT, chat_records
from bot.testing.store import InMemoryStore

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
