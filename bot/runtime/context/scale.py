"""How long a window's request is in a chat's own measure."""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.llm import ToolSpec
from bot.core.tokens import SAFETY, Budget, Calibration, weigh_request
from bot.core.turns import Turn
from bot.core.window.assemble import Layout, assemble
from bot.core.window.conversation import Cut
from bot.core.window.shapes import as_text
from bot.core.window.summary.digest import make_digest
from bot.core.window.summary.pinned import collect_pinned
from bot.core.window.window import Limits, Window
from bot.ports import TokenCounter

SHARE_OF_DIGEST = 8
MOST_DIGEST_TOKENS = 1_000
"""A digest takes so much, and an eighth of the budget, at most."""

FRAME_TOKENS = 80
"""What a digest may have beyond the turns it stands for: the words it begins with, and labels. So
there is always room for all that has to be kept of them."""


def most_digest_tokens(budget_tokens: int) -> int:
    """Say how long a digest may be under a budget for whole requests."""
    return min(MOST_DIGEST_TOKENS, budget_tokens // SHARE_OF_DIGEST)


@dataclass(slots=True)
class Scale:
    """Weighs windows: by the local count, corrected by what the model said of earlier requests.

    It remembers the window it weighed last, since every stage asks about the same one. ``sampled``
    is the cut of the requests that the samples are of.
    """

    counter: TokenCounter
    calibration: Calibration
    tools: tuple[ToolSpec, ...]
    sampled: Cut | None = None
    _last: Window | None = None
    _layout: Layout | None = None
    _local: int = 0

    def limits(self, budget: Budget, max_turns: int) -> Limits:
        """Give the limits of a window under a budget."""
        return Limits(
            max_turns=max_turns,
            max_tokens=budget.limit_tokens,
            weigh=self.weigh,
            digest=lambda turns: self.digest(turns, budget.limit_tokens),
        )

    def weigh(self, window: Window) -> int:
        """Estimate the tokens of the whole request that a window makes.

        Where the open turn was cut, much of it is not what the samples were of: there the local
        count is not taken for less than it may be.
        """
        local = self.local(window)
        estimate = self.calibration.estimate(local)
        if window.folded_steps or window.newest_cap is not None or window.cut != self.sampled:
            careful = local * max(1.0, self.calibration.ratio) * (1 + SAFETY)
            return max(estimate, round(careful))
        return estimate

    def estimate(self, window: Window) -> int:
        """Estimate the same without that care: what people are told."""
        return self.calibration.estimate(self.local(window))

    def local(self, window: Window) -> int:
        """Count the tokens of a window's request locally, uncorrected."""
        self.layout(window)
        return self._local

    def layout(self, window: Window) -> Layout:
        """Write a window out."""
        if window is not self._last or self._layout is None:
            layout = assemble(window)
            self._local = weigh_request(
                layout.system, self.tools, layout.messages, self.counter.count
            )
            self._last, self._layout = window, layout
        return self._layout

    def digest(self, turns: tuple[Turn, ...], budget_tokens: int) -> str:
        """Write the note that stands for turns that left, hardly longer than they were.

        What is pinned of older turns stands in the summary that covers these.
        """
        texts = tuple(map(as_text, turns))
        count = self.counter.count
        were = sum(count(turn.request.text) + count(turn.reply) for turn in texts)
        most = min(most_digest_tokens(budget_tokens), were + FRAME_TOKENS)
        return make_digest(texts, collect_pinned(texts), max_tokens=most, count=count)
