"""Slack's text in and out: its markup decoded, our Markdown made harmless.

The law of this file: nothing that a model writes can become one of Slack's control sequences
(``<!channel>``, ``<@U1>``), for they ring everybody's phone, in Markdown blocks too. They all begin
with ``<``, so every ``<`` that does not open a plain link is escaped. ``&`` stays as it is, since
escaping it breaks URLs, but for one that would make an escaped character of what was written.
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
_GROUP = re.compile(r"!subteam\^([A-Z0-9]+)$")
_COMMAND = re.compile(rf"{COMMAND_PREFIX}[A-Za-z]")
_CHANNEL = re.compile(r"<#([CG][A-Z0-9]+)\|?>")
_OPENING_MENTION = re.compile(r"\s*<(?:@[UW]|!subteam\^)")
_MENTIONED = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")

_LINK_OR_SIGN = re.compile(
    r"(?P<link><(?:https?://|mailto:)[^\s<>|]+>)"
    r"|(?P<quote>^ {0,3}>(?: ?>)*)"
    r"|(?P<sign>[<>]|&(?=(?:lt|gt|amp);))",
    re.MULTILINE,
)
_SIGNS = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_UNDECIDED = re.compile(r"(?:<[^\s<>]*|&[a-z]{0,3}|[\ud800-\udbff])\Z")
_CUT_ENTITY = re.compile(r"&[a-z]{0,3}\Z")


def mentioned_users(text: str) -> frozenset[str]:
    """Find the ids of all people whom a raw Slack text mentions."""
    return frozenset(_MENTIONED.findall(text))


def mentioned_channels(text: str) -> frozenset[str]:
    """Find the ids of all channels that a raw Slack text names by nothing but their ids."""
    return frozenset(_CHANNEL.findall(text))


def opens_with_mention(text: str) -> bool:
    """Tell whether a raw Slack text begins with the mention of somebody, or of a group."""
    return _OPENING_MENTION.match(text) is not None


def is_command(text: str) -> bool:
    """Tell whether a decoded text begins like a command."""
    return _COMMAND.match(text) is not None


def sound(text: str) -> str:
    """Put replacement characters in the place of half surrogate pairs, which no encoding takes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def decode(text: str, *, bot_user_id: str, names: Mapping[str, str]) -> str:
    """Turn Slack's markup into what its author saw, without the mention of the bot.

    ``names`` gives the names of people and channels by id; who is not in it is shown by id.
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
            return f"#{label or names.get(target[1:], target[1:])}"
        case "!" if special := _SPECIAL_MENTION.match(target):
            return f"@{special[1]}"
        case "!" if group := _GROUP.match(target):
            return label if label.startswith("@") else f"@{label or group[1]}"
        case "!":
            return label or target[1:]
    if not label or label == target:
        return target
    if target in (f"http://{label}", f"https://{label}", f"mailto:{label}", f"tel:{label}"):
        return label  # Slack made the link; the author wrote only the label
    return f"[{label}]({target})"


def escape(markdown: str) -> str:
    """Escape angle brackets, but for plain links ``<https://…>`` and the marks of quotations."""
    return _LINK_OR_SIGN.sub(_escaped, sound(markdown))


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found["sign"] is None else _SIGNS[found[0]]


def escaped_beginning(markdown: str) -> str:
    """Give of a text that still grows what stays as it is whatever follows, escaped.

    What is left over begins with a visible character: Slack may swallow white space in front of
    what is appended to a stream, and with it the indentation of code.
    """
    return escape(_UNDECIDED.sub("", markdown.rstrip()[:-1]))


def shortened(escaped: str, most_chars: int) -> str:
    """Cut an escaped text down, between two characters as they are seen."""
    if len(escaped) <= most_chars:
        return escaped
    return f"{_CUT_ENTITY.sub('', escaped[: most_chars - 1])}…"


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
