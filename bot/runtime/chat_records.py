"""What a tool may see and note of the chat it runs in, and of no other."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.tasks import TaskState
from bot.ports import Clock, KeptResults, Redactor, TaskStates, ToolContext
from bot.runtime.redaction import redact_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChatRecords:
    """A :class:`~bot.ports.ChatRecords` of the store: which chat, the tool's context alone says.

    A tool is called with what the model wrote; secrets in it are taken out before it is noted.
    """

    results: KeptResults
    tasks: TaskStates
    clock: Clock
    redactor: Redactor

    async def tool_output(self, context: ToolContext, call_id: str) -> str | None:
        """Give the whole result of a call of this chat."""
        return await self.results.tool_output(context.session_key, call_id)

    async def task(self, context: ToolContext) -> TaskState | None:
        """Give the state of this chat's task."""
        return await self.tasks.task_of(context.session_key)

    async def note_task(self, context: ToolContext, task: TaskState | None) -> None:
        """Note the state of this chat's task."""
        if task is not None:
            task = TaskState(
                goal=await redact_text(task.goal, self.redactor),
                done=await self._redacted(task.done),
                remaining=await self._redacted(task.remaining),
            )
        await self.tasks.note_task(context.session_key, task, at=self.clock.now())

    async def _redacted(self, items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([await redact_text(item, self.redactor) for item in items])
