"""The way of an event into the inbox: names are learnt, strangers of the workspace told apart.

The law of this file: events of one channel come in the order in which they came, however long one
of them waits for the names in it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never
from weakref import WeakValueDictionary

from bot.api import (
    BotStanding,
    ButtonPress,
    ChatMoved,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Inbox,
    Sender,
    SetAside,
    StopRequest,
)
from channels.slack.inbound import from_history, is_direct, to_inbound
from channels.slack.reading import Json
from channels.slack.settings import CHANNEL
from channels.slack.workspace import Workspace

logger = logging.getLogger(__name__)


class NotNow(Exception):
    """Nobody can say now whether somebody is a guest; Slack is to send the event again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorParts:
    """What the way in leads by.

    Attributes:
        channels: The only ones that are listened in, None for all.
        background: Where look-ups run that nobody waits for any more.
    """

    inbox: Inbox
    workspace: Workspace
    channels: frozenset[str] | None
    background: asyncio.TaskGroup


class Door:
    """Takes events, whichever way they came."""

    def __init__(self, parts: DoorParts) -> None:
        self._parts = parts
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, payload: Json) -> None:
        """Have an event stored, if it is for the bot; it may be known.

        Raises:
            NotNow: It must come again.
            StoreError: It was not stored.
        """
        event = payload.get("event")
        if not isinstance(event, Mapping):
            return
        identity, workspace = self._parts.workspace.identity, self._parts.workspace
        await self._enter(event, lambda: to_inbound(payload, identity, workspace.known))

    async def take_missed(self, raw: Json, channel: str) -> None:
        """Have a message stored that stands in a channel's history.

        Raises:
            NotNow: It cannot be taken now.
            StoreError: It was not stored.
        """
        workspace = self._parts.workspace
        await self._enter(
            dict(raw, channel=channel), lambda: from_history(raw, workspace.scene(channel))
        )

    async def _enter(self, event: Json, read: Callable[[], Inbound | SetAside | None]) -> None:
        inbound = read()
        if inbound is None or not self._hears(inbound):
            return
        line = self._lines.setdefault(str(event.get("channel")), asyncio.Lock())
        async with line:
            await self._parts.workspace.learn((event,), self._parts.background)
            inbound = read()
            if inbound is None or not await self._may_be_said(inbound):
                return
        # From the end of the line to the inbox's own nothing is awaited.
        await self._parts.inbox.receive((inbound,))

    def _hears(self, event: Inbound | SetAside) -> bool:
        if self._parts.channels is None or isinstance(event, SetAside):
            return True
        address = event.message.address if isinstance(event, InboundEdit) else event.address
        return is_direct(address.chat) or address.chat in self._parts.channels

    async def _may_be_said(self, event: Inbound | SetAside) -> bool:
        """Say whether it is known of whoever did this if they are a guest, as far as it matters.

        Raises:
            NotNow: It matters, and it is not known.
            StoreError: Nobody can say now whether it matters.
        """
        workspace, sender = self._parts.workspace, sender_of(event)
        is_clear = sender is None or sender.is_guest or workspace.book.is_known(sender.user_id)
        if is_clear or not workspace.minds_guests:
            return True
        if not await self._concerns(event):
            return False
        logger.info("event.put_off", extra={"channel": CHANNEL, "event": event.event_id})
        raise NotNow

    async def _concerns(self, event: Inbound | SetAside) -> bool:
        """Say whether what somebody unknown did can matter; most of what a group says does not."""
        inbox = self._parts.inbox
        if isinstance(event, InboundMessage):
            return await inbox.concerns(event)
        if isinstance(event, InboundEdit):
            message = event.message
            is_kept = await inbox.received(message.address, (message.event_id,))
            return bool(is_kept) or await inbox.concerns(message)
        return True


def sender_of(event: Inbound | SetAside) -> Sender | None:
    """Say who did something; None where Slack does not."""
    match event:
        case InboundMessage() | StopRequest() | ButtonPress():
            return event.sender
        case InboundEdit():
            return event.message.sender
        case BotStanding():
            return event.by
        case SetAside() | InboundDeletion() | ChatMoved():
            return None
        case _:
            assert_never(event)
