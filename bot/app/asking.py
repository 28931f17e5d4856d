"""What is asked of the bot that runs, or else done to its data without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.errors import DataFolderBusy, NotRunning

Answer = Mapping[str, object]
"""What is said, in JSON."""


def asked_or_alone(ask: Callable[[], Answer], alone: Callable[[], Answer]) -> Answer:
    """Have the running bot answer; where none does, do it without one.

    ``alone`` works under the lock that keeps a bot from starting.

    Raises:
        NotRunning: A bot works on the data that cannot be asked.
    """
    try:
        return ask()
    except NotRunning as silent:
        try:
            return alone()
        except DataFolderBusy as busy:
            raise NotRunning(f"{busy} It cannot be asked: {silent}") from busy
