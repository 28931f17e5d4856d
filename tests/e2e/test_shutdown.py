"""Being told to end, as an operator does it: a real process, signals, and the next start."""

import json
import signal
import sys
import threading
import types
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.adapters.anthropic_model.json_values import JsonObject
from bot.adapters.clock import SystemClock
from bot.adapters.start_log import StartLog
from bot.api import PluginAPI
from bot.core.messages import ToolCall
from bot.core.window.notes import is_note
from bot.runtime.notices import WITHOUT_MEMORY
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import Broken, PretendedAnthropic, rate_limited
from bot.testing.processes import BotProcess
from bot.testing.starts import command_line
from bot.testing.telegram_server import PretendedTelegram

CHAT = 1001


def run_with_stuck_tool() -> None:
    """Be the command line, with a tool that holds its whole process up."""

    def register(api: PluginAPI) -> None:
        @api.tool
        async def stuck() -> str:
            """Never come back."""
            print("it is stuck", file=sys.stderr, flush=True)  # noqa: T201 - the test waits for it
            threading.Event().wait()
            return ""

    module = types.ModuleType("plugins.stuck")
    module.__dict__["register"] = register
    sys.modules[module.__name__] = module
    command_line()


def echo(body: JsonObject) -> str:
    """Answer with what the newest message of the person says."""
    messages = body["messages"]
    assert isinstance(messages, list)
    content = messages[-1]["content"]
    texts = [block["text"] for block in content if block["type"] == "text"]
    texts = [text for text in texts if not is_note(text)]
    return f"You said {', '.join(texts)}."


@pytest.fixture
async def vendor() -> AsyncIterator[PretendedAnthropic]:
    async with PretendedAnthropic(otherwise=echo) as server:
        yield server


def sent(telegram: PretendedTelegram) -> list[str]:
    return [answer_in(call.text) for call in telegram.sent]


def answer_in(text: str) -> str:
    """Leave out the remark that on a slow machine memory was not waited for."""
    return text.partition(f"\n\n{WITHOUT_MEMORY.strip('*')}")[0]


async def is_told(telegram: PretendedTelegram, update: dict[str, object]) -> None:
    """Wait until the bot has confirmed an update, which it does when it has stored it."""
    behind = str(int(str(update["update_id"])) + 1)
    await telegram.wait_until(lambda: str(telegram.polls[-1].params.get("offset")) == behind)


