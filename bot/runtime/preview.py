"""The visible, unfinished answer of a running turn."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from bot.core.chat import ChatAddress, Receipt, Reply
from bot.core.lifecycle import OutboxItem
from bot.core.retry import RetryPolicy, delay_before
from bot.core.turns import TurnId
from bot.errors import ChannelError, DeliveryError, FateUnknown, StoreError
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime.delivery import LANDED_AFTER_S, Marks, Pacer, Urgency
from bot.runtime.splitting import split_text

logger = logging.getLogger(__name__)

LOOKUP_RETRY = RetryPolicy(attempts=3, base_s=1.0, factor=2.0, cap_s=4.0, patience_s=10.0)
"""How long a finished answer waits to learn whether its preview stands in the chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewParts:
    """What previews work with."""

    lifecycle: Lifecycle
    clock: Clock
    marks: Marks
    pacer: Pacer


class Preview:
    """Shows an answer while it is written: as a draft, or as a message that is edited.

    It is no answer: whatever it fails to show, the reply in the outbox brings. A message it sends
    is stored before, so that a crash never leaves one behind that nobody finishes; the platform's
    pace is that of the chat's deliveries.
    """

    def __init__(
        self, channel: Channel, parts: PreviewParts, turn_id: TurnId, template: Reply
    ) -> None:
        self._channel = channel
        self._parts = parts
        self._turn_id = turn_id
        self._template = template
        self._text = ""
        self._shown = ""
        self._changed = asyncio.Event()
        self._item: OutboxItem | None = None
        self._receipt: Receipt | None = None
        self._is_in_doubt = False
        self._called_s = parts.clock.monotonic()
        self._is_closed = False
        self._showing = asyncio.Lock()

    @property
    def partial_text(self) -> str:
        """What the model has written so far in its newest step, or what is shown instead."""
        return self._text or self._shown

    @property
    def is_message(self) -> bool:
        """Whether a message stands in the chat, or may, that has to be finished by editing it."""
        return self._receipt is not None or self._is_in_doubt

    def add(self, text: str) -> None:
        """Append a piece of the answer."""
        self._text += text
        self._changed.set()

    def restart(self) -> None:
        """Begin again, as the model does for its next step or after a failure."""
        self._text = ""

    async def adopt(self) -> None:
        """Go on with the message that was shown of this turn before it was cut.

        Raises:
            StoreError: What was shown is not known.
        """
        if self._leaves_messages:
            item = await self._stored()
            self._item, self._receipt = item, item.receipt
            self._is_in_doubt = item.state == "sending" and item.receipt is None
            self._is_closed = item.state == "failed"  # it was given up before the turn was cut

    async def run(self) -> None:
        """Show what there is, no faster than the platform likes, until closed."""
        capabilities = self._channel.capabilities
        if not (capabilities.shows_drafts or capabilities.can_edit):
            return
        while not self._is_closed:
            await self._changed.wait()
            await self._parts.clock.sleep(capabilities.preview_interval_s)
            self._changed.clear()
            await self._show()

    async def close(self) -> None:
        """Show nothing more; returns once all that can soon be known of the message is known.

        What is still in doubt then stays so in the store: the answer takes it over.
        """
        self._is_closed = True
        async with self._showing:
            if self._is_in_doubt and not self._channel.capabilities.finds_sent:
                assert self._item is not None
                await self._parts.marks.failed(self._item.id, "whether it was shown is not known")
                self._is_in_doubt = False
            failures = 0
            while self._is_in_doubt:
                try:
                    await self._look_up()
                    return
                except ChannelError as error:
                    failures += 1
                    wait_s = delay_before(LOOKUP_RETRY, failures, error.retry_after_s, 0.0)
                    if wait_s is None or not _can_retry(error):
                        return
                    await self._parts.clock.sleep(wait_s)

    def _in_view(self) -> str:
        """Give of a long text what one message can show: a draft its end, a message its start."""
        enough = 2 * self._channel.capabilities.max_text_length
        return self._text[:enough] if self._leaves_messages else self._text[-enough:]

    async def _show(self) -> None:
        async with self._parts.pacer.slot(self._address, Urgency.PROGRESS):
            parts = await split_text(self._channel, self._in_view())
            if self._is_closed or not parts:
                return
            try:
                if self._leaves_messages:
                    async with self._showing:
                        await self._show_as_message(parts[0])
                else:
                    await self._channel.show_draft(self._address, self._turn_id, parts[-1])
            except ChannelError as error:
                logger.info("preview.failed", extra={"turn": self._turn_id, "why": str(error)})
                self._is_closed = self._is_closed or not _can_retry(error)
                self._let_rest(error)
            except StoreError as error:
                logger.info("preview.failed", extra={"turn": self._turn_id, "why": str(error)})

    def _let_rest(self, error: ChannelError) -> None:
        if error.retry_after_s:
            self._parts.pacer.pause(self._address, error.retry_after_s)

    @property
    def _address(self) -> ChatAddress:
        return self._template.address

    @property
    def _leaves_messages(self) -> bool:
        capabilities = self._channel.capabilities
        return capabilities.can_edit and not capabilities.shows_drafts

    async def _show_as_message(self, text: str) -> None:
        if text == self._shown:
            return
        if self._is_in_doubt:
            if not self._channel.capabilities.finds_sent:  # no second one
                self._is_closed = True
                return
            await self._look_up()
            if self._is_in_doubt:
                return
        reply = replace(self._template, text=text)
        if self._receipt is not None:
            await self._channel.edit(self._receipt, reply)
        else:
            await self._show_first(reply)
        self._shown = text

    async def _show_first(self, reply: Reply) -> None:
        marks, item = self._parts.marks, self._item or await self._stored()
        self._item = item
        await marks.sending(item.id)
        self._called_s = self._parts.clock.monotonic()
        try:
            receipt = await self._channel.send(replace(reply, key=item.reply.key))
        except FateUnknown:
            self._is_in_doubt = True
            raise
        except ChannelError as error:
            self._let_rest(error)  # at once: the turn may be cut while the mark is waited for
            await marks.pending(item.id)
            raise
        await marks.sent(item.id, receipt)
        self._receipt = receipt

    async def _look_up(self) -> None:
        """Learn what became of a message whose sending broke off; for a while it may still come."""
        assert self._item is not None
        receipt = await self._channel.find_sent(self._item.reply)
        is_early = self._parts.clock.monotonic() < self._called_s + LANDED_AFTER_S
        if receipt is None and is_early:
            return
        if receipt is not None:
            await self._parts.marks.sent(self._item.id, receipt)
        else:
            await self._parts.marks.pending(self._item.id)
        self._receipt, self._is_in_doubt = receipt, False

    async def _stored(self) -> OutboxItem:
        parts = self._parts
        return await parts.lifecycle.add_preview(
            self._turn_id, self._template, at=parts.clock.now()
        )


def _can_retry(error: ChannelError) -> bool:
    return isinstance(error, DeliveryError) and error.can_retry
