"""The ports to what is kept of chats: their turns, cuts, summaries, tasks and tool results."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.chat import SessionKey
from bot.core.llm import Usage
from bot.core.memory.opening import Opening
from bot.core.schedule import SilentChat
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Compaction, Conversation, Cut


class Conversations(Protocol):
    """What a chat remembers of itself. Each call is one transaction.

    * ``load`` gives a conversation: its ended turns from ``cut.kept_from`` on.
    * ``save_cut`` puts a cut in the place of the one that is kept and notes that this process has
      opened the chat; nothing happens, and False is given, when the conversation is of another
      ``generation`` by now. With a ``compaction`` the cut before becomes ``former``. If turns left
      that no summary covers, a job to summarise them is kept with it, due at once; if there are
      none, there is no such job afterwards.
    * ``clear`` begins a new generation: the new cut keeps nothing of what was opened so far, the
      old one becomes ``former``, the task state is put away with it. Gives the new generation.
      A clear of what is empty since the last one does nothing, so that it may be done again after a
      crash without losing what can be undone; then the generation is the old one, and an
      ``opening`` that is given takes the place of the one before. With ``is_recalled`` nobody
      cleared anything away: a session begins, and what was said before may be recalled in it.
    * ``undo`` puts ``former`` back in a new generation, and the task state put away with it unless
      there is a new one; jobs are kept, and the chat is opened by this process, as by ``save_cut``.
      False when there is nothing to undo.
    * ``turns_between`` gives ended turns of a chat by their ids, both ends included, oldest first.
    * ``usage_of`` adds up what a chat's answers have cost since its last clear.
    """

    async def load(self, session_key: SessionKey) -> Conversation: ...
    async def save_cut(
        self,
        session_key: SessionKey,
        cut: Cut,
        *,
        generation: int,
        at: datetime,
        compaction: Compaction | None = None,
    ) -> bool: ...
    async def clear(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        compaction: Compaction | None = None,
        opening: Opening | None = None,
        is_recalled: bool = False,
    ) -> int: ...
    async def undo(self, session_key: SessionKey, *, at: datetime) -> bool: ...
    async def turns_between(
        self, session_key: SessionKey, first: int, last: int
    ) -> tuple[Turn, ...]: ...
    async def usage_of(self, session_key: SessionKey) -> Usage: ...


class TaskStates(Protocol):
    """The state of a chat's task, as the agent last wrote it; None takes it away.

    A turn that was cleared is of the conversation before: what it notes is not kept, and
    ``note_task`` gives False.
    """

    async def task_of(self, session_key: SessionKey) -> TaskState | None: ...
    async def note_task(
        self, session_key: SessionKey, task: TaskState | None, *, turn_id: TurnId, at: datetime
    ) -> bool: ...


class KeptResults(Protocol):
    """Whole results of tools, up to 1 MB each, of the turns of a chat that were not cleared."""

    async def tool_output(self, session_key: SessionKey, call_id: str) -> str | None: ...


class ModelLimits(Protocol):
    """What models were found to read at most, in tokens, by the errors they gave."""

    async def windows(self) -> dict[str, int]: ...
    async def learn_window(self, model: str, tokens: int, *, at: datetime) -> None: ...


class Sessions(Protocol):
    """The clean-up of chats that have been silent for long.

    ``silent_since`` names chats in which nothing came in since ``before``, no turn is open, nothing
    waits or is to be sent, and whose turns the daily files have, all of them, with the number of
    these turns; ``remove`` takes one of them with all that hangs on it (memory files, what was paid
    and the identities of events stay), unless something happened since. ``quiet_since`` counts the
    chats in which nothing came in since ``before``, also those that something still holds back.
    """

    async def quiet_since(self, before: datetime) -> int: ...
    async def silent_since(self, before: datetime) -> tuple[SilentChat, ...]: ...
    async def remove(self, session_key: SessionKey, *, before: datetime) -> bool: ...
