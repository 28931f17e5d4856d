import pytest

import plugins.clock
from bot.testing.plugins import PluginBench, PluginContract


class TestClockContract(PluginContract):
    plugin = plugins.clock


async def test_tells_the_time_of_the_bots_own_zone() -> None:
    result = await PluginBench(plugins.clock).call("clock", {})

    assert result.content == "Monday, 2026-01-05, 09:00:00 in UTC (UTC+00:00)"


@pytest.mark.parametrize(
    ("timezone", "expected"),
    [
        ("Europe/Berlin", "Monday, 2026-01-05, 10:00:00 in Europe/Berlin (UTC+01:00)"),
        ("Asia/Kathmandu", "Monday, 2026-01-05, 14:45:00 in Asia/Kathmandu (UTC+05:45)"),
        (
            "America/St_Johns",
            "Monday, 2026-01-05, 05:30:00 in America/St_Johns (UTC-03:30)",
        ),
        (None, "Monday, 2026-01-05, 09:00:00 in UTC (UTC+00:00)"),
        ("", "Monday, 2026-01-05, 09:00:00 in UTC (UTC+00:00)"),
    ],
)
async def test_tells_the_time_elsewhere(timezone: str | None, expected: str) -> None:
    result = await PluginBench(plugins.clock).call("clock", {"timezone": timezone})

    assert result.content == expected


@pytest.mark.parametrize(
    ("timezone", "suggested"),
    [
        ("Europe/Berlim", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("Tokyo", "Asia/Tokyo"),
        ("Europe", "Europe/"),
        ("../../etc/passwd", "Use a name such as"),
        ("/etc/passwd", "There is no time zone"),
    ],
)
async def test_an_unknown_zone_is_answered_with_the_nearest(timezone: str, suggested: str) -> None:
    result = await PluginBench(plugins.clock).call("clock", {"timezone": timezone})

    assert result.is_error
    assert suggested in result.content
