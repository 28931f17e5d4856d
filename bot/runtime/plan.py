"""How an event goes on, once it is known what it is to the bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.core.lifecycle import Received, SetAside


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How an event goes on.

    Attributes:
        stored: What is stored of it.
        act: What is done once that is committed.
        undo: What is taken back when it is not.
    """

    stored: Received | SetAside
    act: Callable[[], None]
    undo: Callable[[], None] = lambda: None
