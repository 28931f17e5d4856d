"""The agent of all chats, and what it keeps its limits by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from bot.app.outside import Outside
from bot.config import Config
from bot.config.changes import CHANGEABLE, Value, changeable
from bot.core.chat import SessionKey
from bot.core.retry import RetryPolicy
from bot.ports import Clock, ModelClient
from bot.runtime.context import ContextParts
from bot.runtime.context.in_force import in_force
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.live_settings import LiveSettings
from bot.runtime.log import level_switch
from bot.runtime.runner import AgentRunner
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_run import AgentParts

MODEL_RETRY = RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=20.0, patience_s=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The runner, the settings it follows, and what it has learned of models."""

    runner: AgentRunner
    settings: LiveSettings
    windows: ModelWindows

    async def load(self) -> None:
        """Read what admins set and what was learned of models."""
        await self.settings.load()
        await self.windows.load()

    def in_force(self, key: str, session_key: str) -> str:
        """Say what holds in a chat in the place of a setting's value; empty when that holds."""
        return in_force(key, self.settings.limits(SessionKey(session_key)), self.windows)

    def forget(self, session_key: SessionKey) -> None:
        """Drop what is held of a chat that was removed from the store."""
        self.runner.forget(session_key)
        self.settings.forget(session_key)


def build_agent(
    config: Config,
    outside: Outside,
    tools: ToolRegistry,
    model: ModelClient,
    clock: Clock,
    on_left: Callable[[], None],
) -> Agent:
    """Build the agent; ``clock`` is the one its pauses are taken by."""
    settings = LiveSettings(_operator_values(config, outside), outside.store, outside.clock)
    settings.follow("log_level", level_switch())
    windows = ModelWindows(outside.store, outside.clock)
    context = ContextParts(
        conversations=outside.store,
        tasks=outside.store,
        jobs=outside.store,
        counter=outside.counter,
        windows=windows,
        clock=outside.clock,
        timezone=ZoneInfo(config.timezone),
        limits=settings.limits,
        instructions=config.read_persona(),
        tools=tools.specs,
        on_left=on_left,
    )
    parts = AgentParts(
        model=model,
        tools=tools,
        lifecycle=outside.store,
        clock=clock,
        jitter=outside.jitter,
        retry=MODEL_RETRY,
        redactor=outside.redactor,
    )
    return Agent(runner=AgentRunner(parts, context), settings=settings, windows=windows)


def _operator_values(config: Config, outside: Outside) -> dict[str, Value]:
    """Give what the operator has; where only one model is sure to be there, it summarises too."""
    values: dict[str, Value] = {key: getattr(config, key) for key in CHANGEABLE}
    is_found = outside.model_name != config.model
    has_key = config.anthropic.api_key is not None
    is_named = config.summary_model != changeable("summary_model").default
    values["model"] = outside.model_name
    if is_found or not (has_key or is_named):
        values["summary_model"] = None
    return values
