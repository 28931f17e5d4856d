"""An event as the store in memory keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.core.chat import ButtonPress, InboundMessage, SessionKey
from bot.core.edits import files_mark
from bot.core.lifecycle import Received, Route, SetAside
from bot.core.presses import pressed
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


def kept(event: Received | SetAside, at: datetime) -> KeptEvent:
    """Say what is kept of an event: only messages and presses can wait."""
    if isinstance(event, SetAside) or event.route == "none":
        return KeptEvent(at)
    inbound, route = event.inbound, event.route
    message = pressed(inbound, inbound.token) if isinstance(inbound, ButtonPress) else inbound
    if not isinstance(message, InboundMessage):
        return KeptEvent(at)
    key, mark = message.address.session_key, files_mark(message)
    return KeptEvent(at, "waiting", route, message, session_key=key, files=mark)
