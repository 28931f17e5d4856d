"""The whole path over real sockets: Telegram and the vendor pretended, everything else real."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anthropic  # noqa: F401 - takes seconds, which are not to count as a test's patience
import pytest
import telegram.ext  # noqa: F401 - likewise
from pydantic import SecretStr

import channels.telegram
from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.anthropic_model.json_values import JsonObject
from bot.adapters.anthropic_model.model import Limits
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside
from bot.config import Config
from bot.core.messages import Text, ToolCall
from bot.runtime import notices
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import (
    OVERLOADED,
    SERVER_ERROR,
    UNAUTHORIZED,
    Broken,
    Held,
    PretendedAnthropic,
    Refused,
    Script,
    rate_limited,
)
from bot.testing.clock import HurriedClock
from bot.testing.patience import PATIENCE_S
from bot.testing.telegram_rules import person
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.texts import long_answer, words_of

CHAT = 1001
GROUP = -100200


@asynccontextmanager
async def running(
    telegram: PretendedTelegram, vendor: PretendedAnthropic, folder: Path
) -> AsyncIterator[App]:
    clock = HurriedClock()
    settings = channels.telegram.Settings(
        token=SecretStr(telegram.token), base_url=telegram.base_url
    )
    outside = Outside(
        store=SqliteStore.open(folder / "daybook.db"),
        model=AnthropicModel(
            api_key="k" * 20,
            base_url=vendor.base_url,
            clock=clock,
            limits=Limits(between_events_s=0.3),
        ),
        model_name="claude-sonnet-5-5",
        channels={"telegram": channels.telegram.build(settings, clock)},
        clock=clock,
        announce=logging.getLogger("operator").info,
    )
    app = App(Config(access="open", plugins=("clock",)), outside)
    task = asyncio.ensure_future(app.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield app
            app.stop()
            await task
    finally:
        task.cancel()
        await asyncio.wait({task})
        await outside.store.close()


@asynccontextmanager
async def servers(*answers: Script) -> AsyncIterator[tuple[PretendedTelegram, PretendedAnthropic]]:
    async with PretendedTelegram() as telegram, PretendedAnthropic(answers) as vendor:
        yield telegram, vendor


def sent_texts(telegram: PretendedTelegram) -> list[str]:
    return [str(call.params["text"]) for call in telegram.sent]


BROKEN_CALL = Written(blocks=(ToolCall(id="c1", name="clock", arguments='{"timezone": "UT'),))

RETRIED: dict[str, tuple[Script, ...]] = {
    "429 with retry-after": (rate_limited("2"),),
    "500": (SERVER_ERROR,),
    "529": (OVERLOADED,),
    "SSE error after 200": (Broken(how="error_event"),),
    "cut in the middle": (Broken(how="cut"),),
    "stalled": (Broken(how="stall"),),
    "just ends": (Broken(how="unfinished"),),
    "no stream at all": (Broken(how="not_a_stream"),),
}


@pytest.mark.parametrize("fault", RETRIED)
async def test_a_passing_failure_of_the_vendor_ends_in_an_answer(
    fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        servers(*RETRIED[fault]) as (telegram, vendor),
        running(telegram, vendor, tmp_path),
    ):
        telegram.says(CHAT, "hello")
        await telegram.wait_for_sent(1)
        telegram.says(CHAT, "next")
        await telegram.wait_for_sent(2)

    assert ["All is well.", "All is well."] == sent_texts(telegram)
    assert [] == vendor.faults
    assert 1 == len([each for each in caplog.records if each.message == "model.failed"])


FOR_GOOD: dict[str, tuple[Script, str]] = {
    "401": (UNAUTHORIZED, "its key was refused"),
    "400": (
        Refused(status=400, kind="invalid_request_error", message="no such field"),
        "refused this request",
    ),
    "too long": (
        Refused(
            status=400,
            kind="invalid_request_error",
            message="prompt is too long: 210000 tokens > 200000 maximum",
        ),
        "210000 tokens, the model reads 200000",
    ),
    "413": (Refused(status=413, kind="request_too_large", message="too large"), "too long"),
    "refusal": (Written(blocks=(), stop="refusal"), notices.REFUSED),
    "max_tokens": (Written(blocks=(Text(text="Half"),), stop="max_tokens"), "length limit"),
    "window full": (
        Written(blocks=(Text(text="Half"),), stop="model_context_window_exceeded"),
        "length limit",
    ),
}


@pytest.mark.parametrize("fault", FOR_GOOD)
async def test_a_failure_for_good_is_told_in_one_sentence(
    fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script, told = FOR_GOOD[fault]
    caplog.set_level(logging.INFO)
    async with servers(script) as (telegram, vendor), running(telegram, vendor, tmp_path):
        telegram.says(CHAT, "hello")
        await telegram.wait_for_sent(1)
        telegram.says(CHAT, "next")
        await telegram.wait_for_sent(2)

    first, second = sent_texts(telegram)
    assert told.strip("*") in first
    assert "All is well." == second
    assert [] == vendor.faults
    turns = [each for each in caplog.records if each.message == "turn.finished"]
    assert 2 == len(turns)


async def test_malformed_arguments_of_a_tool_get_an_error_result(tmp_path: Path) -> None:
    async with (
        servers(BROKEN_CALL, "I could not read the clock.") as (telegram, vendor),
        running(telegram, vendor, tmp_path),
    ):
        telegram.says(CHAT, "what time is it?")
        await telegram.wait_for_sent(1)
        telegram.says(CHAT, "next")
        await telegram.wait_for_sent(2)

    assert ["I could not read the clock.", "All is well."] == sent_texts(telegram)
    assert [] == vendor.faults
    results = vendor.requests[1].body["messages"]
    assert '"is_error": true' in str(results).replace("'", '"').replace("True", "true")


async def test_an_update_that_cannot_be_parsed_harms_nothing(tmp_path: Path) -> None:
    async with servers() as (telegram, vendor), running(telegram, vendor, tmp_path):
        telegram.says(CHAT, "first")
        await telegram.wait_for_sent(1)
        before = len(telegram.polls)
        telegram.push({"message": {"message_id": "not a number", "chat": 7}})
        telegram.says(CHAT, "second")
        await telegram.wait_for_sent(2)

    assert ["All is well.", "All is well."] == sent_texts(telegram)
    assert len(telegram.polls) - before <= 3


async def test_a_long_answer_arrives_whole(tmp_path: Path) -> None:
    text = long_answer() + "\n\nThe end."
    async with servers(text) as (telegram, vendor), running(telegram, vendor, tmp_path):
        telegram.says(CHAT, "at length, please")
        await telegram.wait_until(lambda: "The end." in "".join(sent_texts(telegram)))

    parts = sent_texts(telegram)
    assert words_of(text) == [word for part in parts for word in words_of(part)]
    assert all(len(part.encode("utf-16-le")) // 2 <= 4096 for part in parts)


async def test_topics_and_a_private_chat_side_by_side_never_cross(tmp_path: Path) -> None:
    """Three answers are being written at once, each of them in its own place."""
    places = {"mark-one": (GROUP, 11), "mark-two": (GROUP, 12), "mark-three": (CHAT, 0)}
    gate = asyncio.Event()

    def marked(body: JsonObject) -> Held:
        (mark,) = (mark for mark in places if mark in json.dumps(body["messages"]))
        return Held(text=f"{mark} " * 40 + f"{mark} ends.", may_go_on=gate)

    async with (
        PretendedTelegram() as telegram,
        PretendedAnthropic(otherwise=marked) as vendor,
        running(telegram, vendor, tmp_path),
    ):
        for mark, (chat, thread) in places.items():
            kind = "private" if chat > 0 else "supergroup"
            text = f"@{telegram.bot['username']} {mark}"
            telegram.says(chat, text, chat_type=kind, thread=thread, sender=person(CHAT))
        await telegram.wait_until(
            lambda: (
                len({(call.chat_id, call.thread) for call in telegram.actions}) == 3
                and len(telegram.drafts) > 0
            )
        )
        gate.set()
        await telegram.wait_for_sent(3)

    for call in (*telegram.sent, *telegram.drafts):
        assert {(call.chat_id, call.thread)} == {
            place for mark, place in places.items() if mark in call.text
        }
    assert {call.chat_id for call in telegram.drafts} == {CHAT}
    assert sorted(places.values()) == sorted((call.chat_id, call.thread) for call in telegram.sent)
