"""All chance of a simulation: one generator, and the weather that it gives a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Option = TypeVar("_Option")


class Dice:
    """The only source of chance; asked in the same order it says the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a seed must give the same again

    def chance(self, probability: float) -> bool:
        """Say yes with this probability."""
        return probability > 0 and self._random.random() < probability

    def fraction(self) -> float:
        """Give a number in [0, 1)."""
        return self._random.random()

    def between(self, least: float, most: float) -> float:
        """Give a number of the range, all of it equally likely."""
        return least + (most - least) * self._random.random()

    def count(self, least: int, most: int) -> int:
        """Give a whole number, both ends included."""
        return self._random.randint(least, most)

    def among(self, options: Sequence[_Option]) -> _Option:
        """Pick one."""
        return options[int(self._random.random() * len(options))]

    def weighted(self, weights: Mapping[_Option, float]) -> _Option:
        """Pick one, more often what weighs more."""
        return self._random.choices(tuple(weights), tuple(weights.values()))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How much of each trouble a seed has: some have none of one kind, so that others stand out.

    Numbers are probabilities of one call, except how long a call takes at most each way, and the
    model for a piece of its answer.
    """

    longest_delay_s: float
    longest_piece_s: float
    store_fails: float
    delivery_fails: float
    model_fails: float
    tools_fail: float
    is_killed: float


def draw_weather(dice: Dice) -> Weather:
    """Give a seed its weather."""
    return Weather(
        longest_delay_s=dice.among((0.0, 0.05, 0.5, 5.0)),
        longest_piece_s=dice.among((0.0, 1.0, 5.0)),
        store_fails=dice.among((0.0, 0.01, 0.05)),
        delivery_fails=dice.among((0.0, 0.1, 0.3)),
        model_fails=dice.among((0.0, 0.1, 0.4)),
        tools_fail=dice.among((0.0, 0.2)),
        is_killed=dice.among((0.0, 0.003, 0.01, 0.03)),
    )
