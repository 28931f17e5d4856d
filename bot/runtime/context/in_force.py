"""What a setting amounts to where the model's window leaves less than it says."""

from __future__ import annotations

from bot.core.tokens import budget_for
from bot.runtime.context.model_windows import ModelWindows
from bot.runtime.context.parts import TurnLimits


def in_force(key: str, limits: TurnLimits, windows: ModelWindows) -> str:
    """Say in a sentence what holds in the place of a setting's value; empty when that holds."""
    window = limits.window_tokens or windows.window_of(limits.model)
    budget = budget_for(limits.max_context_tokens, window, limits.max_tokens)
    reads = f"`{limits.model}` reads {window} tokens with its answer"
    if key == "model_window_tokens" and limits.window_tokens is None:
        return f"By what is known of it, {reads}."
    if key == "agent_max_context_tokens" and budget.limit_tokens < limits.max_context_tokens:
        return f"In force are {budget.limit_tokens}, since {reads}."
    if key == "max_tokens" and budget.reserve_tokens < limits.max_tokens:
        return (
            f"In force are {budget.reserve_tokens}: {reads}, and an answer has a quarter of that."
        )
    return ""
