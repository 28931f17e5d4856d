"""The visible, unfinished answer of a running turn."""

from __future__ import annotations

import asyncio
import logging

from bot.core.chat import ChatAddress, Receipt, Reply
from bot.core.turns import TurnId
from bot.errors import DeliveryError
from bot.ports import Channel, Clock, Lifecycle

logger = logging.getLogger(__name__)


class Preview:
    """Shows an answer while it is written: as a draft, or as a message that is edited.

    It is no answer: whatever it fails to show, the reply in the outbox brings. A message it sends
    is stored before, so that a crash never leaves one behind that nobody finishes.
    """

    def __init__(
        self, channel: Channel, lifecycle: Lifecycle, clock: Clock, turn_id: TurnId, reply: Reply
    ) -> None:
        self._channel = channel
        self._lifecycle = lifecycle
        self._clock = clock
        self._turn_id = turn_id
        self._template = reply
        self._text = ""
        self._shown = ""
        self._changed = asyncio.Event()
        self._receipt: Receipt | None = None
        self._attempts = 0
        self._is_closed = False
        self._busy = asyncio.Lock()

    @property
    def partial_text(self) -> str:
        """What the model has written so far in its newest step."""
        return self._text

    @property
    def is_message(self) -> bool:
        """Whether a message stands in the chat that has to be finished by editing it."""
        return self._receipt is not None

    def add(self, text: str) -> None:
        """Append a piece of the answer."""
        self._text += text
        self._changed.set()

    def restart(self) -> None:
        """Begin again, as the model does for its next step or after a failure."""
        self._text = ""

    async def run(self) -> None:
        """Show what there is, no faster than the platform likes, until closed."""
        capabilities = self._channel.capabilities
        if not (capabilities.shows_drafts or capabilities.can_edit):
            return
        while not self._is_closed:
            await self._changed.wait()
            await self._clock.sleep(capabilities.preview_interval_s)
            self._changed.clear()
            pause_s = await self._show()
            if pause_s:
                await self._clock.sleep(pause_s)

    async def close(self) -> None:
        """Show nothing more; returns once a showing under way has ended."""
        self._is_closed = True
        async with self._busy:
            return

    async def _show(self) -> float:
        """Show the newest text; return for how long the platform wants to be left alone."""
        async with self._busy:
            parts = self._channel.split(self._text)
            if self._is_closed or not parts:
                return 0.0
            try:
                if self._channel.capabilities.shows_drafts:
                    await self._channel.show_draft(self._address, self._turn_id, parts[-1])
                else:
                    await self._show_as_message(parts[0])
            except DeliveryError as error:
                logger.info("preview.failed", extra={"turn": self._turn_id, "why": str(error)})
                self._is_closed = not error.can_retry
                return error.retry_after_s or 0.0
        return 0.0

    @property
    def _address(self) -> ChatAddress:
        return self._template.address

    async def _show_as_message(self, text: str) -> None:
        if text == self._shown:
            return
        reply = Reply(
            address=self._address, text=text, kind="final", reply_to=self._template.reply_to
        )
        if self._receipt is not None:
            await self._channel.edit(self._receipt, reply)
            self._shown = text
            return
        if self._attempts:  # what became of the first one is not known: no second one
            self._is_closed = True
            return
        item = await self._lifecycle.add_preview(self._turn_id, reply, at=self._clock.now())
        await self._lifecycle.mark_sending(item.id, at=self._clock.now())
        self._attempts += 1
        receipt = await self._channel.send(reply)
        await self._lifecycle.mark_sent(item.id, receipt, at=self._clock.now())
        self._receipt, self._shown = receipt, text
