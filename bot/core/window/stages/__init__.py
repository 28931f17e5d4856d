"""Compaction stages: pure functions that make a window smaller, one a file, gentlest first."""

from collections.abc import Callable

from bot.core.window.assemble import Window
from bot.core.window.stages.trim_turns import trim_turns

Stage = Callable[[Window, int], Window]
"""Takes a window and ``agent_max_context_turns``; returns an equal or a smaller one."""

STAGES: tuple[Stage, ...] = (trim_turns,)
