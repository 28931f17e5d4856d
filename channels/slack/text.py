"""Slack's text in and out: its markup decoded, our Markdown made harmless.

The law of this file: nothing that a model writes can become one of Slack's control sequences
(``<!channel>``, ``<@U1>``), for they ring everybody's phone, in Markdown blocks too. They all begin
with ``<``, so every ``<`` that does not open a plain link is escaped. ``&`` stays as it is, since
escaping it breaks URLs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.api import split_markdown

MAX_MARKDOWN_CHARS = 11_000
"""Longest escaped text of one message.

Source: docs.slack.dev, Markdown block: 12 000 characters; some are left for what Slack adds.
"""

MAX_FALLBACK_BYTES = 3_900
"""Longest fallback text: ``chat.update`` refuses what is longer than about 4 000 bytes."""

COMMAND_PREFIX = "!"
"""Slack keeps ``/`` for itself, and lets nobody write slash commands in threads at all."""

_CONTROL = re.compile(r"<([^<>]*)>")
_SPECIAL_MENTION = re.compile(r"!(here|channel|everyone)$")
_COMMAND = re.compile(rf"{COMMAND_PREFIX}[A-Za-z]")
_MENTIONED = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")

_AUTOLINK_OR_ANGLE = re.compile(
    r"(?P<link><(?:https?://|mailto:)[^\s<>|]+>)"
    r"|(?P<quote>^ {0,3}>(?: ?>)*)"
    r"|(?P<angle>[<>])",
    re.MULTILINE,
)
_CUT_ENTITY = re.compile(r"&[lg]?t?\Z")


def mentioned_users(text: str) -> frozenset[str]:
    """Find the ids of all people whom a raw Slack text mentions."""
    return frozenset(_MENTIONED.findall(text))


def is_command(text: str) -> bool:
    """Tell whether a decoded text begins like a command."""
    return _COMMAND.match(text) is not None


def sound(text: str) -> str:
    """Put replacement characters in the place of half surrogate pairs, which no encoding takes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def decode(text: str, *, bot_user_id: str, names: Mapping[str, str]) -> str:
    """Turn Slack's markup into what its author saw, without the mention of the bot.

    ``names`` gives the names of people by id; a person who is not in it is shown by id.
    """
    own = re.compile(rf"^\s*<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>[\s:,]*")
    text = own.sub("", text)
    text = re.sub(rf" ?<@{re.escape(bot_user_id)}(?:\|[^<>]*)?>", "", text)
    text = _CONTROL.sub(lambda found: _shown(found[1], names), text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def _shown(control: str, names: Mapping[str, str]) -> str:
    target, _, label = control.partition("|")
    match target[:1]:
        case "@":
            return f"@{label or names.get(target[1:], target[1:])}"
        case "#":
            return f"#{label or target[1:]}"
        case "!" if special := _SPECIAL_MENTION.match(target):
            return f"@{special[1]}"
        case "!":
            return label or target[1:]
    if not label or label == target:
        return target
    if target in (f"http://{label}", f"https://{label}", f"mailto:{label}", f"tel:{label}"):
        return label  # Slack made the link; the author wrote only the label
    return f"[{label}]({target})"


def escape(markdown: str) -> str:
    """Escape angle brackets, but for plain links ``<https://…>`` and the marks of quotations."""
    return _AUTOLINK_OR_ANGLE.sub(_escaped, sound(markdown))


def _escaped(found: re.Match[str]) -> str:
    angle: str | None = found["angle"]
    if angle is None:
        return found[0]
    return "&lt;" if angle == "<" else "&gt;"


def fallback(escaped: str) -> str:
    """Shorten an escaped text for notifications and for clients that know no blocks."""
    whole = escaped.encode()
    if len(whole) <= MAX_FALLBACK_BYTES:
        return escaped
    kept = whole[:MAX_FALLBACK_BYTES].decode(errors="ignore")
    return f"{_CUT_ENTITY.sub('', kept)}…"


def split(markdown: str) -> tuple[str, ...]:
    """Cut CommonMark into texts of one message each, losing nothing."""
    return split_markdown(markdown, lambda chunk: len(escape(chunk)) <= MAX_MARKDOWN_CHARS)
