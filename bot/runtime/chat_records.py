"""What a tool may see and note of the chat it runs in, and of no other."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.files import (
    MOST_FILE_BYTES,
    MOST_FILES_A_TURN,
    OutgoingFile,
    clean_file_name,
)
from bot.core.tasks import TaskState
from bot.errors import ToolError
from bot.ports import Clock, KeptResults, Redactor, TaskStates, ToolContext, TurnFiles
from bot.runtime.redaction import redact_text

CLEARED = (
    "The chat was cleared meanwhile, so the state of this task is not kept. Finish the answer "
    "without it."
)

NO_MORE_FILES = (
    f"The file is not sent: {MOST_FILES_A_TURN} files an answer are the most. Put what is left "
    "into one of them, or into the answer."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChatRecords:
    """A :class:`~bot.ports.ChatRecords` of the store: which chat, the tool's context alone says.

    A tool is called with what the model wrote; secrets in it are taken out before it is noted.
    """

    results: KeptResults
    tasks: TaskStates
    files: TurnFiles
    clock: Clock
    redactor: Redactor

    async def tool_output(self, context: ToolContext, call_id: str) -> str | None:
        """Give the whole result of a call of this chat."""
        return await self.results.tool_output(context.session_key, call_id)

    async def task(self, context: ToolContext) -> TaskState | None:
        """Give the state of this chat's task."""
        return await self.tasks.task_of(context.session_key)

    async def note_task(self, context: ToolContext, task: TaskState | None) -> None:
        """Note the state of this chat's task.

        Raises:
            ToolError: The chat was cleared since the turn began; nothing is noted.
        """
        if task is not None:
            task = TaskState(
                goal=await redact_text(task.goal, self.redactor),
                done=await self._redacted(task.done),
                remaining=await self._redacted(task.remaining),
            )
        is_noted = await self.tasks.note_task(
            context.session_key, task, turn_id=context.turn_id, at=self.clock.now()
        )
        if not is_noted:
            raise ToolError(CLEARED)

    async def send_file(
        self, context: ToolContext, name: str, content: bytes, media_type: str
    ) -> None:
        """Have a file sent behind the answer of the turn, as it is.

        Raises:
            ToolError: It is empty, too large, one too many, or its turn has ended.
        """
        if not content:
            raise ToolError("The file is empty: there is nothing to send.")
        if len(content) > MOST_FILE_BYTES:
            raise ToolError(
                f"The file has {len(content)} bytes, and {MOST_FILE_BYTES} are the most that can "
                "be sent. Send a part of it."
            )
        file = OutgoingFile(name=clean_file_name(name), media_type=media_type, content=content)
        if not await self.files.add_file(context.turn_id, context.call_id, file):
            raise ToolError(NO_MORE_FILES)

    async def _redacted(self, items: tuple[str, ...]) -> tuple[str, ...]:
        return tuple([await redact_text(item, self.redactor) for item in items])
