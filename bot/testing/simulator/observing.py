"""From a verb that the store has just committed to the facts of the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import get_args

from bot.core.lifecycle import Claim, DeliveryState, OutboxId, OutboxItem, Received
from bot.core.turns import Outcome, TurnId
from bot.testing.simulator.ledger import Ledger

_STATES: dict[str, DeliveryState] = {
    "mark_sending": "sending",
    "mark_pending": "pending",
    "mark_sent": "sent",
    "mark_failed": "failed",
}

_OUTCOMES: dict[str, Outcome] = {outcome: outcome for outcome in get_args(Outcome)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A verb of the store with what it was asked and what it gave."""

    verb: str
    asked: tuple[object, ...]
    value: object

    @property
    def turn_id(self) -> TurnId:
        """The turn that it was asked of, in the first place."""
        return TurnId(self._number)

    @property
    def outbox_id(self) -> OutboxId:
        """The item that it was asked of, in the first place."""
        return OutboxId(self._number)

    @property
    def _number(self) -> int:
        number = self.asked[0]
        assert isinstance(number, int)
        return number

    @property
    def words(self) -> str:
        """The line for the history."""
        about = [str(each) for each in self.asked if isinstance(each, int | str)]
        if isinstance(self.value, Claim):
            turn = self.value.turn
            about.append(f"turn {turn.id} takes {len(self.value.messages)}")
        return " ".join((self.verb, *about))


def verb_of(work: Callable[[], object]) -> str:
    """Name the verb that a piece of the store's work carries out."""
    return str(work.func.__name__) if isinstance(work, partial) else "work"


def commit_of(work: Callable[[], object], value: object) -> Commit:
    """Describe a piece of work that was carried out; its first argument are the tables."""
    asked = work.args[1:] if isinstance(work, partial) else ()
    return Commit(verb=verb_of(work), asked=asked, value=value)


def observe(ledger: Ledger, commit: Commit) -> None:
    """Tell the ledger; reading verbs say nothing."""
    value = commit.value
    if commit.verb in _STATES:
        ledger.marked(commit.outbox_id, _STATES[commit.verb])
        if isinstance(value, OutboxItem):  # the notice about what failed
            ledger.added((value,), None)
    elif isinstance(value, Claim):
        (ledger.reopened if commit.verb == "reopen" else ledger.claimed)(value)
    elif isinstance(value, OutboxItem):
        ledger.added((value,), None)
    elif isinstance(value, tuple):
        _observe_several(ledger, commit, value)
    elif commit.verb == "record_resume":
        ledger.resumed(commit.turn_id)


def _observe_several(ledger: Ledger, commit: Commit, value: tuple[object, ...]) -> None:
    items = tuple(each for each in value if isinstance(each, OutboxItem))
    match commit.verb, commit.asked:
        case "receive", (tuple() as events, *_):
            are_new = tuple(is_new is True for is_new in value)
            ledger.received(tuple(each for each in events if isinstance(each, Received)), are_new)
        case "finish_turn", (_, str() as outcome, *_):
            ledger.finished(commit.turn_id, _OUTCOMES[outcome], items)
        case "finish_command", (str() as channel, str() as event_id, *_):
            ledger.answered(channel, event_id, items)
        case "send_again", _:
            ledger.again(items)
        case _:
            pass
