"""Commands that people write: ``/name``, ``/name@bot`` and what stands behind."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

_COMMAND = re.compile(r"/([^\W\d_][\w-]{0,63})(?:@(\w{1,64}))?(?:\s+(.*))?", re.DOTALL)
_LEAST_LIKENESS = 0.6  # difflib's own: one slip in a short name, two in a long one


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A command as it was given: its name in lower case, the arguments stripped."""

    name: str
    arguments: str


def parse_command(text: str, *, bot_name: str = "") -> CommandCall | None:
    """Read a text as a command; None if it is none, or one for another bot.

    A command begins with the very first character. ``/usr/bin`` is a path, ``/`` alone and ``//``
    are nothing. With an empty ``bot_name`` every bot's name is taken for the own one.
    """
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    name, addressee, arguments = match.groups(default="")
    own_name = bot_name.removeprefix("@")
    if addressee and own_name and addressee.lower() != own_name.lower():
        return None
    return CommandCall(name=name.lower(), arguments=arguments.strip())


def nearest_command(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that is most like a mistyped one; None if none is much like it.

    The answer depends on the set of the names only, not on their order.
    """
    close = difflib.get_close_matches(name.lower(), sorted(known), n=1, cutoff=_LEAST_LIKENESS)
    return close[0] if close else None
