"""Admins and owners of a workspace, asked of the pretended Slack."""

from collections.abc import AsyncIterator

import pytest

from bot.api import ChannelError, ChatAddress, MenuEntry, Sender
from bot.ports import Channel
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.names import is_of_workspace
from channels.slack.roles import KEPT_S

ROOM = ChatAddress(channel="slack", account="T0TEAM", chat="C1ROOM", thread="1.5")
ADA = Sender(channel="slack", realm="T0TEAM", user_id="U1ADA", name="Ada")
BOB = Sender(channel="slack", realm="T0TEAM", user_id="U2BOB", name="Bob")


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def channel(slack: PretendedSlack, clock: FakeClock) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), clock)
    yield built
    await built.close()


async def test_admins_of_the_workspace(
    slack: PretendedSlack, channel: Channel, clock: FakeClock
) -> None:
    slack.state.admins.add("U1ADA")
    assert channel.capabilities.has_workspace_roles

    assert "admin" == await channel.role_of(ROOM, ADA)
    assert "member" == await channel.role_of(ROOM, BOB)
    slack.state.admins.clear()
    assert "admin" == await channel.role_of(ROOM, ADA)
    await clock.advance(KEPT_S)
    assert "member" == await channel.role_of(ROOM, ADA)


async def test_a_role_that_cannot_be_had(channel: Channel) -> None:
    stranger = Sender(channel="slack", realm="T0TEAM", user_id="U9", name="?")
    with pytest.raises(ChannelError):
        await channel.role_of(ROOM, stranger)


async def test_the_menu_is_the_manifest(channel: Channel) -> None:
    await channel.offer_commands((MenuEntry(name="help", description="Show this list."),), ())


async def test_an_admin_of_another_workspace_is_none_here(
    slack: PretendedSlack, channel: Channel
) -> None:
    slack.state.admins.add("U1ADA")
    slack.state.foreigners["U1ADA"] = "T9OTHER"
    assert "member" == await channel.role_of(ROOM, ADA)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"team_id": "T0TEAM"}, True),
        ({"team_id": "T9OTHER"}, False),
        ({"team_id": "T9OTHER", "enterprise_user": {"teams": ["T1", "T0TEAM"]}}, True),
        ({"team_id": "T9OTHER", "enterprise_user": {"teams": ["T1"]}}, False),
        ({"enterprise_user": {"teams": "T0TEAM"}}, False),
        ({}, False),
    ],
)
def test_who_is_of_a_workspace(user: dict[str, object], expected: bool) -> None:
    assert is_of_workspace(user, "T0TEAM") is expected
