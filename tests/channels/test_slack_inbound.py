"""What Slack tells, as values."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import (
    ChatAddress,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Sender,
    SetAside,
    StopRequest,
)
from channels.slack.inbound import (
    Identity,
    Knowledge,
    Scene,
    earlier_of,
    from_history,
    to_inbound,
)
from channels.slack.payloads import Change, Deletion, Post
from channels.slack.workspace import ids_in

FOLDER = Path(__file__).parent.parent / "data" / "channels" / "slack"
ME = Identity(team_id="T0TEAM", user_id="U0BOT")
ADA = Sender(channel="slack", realm="T0TEAM", user_id="U1ADA", name="Ada")

Json = dict[str, object]


def recorded(name: str, **changed: object) -> Json:
    payload: Json = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    event = payload.get("event")
    if changed and isinstance(event, dict):
        payload["event"] = event | changed
    return payload


KNOWN = Knowledge(names={"U1ADA": "Ada", "C2DEV": "dev"})
SCENE = Scene(identity=ME, known=KNOWN, channel="C1ROOM")


def read(payload: Json, known: Knowledge = KNOWN) -> Inbound | SetAside | None:
    return to_inbound(payload, ME, known)


def message(name: str, known: Knowledge = KNOWN, **changed: object) -> InboundMessage:
    event = read(recorded(name, **changed), known)
    assert isinstance(event, InboundMessage)
    return event


def at(chat: str, thread: str = "") -> ChatAddress:
    return ChatAddress(channel="slack", account="T0TEAM", chat=chat, thread=thread)


def test_a_direct_message() -> None:
    assert read(recorded("message_im")) == InboundMessage(
        event_id="message:T0TEAM:D1ADA:1767603601.000100",
        address=at("D1ADA"),
        kind="private",
        sender=ADA,
        message_id="1767603601.000100",
        text="hello & welcome, 1 < 2",
        is_addressed=True,
        sent_at=datetime(2026, 1, 5, 9, 0, 1, 100, tzinfo=UTC),
    )


def test_a_mention_is_one_event_however_it_is_told() -> None:
    mention = message("app_mention")
    assert mention == message("message_channel_mention")
    assert mention.text == "Ask about #ops"
    assert mention.is_addressed


@pytest.mark.parametrize(
    ("name", "address", "kind", "is_addressed"),
    [
        ("message_im_thread", at("D1ADA", "1767603500.000001"), "private", True),
        ("message_channel_mention", at("C1ROOM", "1767603601.000100"), "group", True),
        ("message_channel_thread", at("C1ROOM", "1767603500.000001"), "group", False),
        ("message_group", at("G1SECRET", "1767603601.000100"), "group", True),
        ("message_mpim", at("C3MPIM", "1767603601.000100"), "group", True),
        ("thread_broadcast", at("C1ROOM", "1767603500.000001"), "group", True),
    ],
)
def test_where_and_for_whom(name: str, address: ChatAddress, kind: str, is_addressed: bool) -> None:
    found = message(name)
    assert (address, kind, is_addressed) == (found.address, found.kind, found.is_addressed)


def test_a_mention_in_a_direct_message_is_no_obstacle() -> None:
    assert message("message_im", text="<@U0BOT> hello").text == "hello"


@pytest.mark.parametrize(
    ("name", "is_addressed", "is_follow_up"),
    [
        ("message_channel_thread", False, True),
        ("message_to_somebody_else", False, False),
        ("message_reply_to_us", True, False),
        ("message_channel_mention", True, False),
        ("message_im_thread", True, False),
        ("thread_broadcast", True, False),
    ],
)
def test_what_may_be_meant_for_the_bot_because_of_its_thread(
    name: str, is_addressed: bool, is_follow_up: bool
) -> None:
    found = message(name)
    assert (is_addressed, is_addressed, is_follow_up) == (
        found.is_addressed,
        found.is_named,
        found.is_follow_up,
    )


@pytest.mark.parametrize(
    ("name", "is_named", "is_follow_up"),
    [("message_channel_thread", False, True), ("message_reply_to_us", True, False)],
)
def test_an_exclamation_goes_on_with_a_thread_as_other_words_do(
    name: str, is_named: bool, is_follow_up: bool
) -> None:
    found = message(name, text="!wow that is great")

    assert (is_named, is_follow_up) == (found.is_named, found.is_follow_up)
    assert not message(name, Knowledge(follows_threads=False), text="!wow").is_follow_up


def test_threads_are_not_followed_where_the_operator_wants_mentions() -> None:
    strict = Knowledge(follows_threads=False)
    for name in ("message_channel_thread", "message_reply_to_us"):
        found = message(name, strict)
        assert (False, False) == (found.is_addressed, found.is_follow_up)


def test_files_come_as_they_are_named() -> None:
    found = message("file_share")
    (file,) = found.attachments
    assert ("see this", "picture", "plan.png", 1024) == (
        found.text,
        file.kind,
        file.name,
        file.size_bytes,
    )


def test_files_of_all_kinds() -> None:
    found = message("file_share_of_all_kinds").attachments
    assert [
        (
            "sound",
            "audio_message.m4a",
            "https://files.slack.com/files-pri/T0TEAM-F2/audio_message.m4a",
        ),
        ("document", "plan.pdf", "https://files.slack.com/files-pri/T0TEAM-F3/plan.pdf"),
        ("document", "", ""),
    ] == [(file.kind, file.name, file.handle) for file in found]


def test_a_message_that_is_passed_on_is_quoted() -> None:
    found = message("message_shared")
    assert ("what does this mean?", "Bob: the build is red") == (found.text, found.quoted)


@pytest.mark.parametrize(
    ("guests", "names", "expected"),
    [
        (None, "message_of_another_workspace", False),
        (frozenset(), "message_of_another_workspace", True),
        (frozenset(), "message_channel_mention", False),
        (frozenset({"U1ADA"}), "message_channel_mention", True),
    ],
)
def test_guests_are_told_apart(guests: frozenset[str] | None, names: str, expected: bool) -> None:
    found = message(names, Knowledge(guests=guests))
    assert (expected, "T0TEAM") == (found.sender.is_guest, found.address.account)


def test_another_workspace_of_the_same_app_is_not_heard() -> None:
    payload = recorded("message_im") | {"team_id": "T9OTHER", "authorizations": []}
    assert read(payload) is None


def test_names_of_channels_and_groups() -> None:
    text = "<#C2DEV|> <#C2DEV> <#C3X|ops> <!subteam^S1> <!subteam^S1|@team> <!here>"
    assert "#dev #dev #ops @S1 @team @here" == message("message_im", text=text).text


def test_what_stands_in_a_history_is_read_as_if_it_were_told() -> None:
    told = recorded("message_channel_thread")["event"]
    assert isinstance(told, dict)
    raw = {key: value for key, value in told.items() if not key.startswith(("channel", "event"))}
    assert message("message_channel_thread") == from_history(raw, SCENE)
    for noise in ({"bot_id": "B9"}, {"subtype": "channel_join"}, {"ts": None}, {"user": "U0BOT"}):
        assert from_history(raw | noise, SCENE) is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"user": "U1ADA", "text": "<@U0BOT> so, <#C2DEV>"}, ("Ada", "so, #dev", False, True)),
        ({"user": "U0BOT", "bot_id": "B0", "text": "done"}, ("U0BOT", "done", True, False)),
        (
            {"subtype": "bot_message", "bot_id": "B9", "username": "ci", "text": "red"},
            ("ci", "red", False, False),
        ),
        (
            {"user": "U1ADA", "files": [{"name": "a.png", "mimetype": "image/png"}]},
            ("Ada", "[picture: a.png]", False, False),
        ),
        ({"user": "U1ADA", "subtype": "channel_join", "text": "joined"}, None),
        ({"user": "U1ADA", "text": ""}, None),
    ],
)
def test_what_was_said_before(raw: Json, expected: tuple[object, ...] | None) -> None:
    found = earlier_of({"ts": "1767603601.000100"} | raw, SCENE)
    if found is None:
        assert expected is None
    else:
        assert expected == (found.author, found.text, found.is_own, found.is_named)
        assert found.event_id == message("message_channel_thread").event_id


def test_an_edit_names_the_message_it_changes() -> None:
    edit = read(recorded("message_changed"))
    assert isinstance(edit, InboundEdit)
    assert edit.event_id == "edit:T0TEAM:D1ADA:1767603601.000100:1767603650.000000"
    assert edit.edited_at.timestamp() == 1767603650
    assert edit.message == message("message_im", text="after")


def test_an_edit_of_a_direct_message_with_replies_stays_where_the_message_was() -> None:
    payload = recorded("message_changed")
    event = payload["event"]
    assert isinstance(event, dict)
    event["message"]["thread_ts"] = event["message"]["ts"]
    edit = read(payload)
    assert isinstance(edit, InboundEdit)
    assert edit.message.address == at("D1ADA")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("message_deleted", at("D1ADA")),
        ("message_deleted_with_replies", at("C1ROOM", "1767603601.000100")),
    ],
)
def test_a_deletion(name: str, address: ChatAddress) -> None:
    ts = "1767603601.000100"
    assert read(recorded(name)) == InboundDeletion(
        event_id=f"deletion:T0TEAM:{address.chat}:{ts}",
        address=address,
        message_id=ts,
        message_event_id=f"message:T0TEAM:{address.chat}:{ts}",
    )


def test_the_bots_own_message_taken_back_is_no_deletion() -> None:
    previous = {"user": "U0BOT", "bot_id": "B0BOT", "text": "an answer"}
    assert read(recorded("message_deleted", previous_message=previous)) is None


def test_the_stop_button() -> None:
    assert read(recorded("agent_session_stopped")) == StopRequest(
        event_id="stop:T0TEAM:D1ADA:1767603500.000001:1767603670.000100",
        address=at("D1ADA", "1767603500.000001"),
        sender=ADA,
    )


@pytest.mark.parametrize(
    "name",
    [
        "message_changed_unfurl",
        "message_changed_by_us",
        "bot_message",
        "message_by_us",
        "channel_join",
        "assistant_thread_started",
        "assistant_thread_context_changed",
        "app_home_opened",
        "channel_created",
        "app_rate_limited",
        "slash_command",
    ],
)
def test_not_for_us(name: str) -> None:
    assert read(recorded(name)) is None


@pytest.mark.parametrize(
    "changed",
    [{"ts": None}, {"ts": "soon"}, {"ts": "9" * 20 + ".1"}, {"channel": {"id": "C1"}}, {"text": 5}],
)
def test_what_cannot_be_read_is_set_aside(changed: Json) -> None:
    payload = recorded("message_im", **changed)
    found = read(payload)
    assert isinstance(found, SetAside)
    assert ("event:Ev01", "slack", payload) == (
        found.event_id,
        found.channel,
        json.loads(found.raw),
    )
    assert next(iter(changed)) in found.reason


def test_half_a_character_is_replaced_so_that_it_can_be_written_down() -> None:
    assert message("message_im", text="half \ud83d").text == "half \ufffd"


def test_names_worth_knowing() -> None:
    (event,) = (recorded("message_im", text="<@U2BOB> in <#C2DEV|> and <#C3X|ops>")["event"],)
    assert isinstance(event, dict)
    assert {"U1ADA", "U2BOB", "C2DEV"} == ids_in((event,))
    assert {"U1ADA", "U2BOB", "C2DEV"} == ids_in(({"message": event},))
    assert frozenset() == ids_in(({"user": {"id": "U1"}, "text": 5}, {}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
FIELDS = (*Post.model_fields, *Change.model_fields, *Deletion.model_fields)
SUBTYPES = st.sampled_from([None, "message_changed", "message_deleted", "tombstone", "x"])


@given(st.dictionaries(st.sampled_from(FIELDS), JSON | SUBTYPES, max_size=6), SUBTYPES, JSON)
def test_no_payload_raises(changed: Json, subtype: str | None, team: object) -> None:
    event = {"type": "message", "subtype": subtype, "channel": "C1"} | changed
    found = to_inbound({"event": event, "team_id": team}, ME)
    assert not isinstance(found, StopRequest)


def test_a_command_in_a_channel_is_heard_without_a_mention() -> None:
    heard = message("message_channel_thread", text="!stop")

    assert (heard.text, heard.is_addressed, heard.is_named) == ("!stop", True, False)
