"""One chat's conversation while it is active: its window, its limits, its size in tokens."""

from bot.runtime.context.manager import ContextManager
from bot.runtime.context.parts import ContextParts, TurnLimits
from bot.runtime.context.turn import TurnContext

__all__ = ["ContextManager", "ContextParts", "TurnContext", "TurnLimits"]
