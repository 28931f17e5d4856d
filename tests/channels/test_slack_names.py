"""Names are learnt before a message is stored, and guests are told apart."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.api import InboundEdit, InboundMessage
from bot.testing.channels import RecordingInbox, WatchedClock, running
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build, names

DIRECT = "D1ADA"
ROOM = "C1ROOM"


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {DIRECT: "im", ROOM: "channel"}
        yield server


def settings_of(slack: PretendedSlack, **changed: object) -> Settings:
    return Settings.model_validate(slack.settings | changed)


async def test_the_first_message_has_the_names_already(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    slack.state.channels["C2DEV"] = "channel"
    slack.state.room_names["C2DEV"] = "dev"
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        event = slack.state.write(ROOM, "<@U0BOT> ask <@U2BOB> in <#C2DEV|>", user="U1ADA")
        await slack.tell(event)
        await slack.says(ROOM, "again")
        await inbox.wait_for(3)
    first, _, again = inbox.messages
    assert ("Ada", "ask @Bob in #dev") == (first.sender.name, first.text)
    assert "Ada" == again.sender.name
    assert 2 == slack.calls.count("users.info")
    assert 1 == slack.calls.count("conversations.info")


async def test_no_message_overtakes_one_that_waits_for_a_name(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        await slack.says(ROOM, "Ada is known from here on")
        await inbox.wait_for(1)
        await slack.says(ROOM, "first", user="U2BOB")
        await slack.says(ROOM, "second")
        await inbox.wait_for(3)
    assert ["first", "second"] == [message.text for message in inbox.messages[1:]]


async def test_a_name_that_takes_long_is_not_waited_for(
    slack: PretendedSlack, clock: WatchedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "LEARN_WITHIN_S", 0.05)
    slack.fail("users.info", "hang")
    inbox = RecordingInbox()
    async with running(build(settings_of(slack, guests="open"), clock), inbox):
        await slack.says(ROOM, "hello")
        await inbox.wait_for(1)
    assert "U1ADA" == inbox.messages[0].sender.name


async def test_who_may_be_a_guest_is_put_off_until_slack_says(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    slack.fail("users.info", "500")
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        await slack.says(DIRECT, "hello")
        await slack.wait_until(lambda: "users.info" in slack.calls)
        await slack.push({"type": "something_new"})
        await slack.wait_for_acknowledged(1)
        assert ((), 1) == (inbox.messages, len(slack.open_envelopes))
        await clock.advance(names.PAUSE_S)
        await slack.expire()
        await slack.wait_for_acknowledged(2)
    assert ["hello"] == [message.text for message in inbox.messages]


async def test_a_limit_of_slack_is_kept(slack: PretendedSlack, clock: WatchedClock) -> None:
    slack.fail("users.info", "429", retry_after_s=30)
    inbox = RecordingInbox()
    async with running(build(settings_of(slack, guests="open"), clock), inbox):
        await slack.says(ROOM, "hello")
        await clock.wait_for_naps(1)
        assert 1 == slack.calls.count("users.info")
        await clock.advance(30)
        await inbox.wait_for(1)
    assert ([30.0], "Ada") == (clock.naps, inbox.messages[0].sender.name)


@pytest.mark.parametrize(
    ("guests", "kind", "expected"),
    [
        ("closed", "guest", True),
        ("closed", "foreigner", True),
        ("closed", "unheard of", True),
        ("closed", "member", False),
        ("open", "guest", False),
        ("open", "foreigner", False),
        ("open", "unheard of", False),
    ],
)
async def test_guests(
    slack: PretendedSlack, clock: WatchedClock, guests: str, kind: str, expected: bool
) -> None:
    if kind == "guest":
        slack.state.guests.add("U2BOB")
    elif kind == "foreigner":
        slack.state.foreigners["U2BOB"] = "T9OTHER"
    elif kind == "unheard of":
        del slack.state.users["U2BOB"]
    inbox = RecordingInbox()
    async with running(build(settings_of(slack, guests=guests), clock), inbox):
        ts = await slack.says(DIRECT, "hello", user="U2BOB")
        await slack.edits_message(DIRECT, ts, "hello!")
        await inbox.wait_for(2)
    message, edit = inbox.events
    assert isinstance(message, InboundMessage)
    assert isinstance(edit, InboundEdit)
    assert (expected, expected) == (message.sender.is_guest, edit.message.sender.is_guest)


async def test_what_is_said_to_nobody_is_not_put_off(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    slack.fail("users.info", "500")
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        await slack.says(ROOM, "good morning, everybody")
        await slack.wait_for_acknowledged(1)
    assert [] == inbox.events


@pytest.mark.parametrize("in_thread", [False, True])
async def test_what_a_group_that_is_listened_to_says_is_put_off(
    slack: PretendedSlack, clock: WatchedClock, in_thread: bool
) -> None:
    """And in the threads where the bot takes part; elsewhere in threads nothing is."""
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        root = slack.state.write(ROOM, "shall we?", user="U1ADA")["ts"] if in_thread else ""
        for concerned in (False, True):
            inbox.concerned = frozenset({ROOM}) if concerned else frozenset()
            slack.fail("users.info", "500")
            await clock.advance(names.PAUSE_S)
            await slack.says(ROOM, "good morning", user="U2BOB", thread_ts=str(root))
            await slack.wait_until(lambda: not slack.state.users or "users.info" in slack.calls)
            await slack.push({"type": "something_new"})
            await slack.wait_for_acknowledged(2 if not concerned else 3)
            assert (0, concerned) == (len(inbox.events), bool(slack.open_envelopes))
        await clock.advance(names.PAUSE_S)
        await slack.expire()
        await slack.wait_for_acknowledged(4)
    assert ["good morning"] == [message.text for message in inbox.messages]


async def test_of_an_organization_who_is_of_this_workspace_is_no_guest(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    """Though Slack names another of its workspaces beside what they write."""
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        event = slack.state.write(DIRECT, "hello", user="U2BOB")
        await slack.tell(event | {"user_team": "T9OTHER"})
        await inbox.wait_for(1)
        slack.state.foreigners["U1ADA"] = "T9OTHER"
        await slack.tell(slack.state.write(DIRECT, "hi", user="U1ADA") | {"user_team": "T9OTHER"})
        await inbox.wait_for(2)
    assert [False, True] == [message.sender.is_guest for message in inbox.messages]


async def test_names_are_asked_for_anew_after_a_day(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        await slack.says(ROOM, "hello")
        await inbox.wait_for(1)
        slack.state.users["U1ADA"] = "Ada L."
        await clock.advance(names.KEPT_S + 1)
        await slack.says(ROOM, "the old name is not waited for")
        await slack.wait_until(lambda: slack.calls.count("users.info") == 2)
        told = 0
        while inbox.messages[-1].sender.name != "Ada L.":
            told += 1
            await slack.says(ROOM, "hello")
            await inbox.wait_for(2 + told)
    assert 2 == slack.calls.count("users.info")


async def test_where_people_live_is_known_with_their_names(
    slack: PretendedSlack, clock: WatchedClock
) -> None:
    inbox = RecordingInbox()
    async with running(build(settings_of(slack), clock), inbox):
        await slack.says(DIRECT, "hello")
        await slack.says(DIRECT, "hello", user="U2BOB")
        await inbox.wait_for(2)
    zones = {
        event.sender.name: event.sender.timezone
        for event in inbox.events
        if isinstance(event, InboundMessage)
    }
    assert {"Ada": "Europe/Lisbon", "Bob": ""} == zones
