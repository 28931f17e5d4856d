"""Over Slack: what people do beside writing, from the envelope to what they see."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import Config
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_views import home_opened, press, press_at_home, slash, submit
from tests.e2e.test_slack_over_the_wire import running, shown

CONFIG = Config(access="open", admins=("slack:U1ADA",), plugins=("clock",))


async def test_the_form_of_settings_sets_them(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        slack.state.channels["D1ADA"] = "im"
        await slack.push_beside(slash("/config"))
        await slack.wait_until(lambda: bool(slack.views.opened))
        [form] = slack.views.opened
        wrong = submit(form, filled={"agent_max_steps": "0"})
        refused = await slack.answer_to(await slack.push_beside(wrong))
        right = submit(form, filled={"agent_max_steps": "7", "group_mode": "all"})
        await slack.answer_to(await slack.push_beside(right))
        await slack.wait_for_sent(2)
        await slack.push_beside(slash("/config"))
        await slack.wait_until(lambda: len(slack.views.opened) == 2)

    assert [] == slack.views.faults
    assert "must be a whole number from 1 to" in str(refused)
    assert any(
        text.startswith("`agent_max_steps`: `15` → `7`, for all chats") for text in shown(slack)
    )
    assert any(text.startswith("`group_mode`: `mention` → `all`") for text in shown(slack))
    assert "'initial_value': '7'" in str(slack.views.opened[1])


async def test_the_home_shows_ones_own_and_clears_it(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        await slack.says("D1ADA", "the word is heron")
        await slack.says("D2BOB", "the word is egret", user="U2BOB")
        await slack.wait_for_sent(2)
        for channel, user in (("D1ADA", "U1ADA"), ("D2BOB", "U2BOB")):
            await slack.push(home_opened(channel=channel, user=user))
        await slack.wait_until(lambda: len(slack.views.homes) == 2)
        await slack.push_beside(press_at_home(slack.views.homes["U1ADA"][0], "Clear", at="9.5"))
        await slack.wait_for_sent(3)

    pages = {user: str(pages[-1]) for user, pages in slack.views.homes.items()}
    assert [] == slack.views.faults
    assert "I see 1 turn of at most 20" in pages["U1ADA"]
    assert "Today: $0.00" in pages["U1ADA"]
    assert ("Settings" in pages["U1ADA"], "Settings" in pages["U2BOB"]) == (True, False)
    assert "D1ADA" not in pages["U2BOB"]
    assert shown(slack)[-1].startswith("Clear")


async def test_a_slash_command_in_a_direct_message_is_answered_there(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        await slack.says("D1ADA", "hello")
        await slack.wait_for_sent(1)
        await slack.push_beside(slash("/daybook", "context detail"))
        await slack.wait_for_sent(2)

    assert shown(slack)[1].startswith("**1 turn in view**")
    assert 1 == len(vendor.requests)


async def test_in_a_channel_it_is_asked_which_thread_and_only_who_asked_sees_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        hidden = slack.sending.hidden
        for text in ("the word is heron", "where is the invoice?"):
            before = len(slack.sent)
            await slack.says("C1ROOM", text, mention=True)
            await slack.wait_for_sent(before + 1)
        await slack.push_beside(slash("/context", channel="C1ROOM"))
        await slack.wait_until(lambda: len(hidden) == 1)
        [question] = hidden
        buttons = elements_of(question.blocks)
        token = next(str(each["value"]) for each in buttons if "heron" in str(each["text"]))
        pressed = press(
            token,
            channel="C1ROOM",
            message_ts=question.ts,
            at="9.5",
            response_url=slack.response_url,
        )
        await slack.push_beside(pressed)
        await slack.wait_until(lambda: len(hidden) == 2 and slack.views.removed == 1)

    assert question.shown.startswith("Which conversation?")
    assert "**Context** of 1 turn" in hidden[1].shown
    assert {("C1ROOM", "", "U1ADA")} == {
        (post.channel, post.thread_ts, post.for_user) for post in hidden
    }
    assert 2 == len(slack.sent)
    assert "delivery.edit_refused" not in caplog.messages, "what one person was shown is not edited"


def elements_of(blocks: tuple[object, ...]) -> list[dict[str, object]]:
    """Give the buttons of a message."""
    return [
        element
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "actions"
        for element in block["elements"]
    ]
