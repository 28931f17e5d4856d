"""Clock: tells the model what time it is, which it cannot know by itself."""

from __future__ import annotations

import asyncio
from datetime import tzinfo
from difflib import get_close_matches
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from bot.api import PluginAPI, ToolError

_MAX_SUGGESTIONS = 5


def register(api: PluginAPI) -> None:
    """Offer ``clock``."""

    @api.tool(safe_to_repeat=True)
    async def clock(
        timezone: Annotated[
            str | None,
            "IANA name such as Europe/Berlin; leave it out for the time zone of this bot.",
        ] = None,
    ) -> str:
        """Tell the current date, weekday and time."""
        zone = await _find_zone(timezone) if timezone else api.timezone
        now = api.clock.now().astimezone(zone)
        offset = now.strftime("%z")
        return f"{now:%A, %Y-%m-%d, %H:%M:%S} in {zone} (UTC{offset[:3]}:{offset[3:5]})"


async def _find_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # What is no name at all comes out as ValueError, a folder of names as OSError.
        near = await asyncio.to_thread(_nearest_zones, name)
    hint = f"Try {', '.join(near)}." if near else "Use a name such as Europe/Berlin, or none."
    raise ToolError(f"There is no time zone {name[:64]!r}. {hint}")


def _nearest_zones(name: str) -> list[str]:
    """Find zones by their city first ("new york"), then by a similar name."""
    wanted = name.strip().replace(" ", "_").casefold()[:64]
    zones = {zone.casefold(): zone for zone in sorted(available_timezones())}
    by_city = [zone for folded, zone in zones.items() if folded.rpartition("/")[2] == wanted]
    by_name = [zones[folded] for folded in get_close_matches(wanted, zones, n=_MAX_SUGGESTIONS)]
    return list(dict.fromkeys(by_city + by_name))[:_MAX_SUGGESTIONS]
