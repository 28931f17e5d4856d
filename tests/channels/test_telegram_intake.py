"""From updates to the inbox: presses are answered, groups narrowed, the unknown is told of."""

import logging

import pytest
from pydantic import SecretStr

from bot.api import ButtonPress, Channel, ChatMoved, Inbound, SetAside
from bot.testing.channels import RecordingInbox, WatchedClock, running
from bot.testing.telegram_rules import person
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build

ADA = 1001


@pytest.fixture
def channel(telegram: PretendedTelegram, clock: WatchedClock) -> Channel:
    return build(Settings(token=SecretStr(telegram.token), base_url=telegram.base_url), clock)


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Give what the channel itself has logged."""
    return [each.message for each in caplog.records if each.name.startswith("channels.telegram")]


def texts(inbox: RecordingInbox) -> list[str]:
    return [message.text for message in inbox.messages]


async def test_a_press_is_answered_after_it_is_stored(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.says(ADA, "hello")
    stored: list[int] = []

    class Noting(RecordingInbox):
        async def receive(
            self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
        ) -> None:
            stored.append(len(telegram.state.called("answerCallbackQuery")))
            await super().receive(events, cursor=cursor)

    inbox = Noting()
    async with running(channel, inbox):
        await inbox.wait_for(1)
        telegram.presses(ADA, 1, "Tok3n")
        _, press = await inbox.wait_for(2)
        await telegram.wait_until(lambda: bool(telegram.state.called("answerCallbackQuery")))
    assert isinstance(press, ButtonPress)
    assert (press.token, press.sender.user_id) == ("Tok3n", str(ADA))
    assert stored == [0, 0]
    assert telegram.state.open_presses == set()


async def test_a_press_that_cannot_be_answered_harms_nothing(
    telegram: PretendedTelegram, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "channels.telegram")
    telegram.says(ADA, "hello")
    telegram.presses(ADA, 1, "Tok3n")
    telegram.state.open_presses.clear()
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await telegram.wait_for_polls(2)
        telegram.says(ADA, "still there?")
        await inbox.wait_for(3)
        while "telegram.press_unanswered" not in caplog.messages:
            telegram.says(ADA, "and now?")
            await inbox.wait_for(len(inbox.events) + 1)
    assert texts(inbox)[:2] == ["hello", "still there?"]


async def test_only_the_named_groups_are_listened_to(
    telegram: PretendedTelegram, clock: WatchedClock, caplog: pytest.LogCaptureFixture
) -> None:
    """And a named one that moves is followed, until the next start reads the settings."""
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url, groups=(-1,))
    telegram.says(-2, "elsewhere", chat_type="group")
    telegram.changes_standing(-2, "administrator", by=person(ADA))
    telegram.migrates(-2, -1002)
    telegram.says(-1, "here", chat_type="group")
    telegram.migrates(-1, -1001)
    telegram.says(-1001, "moved", chat_type="supergroup")
    telegram.says(ADA, "alone")
    inbox = RecordingInbox()
    async with running(build(settings, clock), inbox):
        await inbox.wait_for(5)
    assert texts(inbox) == ["here", "moved", "alone"]
    moves = [event for event in inbox.events if isinstance(event, ChatMoved)]
    assert {(move.event_id, move.new_chat) for move in moves} == {
        ("moved:77000077:-1:-1001", "-1001")
    }
    assert told(caplog) == ["telegram.group_moved"]


async def test_an_album_comes_as_parts_that_know_each_other(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.sends_album(ADA, ("one", "two"), "two views")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(2)
    assert texts(inbox) == ["two views", ""]
    assert [each.attachments[0].handle for each in inbox.messages] == ["one", "two"]
    assert len({each.album for each in inbox.messages}) == 1


async def test_a_kind_of_tomorrow_is_told_of_once(
    telegram: PretendedTelegram, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "channels.telegram")
    for _ in range(3):
        telegram.push({"an_update_of_tomorrow": {"id": 1}})
    telegram.says(ADA, "hello")
    inbox = RecordingInbox()
    async with running(channel, inbox):
        await inbox.wait_for(1)
    assert texts(inbox) == ["hello"]
    assert told(caplog) == ["telegram.unknown_kind"]
