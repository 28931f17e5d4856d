"""Clock: tells the model what time it is, which it cannot know by itself."""

from __future__ import annotations

from typing import Annotated

from bot.api import PluginAPI, zone_in_words


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
        zone = await api.zones.find(timezone) if timezone else api.timezone
        now = api.clock.now().astimezone(zone)
        offset = now.strftime("%z")
        return (
            f"{now:%A, %Y-%m-%d, %H:%M:%S} in {zone_in_words(zone)} (UTC{offset[:3]}:{offset[3:5]})"
        )
