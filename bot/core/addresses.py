"""Where something was said and who said it: names that mean the same over all chats.

The law of this file: a key is made of parts that platforms choose freely, escaped so that no two
lists of them read the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NewType
from urllib.parse import quote, unquote

SessionKey = NewType("SessionKey", str)
"""A :class:`ChatAddress` as one string, parts percent-escaped: ``telegram:77:-1001:5``."""

PersonKey = NewType("PersonKey", str)
"""Channel, realm and user as one string, parts percent-escaped: ``slack:T1:U2``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAddress:
    """Where a message came from and where its reply goes.

    Attributes:
        channel: The platform's name, ``telegram``.
        account: The bot's own account there (Slack: the team), so that two bots never mix.
        chat: The platform's id of the chat.
        thread: Forum topic or thread inside the chat; empty when there is none.
    """

    channel: str
    account: str
    chat: str
    thread: str = ""

    @property
    def session_key(self) -> SessionKey:
        """Name the conversation held at this address."""
        return SessionKey(_escaped(self.channel, self.account, self.chat, self.thread))

    @property
    def whole_chat(self) -> ChatAddress:
        """Give the address of the chat with all its threads."""
        return replace(self, thread="") if self.thread else self

    @classmethod
    def from_session_key(cls, key: SessionKey) -> ChatAddress:
        """Read back what :attr:`session_key` wrote.

        Raises:
            ValueError: The text is no session key.
        """
        parts = key.split(":")
        if len(parts) != 4:
            raise ValueError(f"not a session key: {key!r}")
        channel, account, chat, thread = (unquote(part, errors="surrogatepass") for part in parts)
        return cls(channel=channel, account=account, chat=chat, thread=thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who wrote a message.

    Attributes:
        channel: The platform's name.
        realm: Where the user id is unique (Slack: the team); empty where ids are global.
        user_id: The platform's id of the person.
        name: What people call them; shown to the model in groups.
        language: BCP 47 tag the platform reports, or empty.
        timezone: IANA name of the time zone that the platform reports, or empty.
        is_person: False for who writes as a chat, such as an anonymous admin: no list names them.
        is_guest: Let into the workspace only in part, or from another one: what is open to
            everybody there is not open to them.
    """

    channel: str
    user_id: str
    name: str
    realm: str = ""
    language: str = ""
    timezone: str = ""
    is_person: bool = True
    is_guest: bool = False

    @property
    def person_key(self) -> PersonKey:
        """Name this person over all chats of the platform."""
        return PersonKey(_escaped(self.channel, self.realm, self.user_id))

    @property
    def names(self) -> frozenset[str]:
        """All spellings by which ``admins`` and ``allow`` may name this person."""
        if not self.is_person:
            return frozenset()
        short = f"{self.channel}:{self.user_id}"
        long = f"{self.channel}:{self.realm}:{self.user_id}"
        return frozenset({short, long} if self.realm else {short})


def sender_of(key: PersonKey, name: str = "") -> Sender:
    """Read back what :attr:`Sender.person_key` wrote.

    Raises:
        ValueError: The text is no person key.
    """
    parts = key.split(":")
    if len(parts) != 3:
        raise ValueError(f"not a person key: {key!r}")
    channel, realm, user_id = (unquote(part, errors="surrogatepass") for part in parts)
    return Sender(channel=channel, realm=realm, user_id=user_id, name=name)


def short_name(person: Sender) -> str:
    """Name somebody as the settings do: ``telegram:123``, ``slack:T1:U2``."""
    return ":".join(part for part in (person.channel, person.realm, person.user_id) if part)


def read_name(text: str) -> Sender | None:
    """Read what :func:`short_name` wrote, by whomever; None when it is no such name."""
    parts = text.strip().split(":")
    if len(parts) not in (2, 3) or not all(part and part == part.strip() for part in parts):
        return None
    realm = parts[1] if len(parts) == 3 else ""
    return Sender(channel=parts[0], realm=realm, user_id=parts[-1], name="")


def _escaped(*parts: str) -> str:
    """Join parts so that no two lists of them read the same, lone surrogates and all."""
    return ":".join(quote(part, safe="", errors="surrogatepass") for part in parts)
