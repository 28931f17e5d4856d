"""Who watches the bot sees within half a minute what is wrong with it, and that it is mended."""

import asyncio
import json
import signal
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

import pytest
import slack_bolt.async_app  # noqa: F401 - takes seconds, which are not to count as patience

import channels.slack
import channels.telegram
from bot.config import Config
from bot.config.costs import CapKeys
from bot.core.metrics import (
    CAPS_REACHED,
    COMPACTIONS,
    DELIVERIES,
    DELIVERY_SECONDS,
    FAILURES,
    METRICS,
    RETRIES,
    STEPS,
    TURNS,
)
from bot.errors import DeliveryError, ModelAuthError, ModelOverloaded, StoreError
from bot.ports import Channel, DiskState, ModelClient
from bot.runtime.delivery import REFUSED_PAUSE_S
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from bot.testing.processes import BotProcess
from bot.testing.slack_server import PretendedSlack
from bot.testing.telegram_server import PretendedTelegram
from tests.e2e.test_reception import Silent

OPEN = Config(access="open", plugins=("clock",))
SOON_S = 30.0
MUCH = 5 << 30

Part = tuple[str, str]
"""What stands beside a part's name: its status, and what was seen."""


class SwitchedDisk:
    """A disk that is as a test says."""

    def __init__(self) -> None:
        self.state = DiskState(free_bytes=MUCH)

    async def look(self) -> DiskState:
        return self.state


class SwitchedTimer:
    """Wakes by the clock, unless a test has it asleep."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.awake = asyncio.Event()

    async def wait_until(self, moment: datetime) -> None:
        await self._clock.sleep((moment - self._clock.now()).total_seconds())
        await self.awake.wait()

    async def close(self) -> None:
        pass


async def red(dialogue: Dialogue) -> dict[str, Part]:
    """Ask as a monitor does; give the parts that are not well, none when it says 200."""
    is_ready, page = await dialogue.app.watch.readiness()
    parts = page["parts"]
    assert isinstance(parts, dict)
    found = {
        name: (part["status"], part["seen"])
        for name, part in parts.items()
        if part["status"] != "ok"
    }
    assert is_ready is not bool(found)
    return found


async def until(is_so: Callable[[], bool]) -> None:
    """Let others run until something holds; they wait for real sockets."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():
            await settle()


def talking(clock: FakeClock, model: ModelClient | None = None, **beside: object) -> Dialogue:
    return Dialogue(
        model or ScriptedModel(["Here."] * 9),
        config=OPEN,
        clock=clock,
        **beside,  # type: ignore[arg-type]  # as Dialogue takes them
    )


async def test_where_all_is_well_every_part_says_so(clock: FakeClock) -> None:
    async with talking(clock, disk=SwitchedDisk()) as dialogue:
        is_ready, page = await dialogue.app.watch.readiness()

    well = {"status": "ok", "seen": "well"}
    assert is_ready
    assert page == {
        "status": "ok",
        "parts": {
            "loopback": {"status": "ok", "seen": "receiving"},
            **dict.fromkeys(("store", "disk", "model", "delivery", "jobs"), well),
            **dict.fromkeys(("reminders", "workers", "memory", "search of memory"), well),
        },
    }


async def test_a_channel_that_fails_is_red_soon_and_green_again(clock: FakeClock) -> None:
    silent = Silent()
    async with talking(clock, others={"silent": silent}) as dialogue:
        assert silent.inbox is not None
        silent.inbox.receiving()
        before = await red(dialogue)
        silent.inbox.failing("timed out")
        await clock.advance(SOON_S)
        during = await red(dialogue)
        silent.inbox.receiving()
        after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {"silent": ("degraded", "no connection for 30 s: timed out")} == during


async def test_a_channel_that_says_nothing_any_more_is_deaf(clock: FakeClock) -> None:
    """It seems to be connected: nothing but its silence shows that it is not."""
    silent = Silent()
    async with talking(clock, others={"silent": silent}) as dialogue:
        assert silent.inbox is not None
        silent.inbox.receiving(again_in_s=25)
        await clock.advance(25)
        before = await red(dialogue)
        await clock.advance(1)
        during = await red(dialogue)
        silent.inbox.failing("timed out")
        still = await red(dialogue)
        silent.inbox.receiving(again_in_s=25)
        after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {"silent": ("degraded", "nothing was heard of the platform for 26 s")} == during
    assert {"silent": ("degraded", "no connection for 26 s: timed out")} == still


async def test_a_full_disk_is_red_at_once(clock: FakeClock) -> None:
    disk = SwitchedDisk()
    async with talking(clock, disk=disk) as dialogue:
        before = await red(dialogue)
        disk.state = DiskState(free_bytes=7 << 20)
        await clock.advance(2)
        little = await red(dialogue)
        disk.state = DiskState(free_bytes=MUCH, trouble="nothing can be written")
        await clock.advance(2)
        full = await red(dialogue)
        disk.state = DiskState(free_bytes=MUCH)
        await clock.advance(2)
        after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {"disk": ("down", "only 7 MiB are free")} == little
    assert {"disk": ("down", "nothing can be written")} == full


