"""The verbs of a message's life that touch several tables at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.adapters.store import (
    audiences,
    buttons,
    conversations,
    edits,
    episodes,
    facts,
    files,
    inbox,
    journal,
    moving,
    outbox,
    said,
    turns,
)
from bot.adapters.store.kept_messages import messages_of_turn
from bot.adapters.store.schema import Tables
from bot.core.chat import ChatMoved, InboundDeletion, InboundEdit, Reply, SessionKey
from bot.core.lifecycle import (
    RETRYABLE,
    Claim,
    Cursor,
    OutboxItem,
    Received,
    SetAside,
    Unfinished,
    compose_request,
    reopened,
    taken_together,
    with_files,
)
from bot.core.memory.audience import audience_of
from bot.core.memory.said import said_in
from bot.core.messages import ContentBlock, Message
from bot.core.turns import Outcome, Turn, TurnId


def receive(
    tables: Tables,
    events: tuple[Received | SetAside, ...],
    cursor: Cursor | None,
    at: datetime,
) -> tuple[bool, ...]:
    """Store events and the cursor behind them; True for each that was new and meant something."""
    are_new = tuple(_take_in(tables, event, at) for event in events)
    if cursor is not None:
        inbox.keep_cursor(tables, cursor)
    return are_new


def claim(
    tables: Tables,
    session_key: SessionKey,
    at: datetime,
    before: str = "",
    *,
    is_off_record: bool = False,
) -> Claim | None:
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
    note, request = edits.tell_meanwhile(tables, session_key), compose_request(messages)
    request = replace(request, blocks=(*note, *request.blocks))
    turn = turns.start(tables, session_key, generation, request, at)
    inbox.claim_waiting(tables, turn.id, tuple(waiting)[: len(messages)], len(note))
    said.keep(tables, turn.id, said_in(messages, len(note)))
    audiences.note_audience(tables, audience_of(session_key, last.kind))
    if is_off_record:
        turns.take_off_record(tables, turn.id)
    return Claim(turn=turn, messages=messages, has_more=len(messages) < len(waiting))


def record_request(
    tables: Tables, turn_id: TurnId, brought: tuple[tuple[ContentBlock, ...], ...]
) -> Message:
    """Put what the files of an open turn's messages brought into its request, once.

    Raises:
        ValueError: There is no such turn, or it has ended.
    """
    request, first = turns.request_of(tables, turn_id), inbox.first_place(tables, turn_id)
    if len(request.blocks) != first + len(brought):
        return request  # what was put in first stays
    brought = edits.brought_still(tables, turn_id, brought)
    request, places = with_files(request, brought, first)
    turns.change_request(tables, turn_id, request)
    inbox.place_of_turn(tables, turn_id, places)
    said.move(tables, turn_id, dict(enumerate(places, first)))
    return request


def reopen(tables: Tables, session_key: SessionKey, at: datetime) -> Claim | None:
    """Open the newest turn of a chat again when its messages were kept for that."""
    newest = turns.newest(tables, session_key)
    turn = None if newest is None else reopened(newest, at)
    if turn is None or not conversations.is_current(tables, turn.id):
        return None
    if not inbox.claim_kept(tables, turn.id):
        return None
    episodes.drop_covering(tables, (turn.id,), at)  # which says that it failed
    turns.reopen(tables, turn)
    facts.read_again(tables, turn.id)
    outbox.part_from_preview(tables, turn.id)
    return _claim_of(tables, turn)


def _claim_of(tables: Tables, turn: Turn) -> Claim:
    """Say what an open turn owns; a request that cannot be read is made anew of its messages."""
    messages = messages_of_turn(tables, turn.id)
    if turn.request == journal.LOST_REQUEST and any(message.text for message in messages):
        turn = replace(turn, request=compose_request(messages))
        turns.change_request(tables, turn.id, turn.request)
        inbox.place_of_turn(tables, turn.id, tuple(range(len(messages))))
        said.keep(tables, turn.id, said_in(messages))
    return Claim(turn=turn, messages=messages, started=turns.started_calls(tables, turn))


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
        files.drop_of_turn(tables, turn_id)
    return outbox.add_of_turn(tables, turn_id, replies, at)


def finish_command(
    tables: Tables, channel: str, event_id: str, replies: tuple[Reply, ...], at: datetime
) -> tuple[OutboxItem, ...]:
    """Answer an event that waits; nothing happens when it does not wait any more.

    The answer to a press takes the place of what the button stands below.

    Raises:
        ValueError: No such event was ever received, or it was pruned.
    """
    if not inbox.close(tables, channel, event_id):
        return ()
    below = buttons.pressed_message(tables, channel, event_id)
    return outbox.add(tables, replies, at, replaces=below)


def add_preview(
    tables: Tables, turn_id: TurnId, reply: Reply, at: datetime, number: int
) -> OutboxItem:
    """Put a message of an unfinished answer into the outbox.

    Raises:
        ValueError: There is no such turn, or it has ended.
    """
    if not turns.is_open(tables, turn_id):
        raise ValueError(f"turn {turn_id} has ended")
    return outbox.add_preview(tables, turn_id, reply, at, number)


def unfinished(tables: Tables) -> Unfinished:
    """Say what is open in every table."""
    return Unfinished(
        claims=tuple(_claim_of(tables, turn) for turn in turns.open_turns(tables)),
        albums=inbox.waiting_albums(tables),
        waiting=inbox.waiting_sessions(tables),
        commands=inbox.waiting_commands(tables),
        presses=buttons.waiting_presses(tables),
        outbox=outbox.undelivered(tables),
        moves=moving.asked(tables),
    )


def _take_in(tables: Tables, event: Received | SetAside, at: datetime) -> bool:
    if isinstance(event, Received) and isinstance(event.inbound, InboundEdit | InboundDeletion):
        return edits.take_in(tables, event.inbound, at, is_for_bot=event.route == "turn")
    is_new = inbox.take_in(tables, event, at)
    if is_new and isinstance(event, Received) and isinstance(event.inbound, ChatMoved):
        moving.note(tables, event.inbound)
    return is_new
