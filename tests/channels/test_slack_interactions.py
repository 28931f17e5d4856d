"""Slash commands, buttons, the form of settings and the App Home, on the channel itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.api import ButtonPress, ChatAddress, HeardChat, HomePage, InboundMessage, SettingField
from bot.core.chat import ChatKind, Sender
from bot.testing.clock import START
from bot.testing.recording import NoScreens, RecordingInbox, WatchedClock, running
from bot.testing.slack_http import Answered, SlackCalls, free_port
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_views import home_opened, press, press_at_home, slash, submit
from channels.slack import Settings, build, modal
from channels.slack.interactions import NO_COMMAND, NOT_IN
from tests.channels.test_slack_home import PAGE
from tests.channels.test_slack_modal import FORM

DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
ROOM = replace(DIRECT, chat="C1ROOM")
SECRET = "0123456789abcdef" * 2
FAULT = "must be a whole number from 1 to 100"


class Shown(NoScreens):
    """Shows settings to Ada, and everybody a page."""

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None:
        return FORM if sender.user_id == "U1ADA" else None

    def faults(self, values: Mapping[str, str]) -> dict[str, str]:
        return {key: FAULT for key, value in values.items() if value == "999"}

    async def home(self, address: ChatAddress, sender: Sender) -> HomePage:
        return PAGE


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as slack:
        slack.state.channels |= {"D1ADA": "im", "C1ROOM": "channel"}
        yield slack


@pytest.fixture
async def inbox(slack: PretendedSlack) -> AsyncIterator[RecordingInbox]:
    inbox = RecordingInbox()
    inbox.screens = Shown()
    channel = build(Settings.model_validate(slack.settings), WatchedClock())
    async with running(channel, inbox):
        yield inbox


async def test_a_slash_command_is_stored_once_and_acknowledged_with_nothing(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    envelope = await slack.push_beside(slash("/context", "detail"))
    assert await slack.answer_to(envelope) is None
    await slack.redeliver(envelope.id)
    await slack.wait_for_acknowledged(2)

    first, again = inbox.messages
    assert first.event_id == again.event_id
    assert ("/context detail", DIRECT, "private") == (first.text, first.address, first.kind)
    assert ("Ada", True) == (first.sender.name, first.is_addressed)


@pytest.mark.parametrize(
    ("told", "count"),
    [
        ({"team_id": "T9OTHER"}, 0),
        ({"team": {"id": "T9OTHER"}}, 0),
        ({"team": {"id": "T9OTHER"}, "message": {"team": "T0TEAM"}}, 1),
        ({"team": None}, 1),
    ],
)
async def test_what_is_done_in_another_workspace_is_not_for_the_bot(
    slack: PretendedSlack, inbox: RecordingInbox, told: dict[str, object], count: int
) -> None:
    """In a channel that is shared the bot's message tells whose the button is."""
    given = (
        slash("/context")
        if "team_id" in told
        else press("a" * 32, channel="C1ROOM", message_ts="7.1", at="8.25")
    )
    await slack.push_beside(given | told)
    await slack.wait_for_acknowledged(1)
    assert count == len(inbox.events)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("stop", "/stop"),
        ("/context  clear", "/context  clear"),
        ("!new", "/new"),
        ("stop!", "/stop!"),
        ("help?", "/help?"),
        ("", "/help"),
        ("   ", "/help"),
    ],
)
async def test_all_commands_stand_behind_one(
    slack: PretendedSlack, inbox: RecordingInbox, written: str, text: str
) -> None:
    await slack.push_beside(slash("/daybook", written, channel="C1ROOM"))
    await inbox.wait_for(1)

    [message] = inbox.messages
    assert (text, ROOM, "group") == (message.text, message.address, message.kind)


