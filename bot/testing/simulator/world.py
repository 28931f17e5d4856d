"""What outlives every process of a simulation: chance, time, and the record of what happened."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.testing.clock import START
from bot.testing.simulator.dice import Dice, draw_weather

MOST_KILLS = 8
"""Kills of one seed; more would only keep it from getting anywhere."""


class World:
    """One seed's world; made inside its virtual loop.

    Attributes:
        is_calm: Nothing fails, tarries or dies any more.
        is_alive: There is a process, and it was not killed.
        is_at_rest: Everything that was said is answered.
        lines: The history in words, kept only when asked for.
        quiet: Set while nothing is under way outside the bot.
    """

    def __init__(self, seed: int, *, keeps_lines: bool = False) -> None:
        self.dice = Dice(seed)
        self.weather = draw_weather(self.dice)
        self.is_calm = False
        self.is_alive = False
        self.is_at_rest = False
        self.lines: list[str] = []
        self.quiet = asyncio.Event()
        self.quiet.set()
        self._loop = asyncio.get_running_loop()
        self._keeps_lines = keeps_lines
        self._hash = hashlib.sha256()
        self._under_way = 0
        self._kills_left = MOST_KILLS

    @property
    def elapsed_s(self) -> float:
        """Tell the virtual seconds since the beginning."""
        return self._loop.time()

    @property
    def now(self) -> datetime:
        """Tell the virtual time, zone-aware UTC."""
        return START + timedelta(seconds=self._loop.time())

    @property
    def digest(self) -> str:
        """The fingerprint of everything that happened so far."""
        return self._hash.hexdigest()[:16]

    def note(self, what: str) -> None:
        """Add a line to the history."""
        line = f"{self._loop.time():14.3f}  {what}"
        self._hash.update(line.encode())
        if self._keeps_lines:
            self.lines.append(line)

    def begin(self) -> None:
        """Count one more thing under way outside the bot."""
        self._under_way += 1
        self.quiet.clear()

    def end(self) -> None:
        """Count one less."""
        self._under_way -= 1
        if not self._under_way:
            self.quiet.set()

    def later(self, delay_s: float, act: Callable[[], None]) -> None:
        """Let something happen outside the bot, whether the bot lives by then or not."""
        self.begin()
        self._loop.call_later(delay_s, self._happen, act)

    def delay_s(self, longest_s: float) -> float:
        """Say how long something takes: often no time at all."""
        if self.is_calm or not longest_s or self.dice.chance(0.5):
            return 0.0
        return self.dice.between(0.0, longest_s)

    def strikes(self, probability: float) -> bool:
        """Say whether a trouble of this probability comes now."""
        return not self.is_calm and self.dice.chance(probability)

    def kills(self) -> bool:
        """Say whether the process dies at this very point."""
        if not self._kills_left or not self.strikes(self.weather.is_killed):
            return False
        self._kills_left -= 1
        return True

    def _happen(self, act: Callable[[], None]) -> None:
        act()
        self.end()
