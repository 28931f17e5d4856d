"""The agent of all chats, and what it keeps its limits by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from zoneinfo import ZoneInfo

from bot.app.outside import Outside
from bot.app.recalling import MemorySearch, build_recalling
from bot.config import Config
from bot.config.changes import Value, changeable, operator_values
from bot.core.chat import Sender, SessionKey
from bot.core.retry import RetryPolicy
from bot.ports import Clock
from bot.runtime.context import ContextParts
from bot.runtime.context.in_force import in_force
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.live_settings import LiveSettings
from bot.runtime.log import level_switch
from bot.runtime.metrics import Metrics
from bot.runtime.openings import OpeningParts, Openings
from bot.runtime.runner import AgentRunner
from bot.runtime.spending import Spending
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_run import AgentParts

MODEL_RETRY = RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=20.0, patience_s=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The runner, the settings it follows, what it has learned of models, how sessions open.

    ``spending`` is what stands in front of the model.
    """

    runner: AgentRunner
    settings: LiveSettings
    windows: ModelWindows
    openings: Openings
    spending: Spending

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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNeeds:
    """What an agent is built with.

    Attributes:
        settings: Those that it follows.
        clock: The one its pauses are taken by.
        search: What memory is searched with.
        on_left: Called when turns wait for their summary.
        zone_of: Says by which time zone somebody lives.
        metrics: Where it counts.
    """

    settings: LiveSettings
    tools: ToolRegistry
    model: Spending
    clock: Clock
    search: MemorySearch
    on_left: Callable[[], None]
    zone_of: Callable[[Sender], tzinfo]
    metrics: Metrics


def build_settings(config: Config, outside: Outside) -> LiveSettings:
    """Build what knows the settings as admins change them."""
    settings = LiveSettings(_operator_values(config, outside), outside.store, outside.clock)
    settings.follow("log_level", level_switch())
    return settings


def build_agent(config: Config, outside: Outside, needs: AgentNeeds) -> Agent:
    """Build the agent."""
    settings = needs.settings
    windows = ModelWindows(outside.store, outside.clock)
    context = ContextParts(
        conversations=outside.store,
        tasks=outside.store,
        jobs=outside.store,
        counter=outside.counter,
        windows=windows,
        clock=outside.clock,
        timezone=ZoneInfo(config.timezone),
        zone_of=needs.zone_of,
        limits=settings.limits,
        instructions=config.read_persona(),
        tools=needs.tools.specs,
        metrics=needs.metrics,
        on_left=needs.on_left,
        recalling=build_recalling(config, outside, settings, needs.search, needs.tools.names),
    )
    parts = AgentParts(
        model=needs.model,
        tools=needs.tools,
        lifecycle=outside.store,
        clock=needs.clock,
        jitter=outside.jitter,
        retry=MODEL_RETRY,
        redactor=outside.redactor,
        spending=needs.model,
        metrics=needs.metrics,
    )
    openings = Openings(
        OpeningParts(
            episodes=outside.store,
            facts=outside.store,
            memories=settings,
            redactor=outside.redactor,
            clock=outside.clock,
            zone=ZoneInfo(config.timezone),
            wake_memory=needs.on_left,
        )
    )
    runner = AgentRunner(parts, context)
    return Agent(
        runner=runner, settings=settings, windows=windows, openings=openings, spending=needs.model
    )


def _operator_values(config: Config, outside: Outside) -> dict[str, Value]:
    """Give what the operator has; where only one model is sure to be there, it summarises too."""
    values = operator_values(config)
    is_found = outside.model_name != config.model
    has_key = config.anthropic.api_key is not None
    is_named = config.summary_model != changeable("summary_model").default
    values["model"] = outside.model_name
    if is_found or not (has_key or is_named):
        values["summary_model"] = None
    return values