async def test_a_write_that_failed_is_red_until_one_succeeds(clock: FakeClock) -> None:
    async with talking(clock) as dialogue:
        dialogue.store_watch.tell(StoreError("database or disk is full"))
        during = dialogue.app.watch.health()

    assert ("down", ("store: database or disk is full",)) == (during.condition, during.reasons)


async def test_a_late_job_is_red_soon_and_green_once_it_is_done(clock: FakeClock) -> None:
    timer = SwitchedTimer(clock)
    async with talking(clock, timer=timer) as dialogue:
        await clock.advance(900)
        before = await red(dialogue)
        await clock.advance(SOON_S)
        during = await red(dialogue)
        timer.awake.set()
        await clock.advance(0)
        after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {"jobs": ("degraded", "sessions was due 30 s ago")} == during


async def test_a_key_that_is_refused_is_red_until_the_model_answers(clock: FakeClock) -> None:
    model = ScriptedModel([ModelAuthError("invalid x-api-key"), "Here."])
    async with talking(clock, model) as dialogue:
        await dialogue.says("hello")
        during = await red(dialogue)
        await dialogue.says("hello?")
        after = await red(dialogue)

    assert {"model": ("down", "the key is refused: invalid x-api-key")} == during
    assert {} == after


async def test_a_model_that_fails_is_red_until_nobody_knows(clock: FakeClock) -> None:
    """When nobody asks, nobody knows whether it is still so."""
    model = ScriptedModel(lambda request: ModelOverloaded("busy"))
    async with talking(clock, model) as dialogue:
        dialogue.channel.push(dialogue.channel.message("hello"))
        await clock.advance(120)
        during = await red(dialogue)
        reading = await dialogue.app.watch.reading()
        await clock.advance(900)
        after = await red(dialogue)

    assert {"model": ("degraded", "failed 4 times in a row: busy")} == during
    assert {} == after
    assert {("model", "ModelOverloaded"): 4.0} == reading.numbers[FAILURES]
    assert {("model",): 3.0} == reading.numbers[RETRIES]
    assert {("loopback", "failed"): 1.0} == reading.numbers[TURNS]


def telegram_of(server: PretendedTelegram, clock: FakeClock) -> Channel:
    keys = {"token": server.token, "base_url": server.base_url}
    return channels.telegram.build(channels.telegram.Settings.model_validate(keys), clock)


def is_out(dialogue: Dialogue, name: str) -> bool:
    watch = dialogue.app.watch
    return watch.book.states[name].is_out(dialogue.clock.monotonic())


async def test_telegram_deaf_is_red_within_half_a_minute(clock: FakeClock) -> None:
    """The connection stands, and nothing comes over it."""
    async with (
        PretendedTelegram() as server,
        talking(clock, others={"telegram": telegram_of(server, clock)}) as dialogue,
    ):
        await server.wait_for_polls(2)
        before = await red(dialogue)
        await clock.advance(SOON_S)
        during = await red(dialogue)
        server.push({"message": {"message_id": 1, "date": 0, "chat": {"id": 5, "type": "x"}}})
        await until(lambda: not is_out(dialogue, "telegram"))
        after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {"telegram": ("degraded", "nothing was heard of the platform for 30 s")} == during


@pytest.mark.parametrize("how", ["telegram", "slack"])
async def test_a_revoked_token_is_red_at_the_next_sign_and_green_with_a_good_one(
    clock: FakeClock, how: Literal["telegram", "slack"]
) -> None:
    async with PretendedTelegram() as telegram, PretendedSlack() as slack:
        settings = channels.slack.Settings.model_validate(slack.settings)
        made: dict[str, Channel] = {
            "telegram": telegram_of(telegram, clock),
            "slack": channels.slack.build(settings, clock),
        }
        async with talking(clock, others={how: made[how]}) as dialogue:
            await until(lambda: dialogue.app.watch.book.states[how].phase == "receiving")
            before = await red(dialogue)
            good = telegram.token
            if how == "telegram":
                await telegram.wait_for_polls(2)
                telegram.token = good + "revoked"
                telegram.push({"message": {"message_id": 1, "date": 0}})
            else:
                slack.fail("auth.test", "token_revoked")
                await clock.advance(SOON_S / 2)
                await slack.ping()
            await until(lambda: is_out(dialogue, how))
            during = await red(dialogue)
            telegram.token = good
            await clock.advance(REFUSED_PAUSE_S)
            await until(lambda: not is_out(dialogue, how))
            after = await red(dialogue)

    assert ({}, {}) == (before, after)
    assert {how: ("down", "token refused")} == during


