"""The bot as a process that dies at a named point of a message's life.

``python -m bot.testing.crashing --at claimed --after 2 -- --config FILE`` is the ordinary command
line, built on the ordinary parts. Everything that matters crosses a port, so the product needs no
hook for this: one verb of one port is wrapped, and its call sends SIGKILL to its own process.
Points that lie with a platform or a vendor are killed from there (:mod:`bot.testing.crash_world`).
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

from bot.app import Outside
from bot.ports import PluginAPI

Place = Literal["platform", "vendor", "store", "model", "tool"]
"""Who sees that the point is reached; the bot's own process sees the last three."""

LEDGER = "ledger"
"""The plugin, and its tool, that every process started here can load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A moment in the life of a message at which the process is killed.

    Attributes:
        verb: The method of the port that is wrapped; empty where nothing is wrapped.
        moment: Whether it is killed when the verb is called or when it has done its work.
        times: How often a message with a tool and one without come by here, together.
        channels: Where the point exists.
        passed_by_preview: Where an unfinished answer is a message, it comes by here before the
            answer does; that time is not counted.
    """

    name: str
    place: Place
    verb: str = ""
    moment: Literal["before", "after"] = "after"
    times: int = 1
    channels: tuple[str, ...] = ("telegram", "slack")
    passed_by_preview: bool = False


POINTS = (
    Point(name="received", place="store", verb="receive", moment="before", times=2),
    Point(name="stored", place="store", verb="receive", times=2),
    Point(name="told", place="platform", times=2),
    Point(name="claimed", place="store", verb="claim", times=2),
    Point(name="window built", place="model", verb="ask", moment="before", times=3),
    Point(name="model asked", place="vendor", times=3),
    Point(name="preview stored", place="store", verb="add_preview", channels=("slack",)),
    Point(name="preview marked", place="store", verb="mark_sending", channels=("slack",)),
    Point(name="preview sending", place="platform", channels=("slack",)),
    Point(
        name="preview answered",
        place="store",
        verb="mark_sent",
        moment="before",
        channels=("slack",),
    ),
    Point(name="preview sent", place="store", verb="mark_sent", channels=("slack",)),
    Point(name="half streamed", place="vendor"),
    Point(name="model answered", place="model", verb="ask", times=3),
    Point(name="step stored", place="store", verb="record_step", times=3),
    Point(name="start recorded", place="store", verb="record_start"),
    Point(name="tool started", place="tool"),
    Point(name="tool done", place="store", verb="record_result", moment="before"),
    Point(name="result stored", place="store", verb="record_result"),
    Point(name="finishing", place="store", verb="finish_turn", moment="before", times=2),
    Point(name="finished", place="store", verb="finish_turn", times=2),
    Point(
        name="part marked",
        place="store",
        verb="mark_sending",
        times=3,
        passed_by_preview=True,
    ),
    Point(name="part sending", place="platform", times=3),
    Point(
        name="part answered",
        place="store",
        verb="mark_sent",
        moment="before",
        times=3,
        passed_by_preview=True,
    ),
    Point(name="part sent", place="store", verb="mark_sent", times=3, passed_by_preview=True),
)
"""All points in the order in which a message passes them."""


def die() -> None:
    """End this process at once, as ``kill -9`` does; nothing is flushed and nobody is told."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line behind ``--`` until the point named before it."""
    from bot.cli import main as command_line

    options = _parser().parse_args(arguments)
    point = next((each for each in POINTS if each.name == options.at), None)
    countdown = _Countdown(options.after)
    is_in_tool = point is not None and point.place == "tool"
    _lend_plugin(options.ledger, countdown if is_in_tool else None)

    def wrap(outside: Outside) -> Outside:
        if point is not None and point.verb:
            _wrap_verb(outside.model if point.place == "model" else outside.store, point, countdown)
        return outside

    return command_line(options.rest, wrap=wrap)


class _Countdown:
    def __init__(self, count: int) -> None:
        self._left = count

    def step(self) -> None:
        self._left -= 1
        if not self._left:
            die()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bot.testing.crashing", description=main.__doc__)
    parser.add_argument("--at", metavar="POINT", choices=[point.name for point in POINTS])
    parser.add_argument("--after", type=int, default=1, metavar="N", help="the Nth time")
    parser.add_argument("--ledger", type=Path, metavar="FILE", required=True)
    parser.add_argument("rest", nargs="*", help="the bot's own arguments, behind --")
    return parser


def _wrap_verb(port: object, point: Point, countdown: _Countdown) -> None:
    """Put the countdown around a verb; a call that finds nothing to do does not count."""
    original: Callable[..., Awaitable[object]] = getattr(port, point.verb)
    finds_nothing = point.verb == "claim"

    async def dying(*given: object, **named: object) -> object:
        if point.moment == "before":
            countdown.step()
            return await original(*given, **named)
        result = await original(*given, **named)
        if not (finds_nothing and result is None):
            countdown.step()
        return result

    setattr(port, point.verb, dying)


def _lend_plugin(ledger: Path, countdown: _Countdown | None) -> None:
    """Make the plugin ``ledger`` loadable in this process alone; it stands in no folder."""

    def register(api: PluginAPI) -> None:
        @api.tool
        async def ledger_entry(note: Annotated[str, "What to write."]) -> str:
            """Write a note into the ledger, for good: the same note twice would be a fault."""
            _append(ledger, f"start {note}")
            if countdown is not None:
                countdown.step()
            _append(ledger, f"end {note}")
            return f"noted {note}"

    module = ModuleType(f"plugins.{LEDGER}", "The ledger that crash tests look at.")
    module.__dict__["register"] = register
    sys.modules[module.__name__] = module


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
