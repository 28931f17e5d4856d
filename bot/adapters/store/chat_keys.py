"""Between which session keys those of a chat are: its own, and those of its threads.

A key ends with a colon and the thread, so that with the chat's own all of them begin.
"""

from __future__ import annotations

from bot.core.chat import ChatAddress, SessionKey
from bot.core.memory.audience import Audience


def key_of(audience: Audience) -> SessionKey:
    """Name the chat of an audience, without its threads."""
    return ChatAddress(
        channel=audience.channel, account=audience.account, chat=audience.chat
    ).session_key


def keys_of(audience: Audience) -> tuple[SessionKey, str]:
    """Give what the keys of an audience's sessions are not less than, and less than."""
    first = key_of(audience)
    return first, behind_all(first)


def behind_all(beginning: str) -> str:
    """Give what is greater than every key that begins so, and not than any other."""
    return beginning[:-1] + chr(ord(beginning[-1]) + 1)
