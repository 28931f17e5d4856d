"""The person at this machine and the one chat they have with the bot."""

from __future__ import annotations

import getpass
import itertools
import secrets

from bot.api import ChatAddress, Clock, InboundMessage, Receipt, Sender, StopRequest

CHANNEL = "console"
ADDRESS = ChatAddress(channel=CHANNEL, account="local", chat="terminal")


class LocalPerson:
    """Turns what is typed into events; each gets an identity that no other process start gives."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._run_id = secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self._sender = Sender(channel=CHANNEL, user_id="local", name=_user_name())

    def says(self, text: str) -> InboundMessage:
        """Make the message out of one entered text."""
        message_id = self._next_id()
        return InboundMessage(
            event_id=message_id,
            address=ADDRESS,
            kind="private",
            sender=self._sender,
            message_id=message_id,
            text=text,
            is_addressed=True,
            sent_at=self._clock.now(),
        )

    def stops(self) -> StopRequest:
        """Make the wish that the running answer ends."""
        return StopRequest(event_id=self._next_id(), address=ADDRESS, sender=self._sender)

    def receipt(self) -> Receipt:
        """Make the proof that something was shown."""
        return Receipt(message_id=self._next_id())

    def _next_id(self) -> str:
        return f"{self._run_id}-{next(self._numbers)}"


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user (a container), or no such module
        return "you"
