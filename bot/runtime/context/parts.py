"""What context managers work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo

from bot.core.chat import Sender, SessionKey
from bot.core.llm import ToolSpec
from bot.core.tokens import Budget, budget_for
from bot.ports import Clock, Conversations, MemoryJobs, TaskStates, TokenCounter
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.context.recalling import Recalling
from bot.runtime.metrics import Metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """What holds for a chat's next call of the model.

    Attributes:
        max_tokens: Longest answer; ``max_context_tokens`` the longest request.
        window_tokens: What the model reads, where somebody set it; None for what is known of it.
    """

    model: str
    max_tokens: int
    max_steps: int
    max_turns: int
    max_context_tokens: int
    window_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextParts:
    """What context managers work with.

    Attributes:
        limits: The limits that hold in a chat at this moment.
        instructions: The operator's general instructions.
        tools: All tools at this moment.
        on_left: Called when turns left a window and wait for their summary.
        zone_of: Says by which time zone somebody lives; None where all live by the bot's.
        recalling: Looks memory through for turns; None where there is none.
    """

    conversations: Conversations
    tasks: TaskStates
    jobs: MemoryJobs
    counter: TokenCounter
    windows: ModelWindows
    clock: Clock
    timezone: tzinfo
    limits: Callable[[SessionKey], TurnLimits]
    instructions: str
    tools: Callable[[], tuple[ToolSpec, ...]]
    on_left: Callable[[], None]
    recalling: Recalling | None = None
    zone_of: Callable[[Sender], tzinfo] | None = None
    metrics: Metrics = field(default_factory=Metrics)

    def window_of(self, limits: TurnLimits) -> int:
        """Say how many tokens the model reads, its answer included."""
        return limits.window_tokens or self.windows.window_of(limits.model)

    def budget(self, limits: TurnLimits) -> Budget:
        """Say how many tokens a request and its answer may have."""
        window = self.window_of(limits)
        return budget_for(limits.max_context_tokens, window, limits.max_tokens)
