"""What an examination of the bot finds: one thing looked at, how it is, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Grade = Literal["ok", "warning", "broken"]
"""All is well; it works, but not as most would want it; it does not work."""

MOST_CLOCK_ERROR_S = 30.0
"""How far the clock may be off. A platform's own date is cut to seconds and some seconds old."""

_BY_GRAVITY: tuple[Grade, ...] = ("ok", "warning", "broken")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        area: What it belongs to: a channel's name, or a part of the bot.
        check: What was looked at; the same at every examination, for programs and documents.
        seen: What was seen, one line without a full stop; no secret is in it.
        mend: What to do about it, one line, with the very command or key; where all is well, how
            to have it otherwise, or empty.
    """

    area: str
    check: str
    seen: str
    grade: Grade = "ok"
    mend: str = ""

    @property
    def id(self) -> str:
        """Its name for programs and documents: ``data.disk``."""
        return f"{self.area}.{self.check}"

    def __post_init__(self) -> None:
        """See to it that whatever is not well says how to mend it."""
        if self.grade != "ok" and not self.mend:
            raise ValueError(f"{self.check}: nothing says how to mend it")
        if not (self.seen + self.mend).isprintable():
            raise ValueError(f"{self.check}: not one line")


Findings = tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Words findings of one area; whatever they repeat of others becomes one line."""

    name: str

    def ok(self, check: str, seen: str, mend: str = "") -> Finding:
        """Say that something is well, and how to have it otherwise."""
        return self._finding("ok", check, seen, mend)

    def warning(self, check: str, seen: str, mend: str) -> Finding:
        """Say that something works, but not as most would want it."""
        return self._finding("warning", check, seen, mend)

    def broken(self, check: str, seen: str, mend: str) -> Finding:
        """Say that something does not work."""
        return self._finding("broken", check, seen, mend)

    def _finding(self, grade: Grade, check: str, seen: str, mend: str) -> Finding:
        return Finding(
            area=self.name, check=check, grade=grade, seen=one_line(seen), mend=one_line(mend)
        )


def finding_from(read: object) -> Finding:
    """Make a finding of what another process wrote of it.

    Raises:
        ValueError: It is none.
    """
    match read:
        case {
            "area": str(area),
            "check": str(check),
            "seen": str(seen),
            "grade": str(grade),
            "mend": str(mend),
        } if grade in _BY_GRAVITY:
            known = _BY_GRAVITY[_BY_GRAVITY.index(grade)]
            return Finding(area=area, check=check, seen=seen, grade=known, mend=mend)
    raise ValueError("no finding")


def gravest(findings: Iterable[Finding]) -> Grade:
    """Say how things are altogether."""
    return max((each.grade for each in findings), key=_BY_GRAVITY.index, default="ok")


def one_line(text: str, most_chars: int = 300) -> str:
    """Make a line that can stand in a finding of what another program said."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return words if len(words) <= most_chars else f"{words[: most_chars - 1]}…"


def judge_clock(area: str, *, ours: datetime, theirs: datetime) -> Finding:
    """Compare this machine's clock with a platform's, read at the same moment."""
    off_s = (ours - theirs).total_seconds()
    if abs(off_s) <= MOST_CLOCK_ERROR_S:
        return Finding(area=area, check="clock", seen="the clock agrees with the platform's")
    way = "ahead of" if off_s > 0 else "behind"
    return Finding(
        area=area,
        check="clock",
        grade="warning",
        seen=f"the clock is {abs(off_s):.0f} s {way} the platform's",
        mend="set the clock by a time server: timedatectl set-ntp true",
    )
