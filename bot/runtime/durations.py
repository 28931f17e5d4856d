"""How long something takes or took, for people."""

from __future__ import annotations

from bot.languages import gettext, gettext_noop
from bot.languages.rows import one_behind_the_other

_UNITS = (
    (86_400, gettext_noop("{count} d")),
    (3_600, gettext_noop("{count} h")),
    (60, gettext_noop("{count} min")),
    (1, gettext_noop("{count} s")),
)
"""Of each unit its seconds and how so many of it are written, the greatest first."""

_SHOWN_UNITS = 2


def duration(seconds: float) -> str:
    """Write a duration in its two greatest units: ``1 h 5 min``."""
    rest_s, counted = int(seconds), []
    for unit_s, phrase in _UNITS:
        count, rest_s = divmod(rest_s, unit_s)
        if count:
            counted.append(gettext(phrase, count=count))
    return one_behind_the_other(*counted[:_SHOWN_UNITS]) or gettext("{count} s", count=0)
