"""From raw updates to the inbox, however they came: read, stored, and only then confirmed."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from telegram import Update
from telegram.error import TelegramError

from bot.api import ChatMoved, Clock, Inbound, InboundEdit, Inbox, SetAside
from channels.telegram.cursor import write_cursor
from channels.telegram.failures import failure_of
from channels.telegram.inbound import BotIdentity, to_inbound
from channels.telegram.older_servers import filled_in
from channels.telegram.unread import unread_message
from channels.telegram.updates import unknown_kinds

if TYPE_CHECKING:
    from channels.telegram.client import Client

logger = logging.getLogger(__name__)

_MOST_UNKNOWN = 100

_UNPARSABLE = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
"""What reading a malformed update raises, in the SDK and in ``to_inbound``."""


@contextlib.asynccontextmanager
async def open_intake(
    client: Client, inbox: Inbox, clock: Clock, groups: frozenset[int] | None
) -> AsyncIterator[Intake]:
    """Give an intake; with the block end the answers that it has under way."""
    try:
        async with asyncio.TaskGroup() as background:
            yield Intake(client, inbox, clock, groups, background)
    except BaseExceptionGroup as group:  # a task group wraps what its body raises
        raise group.exceptions[0] from None


class Intake:
    """Stores what updates say; a press of a button is answered beside that.

    ``groups`` are the only groups to listen in, None for all. ``background`` owns the answers.
    """

    def __init__(
        self,
        client: Client,
        inbox: Inbox,
        clock: Clock,
        groups: frozenset[int] | None,
        background: asyncio.TaskGroup,
    ) -> None:
        self._client = client
        self._inbox = inbox
        self._clock = clock
        self._groups = None if groups is None else {str(group) for group in groups}
        self._background = background
        self._unknown: set[str] = set()

    async def take(
        self, updates: list[object], identity: BotIdentity, offset: int | None = None
    ) -> None:
        """Store updates and, unless it is None, the offset behind them.

        Updates that say nothing to the bot are not worth a commit: fetched again, they are passed
        over again.
        """
        now = self._clock.now()
        read = (event for raw in updates for event in read_events(raw, identity, now))
        events = tuple(event for event in read if self._is_here(event))
        self._tell_unknown(updates)
        if events:
            cursor = None if offset is None else write_cursor(identity.id, offset)
            await self._inbox.receive(events, cursor=cursor)
        for press in _presses(updates):
            self._background.create_task(self._answer_press(press))

    def _is_here(self, event: Inbound | SetAside) -> bool:
        """Say whether something happened where the bot is to listen; follow a group that moves."""
        if self._groups is None or isinstance(event, SetAside):
            return True
        chat = (event.message if isinstance(event, InboundEdit) else event).address.chat
        if not chat.startswith("-"):  # a private chat
            return True
        is_listened = chat in self._groups
        if is_listened and isinstance(event, ChatMoved) and event.new_chat not in self._groups:
            self._groups.add(event.new_chat)
            # The settings name the old one, and the next start reads them.
            logger.warning("telegram.group_moved", extra={"old": chat, "new": event.new_chat})
        return is_listened

    async def _answer_press(self, press: str) -> None:
        """Let the button stop waiting. What it does is answered in the chat."""
        try:
            await self._client.call("answerCallbackQuery", {"callback_query_id": press})
        except TelegramError as error:
            reason = str(failure_of(error, is_repeatable=True))
            logger.debug("telegram.press_unanswered", extra={"reason": reason})

    def _tell_unknown(self, updates: list[object]) -> None:
        """Say once of each kind of update that nobody asked for that there is such a thing."""
        for update in updates:
            for name in unknown_kinds(update) if isinstance(update, dict) else ():
                if name not in self._unknown and len(self._unknown) < _MOST_UNKNOWN:
                    self._unknown.add(name)
                    logger.info("telegram.unknown_kind", extra={"kind": name[:64]})


def _presses(updates: list[object]) -> Iterator[str]:
    """Give the ids of pressed buttons, also of those whose update made no sense otherwise."""
    for update in updates:
        match update:
            case {"callback_query": {"id": str(press)}}:
                yield press


def read_events(raw: object, identity: BotIdentity, now: datetime) -> Iterator[Inbound | SetAside]:
    """Give what an update says; of a message that is set aside, also whose it was."""
    event = read_update(raw, identity, now)
    if event is not None:
        yield event
    unread = unread_message(raw, identity, now) if isinstance(event, SetAside) else None
    if unread is not None:
        yield unread


def read_update(raw: object, identity: BotIdentity, now: datetime) -> Inbound | SetAside | None:
    """Turn one raw update into what it says; set it aside when it makes no sense.

    Args:
        raw: An element of what getUpdates gave, or the body of a webhook's request.
        identity: Whom mentions and replies must mean.
        now: When it came.
    """
    update_id = _update_id(raw)
    if not isinstance(raw, dict) or update_id is None:
        return _set_aside(raw, identity.id, update_id, "no update")
    try:
        return to_inbound(Update.de_json(filled_in(raw), None), identity, now)
    except _UNPARSABLE as error:
        return _set_aside(raw, identity.id, update_id, f"{type(error).__name__}: {error}")


def next_offset(updates: list[object], offset: int | None) -> int | None:
    """Say from where to fetch on; numbers may start anew anywhere, so the last one counts."""
    ids = [number for number in map(_update_id, updates) if number is not None]
    return ids[-1] + 1 if ids else offset


def identity_of(me: object) -> BotIdentity | None:
    """Read the raw answer of getMe; None when it is none."""
    match me:
        case {"id": int(number), "username": str(username)}:
            return BotIdentity(id=number, username=username)
    return None


def _update_id(raw: object) -> int | None:
    match raw:
        case {"update_id": bool()}:
            return None
        case {"update_id": int(number)}:
            return number
    return None


def _set_aside(raw: object, bot_id: int, update_id: int | None, reason: str) -> SetAside:
    text = json.dumps(raw)
    if update_id is None:
        event_id = f"unnumbered:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
    else:
        event_id = f"update:{bot_id}:{update_id}"
    logger.warning("telegram.set_aside", extra={"event_id": event_id, "reason": reason})
    return SetAside(event_id=event_id, channel="telegram", raw=text, reason=reason)
