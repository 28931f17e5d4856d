"""Who may talk to the bot and who may change it, and the codes by which people come in.

The law of this file: closed unless something opens it. A stranger is answered in a private chat
only, and in a group never, unless the group was allowed as a whole.

:func:`decide` says what somebody may do, :func:`hearing` whether one message of theirs is meant for
the bot. Neither says anything about ``/claim``: as long as an owner is awaited the caller lets that
one command through for a ``stranger`` and a ``silent`` person alike, in a private chat, and
:func:`same_code` and :class:`Attempts` stand in its way instead. So the first owner gets in
whatever the mode is.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot.core.chat import ChatKind, PersonKey

AccessMode = Literal["pairing", "list", "open"]
"""Who is let in besides admins and the allowed: whoever asks and is granted it, nobody, all."""

Grant = Literal["owner", "admin", "allowed", "refused"]
"""What a person may do: everything, everything but naming admins, talk, nothing anywhere."""

PlaceState = Literal["asked", "allowed", "refused"]
"""What becomes of a group as a whole: an admin is asked, everybody in it may talk, nobody may."""

GroupMode = Literal["mention", "all", "off"]
"""Which messages of a group are meant for the bot: those to it, all, no more than commands of those
who steer it."""

Hearing = Literal["heard", "if_chat_admin", "unheard"]
"""Whether a message is meant for the bot, or only if who wrote it turns out to be an admin of that
group by the platform's own rules, which have to be asked for."""

Decision = Literal["admin", "allowed", "stranger", "silent"]
"""What a message gets: all rights, an answer, a word on how to get in, or nothing at all."""

ATTEMPTS_ALLOWED = 5
ATTEMPTS_FORGOTTEN_AFTER = timedelta(minutes=15)

_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # 32, so that five bits of a byte choose evenly
_CODE_LENGTH = 8
_LOOK_ALIKES = str.maketrans("1I", "LL")  # what a lower-case l is misread as; neither is in use


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """What the operator's configuration says; people as in :attr:`bot.core.chat.Sender.names`."""

    mode: AccessMode = "pairing"
    admins: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


def decide(
    policy: AccessPolicy,
    sender_names: frozenset[str],
    grant: Grant | None,
    kind: ChatKind,
    *,
    is_local: bool = False,
    place: PlaceState | None = None,
) -> Decision:
    """Say what somebody may do in a chat.

    Args:
        policy: What the operator's configuration says; it outweighs a refusal in the chat.
        sender_names: All spellings of who wrote.
        grant: What they were granted, or refused, in the chat.
        kind: Of the chat.
        is_local: It is the operator's own terminal.
        place: What was said of the group as a whole; None for nothing.
    """
    if is_local or grant in ("owner", "admin") or sender_names & policy.admins:
        return "admin"
    is_named = bool(sender_names & policy.allowed)
    if place == "refused" or (grant == "refused" and not is_named):
        return "silent"
    if is_named or grant == "allowed" or policy.mode == "open" or place == "allowed":
        return "allowed"
    return "stranger" if policy.mode == "pairing" and kind == "private" else "silent"


def for_guests(
    policy: AccessPolicy, place: PlaceState | None
) -> tuple[AccessPolicy, PlaceState | None]:
    """Say what counts for somebody's guests: they are let in by name, never along with others."""
    return replace(policy, mode="list"), None if place == "allowed" else place


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What of a message says whom it is meant for.

    Attributes:
        is_addressed: As :attr:`bot.core.chat.InboundMessage.is_addressed`.
        is_command: It is a command, of whichever bot.
    """

    kind: ChatKind
    is_addressed: bool
    is_command: bool


def hearing(
    decision: Decision, said: Utterance, *, mode: GroupMode, place: PlaceState | None
) -> Hearing:
    """Say whether a message of somebody with certain rights is meant for the bot.

    In a group that is refused, admins are heard only when they give commands: one of these allows
    it again. What is not addressed to the bot is heard where the group was allowed as a whole and
    wants it; a command never, since it would be another bot's.
    """
    if decision not in ("admin", "allowed"):
        return "unheard"
    if said.kind == "private":
        return "heard"
    if not said.is_addressed:
        overhears = mode == "all" and place == "allowed" and not said.is_command
        return "heard" if overhears else "unheard"
    if mode != "off" and place != "refused":
        return "heard"
    if not said.is_command:
        return "unheard"
    if decision == "admin":
        return "heard"
    return "unheard" if place == "refused" else "if_chat_admin"


def after_move(old: PlaceState, new: PlaceState | None) -> PlaceState:
    """Say what becomes of a group that goes on under another id.

    Args:
        old: What was said of it before.
        new: What is said of the new id by then, None for nothing. That an admin is asked is no
            decision: the platform may tell of the new id before it says whose it is.
    """
    return old if new in (None, "asked") else new


def format_code(random_bytes: bytes) -> str:
    """Write random bytes as a code that is easily read and typed, ``7F3K-Q2MX``: 40 bits.

    Raises:
        ValueError: Fewer than eight bytes.
    """
    if len(random_bytes) < _CODE_LENGTH:
        raise ValueError(f"a code takes {_CODE_LENGTH} random bytes, got {len(random_bytes)}")
    letters = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in random_bytes[:_CODE_LENGTH])
    return f"{letters[:4]}-{letters[4:]}"


def same_code(given: str, expected: str) -> bool:
    """Compare codes in constant time; case, spaces, dashes and look-alikes do not matter."""
    wanted = _essence(expected)
    return bool(wanted) and hmac.compare_digest(_essence(given), wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """The wrong codes of late, oldest first."""

    failures: tuple[tuple[PersonKey, datetime], ...] = ()

    def allows(self, person: PersonKey, now: datetime) -> bool:
        """Say whether this person may try (again)."""
        return sum(1 for who, _ in self._recent(now) if who == person) < ATTEMPTS_ALLOWED

    def is_answered(self, person: PersonKey, now: datetime) -> bool:
        """Say whether this person is told that they may not try: once, and then not any more."""
        return sum(1 for who, _ in self._recent(now) if who == person) <= ATTEMPTS_ALLOWED

    def after_failure(self, person: PersonKey, now: datetime) -> Attempts:
        """Add a wrong code, and forget those that no longer count."""
        return Attempts(failures=(*self._recent(now), (person, now)))

    def without_last(self, person: PersonKey) -> Attempts:
        """Take back the newest of this person."""
        for number in range(len(self.failures) - 1, -1, -1):
            if self.failures[number][0] == person:
                return Attempts(failures=self.failures[:number] + self.failures[number + 1 :])
        return self

    def _recent(self, now: datetime) -> tuple[tuple[PersonKey, datetime], ...]:
        since = now - ATTEMPTS_FORGOTTEN_AFTER
        return tuple(failure for failure in self.failures if failure[1] > since)


def _essence(code: str) -> bytes:
    letters = "".join(character for character in code.upper() if character.isalnum())
    return letters.translate(_LOOK_ALIKES).encode()
