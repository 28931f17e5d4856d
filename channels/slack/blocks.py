"""A reply as Block Kit: what Slack is asked to show, and what it is shown where it refuses that.

The law of this file: pure, and no names of the SDK. All that anybody but the bot has written is
escaped here, in text and in blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.api import Button, OutgoingFile, Reply
from channels.slack.metadata import block_id_of
from channels.slack.text import COMMAND_PREFIX, escape, fallback, shortened

Block = dict[str, object]
"""A block as JSON."""

Blocks = list[Block]

MAX_BUTTONS = 25
"""Source: docs.slack.dev, Actions block, read 2026-11-30."""

MAX_LABEL_CHARS = 75
"""Source: docs.slack.dev, Button element, read 2026-11-30."""

MAX_SECTION_CHARS = 3_000
"""Source: docs.slack.dev, Section block, read 2026-11-30."""

_LONGEST_ESCAPE = len("&amp;")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What one message shows.

    Attributes:
        text: For notifications, and for clients that know no blocks; short.
        blocks: What people see.
        plain: What they see where Slack refuses the blocks: all of it, as text.
        sections: The same for a change, where Slack takes little text, and much in blocks.
    """

    text: str
    blocks: Blocks
    plain: str
    sections: Blocks


def content_of(reply: Reply) -> Content:
    """Write a reply of text with its buttons."""
    text, plain = escape(reply.text), _with_buttons_in_words(reply)
    return Content(
        text=fallback(text),
        blocks=[{"type": "markdown", "text": text}, *buttons_of(reply.buttons)],
        plain=escape(plain),
        sections=[_section(escape(part)) for part in _parts(plain)],
    )


def buttons_of(buttons: tuple[Button, ...]) -> Blocks:
    """Write buttons as a block of their own; no block where there are none."""
    if not buttons:
        return []
    elements = [
        {
            "type": "button",
            "action_id": f"choice-{number}",
            "text": {"type": "plain_text", "text": _label(button.label)},
            "value": button.token,
        }
        for number, button in enumerate(buttons[:MAX_BUTTONS])
    ]
    return [{"type": "actions", "elements": elements}]


def caption_of(reply: Reply, file: OutgoingFile) -> Blocks:
    """Write what stands above a file: its caption, else its name, with the key in the block's id.

    A file's message takes no metadata, so that this is where it is known again.
    """
    words = shortened(escape(reply.text or file.name), MAX_SECTION_CHARS)
    text: Block = {"type": "mrkdwn", "text": words, "verbatim": True}
    named: Block = {"block_id": block_id_of(reply.key)} if reply.key else {}
    if reply.text:
        return [{"type": "section", "text": text} | named]
    return [{"type": "context", "elements": [text]} | named]


def _section(words: str) -> Block:
    text: Block = {"type": "mrkdwn", "text": words, "verbatim": True}
    return {"type": "section", "text": text}


def _parts(text: str) -> list[str]:
    """Cut a text so that each part is a section, at the end of a line where one is near."""
    parts = []
    while text:
        part = text[:MAX_SECTION_CHARS]
        while len(escape(part)) > MAX_SECTION_CHARS:
            part = part[: -max(1, (len(escape(part)) - MAX_SECTION_CHARS) // _LONGEST_ESCAPE)]
        end = part.rfind("\n") + 1
        if len(part) < len(text) and end > len(part) // 2:
            part = part[:end]
        parts.append(part)
        text = text[len(part) :]
    return [part for part in parts if part.strip()]


def _label(label: str) -> str:
    text = label.strip() or "…"
    return text if len(text) <= MAX_LABEL_CHARS else f"{text[: MAX_LABEL_CHARS - 1]}…"


def _with_buttons_in_words(reply: Reply) -> str:
    lines = (f"• {each.label}: `{COMMAND_PREFIX}{each.command}`" for each in reply.buttons)
    return "\n".join((reply.text, *lines))
