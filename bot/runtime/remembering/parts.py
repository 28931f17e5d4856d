"""What remembering works with, and how its failures are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from bot.core.chat import SessionKey
from bot.core.tokens import RESERVE_SHARE, SAFETY
from bot.core.window.summary.plan import SUMMARISER
from bot.ports import (
    Clock,
    Conversations,
    MemoryFiles,
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

    def request_tokens(self, counter: TokenCounter) -> int:
        """Give the longest text that surely fits, by local count, beside the instructions."""
        reads = (self.window_tokens - self.answer_tokens) * (1 - SAFETY)
        room = int(reads) - counter.count(SUMMARISER) - CORRECTION_TOKENS
        return max(LEAST_REQUEST_TOKENS, min(room, MOST_REQUEST_TOKENS))


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberingParts:
    """What remembering works with.

    Attributes:
        timezone: Whose midnight divides the days of memory files.
        limits: Who summarises a chat at this moment.
        on_landed: Called when a chat's summary is new: what is held of the chat is out of date.
        spawn: Starts a job beside the others; a failure nobody foresaw ends there.
    """

    jobs: MemoryJobs
    conversations: Conversations
    files: MemoryFiles
    model: ModelClient
    redactor: Redactor
    counter: TokenCounter
    clock: Clock
    timezone: tzinfo
    limits: Callable[[SessionKey], SummaryLimits]
    on_landed: Callable[[SessionKey], None]
    spawn: Spawn

    def day_of(self, moment: datetime) -> date:
        """Say on which day of the calendar a moment was."""
        return moment.astimezone(self.timezone).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why the summariser gave nothing that can be kept.

    Attributes:
        reason: A word for the log and the job's row: nothing that anybody said.
        is_lasting: Whether waiting alone will hardly help.
    """

    reason: str
    is_lasting: bool = False
    retry_after_s: float = 0.0
