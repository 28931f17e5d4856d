"""The port to what is kept of people and of groups: who may talk, who asks to, where to reach them.

Replies that these verbs are given are put into the outbox in the same transaction, so that nobody
is let in without being told, or told of what was not written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.core.access import Grant, PlaceState
from bot.core.chat import ChatAddress, PersonKey, Reply, Sender
from bot.core.lifecycle import OutboxItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a person may do, and what they were called when that was decided."""

    person_key: PersonKey
    grant: Grant
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Somebody who asks to be let in; ``address`` is the private chat they asked in."""

    person_key: PersonKey
    code: str
    name: str
    address: ChatAddress
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A group as a whole; ``address`` has no thread, ``title`` may be empty."""

    address: ChatAddress
    state: PlaceState
    title: str


class People(Protocol):
    """Who was let in by a claim or an admin, besides those the configuration names.

    All changes of rights are audited with who made them, by their person key.

    * ``grants`` gives them all, ``pairings`` who asked to be let in and was not decided on, oldest
      first, ``places`` the groups that were ever asked about, ``homes`` the private chats in which
      admins can be reached, ``moves`` the chats that go on, or soon will, under another id, each
      with its new address, the first to move first.
    * ``claim_ownership`` makes a person the owner unless there is one; False then.
    * ``decide_on`` sets what a person may do, and nobody waits for that any more. The same once
      more changes and tells nothing.
    * ``ask_for`` keeps that somebody asks, in the place of what they asked before; with a code that
      is kept already nothing is told. Those that asked before ``since`` are forgotten.
    * ``set_place`` keeps what becomes of a group; the same once more tells nothing, and ``asked``
      nothing of a group that was decided on, and leaves that. An empty title leaves the known one.
    * ``note_home`` keeps where somebody can be reached; with None they cannot be any more.
    * ``tell`` puts words that nobody asked for into the outbox.
    """

    async def grants(self) -> tuple[Granted, ...]: ...
    async def pairings(self) -> tuple[Pairing, ...]: ...
    async def places(self) -> tuple[Place, ...]: ...
    async def moves(self) -> tuple[tuple[ChatAddress, ChatAddress], ...]: ...
    async def homes(self) -> dict[PersonKey, ChatAddress]: ...
    async def claim_ownership(self, sender: Sender, *, at: datetime) -> bool: ...
    async def decide_on(
        self, granted: Granted, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]: ...
    async def ask_for(
        self, pairing: Pairing, *, since: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]: ...
    async def set_place(
        self, place: Place, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]: ...
    async def note_home(self, person_key: PersonKey, address: ChatAddress | None) -> None: ...
    async def tell(self, told: tuple[Reply, ...], *, at: datetime) -> tuple[OutboxItem, ...]: ...
