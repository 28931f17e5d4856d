"""The first look at Telegram, with the standard library alone.

Importing the SDK takes more than half a second. Who waits for the bot to start does not care: two
plain requests, made beside the event loop, say who the bot is and what is waiting; then the SDK is
imported while nothing waits for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.api import ChannelAuthError
from channels.telegram.plain_request import NO_ANSWER, ask
from channels.telegram.token import TOKEN_REFUSED
from channels.telegram.updates import ALLOWED_UPDATES

TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """Raw results of getMe and getUpdates."""

    me: object
    updates: list[object]


async def take_first_look(address: str, offset: int | None) -> FirstLook | None:
    """Ask who the bot is and what is waiting; None when Telegram cannot be asked now.

    Args:
        address: Of the bot, token included.
        offset: First update that is not stored yet.

    Raises:
        ChannelAuthError: The token is refused.
    """
    return await asyncio.to_thread(_look, address, offset)


def _look(address: str, offset: int | None) -> FirstLook | None:
    request: dict[str, object] = {"timeout": 0, "allowed_updates": ALLOWED_UPDATES}
    since = {} if offset is None else {"offset": offset}
    try:
        updates = ask(address, "getUpdates", request | since, timeout_s=TIMEOUT_S)
        me = ask(address, "getMe", {}, timeout_s=TIMEOUT_S)
    except NO_ANSWER:
        return None
    if updates.code in (401, 404):
        raise ChannelAuthError(TOKEN_REFUSED)
    if not isinstance(updates.result, list) or me.code != 200:
        return None
    return FirstLook(me=me.result, updates=updates.result)
