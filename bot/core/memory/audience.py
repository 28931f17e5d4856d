"""The people who can see a chat: what was said there is remembered for them and nobody else.

The law of this file: what was said in a private chat is recalled there alone; what was said in a
group is recalled in that group, and in private only to who said it. Every read of memory takes a
:class:`Viewer`, and every piece of it has an :class:`Origin`.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from hashlib import sha256

from bot.core.chat import ChatAddress, ChatKind, PersonKey, SessionKey

MOST_FOLDER_CHARS = 120
"""File systems take 255 bytes; the rest is left to what is put beside a folder under its name."""

_PLAIN = frozenset(string.ascii_lowercase + string.digits + "-")
_DIGEST_CHARS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """A direct chat, a Telegram group with all its topics, a Slack channel with all its threads.

    ``kind`` says whether one person or several can see it.
    """

    channel: str
    account: str
    chat: str
    kind: ChatKind

    @property
    def folder(self) -> str:
        """Name this audience's folder of memory files.

        One part of a path, different for different audiences also where file names differ by case
        alone, as ids of Slack do: ``slack._t024be7lh._c042``. The ids can be read back from it,
        unless they are so long that a digest has to tell them apart.
        """
        name = ".".join(map(_portable, (self.channel, self.account, self.chat)))
        if len(name) <= MOST_FOLDER_CHARS:
            return name
        digest = sha256(name.encode()).hexdigest()[:_DIGEST_CHARS]
        return f"{name[: MOST_FOLDER_CHARS - _DIGEST_CHARS - 1]}~{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Who asks memory, and who sees the answer.

    Attributes:
        audience: Those who can see the chat in which the answer is given.
        person_key: Who asks.
    """

    audience: Audience
    person_key: PersonKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a piece of memory comes from.

    Attributes:
        audience: Those who could see where it was said; None for global knowledge, which the
            operator wrote for everybody.
        said_by: Who said it; empty for the bot, for what was made of several people's words, and
            where that is not known. Such a piece of a group is recalled in that group alone.
    """

    audience: Audience | None
    said_by: PersonKey


NOBODY = PersonKey("")
"""Nobody's key: such a viewer may recall what was said in their audience, and nothing else."""

GLOBAL = Origin(audience=None, said_by=NOBODY)
"""Of knowledge for everybody."""


def may_recall(viewer: Viewer, origin: Origin) -> bool:
    """Say whether a piece of memory may be shown to a viewer, who asks in their audience."""
    if origin.audience is None or origin.audience == viewer.audience:
        return True
    return (
        viewer.audience.kind == "private"
        and origin.audience.kind == "group"
        and origin.said_by != ""
        and origin.said_by == viewer.person_key
    )


def audience_of(session_key: SessionKey, kind: ChatKind) -> Audience:
    """Say who can see what is said in a chat; a thread is seen by all who see its chat."""
    address = ChatAddress.from_session_key(session_key)
    return Audience(channel=address.channel, account=address.account, chat=address.chat, kind=kind)


def viewer_of(session_key: SessionKey, kind: ChatKind, person_key: PersonKey) -> Viewer:
    """Say who asks memory when a person speaks in a chat."""
    return Viewer(audience=audience_of(session_key, kind), person_key=person_key)


def _portable(part: str) -> str:
    """Write an id in small letters: ``_`` turns to capitals and back, ``=2e=`` is any other sign.

    An empty id is ``=``, so that no name begins or ends with a dot.
    """
    if not part:
        return "="
    written: list[str] = []
    is_capital = False
    for sign in part:
        if sign not in _PLAIN and sign not in string.ascii_uppercase:
            written.append(f"={sign.encode('utf-8', 'surrogatepass').hex()}=")
            continue
        if sign in string.ascii_letters and is_capital != sign.isupper():
            is_capital = not is_capital
            written.append("_")
        written.append(sign.lower())
    return "".join(written)
