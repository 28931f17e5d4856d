"""Whether Slack can reach the bot just now, over whichever of its connections."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from bot.api import Clock, Inbox
from channels.slack.settings import CHANNEL

logger = logging.getLogger(__name__)

AGAIN_IN_S = 29.0
"""How soon Slack is heard of again at the latest, if it is there: its own client for Node takes a
connection over which no ping came for 30 s as lost. Source: docs.slack.dev, @slack/socket-mode,
SocketModeOptions, serverPingTimeout, read 2026-11-30."""


class Reachability:
    """Counts the ways that are open, and says when there is none and when there is one again.

    Attributes:
        on_heard: Is told of each sign of life.
        on_gap: Is told, once a way is open again, since when there was none.
    """

    def __init__(self, inbox: Inbox, clock: Clock) -> None:
        self.on_heard: Callable[[], None] = lambda: None
        self.on_gap: Callable[[datetime], None] = lambda _: None
        self._inbox = inbox
        self._clock = clock
        self._open = 0
        self._is_in_trouble = False
        self._gap_since: datetime | None = None

    def opened(self) -> None:
        """Note that one more way is open."""
        self._open += 1
        if self._is_in_trouble:
            self._is_in_trouble = False
            logger.info("channel.connected", extra={"channel": CHANNEL})
        self.heard()
        if self._gap_since is not None:
            since, self._gap_since = self._gap_since, None
            self.on_gap(since)

    def heard(self) -> None:
        """Note that Slack said something over one of the ways that are open."""
        if self._open:
            self._inbox.receiving(again_in_s=AGAIN_IN_S)
            self.on_heard()

    def note_gap(self, since: datetime) -> None:
        """Note that there was none before this process began."""
        self._gap_since = since

    def closed(self) -> None:
        """Note that one is closed."""
        self._open -= 1
        if not self._open and self._gap_since is None:
            self._gap_since = self._clock.now()

    def trouble(self, reason: str) -> None:
        """Note that a way cannot be opened; that is nobody's trouble while another one is open."""
        if self._open:
            return
        if not self._is_in_trouble:
            self._is_in_trouble = True
            logger.warning("channel.disconnected", extra={"channel": CHANNEL, "reason": reason})
        self._inbox.failing(reason)
