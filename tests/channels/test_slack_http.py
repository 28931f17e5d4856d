"""Slack calls: who it is is checked first, and it is answered once the event is stored."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest

from bot.api import Inbound, SetAside
from bot.errors import StoreError
from bot.testing.channels import RecordingInbox, WatchedClock, captured_logs, running
from bot.testing.patience import PATIENCE_S
from bot.testing.slack_http import Answered, SlackCalls, free_port
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_state import Json
from channels.slack import Settings, build, http_events
from channels.slack.http_events import decoded

DIRECT = "D1ADA"
SECRET = "pretended" + "0" * 23
STORED = Answered(status=200, text="")


class Refusing(RecordingInbox):
    """An inbox that keeps nothing: it says so, or says nothing at all."""

    def __init__(self, *, is_silent: bool) -> None:
        super().__init__()
        self._is_silent = is_silent

    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None:
        if self._is_silent:
            await asyncio.get_running_loop().create_future()
        raise StoreError("the disk is full")


class Scene:
    """A bot that listens, and Slack that calls it."""

    def __init__(self, slack: PretendedSlack) -> None:
        self.slack = slack
        self.clock = WatchedClock()
        self.port = free_port()
        self.calls = SlackCalls(self.port, SECRET, self.clock)

    @property
    def settings(self) -> Settings:
        http = {"mode": "http", "signing_secret": SECRET, "http_port": self.port}
        return Settings.model_validate(self.slack.settings | http)

    def running(self, inbox: RecordingInbox) -> AbstractAsyncContextManager[object]:
        return running(build(self.settings, self.clock), inbox)

    def says(self, text: str) -> Json:
        event = self.slack.state.write(DIRECT, text, user="U1ADA")
        return {"type": "event_callback", "team_id": "T0TEAM", "event_id": "Ev1", "event": event}


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    async with PretendedSlack() as slack:
        slack.state.channels |= {DIRECT: "im"}
        yield Scene(slack)


async def test_an_event_is_stored_and_acknowledged(scene: Scene) -> None:
    inbox = RecordingInbox()
    async with scene.running(inbox):
        payload = scene.says("hello")
        assert STORED == await scene.calls.sends(payload)
        assert ["hello"] == [message.text for message in inbox.messages]
        assert STORED == await scene.calls.sends(payload, X_Slack_Retry_Num="1")
        assert STORED == await scene.calls.sends({"type": "event_callback", "event": {"type": "x"}})
    assert 1 == len({message.event_id for message in inbox.messages})
    assert "apps.connections.open" not in scene.slack.calls


async def test_slack_tries_the_address_first(scene: Scene) -> None:
    async with scene.running(RecordingInbox()):
        answer = await scene.calls.sends({"type": "url_verification", "challenge": "3eZb"})
    assert (200, {"challenge": "3eZb"}) == (answer.status, json.loads(answer.text))


@pytest.mark.parametrize(
    ("age_s", "headers"),
    [
        (0, {"X_Slack_Signature": "v0=" + "0" * 64}),
        (0, {"X_Slack_Signature": "v0=é"}),
        (0, {"X_Slack_Signature": ""}),
        (0, {"X_Slack_Request_Timestamp": ""}),
        (0, {"X_Slack_Request_Timestamp": "soon"}),
        (0, {"X_Slack_Request_Timestamp": "1" * 40}),
        (301, {}),
        (-301, {}),
    ],
)
@pytest.mark.parametrize("also", [{}, {"ssl_check": "1"}, {"type": "url_verification"}])
async def test_who_is_not_slack_leaves_no_trace(
    scene: Scene, age_s: int, headers: dict[str, str], also: Json
) -> None:
    inbox = RecordingInbox()
    async with scene.running(inbox):
        answer = await scene.calls.sends(scene.says("hello") | also, age_s=age_s, **headers)
    assert (401, []) == (answer.status, inbox.events)


async def test_a_body_that_was_changed_is_refused(scene: Scene) -> None:
    inbox = RecordingInbox()
    forger = SlackCalls(scene.port, SECRET[::-1], scene.clock)
    async with scene.running(inbox):
        answer = await forger.sends(scene.says("hello"))
    assert (401, []) == (answer.status, inbox.events)


@pytest.mark.parametrize("age_s", [299, -299])
async def test_clocks_may_differ_a_little(scene: Scene, age_s: int) -> None:
    async with scene.running(RecordingInbox()):
        assert STORED == await scene.calls.sends(scene.says("hello"), age_s=age_s)


@pytest.mark.parametrize("is_silent", [True, False])
async def test_what_is_not_stored_is_not_acknowledged(
    scene: Scene, is_silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_events, "STORE_LIMIT_S", 0.1 if is_silent else PATIENCE_S)
    async with scene.running(Refusing(is_silent=is_silent)):
        answer = await scene.calls.sends(scene.says("hello"))
    assert 503 == answer.status


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
async def test_what_makes_no_sense_is_refused(scene: Scene, body: bytes) -> None:
    async with scene.running(RecordingInbox()):
        answer = await scene.calls.posts(body, "application/json")
    assert 400 == answer.status


async def test_other_paths_and_longer_bodies_are_refused(scene: Scene) -> None:
    elsewhere = SlackCalls(scene.port, SECRET, scene.clock, path="/admin")
    async with scene.running(RecordingInbox()):
        assert 404 == (await elsewhere.sends({})).status
        long = await scene.calls.posts(b"x" * (http_events.MAX_BODY_BYTES + 1), "text/plain")
    assert 413 == long.status


def test_forms() -> None:
    form = "application/x-www-form-urlencoded"
    command = decoded(b"command=%2Fcontext&text=&user_id=U1", form)
    assert {"command": "/context", "text": "", "user_id": "U1"} == command
    pressed = decoded(b"payload=%7B%22type%22%3A%22block_actions%22%7D", form)
    assert {"type": "block_actions"} == pressed
    assert decoded(b"payload=%7B", form) is None


async def test_a_port_that_is_taken_is_tried_again(scene: Scene) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", scene.port)
    inbox = RecordingInbox()
    channel = build(scene.settings, scene.clock)
    run = asyncio.create_task(channel.run(inbox))
    await scene.clock.wait_for_naps(1)
    assert f"cannot listen at 127.0.0.1:{scene.port}" in inbox.troubles[0]
    server.close()
    await server.wait_closed()
    await scene.clock.advance(1)
    await inbox.wait_until_receiving()
    assert STORED == await scene.calls.sends(scene.says("hello"))
    run.cancel()
    await asyncio.wait({run})
    await channel.close()


async def test_the_secret_stays_secret(scene: Scene) -> None:
    with captured_logs() as lines:
        async with scene.running(RecordingInbox()):
            await scene.calls.sends(scene.says("hello"))
            await scene.calls.sends(scene.says("hello"), X_Slack_Signature="v0=0")
    seen = "\n".join((*lines(), repr(scene.settings)))
    assert SECRET not in seen
