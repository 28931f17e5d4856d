"""Lay a conversation out as the messages of one model request.

The law of this file: two requests of a chat between which no stage acted share their beginning
byte for byte, or the vendor's prompt cache is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.core.llm import CacheMark
from bot.core.messages import Message, Text
from bot.core.turns import Turn, messages_of

MAX_CACHE_MARKS = 3
"""What vendors take besides the one behind the instructions.

The last one is where the next request's prefix will end. The one before stands where the former
request ended: a vendor looks back 20 blocks at most, and a round of ten calls is as many. The
third bears the end of a turn, at which its reasoning, and with it the later prefix, goes.
Source: Anthropic, prompt caching, read 2026-11-30.
"""

EARLIER_TURNS_LEFT = (
    "[Earlier turns of this chat are no longer shown here. If something from them is needed, ask.]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part of a conversation the model is shown.

    Attributes:
        past: Ended turns, oldest first.
        open_turn: The turn being answered.
        has_left: Whether earlier turns of this generation left the window.
    """

    past: tuple[Turn, ...]
    open_turn: Turn
    has_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A window as messages, and the seams in them behind which a vendor may cache."""

    messages: tuple[Message, ...]
    cache_marks: tuple[CacheMark, ...]


def assemble(window: Window) -> Layout:
    """Write the window out: first message the user's, roles alternating, calls paired."""
    messages: list[Message] = []
    seams: list[int] = []
    for turn in window.past:
        seams.append(len(messages) - 1)
        messages.extend(messages_of(turn))
    seams.append(len(messages) - 1)
    for message in messages_of(window.open_turn):
        messages.append(message)
        if message.role == "user":
            seams.append(len(messages) - 1)
    if window.has_left:
        notice = Text(text=EARLIER_TURNS_LEFT)
        messages[0] = Message(role="user", blocks=(notice, *messages[0].blocks))
    marks = tuple(
        CacheMark(message=end, block=len(messages[end].blocks) - 1)
        for end in [seam for seam in seams if seam >= 0][-MAX_CACHE_MARKS:]
    )
    return Layout(messages=tuple(messages), cache_marks=marks)
