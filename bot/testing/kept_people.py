"""What a store in memory keeps of people and groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime

from bot.core.attendance import Stretch
from bot.core.chat import ChatAddress, PersonKey, Reply, Sender, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.ports import Granted, Pairing, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """A change of rights as it was noted."""

    who: str
    what: str
    old: str | None
    new: str


class KeptPeople(ABC):
    """Fills the port People from dicts.

    Attributes:
        audit: Every change of rights, oldest first.
    """

    def __init__(self) -> None:
        self.audit: list[Audited] = []
        self._granted: dict[PersonKey, Granted] = {}
        self._pairings: dict[PersonKey, Pairing] = {}
        self._places: dict[SessionKey, Place] = {}
        self._homes: dict[PersonKey, ChatAddress] = {}

    @abstractmethod
    def _tell(self, told: tuple[Reply, ...], at: datetime) -> tuple[OutboxItem, ...]: ...

    async def tell(self, told: tuple[Reply, ...], *, at: datetime) -> tuple[OutboxItem, ...]:
        """Put words that nobody asked for into the outbox."""
        return self._tell(told, at)

    async def grants(self) -> tuple[Granted, ...]:
        """Say what each person may do."""
        return tuple(self._granted[key] for key in sorted(self._granted))

    async def pairings(self) -> tuple[Pairing, ...]:
        """Give those who asked to be let in, oldest first."""
        waiting = self._pairings.values()
        return tuple(sorted(waiting, key=lambda each: (each.asked_at, each.person_key)))

    async def places(self) -> tuple[Place, ...]:
        """Give all groups that were ever asked about."""
        return tuple(self._places[key] for key in sorted(self._places))

    async def homes(self) -> dict[PersonKey, ChatAddress]:
        """Say where admins can be reached."""
        return {key: self._homes[key] for key in sorted(self._homes)}

    async def claim_ownership(self, sender: Sender, *, at: datetime) -> bool:
        """Make a person the owner unless there is one."""
        if any(each.grant == "owner" for each in self._granted.values()):
            return False
        key = sender.person_key
        self._set_grant(Granted(person_key=key, grant="owner", name=sender.name), key)
        return True

    async def decide_on(
        self, granted: Granted, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Set what a person may do and tell of it; the same once more does and tells nothing."""
        return self._tell(told, at) if self._set_grant(granted, by) else ()

    async def ask_for(
        self, pairing: Pairing, *, since: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Keep that somebody asks, and tell of it, of each code once."""
        self._pairings = {
            key: kept for key, kept in self._pairings.items() if kept.asked_at >= since
        }
        known = self._pairings.get(pairing.person_key)
        if known is not None and known.code == pairing.code:
            return ()
        self._pairings[pairing.person_key] = pairing
        return self._tell(told, pairing.asked_at)

    def _set_right_pairings(self, shown: Stretch, at: datetime) -> None:
        """Let those that were asked for when a wrong clock showed some time be asked for now."""
        for key, kept in self._pairings.items():
            if kept.asked_at in shown:
                self._pairings[key] = replace(kept, asked_at=at)

    async def set_place(
        self, place: Place, *, by: str, at: datetime, told: tuple[Reply, ...] = ()
    ) -> tuple[OutboxItem, ...]:
        """Keep what becomes of a group, and tell of it unless it was so, or decided on, already."""
        key = place.address.session_key
        known = self._places.get(key)
        title = place.title or ("" if known is None else known.title)
        old = None if known is None else known.state
        if known is not None and place.state in (old, "asked"):
            self._places[key] = replace(known, title=title)
            return ()
        self._places[key] = replace(place, title=title)
        self.audit.append(Audited(who=by, what=f"place {key}", old=old, new=place.state))
        return self._tell(told, at)

    async def note_home(self, person_key: PersonKey, address: ChatAddress | None) -> None:
        """Keep where somebody can be reached, or that they cannot."""
        if address is None:
            self._homes.pop(person_key, None)
        else:
            self._homes[person_key] = address

    def _set_grant(self, granted: Granted, by: str) -> bool:
        key = granted.person_key
        self._pairings.pop(key, None)
        known = self._granted.get(key)
        old = None if known is None else known.grant
        if old == granted.grant:
            return False
        self._granted[key] = granted
        self.audit.append(Audited(who=by, what=f"grant of {key}", old=old, new=granted.grant))
        return True
