"""Secrets as people paste them: with quotes, line ends, a whole message around them, mixed up."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["anthropic", "telegram", "slack bot", "slack app", "slack signing", "slack user"]
"""Whose secret it is; ``slack user`` is one that the bot has no use for."""

_FORMS: dict[Kind, re.Pattern[str]] = {
    "anthropic": re.compile(r"sk-ant-[\w-]{8,}"),
    "telegram": re.compile(r"\d{6,}:[A-Za-z0-9_-]{30,}"),
    "slack bot": re.compile(r"xoxb-[\w-]+"),
    "slack app": re.compile(r"xapp-[\w-]+"),
    "slack user": re.compile(r"xox[a-z]-[\w-]+"),
    "slack signing": re.compile(r"[0-9a-f]{32}"),
}
"""How each looks; the first that fits is meant. Source: the vendors' consoles, read 2026-11-30."""

_NAMES: dict[Kind, str] = {
    "anthropic": "an API key of Anthropic (sk-ant-…)",
    "telegram": "a bot token of Telegram",
    "slack bot": "Slack's Bot User OAuth Token (xoxb-…)",
    "slack app": "Slack's App-Level Token (xapp-…)",
    "slack user": "a token of Slack for a person, which the bot has no use for",
    "slack signing": "Slack's Signing Secret",
}

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~])?")
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]")
_ASSIGNED = re.compile(r"(?:export\s+)?[A-Z][A-Z0-9_]*\s*=\s*")
_AROUND = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb<>,; \t"


def read_pasted(text: str, wanted: Kind | None) -> str:
    """Give the secret in what was pasted.

    Args:
        text: That, perhaps of several lines.
        wanted: What it should be; None for a secret of any form.

    Raises:
        ValueError: There is none, or it is another one's; one sentence, without any of it.
    """
    lines = [line for line in map(_bare, text.splitlines()) if line]
    words = [word for line in lines for word in map(_bare, line.split()) if word]
    if len(words) == len(lines):
        secret = "".join(words)  # a terminal or a chat has broken it into lines
    else:
        fitting = [word for word in words if wanted and _FORMS[wanted].fullmatch(word)]
        if len(fitting) != 1:
            raise ValueError("That is more than one word; paste the secret alone.")
        (secret,) = fitting
    if not secret.isascii() or not secret.isprintable() or set(secret) & set("\"'"):
        raise ValueError("There are signs in it that no secret has; copy it once more.")
    kind = kind_of(secret)
    if wanted and kind and kind != wanted:
        raise ValueError(f"That is {_NAMES[kind]}; wanted is {_NAMES[wanted]}.")
    return secret


def kind_of(secret: str) -> Kind | None:
    """Say what a secret is by its form; None for none that is known."""
    return next((kind for kind, form in _FORMS.items() if form.fullmatch(secret)), None)


def _bare(text: str) -> str:
    """Take away what stands around it, and what a terminal or an editor put between."""
    text = _UNSEEN.sub("", _ESCAPES.sub("", text)).strip(_AROUND)
    return _ASSIGNED.sub("", text, count=1).strip(_AROUND) if _ASSIGNED.match(text) else text
