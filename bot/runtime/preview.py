"""The visible, unfinished answer of a running turn."""

from __future__ import annotations

import asyncio
import logging

from bot.core.chat import Reply
from bot.core.turns import TurnId
from bot.errors import ChannelError, StoreError
from bot.ports import Channel
from bot.runtime.delivery import Urgency
from bot.runtime.preview_message import PreviewMessage, PreviewParts, can_retry, let_rest
from bot.runtime.splitting import split_text

logger = logging.getLogger(__name__)

MOST_MESSAGES = 8
"""So much of an answer is shown while it is written; each showing cuts all of it anew."""


class Preview:
    """Shows an answer while it is written: as a draft, or as messages that are edited.

    It is no answer: whatever it fails to show, the replies in the outbox bring. A message it sends
    is stored before, so that a crash never leaves one behind that nobody finishes; a further one is
    begun when the one before is full. The platform's pace is that of the chat's deliveries.
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
        self._messages: list[PreviewMessage] = []
        self._is_closed = False
        self._showing = asyncio.Lock()

    @property
    def partial_text(self) -> str:
        """What the model has written so far in its newest step, or what is shown instead."""
        return self._text or self._shown

    @property
    def is_message(self) -> bool:
        """Whether a message stands in the chat, or may, that has to be finished by editing it."""
        return any(message.stands for message in self._messages)

    def add(self, text: str) -> None:
        """Append a piece of the answer."""
        self._text += text
        self._changed.set()

    def restart(self) -> None:
        """Begin again, as the model does for its next step or after a failure."""
        self._text = ""

    async def adopt(self) -> None:
        """Go on with the messages that were shown of this turn before it was cut.

        Raises:
            StoreError: What was shown is not known.
        """
        if self._leaves_messages:
            first = self._message(0)
            await first.adopt()
            self._is_closed = first.is_given_up

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
        """Show nothing more; returns once all that can soon be known of the messages is known."""
        self._is_closed = True
        async with self._showing:
            for message in self._messages:
                await message.settle()

    async def _show(self) -> None:
        async with self._parts.pacer.slot(self._template.address, Urgency.PROGRESS):
            text = self._text
            parts = await split_text(self._channel, self._in_view(text))
            if self._is_closed or not parts:
                return
            try:
                if self._leaves_messages:
                    async with self._showing:
                        await self._show_as_messages(parts)
                    self._shown = text
                else:
                    address = self._template.address
                    await self._channel.show_draft(address, self._turn_id, parts[-1])
            except ChannelError as error:
                logger.info("preview.failed", extra={"turn": self._turn_id, "why": str(error)})
                self._is_closed = self._is_closed or not can_retry(error)
                let_rest(self._parts.pacer, self._template, error)
            except StoreError as error:
                logger.info("preview.failed", extra={"turn": self._turn_id, "why": str(error)})

    def _in_view(self, text: str) -> str:
        """Give of a long text what can be shown: of a draft the end, of messages the beginning."""
        one_message = self._channel.capabilities.max_text_length
        return (
            text[: MOST_MESSAGES * one_message]
            if self._leaves_messages
            else text[-2 * one_message :]
        )

    @property
    def _leaves_messages(self) -> bool:
        capabilities = self._channel.capabilities
        return capabilities.can_edit and not capabilities.shows_drafts

    async def _show_as_messages(self, texts: tuple[str, ...]) -> None:
        """Bring the messages up to date in their order: none is begun before those above stand."""
        for number, text in enumerate(texts):
            message = self._message(number)
            await message.show(text)
            self._is_closed = self._is_closed or message.is_given_up
            if self._is_closed or not message.is_seen:
                return

    def _message(self, number: int) -> PreviewMessage:
        while number >= len(self._messages):
            self._messages.append(
                PreviewMessage(
                    self._channel, self._parts, self._turn_id, self._template, len(self._messages)
                )
            )
        return self._messages[number]
