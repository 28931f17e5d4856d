"""The polling loop: fetch, store, and only then confirm by fetching what comes next.

The SDK's own loop confirms updates before they are handled, and spins without a pause on one that
it cannot parse. Here an update is parsed by itself, set aside if that fails, and the whole batch
is in the inbox before its offset is used.
"""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING

from telegram import Update
from telegram.error import Conflict, TelegramError

from bot.api import ChannelAuthError, Clock, Inbound, InboundEdit, InboundMessage, Inbox, SetAside
from channels.telegram.cursor import write_cursor
from channels.telegram.failures import failure_of
from channels.telegram.inbound import BotIdentity, to_inbound

if TYPE_CHECKING:
    from channels.telegram.client import Client
    from channels.telegram.first_look import FirstLook

logger = logging.getLogger(__name__)

POLL_S = 30
"""How long Telegram keeps a poll open while nothing happens; proxies cut much longer ones."""

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 30.0
GROWTH = 1.5

_UNPARSABLE = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
"""What reading a malformed update raises, in the SDK and in ``to_inbound``."""


class Receiver:
    """Brings one bot's updates into the inbox."""

    def __init__(
        self, client: Client, inbox: Inbox, clock: Clock, groups: frozenset[int] | None
    ) -> None:
        self._client = client
        self._inbox = inbox
        self._groups = groups
        self._outage = Outage(clock, inbox)
        self._repeats = 0

    async def run(self, offset: int | None, look: FirstLook | None) -> None:
        """Receive for ever, beginning with what a first look saw.

        Raises:
            ChannelAuthError: The token is refused.
        """
        identity = None if look is None else identity_of(look.me)
        if look is not None and identity is not None:
            offset = await self._take(look.updates, identity, offset)
        is_receiving = look is not None
        while True:
            try:
                identity = identity or await self._client.identity()
                # After an outage the first poll does not wait: it shows that all is well again.
                updates = await self._client.updates(offset, POLL_S if is_receiving else 0)
            except TelegramError as error:
                is_receiving = False
                await self._wait_after(error)
                continue
            if not is_receiving:
                self._outage.end()
                is_receiving = True
            offset = await self._take(updates, identity, offset)

    async def _wait_after(self, error: TelegramError) -> None:
        failure = failure_of(error, is_repeatable=True)
        if isinstance(failure, ChannelAuthError):
            raise failure from error
        event = "telegram.unreachable"
        if isinstance(error, Conflict):
            event = "telegram.conflict"
            if "webhook" in error.message.lower():
                await self._remove_webhook()
        await self._outage.wait(event, str(failure), at_least_s=failure.retry_after_s or 0.0)

    async def _remove_webhook(self) -> None:
        """Make way for polling, which a webhook of former days forbids; nothing waiting is lost."""
        try:
            await self._client.delete_webhook()
        except TelegramError as error:
            reason = str(failure_of(error, is_repeatable=True))
            logger.warning("telegram.webhook_stays", extra={"reason": reason})
        else:
            logger.warning("telegram.webhook_removed")

    async def _take(
        self, updates: list[object], identity: BotIdentity, offset: int | None
    ) -> int | None:
        """Store a batch; give the offset behind it."""
        read = (read_update(raw, identity, self._groups) for raw in updates)
        events = tuple(event for event in read if event is not None)
        after = next_offset(updates, offset)
        # Updates that say nothing to the bot are not worth a commit: fetched again, they are
        # passed over again.
        if events:
            cursor = None if after is None else write_cursor(identity.id, after)
            await self._inbox.receive(events, cursor=cursor)
        await self._slow_down_if(is_stuck=bool(updates) and after == offset)
        return after

    async def _slow_down_if(self, *, is_stuck: bool) -> None:
        """Keep a server that sends the same batch for ever from making the loop spin."""
        if not is_stuck:
            if self._repeats > 1:
                self._outage.end()
            self._repeats = 0
            return
        self._repeats += 1
        if self._repeats > 1:  # once is a redelivery
            await self._outage.wait("telegram.stuck", "the same updates come again and again")


class Outage:
    """Waits longer and longer between attempts; tells the log once when it begins and ends."""

    def __init__(self, clock: Clock, inbox: Inbox) -> None:
        self._clock = clock
        self._inbox = inbox
        self._event = ""
        self._delay_s = FIRST_DELAY_S

    async def wait(self, event: str, reason: str, *, at_least_s: float = 0.0) -> None:
        """Wait before the next attempt."""
        if event != self._event:
            logger.warning(event, extra={"reason": reason})
            self._event = event
        self._inbox.failing(reason)
        delay_s = max(self._delay_s, at_least_s)
        self._delay_s = min(self._delay_s * GROWTH, LONGEST_DELAY_S)
        await self._clock.sleep(delay_s)

    def end(self) -> None:
        """Begin anew: an attempt succeeded."""
        self._inbox.receiving()
        if self._event:
            logger.info("telegram.connected", extra={"after": self._event})
        self._event, self._delay_s = "", FIRST_DELAY_S


def read_update(
    raw: object, identity: BotIdentity, groups: frozenset[int] | None = None
) -> Inbound | SetAside | None:
    """Turn one raw update into what it says; set it aside when it makes no sense.

    Args:
        raw: An element of what getUpdates gave.
        identity: Whom mentions and replies must mean.
        groups: The only groups to listen in; None for all.
    """
    update_id = _update_id(raw)
    if not isinstance(raw, dict) or update_id is None:
        return _set_aside(raw, identity.id, update_id, "no update")
    try:
        inbound = to_inbound(Update.de_json(raw, None), identity)
    except _UNPARSABLE as error:
        return _set_aside(raw, identity.id, update_id, f"{type(error).__name__}: {error}")
    message = inbound.message if isinstance(inbound, InboundEdit) else inbound
    if groups is None or not isinstance(message, InboundMessage) or message.kind == "private":
        return inbound
    return inbound if message.address.chat in map(str, groups) else None


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
