"""Every kind of update is answered on purpose, and the handbook says how."""

import json
from pathlib import Path

import pytest
from telegram import Update
from telegram.constants import UpdateType

from bot.api import (
    BotStanding,
    ButtonPress,
    ChatMoved,
    Inbound,
    InboundEdit,
    InboundMessage,
    SetAside,
    StopRequest,
)
from bot.testing.clock import START
from bot.testing.telegram_rules import Json
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import read_update
from channels.telegram.updates import ALLOWED_UPDATES, UPDATES, unknown_kinds

ROOT = Path(__file__).parent.parent
PAYLOADS = ROOT / "data" / "channels" / "telegram"
PAGE = ROOT.parent / "docs" / "telegram.md"
BOT = BotIdentity(id=77_000_077, username="daybook_bot")
NEWER = "stopped_message_generation"
"""The one kind that the SDK does not know yet."""


def recorded(name: str) -> Json:
    payload: Json = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return payload


def read(name: str) -> Inbound | SetAside | None:
    return read_update(recorded(name), BOT, START)


def test_every_kind_the_sdk_knows_is_in_the_table() -> None:
    assert [kind.value for kind in UpdateType] == [each.name for each in UPDATES][:-1]
    assert UPDATES[-1].name == NEWER


def test_only_what_is_heard_is_asked_for() -> None:
    assert ALLOWED_UPDATES == [
        *("message", "edited_message", "callback_query", "my_chat_member", NEWER),
    ]


def test_the_handbook_has_the_same_table() -> None:
    rows = [
        f"| `{kind.name}` | {kind.meaning if kind.is_heard else f'ignored: {kind.meaning}'} |"
        for kind in UPDATES
    ]
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index("| update | what happens |")
    assert lines[start + 2 : start + 2 + len(rows)] == rows
    assert not lines[start + 2 + len(rows)].startswith("|")


@pytest.mark.parametrize("kind", [each.name for each in UPDATES])
def test_each_kind_has_a_payload_that_the_sdk_reads(kind: str) -> None:
    payloads = [recorded(path.stem) for path in sorted(PAYLOADS.glob("*.json"))]
    of_kind = [each for each in payloads if kind in each]
    assert of_kind
    for each in of_kind:
        update = Update.de_json(each, None)
        assert (kind in update.api_kwargs) == (kind == NEWER)
        if kind != NEWER:
            assert getattr(update, kind) is not None


@pytest.mark.parametrize("kind", [each.name for each in UPDATES if not each.is_heard])
def test_what_is_ignored_says_nothing(kind: str) -> None:
    payloads = [path.stem for path in PAYLOADS.glob("*.json") if kind in recorded(path.stem)]
    assert {name: read(name) for name in payloads} == dict.fromkeys(payloads)


def test_what_is_heard_becomes_its_own_kind_of_event() -> None:
    heard = {"message": InboundMessage, "edited_message": InboundEdit} | {
        "callback_query": ButtonPress,
        "my_chat_member": BotStanding,
        NEWER: StopRequest,
    }
    assert list(heard) == ALLOWED_UPDATES
    for path in PAYLOADS.glob("*.json"):
        event = read(path.stem)
        if event is not None and not isinstance(event, ChatMoved):
            (kind,) = set(heard) & set(recorded(path.stem))
            assert isinstance(event, heard[kind]), path.stem


def test_a_kind_of_tomorrow_is_noticed() -> None:
    assert unknown_kinds(recorded("future_kind")) == ("an_update_of_tomorrow",)
    assert unknown_kinds(recorded("private_text")) == ()


@pytest.mark.parametrize(
    ("name", "where", "message_id", "user"),
    [
        ("callback_query", "telegram:77000077:1001:", "90", "1001"),
        ("callback_query_in_topic", "telegram:77000077:-1001000000001:31", "92", "1002"),
        ("callback_query_of_old_message", "telegram:77000077:1001:", "3", "1001"),
    ],
)
def test_a_press_says_who_pressed_what_where(
    name: str, where: str, message_id: str, user: str
) -> None:
    press = read(name)
    assert isinstance(press, ButtonPress)
    assert (press.address.session_key, press.message_id) == (where, message_id)
    assert (press.sender.user_id, press.token, press.pressed_at) == (user, "Tok3nOfAButton", START)
    query = recorded(name)["callback_query"]
    assert isinstance(query, dict)
    assert press.event_id == f"press:77000077:{query['id']}"


def test_a_press_below_no_message_of_the_bot_is_none() -> None:
    assert read("callback_query_inline") is None


@pytest.mark.parametrize(
    ("name", "standing", "kind", "title"),
    [
        ("my_chat_member", "member", "group", "Kitchen"),
        ("standing_admin", "admin", "group", "Kitchen"),
        ("standing_silenced", "silenced", "group", "Builders"),
        ("standing_restricted_but_speaking", "member", "group", "Builders"),
        ("standing_restricted_and_gone", "gone", "group", "Builders"),
        ("standing_removed", "gone", "group", "Kitchen"),
        ("standing_left", "gone", "group", "Kitchen"),
        ("standing_blocked", "gone", "private", "Ada L."),
        ("standing_unblocked", "member", "private", "Ada L."),
    ],
)
def test_what_the_bot_is_in_a_chat(name: str, standing: str, kind: str, title: str) -> None:
    told = read(name)
    assert isinstance(told, BotStanding)
    assert (told.standing, told.kind, told.title, told.by.user_id) == (
        *(standing, kind, title),
        "1001",
    )
    assert told.changed_at.isoformat() == "2026-01-05T09:00:00+00:00"


def test_a_channel_is_no_place_for_the_bot() -> None:
    assert read("standing_in_channel") is None


def test_what_somebody_else_is_does_not_matter() -> None:
    update = recorded("standing_left")
    change = update["my_chat_member"]
    assert isinstance(change, dict)
    change["new_chat_member"] = {"user": change["from"], "status": "left"}
    assert read_update(update, BOT, START) is None


@pytest.mark.parametrize("name", ["group_migrated", "group_migrated_from"])
def test_a_move_is_one_event_whichever_side_tells_it(name: str) -> None:
    moved = read(name)
    assert isinstance(moved, ChatMoved)
    assert (moved.event_id, moved.new_chat) == (
        "moved:77000077:-4002:-1001000000009",
        "-1001000000009",
    )
    assert moved.address.session_key == "telegram:77000077:-4002:"


@pytest.mark.parametrize(("name", "thread"), [(NEWER, ""), ("stopped_in_topic", "5")])
def test_the_stop_button_stops_the_chat_it_is_in(name: str, thread: str) -> None:
    stop = read(name)
    assert isinstance(stop, StopRequest)
    assert stop.address.session_key == f"telegram:77000077:1001:{thread}"
    assert (stop.sender.user_id, stop.sender.name) == ("1001", "Ada L.")
    assert stop.event_id.split(":")[3] == str(stop.draft_id) != "0"


@pytest.mark.parametrize("body", [7, {}, {"chat": {"id": "x"}}, {"chat": {"id": 5}, "draft_id": 1}])
def test_a_stop_that_makes_no_sense_is_set_aside(body: object) -> None:
    assert isinstance(read_update({"update_id": 5, NEWER: body}, BOT, START), SetAside)
