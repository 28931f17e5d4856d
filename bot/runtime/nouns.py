"""Numbers with what they count, in words for people."""

from __future__ import annotations


def how_many(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: ``1 turn``, ``2 turns``; ``plural`` where an *s* is not all."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"