async def test_slack_deaf_is_red_within_half_a_minute_and_a_ping_is_enough(
    clock: FakeClock,
) -> None:
    async with PretendedSlack() as slack:
        settings = channels.slack.Settings.model_validate(slack.settings)
        channel = channels.slack.build(settings, clock)
        async with talking(clock, others={"slack": channel}) as dialogue:
            await until(lambda: dialogue.app.watch.book.states["slack"].phase == "receiving")
            await clock.advance(SOON_S)
            during = await red(dialogue)
            await slack.ping()
            await until(lambda: not is_out(dialogue, "slack"))
            after = await red(dialogue)

    assert {"slack": ("degraded", "nothing was heard of the platform for 30 s")} == during
    assert {} == after


async def test_a_talk_is_counted_and_nobody_is_named(clock: FakeClock) -> None:
    async with talking(clock, disk=SwitchedDisk()) as dialogue:
        await dialogue.says("hello", "again")
        reading = await dialogue.app.watch.reading()

    assert {("loopback", "answered"): 2.0} == reading.numbers[TURNS]
    assert {(): 2.0} == reading.numbers[STEPS]
    labels = {label for numbers in reading.numbers.values() for each in numbers for label in each}
    assert not any("1001" in label for label in labels)
    assert set(METRICS) == {*reading.numbers, *reading.spreads}
    assert {} == reading.numbers[CAPS_REACHED] == reading.numbers[FAILURES]


async def test_a_cap_that_is_reached_and_a_view_that_is_cleared_are_counted(
    clock: FakeClock,
) -> None:
    config = Config(access="open", plugins=(), caps=CapKeys(person_tokens=1))
    model = ScriptedModel(["Here."] * 9)
    async with Dialogue(model, config=config, clock=clock) as dialogue:
        await dialogue.says("hello", "again", "/new")
        reading = await dialogue.app.watch.reading()

    assert {("person",): 1.0} == reading.numbers[CAPS_REACHED]
    assert {("clear",): 1.0} == reading.numbers[COMPACTIONS]


async def test_a_reply_that_is_tried_again_is_counted_with_how_long_it_took(
    clock: FakeClock,
) -> None:
    async with talking(clock) as dialogue:
        dialogue.channel.failures.append(DeliveryError("busy", retry_after_s=7))
        dialogue.channel.push(dialogue.channel.message("hello"))
        await clock.advance(30)
        reading = await dialogue.app.watch.reading()
    spread = reading.spreads[DELIVERY_SECONDS]["loopback",]

    assert {("delivery",): 1.0} == reading.numbers[RETRIES]
    assert {("delivery", "DeliveryError"): 1.0} == reading.numbers[FAILURES]
    assert {("loopback", "sent"): 1.0} == reading.numbers[DELIVERIES]
    assert (1, 7.0) == (sum(spread.counts), spread.total)


def fetch(address: str, token: str = "") -> tuple[int, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


async def test_a_running_bot_is_watched_over_http(tmp_path: Path) -> None:
    """Everything real but the vendors: what was counted is what they reported, and no secret."""
    token = "r" * 20
    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic() as vendor,
        BotProcess(tmp_path, telegram, vendor) as process,
    ):
        process.settings |= {"http": {"port": 0, "token": token}, "log_format": "json"}
        await process.start(until="http.listening")
        listening = next(line for line in process.lines if "http.listening" in line)
        address = json.loads(listening)["address"]
        telegram.says(1001, "the word is heron")
        await process.says("turn.finished")
        pages = {
            path: await asyncio.to_thread(fetch, f"{address}{path}", token)
            for path in ("/healthz", "/readyz", "/metrics")
        }
        without, _ = await asyncio.to_thread(fetch, f"{address}/metrics")
        process.signal(signal.SIGTERM)
        code = await process.ended()
        (usage,) = vendor.reported
    log = "\n".join(process.lines)
    line = json.loads(next(each for each in process.lines if "turn.finished" in each))
    metrics = pages["/metrics"][1]

    assert ((200, '{"status": "ok"}'), 401, 0) == (pages["/healthz"], without, code)
    assert (200, "ok") == (pages["/readyz"][0], json.loads(pages["/readyz"][1])["status"])
    assert 'daybook_turns_total{channel="telegram",outcome="answered"} 1.0' in metrics
    assert f'kind="output",model="{vendor.requests[0].body["model"]}",purpose="answer"' in metrics
    assert ("answered", 1) == (line["outcome"], line["steps"])
    assert line["tokens_out"] == usage["output_tokens"]
    assert line["cost_usd"] > 0
    assert {"session", "turn", "tools", "tokens_in", "ms"} <= line.keys()
    assert "heron" not in log
    for secret in (token, telegram.token, "k" * 20):
        assert secret not in log + metrics + pages["/readyz"][1]
