"""``/memory`` over Slack: who is shown what, from the envelope to the screen."""

from __future__ import annotations

from pathlib import Path

from bot.config import Config
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_views import home_opened, press_at_home, slash
from tests.e2e.test_slack_over_the_wire import running, shown

CONFIG = Config(access="open", admins=("slack:U1ADA",), plugins=("clock",))


async def test_mem_9_in_a_channel_who_asked_alone_is_shown_it(tmp_path: Path) -> None:
    """By a slash command, by a mention in a thread; a file comes into the direct chat."""
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        hidden = slack.sending.hidden
        await slack.says("D1ADA", "!memory remember drink: Likes tea.")
        await slack.wait_for_sent(1)
        await slack.says("D1ADA", "hello")
        await slack.wait_for_sent(2)
        await slack.says("C1ROOM", "hello", mention=True)
        await slack.wait_for_sent(3)
        await slack.push_beside(slash("/memory", channel="C1ROOM"))
        await slack.wait_until(lambda: len(hidden) == 1)
        await slack.says("C1ROOM", "memory", mention=True)
        await slack.wait_until(lambda: len(hidden) == 2)
        await slack.push_beside(slash("/memory", "export", channel="C1ROOM"))
        await slack.wait_until(lambda: len(hidden) == 3 and len(slack.sent) == 4)

    assert {"U1ADA"} == {post.for_user for post in hidden}
    assert {"C1ROOM"} == {post.channel for post in hidden}
    assert ["I remember no facts", "I remember no facts"] == [
        post.shown[:19] for post in hidden[:2]
    ]
    assert "tea" not in str([post.shown for post in hidden])
    assert ["D1ADA", "D1ADA", "C1ROOM", "D1ADA"] == [post.channel for post in slack.sent]
    assert ["D1ADA"] == [file.channel for file in slack.sending.shared]


async def test_prv_2_the_home_has_what_is_remembered_and_a_way_to_be_rid_of_it(
    tmp_path: Path,
) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, CONFIG),
    ):
        await slack.says("D1ADA", "!memory remember drink: Likes tea.")
        await slack.wait_for_sent(1)
        for channel, user in (("D1ADA", "U1ADA"), ("D2BOB", "U2BOB")):
            await slack.push(home_opened(channel=channel, user=user))
        await slack.wait_until(lambda: len(slack.views.homes) == 2)
        await slack.push_beside(press_at_home(slack.views.homes["U1ADA"][0], "Forget", at="9.5"))
        await slack.wait_for_sent(2)

    pages = {user: str(pages[-1]) for user, pages in slack.views.homes.items()}
    assert [] == slack.views.faults
    assert ("Likes tea." in pages["U1ADA"], "Likes tea." in pages["U2BOB"]) == (True, False)
    assert shown(slack)[-1].startswith("Forget 1 fact?")
