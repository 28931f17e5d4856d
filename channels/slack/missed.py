"""What was written while Slack could not reach the bot.

Slack tries an event three times and then gives up. So when there was a gap, the threads in which
the bot takes part are read again, and the chats around them. What it has by now is known by its
identity: nothing is answered twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NoReturn

from bot.api import ChannelError, ChatAddress, Clock, HeardChat, Inbox, StoreError
from channels.slack.door import Door, NotNow
from channels.slack.inbound import from_history
from channels.slack.reading import Json, moment_of
from channels.slack.settings import CHANNEL
from channels.slack.workspace import Workspace

logger = logging.getLogger(__name__)

LONGEST_GAP = timedelta(days=3)
"""What is older is not answered any more."""

TAKES_PART_FOR = timedelta(days=30)
"""So long after something was heard in a thread it is looked at."""

MOST_CHATS = 100

MARGIN = timedelta(minutes=5)
"""A connection may be dead for some time before that is noticed, and clocks differ."""

PACE_S = 2.0
"""Between two calls: a little more than half of what Slack allows, which others need as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedParts:
    """What is missed is looked for with these."""

    inbox: Inbox
    door: Door
    workspace: Workspace
    clock: Clock


class Missed:
    """Looks for it, one gap after the other."""

    def __init__(self, parts: MissedParts) -> None:
        self._parts = parts
        self._since: datetime | None = None
        self._is_due = asyncio.Event()

    def begin(self, since: datetime) -> None:
        """Ask to look for what was written since a moment."""
        self._since = since if self._since is None else min(self._since, since)
        self._is_due.set()

    async def last_heard(self) -> datetime | None:
        """Say when this bot, or the one before it, heard anything last; None for long ago."""
        parts = self._parts
        try:
            newest = await parts.inbox.heard_since(parts.clock.now() - TAKES_PART_FOR, limit=1)
        except StoreError as error:
            _log_failure(None, error)
            return None
        return newest[0].heard_at if newest else None

    async def serve(self) -> NoReturn:
        """Look whenever that is asked for, until cancelled."""
        while True:
            await self._is_due.wait()
            self._is_due.clear()
            since, self._since = self._since, None
            if since is not None:
                await self._look(since)

    async def _look(self, since: datetime) -> None:
        parts = self._parts
        now = parts.clock.now()
        oldest = max(since, now - LONGEST_GAP) - MARGIN
        try:
            chats = await parts.inbox.heard_since(now - TAKES_PART_FOR, limit=MOST_CHATS)
        except StoreError as error:
            _log_failure(None, error)
            return
        around = dict.fromkeys(chat.address.whole_chat for chat in chats)
        found = 0
        for address in around:
            found += await self._take(address, self._called(address, oldest))
        for chat in chats:
            if chat.address.thread:
                found += await self._take(chat.address, self._following(chat, oldest))
        if chats:
            logger.info("missed.looked_for", extra={"chats": len(chats), "found": found})

    async def _take(self, address: ChatAddress, missed: AsyncIterator[Json]) -> int:
        """Have what was missed in a chat stored; give how much it was."""
        found = 0
        try:
            async for raw in missed:
                await self._parts.door.take_missed(raw, address.chat)
                found += 1
        except (ChannelError, StoreError, NotNow) as error:
            _log_failure(address, error)
        await self._parts.clock.sleep(PACE_S)
        return found

    async def _called(self, address: ChatAddress, oldest: datetime) -> AsyncIterator[Json]:
        """Give what is for the bot in a chat, outside the threads where it takes part."""
        workspace = self._parts.workspace
        scene = workspace.scene(address.chat)
        for raw in await workspace.reader.history(address, oldest=_ts(oldest)):
            message = from_history(raw, scene)
            if message is None or not await self._parts.inbox.concerns(message):
                continue
            if not await self._parts.inbox.received(message.address, (message.event_id,)):
                yield raw

    async def _following(self, chat: HeardChat, oldest: datetime) -> AsyncIterator[Json]:
        """Give what stands in a thread behind the newest message that the bot has of it.

        What stands before that was there when the bot listened, and not meant for it.
        """
        parts, address = self._parts, chat.address
        scene = parts.workspace.scene(address.chat)
        replies = await parts.workspace.reader.replies(address, oldest=_ts(oldest))
        ids = [scene.event_id(str(raw.get("ts"))) for raw in replies]
        received = await parts.inbox.received(address, tuple(ids))
        known = [index for index, event_id in enumerate(ids) if event_id in received]
        last, heard_s = known[-1] if known else None, chat.heard_at.timestamp()
        for index, raw in enumerate(replies):
            is_behind = index > last if last is not None else moment_of(raw) > heard_s
            if is_behind and from_history(raw, scene) is not None:
                yield raw


def _ts(moment: datetime) -> str:
    return f"{moment.timestamp():.6f}"


def _log_failure(address: ChatAddress | None, error: Exception) -> None:
    about = {"channel": CHANNEL, "why": str(error) or type(error).__name__}
    if address is not None:
        about["session"] = address.session_key
    logger.warning("missed.not_looked_for", extra=about)
