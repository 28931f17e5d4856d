"""What time zones are called: which names are one, and what people write in the place of them.

The law of this file: the database of time zones calls two hours *ahead* of UTC ``Etc/GMT-2``, with
the sign of POSIX. Nobody means that: ``UTC+2`` is read and shown, and no such name is suggested.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType

_NO_ZONES = frozenset({"factory", "localtime", "posixrules"})
"""Files among those of zones that are none, or another one on each machine."""

_NO_FOLDERS = ("posix/", "right/")
"""Copies of all of them, of which one counts leap seconds."""

_OFFSET = re.compile(
    r"(?:(?:UTC|GMT)?\s*(?P<sign>[+\-\u2212\u2013])|UTC|GMT)\s*(?P<hours>\d{1,2})"
    r"(?:[:.]?(?P<rest>\d{1,2}))?(?:\s*h)?",
    re.IGNORECASE | re.ASCII,
)
_POSIX = re.compile(r"Etc/GMT(?P<sign>[+-])(?P<hours>\d{1,2})", re.IGNORECASE | re.ASCII)
_MOST_HOURS = {"+": 14, "-": 12}
"""Ahead and behind; Source: the file ``etcetera`` of the IANA database of time zones, 2025b."""

_CALLED: Mapping[str, str] = MappingProxyType(
    {
        **{"jst": "Asia/Tokyo", "kst": "Asia/Seoul", "hkt": "Asia/Hong_Kong"},
        **{"sgt": "Asia/Singapore", "msk": "Europe/Moscow"},
        **{"cest": "CET", "eest": "EET", "west": "WET"},
        **dict.fromkeys(("pst", "pdt"), "America/Los_Angeles"),
        **{"mdt": "America/Denver", "edt": "America/New_York"},
        **dict.fromkeys(("東京", "东京", "大阪", "日本"), "Asia/Tokyo"),
        **dict.fromkeys(
            ("beijing", "北京", "上海", "广州", "深圳", "中国", "中國"), "Asia/Shanghai"
        ),
        "香港": "Asia/Hong_Kong",
        **dict.fromkeys(("台北", "臺北", "台湾", "臺灣"), "Asia/Taipei"),
        **dict.fromkeys(("首尔", "首爾", "ソウル", "韓国", "韩国"), "Asia/Seoul"),
        **dict.fromkeys(("新加坡", "シンガポール"), "Asia/Singapore"),
        **dict.fromkeys(("伦敦", "倫敦", "ロンドン"), "Europe/London"),
        **dict.fromkeys(("纽约", "紐約", "ニューヨーク"), "America/New_York"),
    }
)
"""What people write that the database does not have; those of a summer are its zones with one."""

_SEVERAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ast": ("America/Halifax", "Asia/Riyadh"),
        "bst": ("Europe/London", "Asia/Dhaka"),
        "cst": ("America/Chicago", "Asia/Shanghai"),
        "ist": ("Asia/Kolkata", "Asia/Jerusalem", "Europe/Dublin"),
    }
)
"""What more than one country calls its time."""

_ITS_TIME = re.compile(r"(?:(?:标准|標準)?(?:时间|時間|時)|市)$")
"""Behind the name of a place, in Chinese and Japanese."""


def plain_form(written: str) -> str:
    """Write what people wrote with the letters and blanks of ASCII, where they stand for those."""
    return " ".join(unicodedata.normalize("NFKC", written).split())


def zone_called(name: str) -> str:
    """Give the name of the zone that people call so; empty where it is none of the few known."""
    folded = plain_form(name).casefold()
    return _CALLED.get(folded) or _CALLED.get(_ITS_TIME.sub("", folded), "")


def zones_called(name: str) -> tuple[str, ...]:
    """Give zones of several countries that call their time so; none where nobody can mistake it."""
    return _SEVERAL.get(plain_form(name).casefold(), ())


def is_zone_name(name: str) -> bool:
    """Say whether a name may be that of a time zone: that there is one, whoever loads it finds."""
    folded = name.casefold()
    return folded not in _NO_ZONES and not folded.startswith(_NO_FOLDERS)


def is_worth_suggesting(name: str) -> bool:
    """Say whether somebody who wrote something else may be shown a name of the database."""
    return is_zone_name(name) and re.search(r"GMT[+-]?\d", name) is None


def is_offset(text: str) -> bool:
    """Say whether somebody writes how far they are from UTC: ``UTC+2``, ``gmt-3``, ``+05:30``.

    Behind ``UTC`` a plus may be wanting, as forms of the web drop it.
    """
    return _OFFSET.fullmatch(plain_form(text)) is not None


def zone_at(offset: str) -> str:
    """Give the name of the zone that is always so far from UTC; empty where there is none.

    Of half hours and quarters there is none: who lives by them names their city.
    """
    found = _OFFSET.fullmatch(plain_form(offset))
    if found is None or int(found["rest"] or 0):
        return ""
    sign, hours = "+" if found["sign"] in ("+", None) else "-", int(found["hours"])
    if hours > _MOST_HOURS[sign]:
        return ""
    return f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours else "UTC"


def zone_in_words(zone: tzinfo | None) -> str:
    """Write a time zone as people know it: ``Europe/Lisbon``, and ``UTC+2``."""
    found = _POSIX.fullmatch(str(zone))
    if found is None:
        return str(zone)
    return f"UTC{'-' if found['sign'] == '+' else '+'}{int(found['hours'])}"
