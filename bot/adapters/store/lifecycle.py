"""The verbs of a message's life that touch several tables at once."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import conversations, inbox, outbox, turns
from bot.adapters.store.schema import Tables
from bot.core.chat import Reply, SessionKey
from bot.core.lifecycle import (
    RETRYABLE,
    Claim,
    OutboxItem,
    Unfinished,
    compose_request,
    reopened,
    taken_together,
)
from bot.core.turns import Outcome, TurnId


def claim(tables: Tables, session_key: SessionKey, at: datetime, before: str = "") -> Claim | None:
    """Take what waits in a chat into a new turn, unless the chat still has an open one.

    With ``before``, only what came in before that event.
    """
    waiting = inbox.waiting_messages(tables, session_key)
    limit = inbox.place_of(tables, session_key, before) if before else None
    earlier = tuple(each for row, each in waiting.items() if limit is None or row < limit)
    if not earlier or turns.has_open(tables, session_key):
        return None
    messages = taken_together(earlier)
    inbox.drop_kept(tables, session_key)
    last = messages[-1]
    generation = conversations.note_chat(tables, session_key, last.kind, last.sender.person_key, at)
    turn = turns.start(tables, session_key, generation, compose_request(messages), at)
    through = tuple(waiting)[len(messages) - 1]
    inbox.claim_waiting(tables, session_key, turn.id, through=through)
    return Claim(turn=turn, messages=messages, has_more=len(messages) < len(waiting))


def reopen(tables: Tables, session_key: SessionKey) -> Claim | None:
    """Open the newest turn of a chat again when its messages were kept for that."""
    newest = turns.newest(tables, session_key)
    turn = None if newest is None else reopened(newest)
    if turn is None or not conversations.is_current(tables, turn.id):
        return None
    if not inbox.claim_kept(tables, turn.id):
        return None
    turns.reopen(tables, turn)
    outbox.part_from_preview(tables, turn.id)
    return Claim(
        turn=turn,
        messages=inbox.messages_of_turn(tables, turn.id),
        started=turns.started_calls(tables, turn),
    )


def finish_turn(
    tables: Tables, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """End a turn with its replies; nothing happens when it has ended already.

    Raises:
        ValueError: There is no such turn.
    """
    if not turns.is_open(tables, turn_id):
        return ()
    turns.end(tables, turn_id, outcome, at)
    if outcome in RETRYABLE and conversations.is_current(tables, turn_id):
        inbox.keep_of_turn(tables, turn_id)
    else:
        inbox.close_of_turn(tables, turn_id)
    return outbox.add_of_turn(tables, turn_id, replies, at)


def finish_command(
    tables: Tables, channel: str, event_id: str, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """Answer an event that waits; nothing happens when it does not wait any more.

    Raises:
        ValueError: No such event was ever received, or it was pruned.
    """
    if not inbox.close(tables, channel, event_id):
        return ()
    return outbox.add(tables, replies, at)


def add_preview(tables: Tables, turn_id: TurnId, reply: Reply, at: datetime) -> OutboxItem:
    """Put an unfinished answer into the outbox.

    Raises:
        ValueError: There is no such turn, or it has ended.
    """
    if not turns.is_open(tables, turn_id):
        raise ValueError(f"turn {turn_id} has ended")
    return outbox.add_preview(tables, turn_id, reply, at)


def unfinished(tables: Tables) -> Unfinished:
    """Say what is open in every table."""
    return Unfinished(
        claims=tuple(
            Claim(
                turn=turn,
                messages=inbox.messages_of_turn(tables, turn.id),
                started=turns.started_calls(tables, turn),
            )
            for turn in turns.open_turns(tables)
        ),
        waiting=inbox.waiting_sessions(tables),
        commands=inbox.waiting_commands(tables),
        outbox=outbox.undelivered(tables),
    )
