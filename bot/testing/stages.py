"""The laws of a compaction stage, as plain functions that a test runs on every stage.

They are functions, not methods of a base class: Hypothesis refuses a test method that two
subclasses share.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.core.turns import pairing_faults
from bot.core.window.assemble import assemble
from bot.core.window.shapes import shown
from bot.core.window.stages import Stage
from bot.core.window.window import Limits, Window

ANNOUNCEMENT_TOKENS = 160
"""What a stage may add to a window: the lines that say what it left out."""

Law = Callable[[Stage, Window, Limits], None]
"""Raises AssertionError when a stage breaks it on a window."""


def never_grows(stage: Stage, window: Window, limits: Limits) -> None:
    """The request is no larger but for what announces that something left."""
    after = stage(window, limits)
    assert limits.weigh(after) <= limits.weigh(window) + ANNOUNCEMENT_TOKENS


def keeps_calls_paired(stage: Stage, window: Window, limits: Limits) -> None:
    """The messages are such as a vendor takes: first the user's, alternating, calls answered."""
    assert () == pairing_faults(assemble(stage(window, limits)).messages)


def keeps_the_request(stage: Stage, window: Window, limits: Limits) -> None:
    """What is asked stands in the window word for word."""
    after = stage(window, limits)
    shown_texts = {block for message in assemble(after).messages for block in message.blocks}
    assert all(
        block in shown_texts
        for block in window.open_turn.request.blocks
        if getattr(block, "text", "x").strip()
    )


def keeps_the_newest_round(stage: Stage, window: Window, limits: Limits) -> None:
    """Every call of the open turn's newest round is still shown."""
    after = stage(window, limits)
    assert bool(window.rounds) == bool(after.rounds)
    assert window.rounds[-1:] == after.rounds[-1:]


def keeps_order(stage: Stage, window: Window, limits: Limits) -> None:
    """What stays of the past is its newest part, in order."""
    after = stage(window, limits)
    ids = [turn.id for turn in window.past]
    assert ids[len(ids) - len(after.past) :] == [turn.id for turn in after.past]


def is_the_same_again(stage: Stage, window: Window, limits: Limits) -> None:
    """Equal input, equal output."""
    assert stage(window, limits) == stage(window, limits)


def only_moves_forward(stage: Stage, window: Window, limits: Limits) -> None:
    """A cut never goes back: turns that left stay away, and shapes only get smaller."""
    before, after = window.cut, stage(window, limits).cut
    assert before.kept_from <= after.kept_from
    assert before.text_through <= after.text_through
    assert before.turns_left <= after.turns_left
    assert before.cleared_before == after.cleared_before
    assert before.summary_version == after.summary_version


def can_be_made_again(stage: Stage, window: Window, limits: Limits) -> None:
    """The stored turns and the cut alone give the same past: nothing else was decided."""
    after = stage(window, limits)
    again = tuple(shown(turn, after.cut) for turn in window.past if turn.id >= after.cut.kept_from)
    shaped = tuple(shown(turn, after.cut) for turn in after.past)
    assert again == shaped


def covers_what_left(stage: Stage, window: Window, limits: Limits) -> None:
    """No turn leaves without a digest that stands for it."""
    after = stage(window, limits)
    left = window.past[: len(window.past) - len(after.past)]
    assert (*window.uncovered, *left) == after.uncovered
    assert bool(after.uncovered) == bool(after.cut.digest)


LAWS: tuple[Law, ...] = (
    never_grows,
    keeps_calls_paired,
    keeps_the_request,
    keeps_the_newest_round,
    keeps_order,
    is_the_same_again,
    only_moves_forward,
    can_be_made_again,
    covers_what_left,
)
