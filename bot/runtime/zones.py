"""Which clock people live by: as they chose, as their platform says, or as the bot does."""

from __future__ import annotations

import asyncio
import logging
from datetime import tzinfo
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.core.chat import PersonKey, Sender
from bot.core.reminders import ZoneName
from bot.errors import ToolError
from bot.ports import PersonZones

logger = logging.getLogger(__name__)

_MOST_SUGGESTIONS = 5
_MOST_NAME_CHARS = 64


class PeopleZones:
    """Answers at once, from memory; what people chose is read once and followed from then on."""

    def __init__(self, store: PersonZones, default: ZoneInfo) -> None:
        self._store = store
        self._default = default
        self._chosen: dict[PersonKey, ZoneName] = {}

    async def load(self) -> None:
        """Read what people chose."""
        self._chosen = dict(await self._store.chosen_zones())

    def of(self, person: Sender) -> ZoneInfo:
        """Give the time zone that somebody lives by."""
        name = self._chosen.get(person.person_key) or ZoneName(person.timezone)
        return self.named(name) if name else self._default

    def named(self, name: ZoneName) -> ZoneInfo:
        """Give a time zone by the name it was kept under; the bot's where there is none any more.

        A platform may know names, and a former system may have had rules, that this one has not.
        """
        zone = _zone(name)
        if zone is None:
            logger.debug("zone.unknown", extra={"zone": name[:_MOST_NAME_CHARS]})
        return zone or self._default

    async def find(self, name: str) -> tzinfo:
        """Give a time zone by its IANA name, however people write that.

        Raises:
            ToolError: There is none; the text suggests some.
        """
        exact = name.strip().replace(" ", "_")[:_MOST_NAME_CHARS]
        zone = _zone(exact)
        if zone is not None:
            return zone
        near = await asyncio.to_thread(_nearest, exact)
        if near and near[0].casefold() == exact.casefold():
            return ZoneInfo(near[0])
        hint = f"Try {', '.join(near)}." if near else "Use a name such as Europe/Lisbon."
        raise ToolError(f"There is no time zone {exact!r}. {hint}")

    async def choose(self, person: Sender, zone: tzinfo | None) -> None:
        """Let somebody live by a zone from now on; with None by the one they would without.

        Raises:
            StoreError: It could not be kept.
        """
        name = None if zone is None else ZoneName(str(zone))
        await self._store.choose_zone(person.person_key, name)
        if name is None:
            self._chosen.pop(person.person_key, None)
        else:
            self._chosen[person.person_key] = name


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # What is no name at all comes out as ValueError, a folder of names as OSError.
        return None


def _nearest(name: str) -> list[str]:
    """Find zones by their name but for its case, by their city ("new york"), then by likeness."""
    wanted = name.casefold()
    zones = {zone.casefold(): zone for zone in sorted(available_timezones())}
    cities = {folded.rpartition("/")[2]: zone for folded, zone in zones.items()}
    found = [zones[wanted]] if wanted in zones else []
    found += (zone for folded, zone in zones.items() if folded.rpartition("/")[2] == wanted)
    for names in (cities, zones):
        near = get_close_matches(wanted, names, n=_MOST_SUGGESTIONS)
        found += (names[each] for each in near)
    return list(dict.fromkeys(found))[:_MOST_SUGGESTIONS]
