"""How a turn ended: for the people who read it, and as one line for whoever runs the bot."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from bot.core.commands import with_prefix
from bot.core.llm import Usage
from bot.core.prices import NANO
from bot.core.turns import Outcome, Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How a turn ended and what people are to read of it (CommonMark).

    Attributes:
        text: The model's own words.
        notice: What the bot says beside them, or in their place.
        cost_nano_usd: What this process paid for it, as far as prices are known.
    """

    turn: Turn
    outcome: Outcome
    text: str
    usage: Usage
    notice: str = ""
    cost_nano_usd: int = 0

    def worded(self, prefix: str) -> str:
        """Write it for a platform on which commands begin with ``prefix``.

        The model's words stay as they are: a path that it wrote in code is no command of the bot's.
        """
        return "\n\n".join(filter(None, (self.text, with_prefix(self.notice, prefix))))


def log_turn(answer: Answer, took_s: float) -> None:
    """Write the one line that tells of a turn; nothing that anybody said is in it."""
    turn = answer.turn
    logger.info(
        "turn.finished",
        extra={
            "session": turn.session_key,
            "turn": turn.id,
            "outcome": answer.outcome,
            "steps": len(turn.steps),
            "tools": sum(len(step.answer.tool_calls) for step in turn.steps),
            "tokens_in": answer.usage.prompt_tokens,
            "tokens_out": answer.usage.output_tokens,
            "cost_usd": answer.cost_nano_usd / NANO,
            "ms": round(took_s * 1_000, 1),
        },
    )
