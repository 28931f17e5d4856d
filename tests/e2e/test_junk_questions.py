"""A running bot that is asked nonsense with its token says so, and goes on."""

from __future__ import annotations

import asyncio

import pytest

from bot.adapters.control_client import ask
from bot.errors import BotError
from bot.testing.processes import BotProcess

JUNK = ("", "junk", "telegram::1001:x", "a:b:%ff", "a:b:%00", "\x00", "é" * 5000)


@pytest.mark.parametrize("question", ["/export", "/pair"])
async def test_junk_is_no_failure_of_the_bot(bot: BotProcess, question: str) -> None:
    await bot.start(until="http.listening")

    answers = [await asyncio.to_thread(answer_of, bot, question, junk) for junk in JUNK]
    status = await asyncio.to_thread(ask, bot.data_dir, "/status")

    assert "ok" in str(status)
    assert [] == [each for each in answers if "incident" in each or "NotRunning" in each]
    assert [] == [line for line in bot.lines if "Traceback" in line]


def answer_of(bot: BotProcess, question: str, junk: str) -> str:
    try:
        return str(ask(bot.data_dir, question, method="POST", text=junk))
    except BotError as error:
        return repr(error)
