"""The Slack channel keeps the contract of all channels."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.api import Channel, ChatAddress, Inbound, SetAside
from bot.testing.channels import RETRY_AFTER_S, ChannelContract, Failure, Harness, WatchedClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.inbound import Identity, to_inbound

DIRECT = "D1ADA"
ROOM = "C1ROOM"


class SlackHarness:
    """A workspace with one person, a direct chat and one channel."""

    def __init__(self, slack: PretendedSlack) -> None:
        self.slack = slack
        self.clock = WatchedClock()
        self.secrets = (slack.bot_token, slack.app_token)
        self.address = ChatAddress(channel="slack", account="T0TEAM", chat=DIRECT)
        self.payloads = Path(__file__).parent.parent / "data" / "channels" / "slack"
        self._roots: dict[str, str] = {}

    def channel(self) -> Channel:
        return build(Settings.model_validate(self.slack.settings), self.clock)

    async def says(self, text: str, *, thread: str = "") -> str:
        if not thread:
            return await self.slack.says(DIRECT, text)
        root = self._roots.get(thread, "")
        ts = await self.slack.says(ROOM, text, thread_ts=root, mention=True)
        self._roots.setdefault(thread, ts)
        return ts

    async def edits(self, message_id: str, text: str) -> None:
        await self.slack.edits_message(DIRECT, message_id, text)

    async def deletes(self, message_id: str) -> bool:
        await self.slack.deletes_message(DIRECT, message_id)
        return True

    async def makes_noise(self) -> None:
        state = self.slack.state
        for user, fields in (
            ("U9APP", {"bot_id": "B9APP"}),
            (state.bot_user_id, {"bot_id": state.bot_id}),
            ("U1ADA", {"subtype": "channel_join"}),
        ):
            event = state.write(DIRECT, "noise", user=user)
            await self.slack.push(event | fields)

    async def redeliver(self) -> None:
        await self.slack.redeliver()

    async def fail_next(self, kind: Failure) -> None:
        match kind:
            case "rate_limited":
                self.slack.fail("chat.postMessage", "429", retry_after_s=RETRY_AFTER_S)
            case "unauthorised_send":
                self.slack.fail("chat.postMessage", "invalid_auth")
            case "unauthorised_run":
                self.slack.fail("auth.test", "invalid_auth")
            case "disconnect":
                await self.slack.wait_until(lambda: not self.slack.open_envelopes)
                await self.slack.drop()

    def delivered(self) -> tuple[str, ...]:
        return tuple(post.shown for post in self.slack.sent)

    def read(self, raw: object) -> Inbound | None:
        assert isinstance(raw, dict)
        event = to_inbound(raw, Identity(team_id="T0TEAM", user_id="U0BOT"))
        assert not isinstance(event, SetAside)
        return event


class TestSlack(ChannelContract):
    @pytest.fixture
    async def harness(self) -> AsyncIterator[Harness]:
        async with PretendedSlack() as slack:
            slack.told_types = {"message"}
            slack.state.channels |= {DIRECT: "im", ROOM: "channel"}
            yield SlackHarness(slack)
