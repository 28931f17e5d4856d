"""Commands that people write: ``/name``, ``/name@bot`` and what stands behind.

A platform may keep ``/`` for itself, as Slack does; there a command begins with another prefix.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bot.languages import gettext, language_of, speaking

PREFIX = "/"

ENDS = ".,;:!?…\u3002\uff0c\uff01\uff1f"
"""What ends a sentence or a part of one, Chinese signs included; it is no part of a name."""

_COMMAND = re.compile(
    rf"/([^\W\d_][\w-]{{0,63}})(?:@(\w{{1,64}}))?[{ENDS}]*(?:\s+(.*))?", re.DOTALL
)
_NAMED_IN_CODE = re.compile(r"`/(?=[^\W\d_][\w-]*[\s`])")  # and no path, such as `/usr/bin`
_LEAST_LIKENESS = 0.6  # difflib's own: one slip in a short name, two in a long one


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall:
    """A command as it was given: its name in lower case, the arguments stripped.

    Attributes:
        bot: Whom an ``@bot`` behind the name means; empty where none is named.
    """

    name: str
    arguments: str
    bot: str = ""


MenuReader = Literal["everyone", "owners_of_chat", "chat_admins", "admins"]
"""Who finds a command in the platform's menu: everybody, whoever is alone with the bot, admins of a
group, admins of the bot; each of them what those before it find as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuEntry:
    """A command as a platform's menu of commands lists it.

    Attributes:
        name: Without the prefix.
        description: One line in English, of the bot's own commands a key of its translations.
    """

    name: str
    description: str
    reader: MenuReader = "everyone"

    def described(self, language: str) -> str:
        """Give the line in the language of a BCP 47 tag, in English where it has none in that."""
        with speaking(language_of(language)):
            return gettext(self.description)


def parse_command(text: str, *, prefix: str = PREFIX) -> CommandCall | None:
    """Read a text as a command; None if it is none.

    A command begins with the very first character. ``/usr/bin`` is a path, ``/`` alone and ``//``
    are nothing; ``/stop!`` is ``/stop``. ``/name`` is understood whatever the platform's own
    ``prefix`` is. A channel takes the name of this bot away, so that an ``@bot`` which stands there
    means another one.
    """
    if prefix != PREFIX and text.startswith(prefix):
        text = PREFIX + text.removeprefix(prefix)
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    name, bot, arguments = match.groups(default="")
    return CommandCall(name=name.lower(), arguments=arguments.strip(), bot=bot)


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
