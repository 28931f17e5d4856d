"""Console: a chat with the one person who sits at this terminal, or with a program on a pipe.

On a terminal lines are edited and answers shown as they grow (:mod:`.terminal`); on a pipe each
line of input is answered on standard output before the next one is read (:mod:`.pipe`).
"""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict

from bot.api import Channel, Clock
from channels.console.person import LocalPerson, language_in
from channels.console.pipe import PipeChannel
from channels.console.terminal import TerminalChannel

__all__ = ["Settings", "build"]

_STDIN = 0
_STDOUT = 1


class Settings(BaseModel):
    """The console needs no settings."""

    model_config = ConfigDict(extra="forbid")


def build(settings: Settings, clock: Clock) -> Channel:
    """Make the channel for what standard input and output are now."""
    person = LocalPerson(clock, language_in(os.environ))
    if os.isatty(_STDIN) and os.isatty(_STDOUT):
        return TerminalChannel(person)
    return PipeChannel(person, read_from=_STDIN, write_to=_STDOUT)
