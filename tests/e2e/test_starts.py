"""Forks that stand for starts of the bot: what is started is what was described."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.processes import BotProcess, run_through
from bot.testing.starts import Start
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.terminals import TerminalProcess


def tell() -> None:
    """Write down all that a start describes."""
    read = sys.stdin.read()
    print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), read]))  # noqa: PTH109, T201
    print("to stderr", file=sys.stderr)  # noqa: T201
    sys.exit(3)


def stumble() -> None:
    raise RuntimeError("it cannot begin")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def test_a_fork_is_what_was_described(tmp_path: Path) -> None:
    start = Start(arguments=("--a", "b"), environ={"ONE": "ä"}, folder=tmp_path)

    code, out, err = await run_through(start, ["a line", "ö"], tell)

    assert (3, "to stderr\n") == (code, err)
    assert [["--a", "b"], {"ONE": "ä"}, str(tmp_path), "a line\nö\n"] == json.loads(out)


async def test_one_fork_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    start = Start(arguments=(), environ={}, folder=tmp_path)

    first, second = [await run_through(start, [], tell) for _ in range(2)]

    assert first == second


async def test_an_end_by_a_signal_is_told(tmp_path: Path) -> None:
    start = Start(arguments=(), environ={}, folder=tmp_path)

    assert (-signal.SIGKILL, "", "") == await run_through(start, [], die)


async def test_a_start_that_fails_is_not_waited_for(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    async with BotProcess(tmp_path, telegram, vendor, run=stumble) as bot:
        with pytest.raises(AssertionError, match="it cannot begin"):
            await bot.start()


def test_a_fork_at_a_terminal_has_it_for_its_own(tmp_path: Path) -> None:
    """And words of the command line that are none are told there."""
    arguments = ("--config", str(tmp_path / "none.json"), "status")
    with TerminalProcess(arguments, folder=tmp_path, environ={}, is_fork=True) as terminal:
        terminal.shows("none.json")
        assert 2 == terminal.ended()
