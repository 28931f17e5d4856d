"""The first look at Telegram, with the standard library alone.

Importing the SDK takes more than half a second. Who waits for the bot to start does not care: two
plain requests, made beside the event loop, say who the bot is and what is waiting; then the SDK is
imported while nothing waits for it.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException

from bot.api import ChannelAuthError
from channels.telegram.token import TOKEN_REFUSED

ALLOWED_UPDATES = ["message", "edited_message"]
"""Asked for by name, since a former owner of the token may have asked for less."""

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
    request = {"timeout": 0, "allowed_updates": ALLOWED_UPDATES}
    try:
        updates = _ask(
            address, "getUpdates", request | ({} if offset is None else {"offset": offset})
        )
        me = _ask(address, "getMe", {})
    except urllib.error.HTTPError as error:
        # Closed at once, and no context: the error knows the address, which holds the token.
        error.close()
        if error.code in (401, 404):
            raise ChannelAuthError(TOKEN_REFUSED) from None
        return None
    except (OSError, HTTPException, ValueError):
        return None
    return FirstLook(me=me, updates=updates) if isinstance(updates, list) else None


def _ask(address: str, method: str, parameters: dict[str, object]) -> object:
    request = urllib.request.Request(  # noqa: S310 - Settings allows http and https only
        f"{address}/{method}",
        data=json.dumps(parameters).encode(),
        headers={"Content-Type": "application/json"},
    )
    until_s = time.monotonic() + TIMEOUT_S
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310 - as above
        content = b""
        while piece := response.read1():
            content += piece
            if time.monotonic() > until_s:  # urllib's limit is for each piece
                raise TimeoutError("the answer does not come to an end")
    answer: object = json.loads(content)
    if not isinstance(answer, dict) or "result" not in answer:
        raise ValueError("no answer of the Bot API")
    result: object = answer["result"]
    return result
