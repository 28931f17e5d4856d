"""An event as the store in memory keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.core.chat import InboundMessage, SessionKey
from bot.core.lifecycle import Route
from bot.core.turns import TurnId


@dataclass(slots=True)
class KeptEvent:
    """What is kept of an event; ``message`` only as long as it is not done.

    ``block`` says where its text stands in its turn's request, ``files`` what came with it.
    """

    received_at: datetime
    state: Literal["waiting", "claimed", "kept", "done"] = "done"
    route: Route = "none"
    message: InboundMessage | None = None
    turn_id: TurnId | None = None
    block: int | None = None
    changed_at: datetime | None = None
    files: str | None = None
    session_key: SessionKey | None = None
