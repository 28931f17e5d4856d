"""Slack to the model and back: whatever comes twice, late or over several ways is answered once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import slack_bolt.async_app  # noqa: F401 - takes seconds, which are not to count as patience

import channels.slack
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside
from bot.config import Config
from bot.core.lifecycle import Unfinished
from bot.core.looking_back import LEAD
from bot.core.window.notes import words_of
from bot.runtime.housekeeping import REDELIVERY_KNOWN_FOR
from bot.testing.clock import HurriedClock
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from bot.testing.slack_http import SlackCalls, free_port
from bot.testing.slack_server import PretendedSlack

DIRECT, ROOM = "D1ADA", "C1ROOM"
SECRET = "pretended" + "0" * 23


class MovedClock(HurriedClock):
    """Real time, hurried, with a date that a test moves."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.moved


class Scene:
    """A bot in a workspace."""

    def __init__(self, slack: PretendedSlack, folder: Path) -> None:
        self.slack = slack
        self.clock = MovedClock()
        slack.state.began_at = int(self.clock.now().timestamp())
        slack.state.channels |= {DIRECT: "im", ROOM: "channel"}
        self.model = ScriptedModel(lambda _: "An answer.")
        self.folder = folder
        self.store = SqliteStore.open(folder / "daybook.db")

    @asynccontextmanager
    async def running(self, **settings: object) -> AsyncIterator[None]:
        values, ready = self.slack.settings | settings, asyncio.Event()
        channel = channels.slack.build(channels.slack.Settings.model_validate(values), self.clock)
        outside = Outside(
            store=self.store,
            model=self.model,
            model_name="scripted",
            channels={"slack": channel},
            clock=self.clock,
            announce=lambda line: ready.set() if line.startswith("ready") else None,
        )
        app = App(Config(access="open", plugins=("clock",)), outside)
        task = asyncio.ensure_future(app.run())
        try:
            async with asyncio.timeout(PATIENCE_S):
                await ready.wait()
                if settings.get("mode") != "http":
                    count = settings.get("connections", 1)
                    await self.slack.wait_until(lambda: self.slack.open_connections == count)
                yield
                app.stop()
                await task
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def pruned(self) -> None:
        """Remove what no redelivery is known by any more, as is done each night."""
        await self.store.prune(self.clock.now() - REDELIVERY_KNOWN_FOR)

    def asked(self) -> str:
        return "\n".join(words_of(self.model.requests[-1].messages[-1]))

    @property
    def answers(self) -> int:
        return len(self.slack.sent)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with PretendedSlack() as slack:
        scene = Scene(slack, tmp_path)
        yield scene
        await scene.store.close()


async def answered_once_more(scene: Scene) -> None:
    """Ask something else, so that an answer that should not come has had its time."""
    before = scene.answers
    await scene.slack.says("D2BOB", "and now?", user="U2BOB")
    await scene.slack.wait_for_sent(before + 1)


@pytest.mark.parametrize("connections", [1, 2])
async def test_an_event_that_comes_again_is_answered_once(scene: Scene, connections: int) -> None:
    """After a second, six minutes and 29 days; a mention comes twice by itself."""
    scene.slack.spreads = True
    async with scene.running(connections=connections):
        await scene.slack.says(ROOM, "are you there?", mention=True)
        await scene.slack.says(DIRECT, "hello")
        await scene.slack.wait_for_sent(2)
        for later in (timedelta(seconds=1), timedelta(minutes=6), timedelta(days=29)):
            scene.clock.moved = later
            await scene.pruned()
            before = len(scene.slack.acknowledged)
            for number in (1, 2, 3):
                await scene.slack.redeliver(f"envelope-{number}")
            await scene.slack.wait_for_acknowledged(before + 3)
        await answered_once_more(scene)
    assert 3 == scene.answers == len(scene.model.requests)


async def test_a_socket_that_closes_in_the_middle_of_a_turn(scene: Scene) -> None:
    scene.model.hold()
    async with scene.running():
        await scene.slack.says(DIRECT, "hello")
        await scene.model.held()
        await scene.slack.drop()
        await scene.slack.wait_until(lambda: scene.slack.open_connections == 1)
        await scene.slack.redeliver()
        await scene.slack.wait_for_acknowledged(2)
        scene.model.release()
        await scene.slack.wait_for_sent(1)
        await answered_once_more(scene)
    assert 2 == scene.answers == len(scene.model.requests)