async def test_in_a_direct_chat_it_is_of_the_newest_thread(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    pane = replace(DIRECT, thread="5.5")
    inbox.heard = (
        HeardChat(address=replace(ROOM, thread="9.9"), heard_at=START + timedelta(minutes=9)),
        HeardChat(address=pane, heard_at=START),
    )
    await slack.push_beside(slash("/context"))
    await inbox.wait_for(1)

    assert [pane] == [each.address for each in inbox.messages]


async def test_what_makes_no_sense_is_acknowledged(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    nonsense: tuple[dict[str, object], ...] = (
        {"command": "/context"},
        {"type": "block_actions", "actions": []},
        {"type": "view_submission", "view": 3},
        {"type": "view_closed"},
        {"type": "shortcut", "callback_id": "x"},
    )
    for payload in nonsense:
        await slack.answer_to(await slack.push_beside(payload))

    assert [] == inbox.events


async def test_a_press_names_the_button_and_the_thread(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    payload = press("a" * 32, channel="C1ROOM", message_ts="7.1", thread_ts="5.5", at="8.25")
    await slack.answer_to(await slack.push_beside(payload))

    [event] = inbox.events
    assert isinstance(event, ButtonPress)
    assert ("a" * 32, "7.1", replace(ROOM, thread="5.5")) == (
        event.token,
        event.message_id,
        event.address,
    )
    assert "press:T0TEAM:C1ROOM:7.1:8.25:U1ADA" == event.event_id
    assert 0 == slack.views.removed


async def test_what_one_person_alone_was_shown_is_taken_away_by_a_press(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    payload = press(
        "a" * 32, channel="C1ROOM", message_ts="7.1", at="8.25", response_url=slack.response_url
    )
    await slack.push_beside(payload)
    await inbox.wait_for(1)
    await slack.wait_until(lambda: slack.views.removed == 1)

    [event] = inbox.events
    assert isinstance(event, ButtonPress)
    assert "" == event.message_id, "nothing can take its place"


async def test_nobody_else_than_slack_is_told_of_a_press(
    slack: PretendedSlack, inbox: RecordingInbox, caplog: pytest.LogCaptureFixture
) -> None:
    payload = press(
        "a" * 32, channel="C1ROOM", message_ts="7.1", at="8.25", response_url="http://evil.test/x"
    )
    await slack.answer_to(await slack.push_beside(payload))
    await slack.answer_to(await slack.push_beside(slash("/stop")))

    assert ["view.not_shown"] == [each.message for each in caplog.records if "view" in each.message]


async def test_who_may_set_gets_the_form_and_what_was_changed_becomes_commands(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    await slack.push_beside(slash("/config"))
    await slack.wait_until(lambda: bool(slack.views.opened))
    [view] = slack.views.opened
    filled = submit(view, filled={"agent_max_steps": "7", "group_mode": "all"})
    assert await slack.answer_to(await slack.push_beside(filled)) is None
    assert await slack.answer_to(await slack.push_beside(filled)) is None

    assert ["/config agent_max_steps 7", "/config group_mode all"] == [
        each.text for each in inbox.messages[:2]
    ]
    assert len({each.event_id for each in inbox.messages}) == 2
    assert {DIRECT} == {each.address for each in inbox.messages}
    assert () == tuple(slack.views.faults)


async def test_a_wrong_value_is_told_at_its_field_and_sets_nothing(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    await slack.push_beside(slash("/config"))
    await slack.wait_until(lambda: bool(slack.views.opened))
    filled = submit(slack.views.opened[0], filled={"agent_max_steps": "999", "max_tokens": "300"})
    answer = await slack.answer_to(await slack.push_beside(filled))

    assert {"response_action": "errors", "errors": {"agent_max_steps": FAULT}} == answer
    assert [] == inbox.events


@pytest.mark.parametrize(
    "payload", [slash("/config", user="U2BOB"), slash("/config", "max_tokens")]
)
async def test_others_and_who_says_more_are_answered_in_words(
    slack: PretendedSlack, inbox: RecordingInbox, payload: dict[str, object]
) -> None:
    await slack.push_beside(payload)
    await inbox.wait_for(1)

    assert [] == slack.views.opened


async def test_a_form_that_cannot_be_shown_is_answered_in_words(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    slack.fail("views.open", "expired_trigger_id")
    await slack.push_beside(slash("/config"))
    await inbox.wait_for(1)

    assert ["/config"] == [each.text for each in inbox.messages]


async def test_the_home_is_shown_and_its_buttons_are_commands_of_the_direct_chat(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    await slack.push(home_opened(tab="messages"))
    await slack.push(home_opened())
    await slack.wait_until(lambda: bool(slack.views.homes))
    [view] = slack.views.homes["U1ADA"]
    await slack.push_beside(press_at_home(view, "Clear", at="8.25"))
    await inbox.wait_for(1)
    await slack.push_beside(press_at_home(view, "Settings", at="9.25"))
    await slack.wait_until(lambda: bool(slack.views.opened))

    [message] = inbox.events
    assert isinstance(message, InboundMessage)
    assert ("/context clear", DIRECT, "private") == (message.text, message.address, message.kind)
    await slack.wait_until(lambda: len(slack.views.homes["U1ADA"]) >= 2)  # shown anew after it
    assert [] == slack.views.faults


async def test_a_guest_stays_a_guest_whatever_they_press(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    slack.state.guests.add("U2BOB")
    await slack.push_beside(slash("/context", channel="C1ROOM", user="U2BOB"))
    payload = press("a" * 32, channel="C1ROOM", message_ts="7.1", at="8.25", user="U2BOB")
    await slack.push_beside(payload)
    await slack.push_beside(slash("/context", channel="C1ROOM", user="U9UNKNOWN"))
    await slack.push_beside(slash("/context", channel="C1ROOM"))
    await inbox.wait_for(4)

    guests = {each.sender.user_id for each in inbox.events if each.sender.is_guest}  # type: ignore[union-attr]  # all have one
    assert {"U2BOB", "U9UNKNOWN"} == guests


async def test_where_it_is_not_it_says_so_to_who_asked(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    answer = await slack.answer_to(await slack.push_beside(slash("/stop", channel="C9OTHER")))

    assert {"response_type": "ephemeral", "text": NOT_IN} == answer
    assert [] == inbox.events


@pytest.mark.parametrize("chat", ["C1ROOM", "D1ADA"])
@pytest.mark.parametrize("words", ["what's up?", "2+2", "\u00bfqu\u00e9?", "help@x", "https://a.b"])
async def test_what_is_no_command_is_answered_to_who_asked_and_kept_nowhere(
    slack: PretendedSlack, inbox: RecordingInbox, words: str, chat: str
) -> None:
    envelope = await slack.push_beside(slash("/daybook", words, channel=chat))

    answer = await slack.answer_to(envelope)
    assert {"response_type": "ephemeral", "text": NO_COMMAND} == answer
    assert [] == inbox.events


async def test_that_slack_does_not_say_where_it_is_holds_nothing_up(
    slack: PretendedSlack, inbox: RecordingInbox
) -> None:
    slack.fail("conversations.info", "500")
    await slack.push_beside(slash("/stop", channel="C1ROOM"))
    await inbox.wait_for(1)


async def test_over_http_it_is_all_the_same(slack: PretendedSlack) -> None:
    inbox, clock, port = RecordingInbox(), WatchedClock(), free_port()
    inbox.screens = Shown()
    http = {"mode": "http", "signing_secret": SECRET, "http_port": port}
    calls = SlackCalls(port, SECRET, clock)
    async with running(build(Settings.model_validate({**slack.settings, **http}), clock), inbox):
        command = await calls.sends_form(slash("/stop"))
        form = modal.view_of(FORM, DIRECT, "private")
        wrong = submit(form, filled={"agent_max_steps": "999"})
        refused = await calls.sends_form({"payload": json.dumps(wrong)})

    assert Answered(status=200, text="") == command
    assert {"response_action": "errors", "errors": {"agent_max_steps": FAULT}} == json.loads(
        refused.text
    )
    assert ["/stop"] == [each.text for each in inbox.messages]


async def test_elsewhere_than_told_it_does_not_listen(slack: PretendedSlack) -> None:
    inbox = RecordingInbox()
    settings = Settings.model_validate(slack.settings | {"channels": ["C2OTHER"]})
    async with running(build(settings, WatchedClock()), inbox):
        await slack.answer_to(await slack.push_beside(slash("/context", channel="C1ROOM")))
        await slack.answer_to(await slack.push_beside(slash("/context")))

    assert [DIRECT] == [each.address for each in inbox.messages]
