"""Commands that people write: ``/name``, ``/name@bot`` and what stands behind.

A platform may keep ``/`` for itself, as Slack does; there a command begins with another prefix.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

PREFIX = "/"

_COMMAND = re.compile(r"/([^\W\d_][\w-]{0,63})(?:@(\w{1,64}))?(?:\s+(.*))?", re.DOTALL)
_NAMED_IN_CODE = re.compile(r"`/(?=[^\W\d_][\w-]*[\s`])")  # and no path, such as `/usr/bin`
_LEAST_LIKENESS = 0.6  # difflib's own: one slip in a short name, two in a long one


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A command as it was given: its name in lower case, the arguments stripped."""

    name: str
    arguments: str


def parse_command(text: str, *, prefix: str = PREFIX) -> CommandCall | None:
    """Read a text as a command; None if it is none.

    A command begins with the very first character. ``/usr/bin`` is a path, ``/`` alone and ``//``
    are nothing. ``/name`` is understood whatever the platform's own ``prefix`` is. Whom an ``@bot``
    behind the name means is for the channel to say, which hands on what is for this bot only.
    """
    if prefix != PREFIX and text.startswith(prefix):
        text = PREFIX + text.removeprefix(prefix)
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    name, _, arguments = match.groups(default="")
    return CommandCall(name=name.lower(), arguments=arguments.strip())


def nearest_command(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that is most like a mistyped one; None if none is much like it.

    The answer depends on the set of the names only, not on their order.
    """
    close = difflib.get_close_matches(name.lower(), sorted(known), n=1, cutoff=_LEAST_LIKENESS)
    return close[0] if close else None


def with_prefix(text: str, prefix: str) -> str:
    """Word the commands that a text of the bot names in code as a platform wants them."""
    if prefix == PREFIX:
        return text
    return _NAMED_IN_CODE.sub(lambda _: f"`{prefix}", text)
