"""What a setting amounts to where the model's window leaves less than it says."""

from __future__ import annotations

from bot.core.tokens import budget_for
from bot.languages import gettext
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.context.parts import TurnLimits


def in_force(key: str, limits: TurnLimits, windows: ModelWindows) -> str:
    """Say in a sentence what holds in the place of a setting's value; empty when that holds."""
    window = limits.window_tokens or windows.window_of(limits.model)
    budget = budget_for(limits.max_context_tokens, window, limits.max_tokens)
    if key == "model_window_tokens" and limits.window_tokens is None:
        return gettext(
            "By what is known of it, `{model}` reads {window} tokens with its answer.",
            model=limits.model,
            window=window,
        )
    if key == "agent_max_context_tokens" and budget.limit_tokens < limits.max_context_tokens:
        return gettext(
            "In force are {tokens}, since `{model}` reads {window} tokens with its answer.",
            tokens=budget.limit_tokens,
            model=limits.model,
            window=window,
        )
    if key == "max_tokens" and budget.reserve_tokens < limits.max_tokens:
        return gettext(
            "In force are {tokens}: `{model}` reads {window} tokens with its answer, and an "
            "answer has a quarter of that.",
            tokens=budget.reserve_tokens,
            model=limits.model,
            window=window,
        )
    return ""