async def test_what_was_missed_meanwhile_is_answered_once(scene: Scene) -> None:
    """Found in the history first, told by Slack after all, and found again at the next start."""
    async with scene.running():
        root = await scene.slack.says(ROOM, "hello", mention=True)
        await scene.slack.wait_for_sent(1)
    missed = scene.slack.state.write(ROOM, "and tomorrow?", user="U2BOB", thread_ts=root)
    async with scene.running():
        await scene.slack.wait_for_sent(2)
        await scene.slack.tell(missed)
        await answered_once_more(scene)
    async with scene.running():
        await answered_once_more(scene)
    assert 4 == scene.answers == len(scene.model.requests)
    assert root == scene.slack.sent[1].thread_ts


async def test_a_thread_is_followed_and_a_mention_brings_it_along(scene: Scene) -> None:
    async with scene.running():
        root = await scene.slack.says(ROOM, "shall we?", user="U2BOB")
        await scene.slack.says(ROOM, "I say no", thread_ts=root)
        await scene.slack.says(ROOM, "decide", user="U2BOB", thread_ts=root, mention=True)
        await scene.slack.wait_for_sent(1)
        first = scene.asked()
        await scene.slack.says(ROOM, "why?", thread_ts=root)
        await scene.slack.wait_for_sent(2)
    assert f"Bob#U2BOB: decide\n{LEAD}\n> Bob#U2BOB: shall we?\n> Ada#U1ADA: I say no" == first
    assert "Ada#U1ADA: why?" == scene.asked()
    assert [root, root] == [post.thread_ts for post in scene.slack.sent]


async def test_changes_of_messages(scene: Scene) -> None:
    """An edit that adds a mention is a message; one of a follow-up changes what the model sees."""
    async with scene.running():
        root = await scene.slack.says(ROOM, "shall we?", user="U2BOB")
        await scene.slack.edits_message(ROOM, root, "<@U0BOT> shall we?")
        await scene.slack.wait_for_sent(1)
        follow_up = await scene.slack.says(ROOM, "why?", thread_ts=root)
        await scene.slack.wait_for_sent(2)
        await scene.slack.edits_message(ROOM, follow_up, "why not?")
        await scene.slack.wait_for_acknowledged(4)
        await scene.slack.says(ROOM, "go on", thread_ts=root)
        await scene.slack.wait_for_sent(3)
    seen = "\n".join(text for each in scene.model.requests[-1].messages for text in words_of(each))
    assert "Bob#U2BOB: shall we?" in seen
    assert "Ada#U1ADA: why not?" in seen
    assert "Ada#U1ADA: why?" not in seen


async def test_by_http(scene: Scene) -> None:
    port = free_port()
    calls = SlackCalls(port, SECRET, scene.clock)
    async with scene.running(mode="http", signing_secret=SECRET, http_port=port):
        event = scene.slack.state.write(ROOM, "<@U0BOT> hello", user="U1ADA")
        mention = {key: value for key, value in event.items() if key != "channel_type"}
        around = {"type": "event_callback", "team_id": "T0TEAM"}
        payloads = (
            {**around, "event_id": "Ev1", "event": event},
            {**around, "event_id": "Ev2", "event": {**mention, "type": "app_mention"}},
        )
        forged = await calls.sends(payloads[0], X_Slack_Signature="v0=" + "0" * 64)
        old = await calls.sends(payloads[0], age_s=400)
        assert [401, 401] == [forged.status, old.status]
        assert Unfinished() == await scene.store.unfinished()
        for payload in (*payloads, *payloads):
            assert 200 == (await calls.sends(payload)).status
        await scene.slack.wait_for_sent(1)
        direct = scene.slack.state.write(DIRECT, "and now?", user="U1ADA")
        assert 200 == (await calls.sends({**around, "event_id": "Ev3", "event": direct})).status
        await scene.slack.wait_for_sent(2)
    assert 2 == len(scene.model.requests)
