"""Compaction stages: pure functions that make a window smaller, one a file, gentlest first.

The laws of every stage: it never makes a window larger; calls and results stay paired; the open
turn's request stays, and so does its newest round; the order of what stays is kept; the first
message is the user's; the same window and limits give the same result. A window of which nothing
has to go comes back equal.

To add a stage, write its function in a file here and put it into ``STAGES``: the tests run every
law on every row.
"""

from collections.abc import Callable

from bot.core.window.stages.compress_to_text import compress_to_text
from bot.core.window.stages.cut_newest_round import cut_newest_round
from bot.core.window.stages.drop_last_turns import drop_last_turns
from bot.core.window.stages.fold_all_but_newest import fold_all_but_newest
from bot.core.window.stages.fold_old_rounds import fold_old_rounds
from bot.core.window.stages.halve_turns import halve_turns
from bot.core.window.stages.shed_background import shed_background
from bot.core.window.stages.trim_turns import trim_turns
from bot.core.window.stages.truncate_past_results import truncate_past_results
from bot.core.window.window import Limits, Window

Stage = Callable[[Window, Limits], Window]
"""Gives back an equal window when its trigger does not hold, else one that is smaller by a step."""

STAGES: tuple[Stage, ...] = (
    truncate_past_results,
    trim_turns,
    compress_to_text,
    halve_turns,
    fold_old_rounds,
    shed_background,
    drop_last_turns,
    fold_all_but_newest,
    cut_newest_round,
)
