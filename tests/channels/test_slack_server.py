"""The pretended Slack refuses what the real one refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.testing.slack_server import PretendedSlack

Json = dict[str, object]

ROOM = "C1ROOM"


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels[ROOM] = "channel"
        yield server


async def test_what_a_message_carries_unseen_is_shown_to_who_asks(slack: PretendedSlack) -> None:
    metadata = {"event_type": "x", "event_payload": {"key": "1"}}
    await ask(slack, "chat.postMessage", channel=ROOM, text="one", metadata=metadata)
    await ask(slack, "chat.postMessage", channel=ROOM, text="two")
    shown = await ask(slack, "conversations.history", channel=ROOM, limit=1)
    rest = await ask(slack, "conversations.history", channel=ROOM, cursor="1")
    told = await ask(slack, "conversations.history", channel=ROOM, include_all_metadata=True)
    assert [texts_of(page) for page in (shown, rest, told)] == [["two"], ["one"], ["two", "one"]]
    assert "metadata" not in str(rest["messages"])
    assert "event_payload" in str(told["messages"])


def texts_of(page: Json) -> list[str]:
    assert isinstance(page["messages"], list)
    return [message["text"] for message in page["messages"]]


async def ask(slack: PretendedSlack, method: str, **params: object) -> Json:
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with (
        aiohttp.ClientSession(slack.base_url, headers=headers) as session,
        session.post(method, json=params) as answer,
    ):
        found: Json = await answer.json()
    return found


def markdown(text: str) -> Json:
    return {"channel": ROOM, "blocks": [{"type": "markdown", "text": text}]}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("chat.postMessage", {"channel": "C9", "text": "hi"}, "channel_not_found"),
        ("chat.postMessage", {"channel": ROOM, "text": " "}, "no_text"),
        ("chat.postMessage", {"channel": ROOM, "text": "x" * 40_001}, "msg_too_long"),
        ("chat.postMessage", markdown("x" * 12_001), "msg_blocks_too_long"),
        ("chat.postMessage", markdown(""), "invalid_blocks"),
        ("chat.postMessage", {"channel": ROOM, "blocks": [{"type": "x"}]}, "invalid_blocks"),
        ("chat.postMessage", {"channel": ROOM, "blocks": "x"}, "invalid_blocks_format"),
        (
            "chat.postMessage",
            {"channel": ROOM, "text": "hi", "thread_ts": "1.1"},
            "thread_not_found",
        ),
        ("chat.update", {"channel": ROOM, "ts": "1.1", "text": "hi"}, "message_not_found"),
        ("users.info", {"user": "U9"}, "user_not_found"),
        ("conversations.replies", {"channel": ROOM, "ts": "1.1"}, "thread_not_found"),
        (
            "assistant.threads.setStatus",
            {"channel_id": ROOM, "thread_ts": "1.1"},
            "thread_not_found",
        ),
        ("chat.dance", {}, "unknown_method"),
        ("apps.connections.open", {}, "invalid_auth"),
    ],
)
async def test_refusals(slack: PretendedSlack, method: str, params: Json, code: str) -> None:
    assert await ask(slack, method, **params) == {"ok": False, "error": code}


async def test_only_the_bots_own_messages_can_be_changed(slack: PretendedSlack) -> None:
    ts = await slack.says(ROOM, "mine")
    refused = await ask(slack, "chat.update", channel=ROOM, ts=ts, text="yours")
    assert refused["error"] == "cant_update_message"
    posted = await ask(slack, "chat.postMessage", channel=ROOM, text="hi", thread_ts=ts)
    refused = await ask(slack, "chat.update", channel=ROOM, ts=posted["ts"], text="值" * 1_400)
    assert refused["error"] == "msg_too_long"
    replies = await ask(slack, "conversations.replies", channel=ROOM, ts=ts)
    found = replies["messages"]
    assert isinstance(found, list)
    assert [message["text"] for message in found] == ["mine", "hi"]


async def test_parameters_may_stand_in_the_address_or_in_a_form(slack: PretendedSlack) -> None:
    async with aiohttp.ClientSession(slack.base_url) as session:
        params = {"token": slack.bot_token, "channel": ROOM}
        async with session.get("conversations.info", params=params) as answer:
            told = await answer.json()
        async with session.post("conversations.info", data=params) as answer:
            told_again = await answer.json()
    room = {"id": ROOM, "is_im": False, "name": ROOM.lower()}
    assert told == told_again == {"ok": True, "channel": room}


async def test_a_mention_is_told_twice_under_two_names(slack: PretendedSlack) -> None:
    await slack.says(ROOM, "hello", mention=True)
    await slack.says("D1ADA", "hello", mention=True)
    told = [envelope.payload for envelope in slack.open_envelopes]
    kinds = [payload["event"]["type"] for payload in told if isinstance(payload["event"], dict)]
    assert kinds == ["message", "app_mention", "message"]
    assert len({payload["event_id"] for payload in told}) == 3
