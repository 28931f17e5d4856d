"""The sign that an answer is being written."""

from __future__ import annotations

import logging

from bot.core.chat import ChatAddress
from bot.errors import ChannelError
from bot.languages import Language, speaking
from bot.ports import Channel, Clock
from bot.runtime.delivery import Pacer

logger = logging.getLogger(__name__)

TYPING_AFTER_S = 0.5
"""An answer that is there sooner needs no sign."""


async def show_typing(
    channel: Channel, address: ChatAddress, clock: Clock, pacer: Pacer, *, language: Language
) -> None:
    """Renew the sign until cancelled; it gives way to everything else in the chat."""
    interval_s = channel.capabilities.typing_interval_s
    if interval_s is None:
        return
    await clock.sleep(TYPING_AFTER_S)
    while True:
        if pacer.is_free(address):
            try:
                with speaking(language):
                    await channel.show_typing(address)
            except ChannelError as error:
                logger.debug("typing.failed", extra={"why": str(error)})
                if error.retry_after_s:
                    pacer.pause(address, error.retry_after_s)
        await clock.sleep(interval_s)
