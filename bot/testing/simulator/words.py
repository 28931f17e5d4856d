"""What commands told people, held against what happened: a command that is said to work must work.

Judged from when people asked and what they read then, not from what the product believes. Between
its coming in and its answer a command may be carried out at any moment, so only what was so all
that while is held against it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from bot.core.lifecycle import RETRYABLE
from bot.runtime.commands.retry import NOTHING_FAILED
from bot.testing.simulator.facts import Said, TurnFacts
from bot.testing.simulator.ledger import Ledger, command_of

STOPPED = "Stopped."
ALL_DELIVERED = "Everything was delivered."


def word_faults(ledger: Ledger) -> Iterator[str]:
    """Say which commands told people what is not so."""
    for said in ledger.said.values():
        judge = _JUDGES.get(command_of(said.inbound))
        if judge is not None and said.settled_at < math.inf:
            yield from judge(ledger, said)


def _of_stop(ledger: Ledger, stop: Said) -> Iterator[str]:
    """See that what was open when a stop was confirmed ended by it, unless its process died."""
    if stop.answer != STOPPED:
        return
    for turn in _turns_of(ledger, stop):
        for ending in turn.endings:
            is_met = ending.opened_at < stop.stored_at and stop.settled_at < ending.ended_at
            is_same = ending.process == stop.answered_in
            if is_met and is_same and ending.outcome != "stopped":
                names = " ".join(turn.messages)
                yield f"{stop.id} was told {STOPPED!r} and {names} ended as {ending.outcome}"


def _of_failed(_: Ledger, asked: Said) -> Iterator[str]:
    if asked.answer == ALL_DELIVERED and asked.undelivered:
        yield f"{asked.id} was told {asked.answer!r} and {asked.undelivered} had failed"


def _of_retry(ledger: Ledger, retry: Said) -> Iterator[str]:
    turns = _turns_of(ledger, retry)
    if retry.answer == NOTHING_FAILED:
        if retry.undelivered:
            yield f"{retry.id} was told {NOTHING_FAILED!r} and {retry.undelivered} had failed"
        elif turns and _could_be_tried_again(ledger, turns[-1], retry):
            yield f"{retry.id} was told {NOTHING_FAILED!r} and {turns[-1].messages} had failed"
    elif not retry.answer and not retry.was_busy:
        yield f"{retry.id} was told nothing and nothing is tried again"


def _could_be_tried_again(ledger: Ledger, newest: TurnFacts, retry: Said) -> bool:
    """Say whether a turn had failed, and nothing came after it, all the time."""
    is_put_away = any(
        newest.claimed_at <= new.settled_at and new.stored_at <= retry.settled_at
        for new in ledger.commands(retry.session_key, "new")
    )
    before = [ending for ending in newest.endings if ending.ended_at < retry.stored_at]
    is_opened = any(
        retry.settled_at >= ending.opened_at for ending in newest.endings[len(before) :]
    )
    return bool(before) and before[-1].outcome in RETRYABLE and not is_opened and not is_put_away


def _turns_of(ledger: Ledger, said: Said) -> list[TurnFacts]:
    """List the turns that a chat had when a command was answered, oldest first."""
    return [
        turn
        for _, turn in sorted(ledger.turns.items())
        if turn.session_key == said.session_key and turn.claimed_at <= said.settled_at
    ]


_JUDGES: Mapping[str, Callable[[Ledger, Said], Iterator[str]]] = {
    "stop": _of_stop,
    "failed": _of_failed,
    "retry": _of_retry,
}
