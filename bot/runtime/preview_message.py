"""One platform message of an unfinished answer: stored before it is sent, edited as it grows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.chat import Receipt, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.retry import RetryPolicy, delay_before
from bot.core.turns import TurnId
from bot.errors import ChannelError, DeliveryError, FateUnknown
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime.delivery import LANDED_AFTER_S, Marks, Pacer

LOOKUP_RETRY = RetryPolicy(attempts=3, base_s=1.0, factor=2.0, cap_s=4.0, patience_s=10.0)
"""How long a finished answer waits to learn whether its preview stands in the chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewParts:
    """What previews work with."""

    lifecycle: Lifecycle
    clock: Clock
    marks: Marks
    pacer: Pacer


class PreviewMessage:
    """Message ``number`` of a turn's preview, counted from 0.

    The one that an earlier process has shown is gone on with, whichever comes first: it is read
    from the store when it is first needed.
    """

    def __init__(
        self, channel: Channel, parts: PreviewParts, turn_id: TurnId, template: Reply, number: int
    ) -> None:
        self._channel = channel
        self._parts = parts
        self._turn_id = turn_id
        self._template = template if not number else replace(template, reply_to="")
        self._number = number
        self._item: OutboxItem | None = None
        self._receipt: Receipt | None = None
        self._is_in_doubt = False
        self._called_s = parts.clock.monotonic()
        self._shown = ""
        self.is_given_up = False

    @property
    def stands(self) -> bool:
        """Whether it stands in the chat, or may, so that it has to be finished by editing it."""
        return self._receipt is not None or self._is_in_doubt

    @property
    def is_seen(self) -> bool:
        """Whether it surely stands in the chat: what comes below it may be sent."""
        return self._receipt is not None

    async def adopt(self) -> OutboxItem:
        """Learn how far it got before, and have it stored if it is new.

        Raises:
            StoreError: It is not known.
        """
        if self._item is None:
            parts = self._parts
            stored = replace(self._template, watched_by="")
            item = await parts.lifecycle.add_preview(
                self._turn_id, stored, at=parts.clock.now(), number=self._number
            )
            self._item, self._receipt, self._is_in_doubt = item, item.receipt, item.is_in_doubt
            self.is_given_up = item.state == "failed"  # before the turn was cut
            self._called_s = parts.clock.monotonic()
        return self._item

    async def show(self, text: str) -> None:
        """Let it show so much of the answer, unless that would be a second message.

        Raises:
            ChannelError: It does not show it.
            StoreError: Nothing was sent.
        """
        if text == self._shown:
            return
        item = await self.adopt()
        if self._is_in_doubt:
            if not self._channel.capabilities.finds_sent:  # no second one
                self.is_given_up = True
            else:
                await self._look_up(item)
        if self._is_in_doubt or self.is_given_up:
            return
        reply = replace(self._template, text=text, key=item.reply.key)
        if self._receipt is not None:
            await self._channel.edit(self._receipt, reply)
        else:
            await self._send(item, reply)
        self._shown = text

    async def settle(self) -> None:
        """Return once all that can soon be known of it is known.

        What is still in doubt then stays so in the store: the answer takes it over.
        """
        if self._item is None:
            return
        if self._is_in_doubt and not self._channel.capabilities.finds_sent:
            await self._parts.marks.failed(self._item.id, "whether it was shown is not known")
            self._is_in_doubt = False
        failures = 0
        while self._is_in_doubt:
            try:
                await self._look_up(self._item)
                return
            except ChannelError as error:
                failures += 1
                wait_s = delay_before(LOOKUP_RETRY, failures, error.retry_after_s, 0.0)
                if wait_s is None or not can_retry(error):
                    return
                await self._parts.clock.sleep(wait_s)

    async def _send(self, item: OutboxItem, reply: Reply) -> None:
        marks = self._parts.marks
        await marks.sending(item.id)
        self._called_s = self._parts.clock.monotonic()
        try:
            receipt = await self._channel.send(reply)
        except FateUnknown:
            self._is_in_doubt = True
            raise
        except ChannelError as error:
            # At once: the turn may be cut while the mark is waited for.
            let_rest(self._parts.pacer, reply, error)
            await marks.pending(item.id)
            raise
        await marks.sent(item.id, receipt)
        self._receipt = receipt

    async def _look_up(self, item: OutboxItem) -> None:
        """Learn what became of a message whose sending broke off; for a while it may still come."""
        receipt = await self._channel.find_sent(item.reply)
        is_early = self._parts.clock.monotonic() < self._called_s + LANDED_AFTER_S
        if receipt is None and is_early:
            return
        if receipt is not None:
            await self._parts.marks.sent(item.id, receipt)
        else:
            await self._parts.marks.pending(item.id)
        self._receipt, self._is_in_doubt = receipt, False


def can_retry(error: ChannelError) -> bool:
    """Say whether another showing may succeed."""
    return isinstance(error, DeliveryError) and error.can_retry


def let_rest(pacer: Pacer, reply: Reply, error: ChannelError) -> None:
    """Leave the chat alone for as long as the platform asks."""
    if error.retry_after_s:
        pacer.pause(reply.address, error.retry_after_s)
