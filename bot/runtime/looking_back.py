"""A message that calls the bot into a talk of others brings what was said before it.

It is looked up when its turn begins, as files are, and recorded with the turn's request: the rest
of a group's talk is written down nowhere.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.chat import EarlierMessage, InboundMessage
from bot.core.looking_back import MOST_CHARS, MOST_EARLIER, NOT_TO_BE_HAD, quoted, unknown
from bot.core.messages import Text
from bot.errors import ChannelError
from bot.ports import Channel, Clock, Presence, Redactor
from bot.runtime.border import Incident, guarded
from bot.runtime.overheard import Overheard
from bot.runtime.redaction import NOT_LOOKED_THROUGH, redact_text
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

LOOKED_UP_WITHIN_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingBack:
    """Brings into a turn what its messages were said after.

    Attributes:
        overheard: Has what a channel that cannot be asked for it was told anyway.
    """

    channels: Mapping[str, Channel]
    overheard: Overheard
    presence: Presence
    redactor: Redactor
    clock: Clock

    def is_due(self, message: InboundMessage) -> bool:
        """Say whether a message calls the bot to where others may have talked before."""
        calls = message.kind == "group" and message.is_named and not message.is_follow_up
        if not calls or message.address.channel not in self.channels:
            return False
        return self._can_ask(message) or bool(self.overheard.before(message))

    async def brought(
        self, messages: tuple[InboundMessage, ...], *, most_chars: int
    ) -> tuple[tuple[Text, ...], ...]:
        """Give what stands behind each message's text, oldest message first.

        Raises:
            StoreError: What the conversation has already cannot be read.
        """
        blocks: list[tuple[Text, ...]] = []
        given = frozenset(message.event_id for message in messages)
        for message in messages:
            earlier = await self._earlier(message) if self.is_due(message) else ()
            if earlier is None:
                blocks.append((Text(text=NOT_TO_BE_HAD),))
                continue
            new = tuple(each for each in earlier if each.event_id not in given)
            given |= {each.event_id for each in new}
            text = quoted(new, most_chars=min(most_chars, MOST_CHARS))
            blocks.append((Text(text=text),) if text else ())
        return tuple(blocks)

    async def _earlier(self, message: InboundMessage) -> tuple[EarlierMessage, ...] | None:
        """Look up what the conversation does not have yet; None where that fails."""
        address = message.address
        can_ask = self._can_ask(message)
        earlier = await self._asked(message) if can_ask else self.overheard.before(message)
        if earlier is None:
            return None
        event_ids = tuple(each.event_id for each in earlier)
        new = unknown(earlier, await self.presence.received(address, event_ids))
        return tuple([await self._redacted(each) for each in new])

    def _can_ask(self, message: InboundMessage) -> bool:
        return self.channels[message.address.channel].capabilities.looks_back

    async def _asked(self, message: InboundMessage) -> tuple[EarlierMessage, ...] | None:
        """Ask the platform; None where that fails."""
        address = message.address
        channel = self.channels[address.channel]
        look = channel.earlier(address, message.message_id, limit=MOST_EARLIER)
        try:
            return await within(self.clock, LOOKED_UP_WITHIN_S, look)
        except (ChannelError, TimeoutError) as error:
            about = {"session": address.session_key, "why": str(error)}
            logger.warning("earlier.not_looked_up", extra=about)
            return None

    async def _redacted(self, message: EarlierMessage) -> EarlierMessage:
        """Take secrets out; where that fails, all of it."""
        work = redact_text(message.text, self.redactor)
        text = await guarded(work, self.clock, {"event": message.event_id, "doing": "redaction"})
        return replace(message, text=NOT_LOOKED_THROUGH if isinstance(text, Incident) else text)
