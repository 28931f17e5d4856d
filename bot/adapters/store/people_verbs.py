"""The store's verbs on people and groups."""

from __future__ import annotations

from datetime import datetime

from bot.adapters.store import moving, outbox, people, places
from bot.adapters.store.verbs import Verbs
from bot.core.chat import ChatAddress, PersonKey, Reply, Sender
from bot.core.lifecycle import OutboxItem
from bot.ports import Granted, Pairing, Place


class PeopleVerbs(Verbs):
    """A part of the store, told apart by what it is about; it fills the port People."""

    async def grants(self) -> tuple[Granted, ...]:
        """Say what each person may do."""
        return await self._read(people.grants)

    async def pairings(self) -> tuple[Pairing, ...]:
        """Give those who asked to be let in, oldest first."""
        return await self._read(people.pairings)

    async def places(self) -> tuple[Place, ...]:
        """Give all groups that were ever asked about."""
        return await self._read(places.places)

    async def moves(self) -> tuple[tuple[ChatAddress, ChatAddress], ...]:
        """Give the chats that go on, or soon will, under another id, with that."""
        return await self._read(moving.moves)

    async def homes(self) -> dict[PersonKey, ChatAddress]:
        """Say where admins can be reached."""
        return await self._read(people.homes)

    async def claim_ownership(self, sender: Sender, *, at: datetime) -> bool:
        """Make a person the owner unless there is one."""
        return await self._call(people.claim_ownership, sender, at)

    async def decide_on(
        self, granted: Granted, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Set what a person may do and tell of it; the same once more does and tells nothing."""
        return await self._call(people.decide_on, granted, by, at, told)

    async def ask_for(
        self, pairing: Pairing, *, since: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Keep that somebody asks, and tell of it, of each code once."""
        return await self._call(people.ask_for, pairing, since, told)

    async def set_place(
        self, place: Place, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Keep what becomes of a group, and tell of it unless it was so already."""
        return await self._call(places.set_place, place, by, at, told)

    async def note_home(self, person_key: PersonKey, address: ChatAddress | None) -> None:
        """Keep where somebody can be reached, or that they cannot."""
        await self._call(people.note_home, person_key, address)

    async def tell(self, told: tuple[Reply, ...], *, at: datetime) -> tuple[OutboxItem, ...]:
        """Put words that nobody asked for into the outbox."""
        return await self._call(outbox.add, told, at)
