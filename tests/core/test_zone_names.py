"""Time zones by the names that people give them, and what is no name of one."""

from zoneinfo import ZoneInfo

import pytest

from bot.core.zone_names import (
    is_offset,
    is_worth_suggesting,
    is_zone_name,
    zone_at,
    zone_called,
    zone_in_words,
    zones_called,
)


@pytest.mark.parametrize(
    ("written", "name", "shown"),
    [
        ("UTC+2", "Etc/GMT-2", "UTC+2"),
        ("gmt+2", "Etc/GMT-2", "UTC+2"),
        ("+02:00", "Etc/GMT-2", "UTC+2"),
        (" UTC +02 ", "Etc/GMT-2", "UTC+2"),
        ("-5", "Etc/GMT+5", "UTC-5"),
        ("UTC\u22125", "Etc/GMT+5", "UTC-5"),
        ("UTC+14", "Etc/GMT-14", "UTC+14"),
        ("UTC-12", "Etc/GMT+12", "UTC-12"),
        ("+0000", "UTC", "UTC"),
        ("UTC\uff0b9", "Etc/GMT-9", "UTC+9"),
        ("\uff35\uff34\uff23\uff0b\uff19", "Etc/GMT-9", "UTC+9"),
        ("UTC 9", "Etc/GMT-9", "UTC+9"),
        ("UTC\xa09", "Etc/GMT-9", "UTC+9"),
        ("gmt9", "Etc/GMT-9", "UTC+9"),
        ("GMT0", "UTC", "UTC"),
    ],
)
def test_an_offset_is_as_far_from_utc_as_it_says(written: str, name: str, shown: str) -> None:
    assert is_offset(written)
    assert name == zone_at(written)
    assert shown == zone_in_words(ZoneInfo(name))


@pytest.mark.parametrize("written", ["UTC+5:30", "+0545", "UTC+5.5", "+15", "UTC-13", "+99:99"])
def test_of_other_offsets_there_is_no_zone(written: str) -> None:
    assert is_offset(written)
    assert "" == zone_at(written)


@pytest.mark.parametrize(
    "written", ["UTC", "2", "Etc/GMT+2", "Europe/Lisbon", "UTC+2x", "", "+", "+\u0662"]
)
def test_what_is_no_offset(written: str) -> None:
    assert not is_offset(written)
    assert "" == zone_at(written)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *(("JST", "Asia/Tokyo"), (" kst ", "Asia/Seoul"), ("\uff2a\uff33\uff34", "Asia/Tokyo")),
        *(
            ("東京", "Asia/Tokyo"),
            ("東京都", ""),
            ("日本時間", "Asia/Tokyo"),
            ("香港", "Asia/Hong_Kong"),
        ),
        *(("上海", "Asia/Shanghai"), ("北京", "Asia/Shanghai"), ("北京时间", "Asia/Shanghai")),
        *(
            ("北京市", "Asia/Shanghai"),
            ("中国标准时间", "Asia/Shanghai"),
            ("\uff7f\uff73\uff99", "Asia/Seoul"),
        ),
        *(("PDT", "America/Los_Angeles"), ("CEST", "CET"), ("时间", ""), ("", "")),
        *(("CST", ""), ("Europe/Lisbon", ""), ("EST", "")),
    ],
)
def test_what_people_call_a_zone(written: str, name: str) -> None:
    assert name == zone_called(written)
    assert not name or ZoneInfo(name)


@pytest.mark.parametrize("written", ["CST", "ist", " BST", "\uff21\uff33\uff34"])
def test_of_what_several_countries_call_their_time_each_is_named(written: str) -> None:
    named = zones_called(written)

    assert len(named) > 1
    assert all(ZoneInfo(each) for each in named)
    assert () == zones_called("JST") == zones_called("")
    assert "" == zone_called(written)


@pytest.mark.parametrize(
    "name", ["localtime", "Factory", "posixrules", "posix/Europe/Lisbon", "right/UTC", "LOCALTIME"]
)
def test_files_beside_the_zones_are_none(name: str) -> None:
    assert not is_zone_name(name)


@pytest.mark.parametrize("name", ["Etc/GMT+2", "Etc/GMT-2", "GMT+0", "GMT0", "Factory"])
def test_names_that_say_the_opposite_are_not_suggested(name: str) -> None:
    assert not is_worth_suggesting(name)


def test_names_of_the_database_are_shown_as_they_are() -> None:
    assert is_worth_suggesting("Europe/Lisbon")
    assert is_worth_suggesting("GMT")
    assert "America/New_York" == zone_in_words(ZoneInfo("America/New_York"))
