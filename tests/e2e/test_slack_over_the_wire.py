"""The same path over Slack: Socket Mode and the Web API pretended, everything else real."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anthropic  # noqa: F401 - takes seconds, which are not to count as a test's patience
import slack_bolt.async_app  # noqa: F401 - likewise

import channels.slack
from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import App, Outside
from bot.config import Config
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import HurriedClock
from bot.testing.patience import PATIENCE_S
from bot.testing.slack_server import PretendedSlack
from bot.testing.texts import long_answer

OPEN = Config(access="open", plugins=("clock",))


@asynccontextmanager
async def running(
    slack: PretendedSlack, vendor: PretendedAnthropic, folder: Path, config: Config = OPEN
) -> AsyncIterator[App]:
    clock = HurriedClock()
    outside = Outside(
        store=SqliteStore.open(folder / "daybook.db"),
        model=AnthropicModel(api_key="k" * 20, base_url=vendor.base_url, clock=clock),
        model_name="claude-sonnet-5-5",
        channels={
            "slack": channels.slack.build(
                channels.slack.Settings.model_validate(slack.settings), clock
            )
        },
        clock=clock,
        announce=lambda line: None,
    )
    app = App(config, outside)
    task = asyncio.ensure_future(app.run())
    try:
        async with asyncio.timeout(PATIENCE_S):
            await slack.wait_until(lambda: slack.open_connections > 0)
            yield app
            app.stop()
            await task
    finally:
        task.cancel()
        await asyncio.wait({task})
        await outside.store.close()


def shown(slack: PretendedSlack) -> list[str]:
    return [post.shown for post in slack.sent]


async def test_a_direct_message_and_a_mention_are_answered_once_each(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path),
    ):
        await slack.says("D1", "hello")
        await slack.wait_for_sent(1)
        await slack.says("C1", "are you there?", mention=True)
        await slack.wait_for_sent(2)
        await slack.says("D1", "next")
        await slack.wait_for_sent(3)

    assert ["All is well."] * 3 == shown(slack)
    assert [] == vendor.faults


async def test_the_chat_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with PretendedSlack() as slack, PretendedAnthropic() as vendor:
        async with running(slack, vendor, tmp_path):
            await slack.says("D1", "the word is heron")
            await slack.wait_for_sent(1)
        async with running(slack, vendor, tmp_path):
            await slack.says("D1", "what did I just say?")
            await slack.wait_for_sent(2)

    messages = str(vendor.requests[-1].body["messages"])
    assert "the word is heron" in messages
    assert "All is well." in messages


async def test_a_long_answer_arrives_whole_and_pings_nobody(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic([long_answer() + "\n\n<!channel> <@U1>"]) as vendor,
        running(slack, vendor, tmp_path),
    ):
        await slack.says("D1", "at length, please")
        async with asyncio.timeout(PATIENCE_S):
            await slack.wait_until(lambda: "<!channel>" in "".join(shown(slack)))

    assert "Vec<T>" in "".join(shown(slack))
    assert [[]] * len(slack.sent) == [list(post.pings) for post in slack.sent]
