"""A conversation as the model sees it: roles and content blocks, nothing of where they are kept.

The law of this file: pure values. Ids of rows, times and platforms are somebody else's concern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Plain or Markdown text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture; ``data`` is base64 text, ``media_type`` such as ``image/png``."""

    media_type: str
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The model's reasoning, to be handed back unchanged while its turn is open.

    ``signature`` proves to the vendor that it is untouched. Where the vendor withholds the
    reasoning, ``is_redacted`` is set and ``text`` is its opaque stand-in.
    """

    text: str
    signature: str = ""
    is_redacted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The model wants a tool run; ``arguments`` is JSON text just as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answered to the call with the id ``call_id``."""

    call_id: str
    content: str
    is_error: bool = False


ContentBlock = Text | Image | Thinking | ToolCall | ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One role's part in the exchange; blocks in the order in which they were written."""

    role: Role
    blocks: tuple[ContentBlock, ...]

    @property
    def text(self) -> str:
        """All text blocks, joined by blank lines."""
        return "\n\n".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls in the order in which the model wrote them."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))


def user_text(text: str) -> Message:
    """Wrap one text as a user's message."""
    return Message(role="user", blocks=(Text(text=text),))


def assistant_text(text: str) -> Message:
    """Wrap one text as the assistant's message."""
    return Message(role="assistant", blocks=(Text(text=text),))