async def test_in_the_middle_of_a_stream_with_three_waiting(
    bot: BotProcess, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    """The stream never ends: it is the deadline that ends it. How exactly, the simulator sees."""
    bot.settings["shutdown_deadline_s"] = 1
    vendor.then(Broken(how="stall"))
    await bot.start()
    telegram.says(CHAT, "one")
    await vendor.stalled()
    for text in ("two", "three", "four"):
        newest = telegram.says(CHAT, text)
    await is_told(telegram, newest)
    bot.signal(signal.SIGTERM)
    code = await bot.ended()
    left = sent(telegram)
    vendor.release()
    await bot.start()
    await telegram.wait_for_sent(2)
    await bot.kill()

    assert (0, []) == (code, left)
    assert ["You said one.", "You said two, three, four."] == sent(telegram)


async def test_what_can_be_finished_is_finished(
    bot: BotProcess, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    vendor.then(Broken(how="stall", text="Whole."))
    await bot.start()
    telegram.says(CHAT, "one")
    await vendor.stalled()
    bot.signal(signal.SIGINT)
    await bot.says("shutdown.begun")
    vendor.release()

    assert 0 == await bot.ended()
    assert ["Whole."] == sent(telegram)


async def test_a_second_signal_waits_for_nothing_and_loses_nothing(
    bot: BotProcess, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    bot.settings["shutdown_deadline_s"] = 300
    vendor.then(Broken(how="stall"))
    await bot.start()
    telegram.says(CHAT, "one")
    await vendor.stalled()
    bot.signal(signal.SIGTERM)
    await bot.says("shutdown.begun")
    bot.signal(signal.SIGTERM)
    code = await bot.ended()
    vendor.release()
    await bot.start()
    await telegram.wait_for_sent(1)

    assert 0 == code
    assert ["You said one."] == sent(telegram)


@pytest.mark.parametrize("pause", ["of the model", "of the delivery"])
async def test_a_pause_is_not_waited_for(
    bot: BotProcess, telegram: PretendedTelegram, vendor: PretendedAnthropic, pause: str
) -> None:
    bot.settings["shutdown_deadline_s"] = 45
    if pause == "of the model":
        vendor.then(rate_limited("50"))
    else:
        telegram.fail("sendMessage", "rate_limited", retry_after_s=60)
    await bot.start()
    telegram.says(CHAT, "one")
    await bot.says("retry_in_s")
    bot.signal(signal.SIGTERM)
    code = await bot.ended()
    left = sent(telegram)
    waited = [line for line in bot.lines if "shutdown.left_open" in line]
    await bot.start()
    await telegram.wait_for_sent(1)

    assert (0, [], []) == (code, left, waited)
    assert ["You said one."] == sent(telegram)


async def test_a_tool_that_blocks_everything_is_left_behind(
    tmp_path: Path, telegram: PretendedTelegram, vendor: PretendedAnthropic
) -> None:
    vendor.then(Written(blocks=(ToolCall(id="c1", name="stuck", arguments="{}"),)), "No luck.")
    async with BotProcess(tmp_path, telegram, vendor, run=run_with_stuck_tool) as bot:
        bot.settings |= {"shutdown_deadline_s": 1, "plugins": ["stuck"]}
        await bot.start()
        telegram.says(CHAT, "one")
        await bot.says("it is stuck")
        bot.signal(signal.SIGTERM)
        code = await bot.ended()
        forced = [line for line in bot.lines if "shutdown.forced" in line]
        await bot.start()
        await telegram.wait_for_sent(1)

    assert 0 == code
    assert 1 == len(forced)
    assert ["No luck."] == sent(telegram)
    assert '"is_error": true' in json.dumps(vendor.requests[1].body["messages"])


async def test_a_terminal_chat_ends_too(bot: BotProcess) -> None:
    await bot.start("chat")
    bot.signal(signal.SIGTERM)

    assert 0 == await bot.ended()
    assert not any("Traceback" in line for line in bot.lines)


async def test_a_crash_loop_is_slow_and_its_pause_can_be_ended(bot: BotProcess) -> None:
    """No operator has to step in: the pause is short, and the next start goes on."""
    log = StartLog(bot.data_dir)
    bot.data_dir.mkdir()
    for _ in range(3):
        log.begin(SystemClock().now())
    await bot.start(until="came to a bad end; this one waits for 5 s")
    bot.signal(signal.SIGTERM)

    assert 0 == await bot.ended()
    assert not any("ready" in line for line in bot.lines)


async def test_the_running_bot_is_asked_from_the_command_line(
    bot: BotProcess, telegram: PretendedTelegram
) -> None:
    await bot.start()
    await bot.says("http.listening")
    well = await bot.run("status")
    paired = await bot.run("pair", "telegram:1001")
    nobody = await bot.run("pair", "AAAA-AAAA")
    second = await bot.run("serve")
    bot.signal(signal.SIGTERM)
    await bot.ended()
    gone = await bot.run("status")

    assert (0, "") == (well[0], well[2])
    assert "ok\n  telegram: receiving\n" in well[1]
    assert (0, "telegram:1001 may talk to me now.\n") == paired[:2]
    assert 1 == nobody[0]
    assert "Nobody has that code" in nobody[1]
    assert (2, "") == second[:2]
    assert f"is in use by process {bot.pid};" in second[2]
    assert (1, "") == gone[:2]
    assert ["no running bot can be asked"] == [
        line[9:36] for line in gone[2].splitlines() if line.startswith("daybook: ")
    ]
    assert not (bot.data_dir / "control.json").exists()
