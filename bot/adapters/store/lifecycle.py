"""The verbs of a message's life that touch several tables at once."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import conversations, inbox, outbox, turns
from bot.adapters.store.schema import Tables
from bot.core.chat import Reply, SessionKey
from bot.core.lifecycle import Claim, OutboxItem, Unfinished, compose_request
from bot.core.turns import Outcome, TurnId


def claim(tables: Tables, session_key: SessionKey, at: datetime) -> Claim | None:
    """Take all that waits in a chat into a new turn, unless the chat still has an open one."""
    messages = inbox.waiting_messages(tables, session_key)
    if not messages or turns.has_open(tables, session_key):
        return None
    generation = conversations.generation_of(tables, session_key)
    turn = turns.start(tables, session_key, generation, compose_request(messages), at)
    inbox.claim_waiting(tables, session_key, turn.id)
    return Claim(turn=turn, messages=messages)


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
    inbox.close_of_turn(tables, turn_id)
    shown = outbox.close_preview(tables, turn_id, at)
    return outbox.add(tables, replies, at, turn_id=turn_id, replaces=shown)


def finish_command(
    tables: Tables, event_id: str, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """Answer an event that waits; nothing happens when it does not wait any more.

    Raises:
        ValueError: No such event was ever received.
    """
    if not inbox.close(tables, event_id):
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
            Claim(turn=turn, messages=inbox.messages_of_turn(tables, turn.id))
            for turn in turns.open_turns(tables)
        ),
        waiting=inbox.waiting_sessions(tables),
        commands=inbox.waiting_commands(tables),
        outbox=outbox.undelivered(tables),
    )
