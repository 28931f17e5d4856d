"""Which clock people live by: as they chose, as their platform says, or as the bot does."""

from __future__ import annotations

import asyncio
import logging
from datetime import tzinfo
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.core.chat import PersonKey, Sender
from bot.core.reminders import ZoneName
from bot.core.zone_names import (
    is_offset,
    is_worth_suggesting,
    is_zone_name,
    plain_form,
    zone_at,
    zone_called,
    zones_called,
)
from bot.errors import ToolError
from bot.languages import gettext
from bot.languages.rows import in_a_row
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
        """Give a time zone by its IANA name, however people write that, or by what they call it.

        Raises:
            ToolError: There is none; the text suggests some.
        """
        written = plain_form(name)[:_MOST_NAME_CHARS]
        if is_offset(written):
            return _at_offset(written)
        several = zones_called(written)
        if several:
            raise ToolError(
                gettext(
                    "Several countries call their time {name}. Name a city: {names}.",
                    name=repr(written),
                    names=in_a_row(several),
                )
            )
        exact = zone_called(written) or written.replace(" ", "_")
        zone = _zone(exact)
        if zone is not None:
            return zone
        near = await asyncio.to_thread(_nearest, exact)
        if near and near[0].casefold() == exact.casefold():
            return ZoneInfo(near[0])
        if near:
            raise ToolError(
                gettext(
                    "There is no time zone {name}. Try {names}.",
                    name=repr(written),
                    names=in_a_row(near),
                )
            )
        raise ToolError(
            gettext(
                "There is no time zone {name}. Use a name such as Europe/Lisbon.",
                name=repr(written),
            )
        )

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


def _at_offset(offset: str) -> ZoneInfo:
    zone = _zone(zone_at(offset))
    if zone is None:
        raise ToolError(
            gettext(
                "There is no time zone {name}. Name a city of yours, such as Asia/Kolkata.",
                name=repr(offset),
            )
        )
    return zone


def _zone(name: str) -> ZoneInfo | None:
    if not is_zone_name(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # What is no name at all comes out as ValueError, a folder of names as OSError.
        return None


def _nearest(name: str) -> list[str]:
    """Find zones by their name but for its case, by their city ("new york"), then by likeness."""
    wanted = name.casefold()
    zones = {zone.casefold(): zone for zone in sorted(available_timezones()) if is_zone_name(zone)}
    cities = {folded.rpartition("/")[2]: zone for folded, zone in zones.items()}
    found = [zones[wanted]] if wanted in zones else []
    found += (zone for folded, zone in zones.items() if folded.rpartition("/")[2] == wanted)
    for names in (cities, zones):
        near = get_close_matches(wanted, names, n=_MOST_SUGGESTIONS)
        found += filter(is_worth_suggesting, (names[each] for each in near))
    return list(dict.fromkeys(found))[:_MOST_SUGGESTIONS]
