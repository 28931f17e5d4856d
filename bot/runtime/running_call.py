"""A call of the model from the moment at which it may be made, and what is known of it by then."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.core.cost import Amount, at_least
from bot.core.llm import Delta, ModelRequest, Payer, Usage, UsageSoFar
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelSilent,
    ModelUnavailable,
)
from bot.ports import TokenCounter
from bot.runtime.arrears import Owed

_INSTEAD_OF_AN_ANSWER = (
    ModelAuthError,
    ModelRateLimited,
    ModelOverloaded,
    ModelUnavailable,
    ContextTooLong,
    ModelRequestRefused,
)
"""What is said of a request that nobody took, or in place of reading it."""


@dataclass(slots=True, kw_only=True)
class RunningCall:
    """A call that is not over.

    Attributes:
        local: The request's size by the local count.
        held: What is held of the caps for it.
        owed: What the store is to be told once it is over; None before it is kept.
        may_be_billed: Whether the vendor may have read the request.
        reported: What the model said by now of what it takes.
        written: What came of the answer by now: text, thinking that is shown, arguments of tools.
    """

    request: ModelRequest
    payer: Payer
    local: int
    held: Amount = field(default_factory=Amount)
    owed: Owed | None = None
    may_be_billed: bool = False
    reported: Usage = field(default_factory=Usage)
    written: list[str] = field(default_factory=list)

    def take(self, delta: Delta) -> None:
        """Take in a piece of the answer, or what is said of its cost."""
        if isinstance(delta, UsageSoFar):
            self.reported = delta.usage
        else:
            self.written.append(delta.text)

    def fail(self, error: ModelError) -> None:
        """Take in why there is no answer."""
        is_silence = isinstance(error, ModelSilent)
        self.may_be_billed = is_silence or not isinstance(error, _INSTEAD_OF_AN_ANSWER)

    def taken(self, counter: TokenCounter) -> Usage | None:
        """Estimate what it took if it breaks off now; None for nothing.

        The prompt at least, unless nobody read it; what was heard goes before why it ended.
        """
        if not self.may_be_billed and not self.written and self.reported == Usage():
            return None
        return at_least(self.reported, self.local, counter.count("".join(self.written)))
