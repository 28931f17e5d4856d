"""Who may talk to the bot and who may change it, and the code by which the first owner comes in.

The law of this file: closed unless something opens it. A stranger is answered in a private chat
only, and in a group never.

:func:`decide` says nothing about ``/claim``: the caller lets that one command through for a
``stranger`` and a ``silent`` person alike, in a private chat, and :func:`same_code` and
:class:`Attempts` stand in its way instead. So the first owner gets in whatever the mode is.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.core.chat import ChatKind, PersonKey

AccessMode = Literal["pairing", "list", "open"]
"""Who is let in besides admins and the allowed: whoever asks and is granted it, nobody, all."""

Grant = Literal["owner", "admin", "allowed"]
"""What a person may do: everything, everything but naming admins, talk."""

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
    is_local: bool,
) -> Decision:
    """Say what becomes of a message; ``is_local`` is the operator's own terminal."""
    if is_local or grant in ("owner", "admin") or sender_names & policy.admins:
        return "admin"
    if grant == "allowed" or policy.mode == "open" or sender_names & policy.allowed:
        return "allowed"
    return "stranger" if policy.mode == "pairing" and kind == "private" else "silent"


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

    def after_failure(self, person: PersonKey, now: datetime) -> Attempts:
        """Add a wrong code, and forget those that no longer count."""
        return Attempts(failures=(*self._recent(now), (person, now)))

    def _recent(self, now: datetime) -> tuple[tuple[PersonKey, datetime], ...]:
        since = now - ATTEMPTS_FORGOTTEN_AFTER
        return tuple(failure for failure in self.failures if failure[1] > since)


def _essence(code: str) -> bytes:
    letters = "".join(character for character in code.upper() if character.isalnum())
    return letters.translate(_LOOK_ALIKES).encode()
