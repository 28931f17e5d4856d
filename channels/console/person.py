"""The person at this machine and the one chat they have with the bot."""

from __future__ import annotations

import getpass
import itertools
import re
import secrets
from collections.abc import Mapping

from bot.api import ChatAddress, Clock, InboundMessage, Receipt, Sender, StopRequest

CHANNEL = "console"
ADDRESS = ChatAddress(channel=CHANNEL, account="local", chat="terminal")


class LocalPerson:
    """Turns what is typed into events; each gets an identity that no other process start gives.

    Attributes:
        sender: Who they are.
    """

    def __init__(self, clock: Clock, language: str = "") -> None:
        """Make them; ``language`` is that of their terminal as a BCP 47 tag, empty for none."""
        self._clock = clock
        self._run_id = secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self.sender = Sender(channel=CHANNEL, user_id="local", name=_user_name(), language=language)

    def says(self, text: str) -> InboundMessage:
        """Make the message out of one entered text."""
        message_id = self._next_id()
        return InboundMessage(
            event_id=message_id,
            address=ADDRESS,
            kind="private",
            sender=self.sender,
            message_id=message_id,
            text=text,
            is_addressed=True,
            sent_at=self._clock.now(),
        )

    def stops(self) -> StopRequest:
        """Make the wish that the running answer ends."""
        return StopRequest(event_id=self._next_id(), address=ADDRESS, sender=self.sender)

    def receipt(self) -> Receipt:
        """Make the proof that something was shown."""
        return Receipt(message_id=self._next_id())

    def _next_id(self) -> str:
        return f"{self._run_id}-{next(self._numbers)}"


def language_in(environment: Mapping[str, str]) -> str:
    """Read the language of messages as programs on POSIX do, as a BCP 47 tag (``ja-JP``).

    Empty where nothing is set, and for ``C`` and ``POSIX``, which stand for no language.
    """
    # Source: POSIX.1-2024, 8.2 Internationalization Variables: the first that is not empty counts.
    locale = next(filter(None, map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    name = re.split(r"[.@]", locale)[0]
    return "" if name in ("C", "POSIX") else name.replace("_", "-")


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no such user (a container), or no such module
        return "you"
