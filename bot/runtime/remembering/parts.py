"""What remembering works with, and how its failures are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from bot.core.chat import SessionKey
from bot.core.tokens import RESERVE_SHARE, SAFETY
from bot.core.turns import Turn
from bot.core.window.summary.plan import MOST_TURNS_AT_ONCE, SUMMARISER, split_for_summary
from bot.ports import (
    ChatMemories,
    Clock,
    Conversations,
    DailyFiles,
    Episodes,
    Facts,
    MemoryJobs,
    ModelClient,
    Redactor,
    TokenCounter,
)
from bot.runtime.supervisor import Spawn

ANSWER_TOKENS = 4_000
"""Longest answer of the summariser: something about each of twenty turns, and an overview."""

MOST_REQUEST_TOKENS = 24_000
"""More is not told at once, however much the model reads: it would take too long to answer."""

LEAST_REQUEST_TOKENS = 200

CORRECTION_TOKENS = 300
"""Room for saying what was wrong with an answer."""


OFF_PAUSE_S = 6 * 3_600
"""So long what is to be remembered of a chat waits, again and again, while its memory is off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLimits:
    """Who summarises a chat, and how much it reads.

    Attributes:
        window_tokens: What the model reads, its answer included.
        digest_tokens: Longest note that stands for turns which no summary covers.
    """

    model: str
    window_tokens: int
    digest_tokens: int = 1_000

    @property
    def answer_tokens(self) -> int:
        """Give the longest answer."""
        return min(ANSWER_TOKENS, self.window_tokens // RESERVE_SHARE)

    def request_tokens(self, counter: TokenCounter, instructions: str = SUMMARISER) -> int:
        """Give the longest text that surely fits, by local count, beside the instructions."""
        reads = (self.window_tokens - self.answer_tokens) * (1 - SAFETY)
        room = int(reads) - counter.count(instructions) - CORRECTION_TOKENS
        return max(LEAST_REQUEST_TOKENS, min(room, MOST_REQUEST_TOKENS))


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberingParts:
    """What remembering works with.

    Attributes:
        timezone: Whose midnight divides the days of memory files.
        limits: Who summarises a chat at this moment.
        on_landed: Called when a chat's summary is new: what is held of the chat is out of date.
        spawn: Starts a job beside the others; a failure nobody foresaw ends there.
        facts: Where facts are kept that are read out of turns; without it none are read.
        episodes: Where past sessions are recorded; without it none are.
        memories: Says which chats are remembered; without it all are.
    """

    jobs: MemoryJobs
    conversations: Conversations
    files: DailyFiles
    model: ModelClient
    redactor: Redactor
    counter: TokenCounter
    clock: Clock
    timezone: tzinfo
    limits: Callable[[SessionKey], SummaryLimits]
    on_landed: Callable[[SessionKey], None]
    spawn: Spawn
    facts: Facts | None = None
    episodes: Episodes | None = None
    memories: ChatMemories | None = None

    def is_remembered(self, session_key: SessionKey) -> bool:
        """Say whether a chat's memory is on."""
        return self.memories is None or self.memories.is_remembered(session_key)

    def next_run(
        self,
        session_key: SessionKey,
        turns: tuple[Turn, ...],
        *,
        share: int,
        halvings: int,
        instructions: str = SUMMARISER,
    ) -> tuple[tuple[Turn, ...], int]:
        """Give the turns to tell a model next, and how long the whole request may be.

        Turns as they are take one part in ``share`` of it, unless one alone takes more.
        """
        room = self.limits(session_key).request_tokens(self.counter, instructions) >> halvings
        runs = split_for_summary(
            turns[:MOST_TURNS_AT_ONCE], max_tokens=room // share, count=self.counter.count
        )
        return runs[0], room

    def day_of(self, moment: datetime) -> date:
        """Say on which day of the calendar a moment was."""
        return moment.astimezone(self.timezone).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why the summariser gave nothing that can be kept.

    Attributes:
        reason: A word for the log and the job's row: nothing that anybody said.
        is_lasting: Whether waiting alone will hardly help.
        is_pause: Nothing failed: it is to be asked again after ``retry_after_s``, however late.
    """

    reason: str
    is_lasting: bool = False
    retry_after_s: float = 0.0
    is_pause: bool = False


OFF = Failure(reason="memory is off", is_pause=True, retry_after_s=OFF_PAUSE_S)
"""A chat's memory was switched off: what was said before that waits until it is on again.

What is kept already was made of words that may be changed meanwhile: it is to be made anew then.
"""
