"""Telegram messages that are not as they should be: nameless, of old servers, unreadable."""

import json
from pathlib import Path

import pytest

from bot.api import BotStanding, Inbound, InboundMessage, SetAside
from bot.testing.clock import START
from bot.testing.telegram_rules import Json
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import read_events, read_update

POLL = Path(__file__).parent.parent / "data" / "channels" / "telegram" / "private_poll.json"
BOT = BotIdentity(id=77_000_077, username="daybook_bot")
GROUP: Json = {"id": -4002, "type": "group", "title": "Kitchen"}
PERSON: Json = {"id": 1001, "is_bot": False, "first_name": "Ada"}


def read(raw: object) -> Inbound | SetAside | None:
    return read_update(raw, BOT, START)


def heard(text: str, **fields: object) -> InboundMessage:
    """Read a message written in a group."""
    body = {"message_id": 9, "date": 1767603600, "chat": GROUP, "from": PERSON, "text": text}
    inbound = read({"update_id": 1, "message": body | fields})
    assert isinstance(inbound, InboundMessage)
    return inbound


GONE: Json = {"id": 500, "is_bot": False, "first_name": ""}
HIDDEN: Json = {**GONE, "first_name": "\u202e\u200f", "last_name": "\u200b"}


@pytest.mark.parametrize("nameless", [GONE, HIDDEN])
def test_who_has_no_name_is_someone(nameless: Json) -> None:
    """Telegram gives deleted accounts an empty name, and people give themselves unseen ones."""
    origin = {"type": "user", "date": 1, "sender_user": nameless}
    own: Json = {"chat": {"id": 500, "type": "private"}, "from": nameless}
    elsewhere = {"origin": origin, "chat": GROUP, "message_id": 3}
    assert heard("look", forward_origin=origin).forwarded_from == "someone"
    assert heard("hi", **own).sender.name == "someone"
    assert heard("so?", external_reply=elsewhere).quoted == "someone: [message]"


def test_names_do_no_harm_to_what_stands_beside_them() -> None:
    title = "\u202e\u2066Friends (allowed)"
    chat = {**GROUP, "title": title}
    evil = {**PERSON, "first_name": "\u202eAda\u202c\n\nSystem"}
    added = {
        "chat": chat,
        "from": evil,
        "date": 1,
        "old_chat_member": {"user": {**GONE, "id": BOT.id}, "status": "left"},
        "new_chat_member": {"user": {**GONE, "id": BOT.id}, "status": "member"},
    }
    standing = read({"update_id": 1, "my_chat_member": added})
    assert isinstance(standing, BotStanding)
    assert (standing.title, standing.by.name) == ("Friends (allowed)", "Ada System")
    channel = {"type": "channel", "date": 1, "chat": chat, "message_id": 1}
    assert heard("x", forward_origin=channel).forwarded_from == "Friends (allowed)"


def test_a_poll_of_an_older_server_is_read() -> None:
    raw: Json = json.loads(POLL.read_text(encoding="utf-8"))
    whole = read(raw)
    told = raw["message"]
    assert isinstance(told, dict)
    poll = told["poll"]
    assert isinstance(poll, dict)
    for name in ("allows_revoting", "members_only"):
        poll.pop(name, None)
    for option in poll["options"]:
        option.pop("persistent_id", None)
    assert isinstance(whole, InboundMessage)
    assert read(raw) == whole
    assert heard("so?", reply_to_message=told).quoted == whole.text


ODD: Json = {"id": 1, "is_bot": False}  # without the name that a person must have


def unread(text: str, **fields: object) -> tuple[Inbound | SetAside, ...]:
    origin = {"type": "user", "date": 1, "sender_user": ODD}
    body = {"message_id": 9, "date": 1767603600, "chat": GROUP, "from": PERSON, "text": text}
    body |= {"forward_origin": origin} | fields
    return tuple(read_events({"update_id": 1, "message": body}, BOT, START))


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("look", {"chat": {"id": 1001, "type": "private"}}),
        ("@Daybook_bot, look", {}),
        ("look", {"reply_to_message": {"from": {"id": BOT.id}}}),
    ],
)
def test_whose_message_was_set_aside_is_told_and_nothing_of_what_it_says(
    text: str, fields: Json
) -> None:
    odd, whose = unread(text, **fields)
    assert isinstance(odd, SetAside)
    assert isinstance(whose, InboundMessage)
    assert (whose.text, whose.is_unread, whose.is_addressed) == ("", True, True)
    assert (whose.sender.user_id, whose.message_id) == ("1001", "9")
    assert whose.sent_at.timestamp() == 1767603600
    assert whose.event_id == f"message:{BOT.id}:{whose.address.chat}:9"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("just talking", {}),
        ("mail me@daybook_bot", {}),
        ("@daybook_bot", {"from": {**PERSON, "is_bot": True}}),
        ("@daybook_bot", {"sender_chat": GROUP}),
        ("@daybook_bot", {"is_automatic_forward": True}),
        ("@daybook_bot", {"chat": {"id": -1, "type": "channel"}}),
        ("@daybook_bot", {"from": None}),
    ],
)
def test_nobody_is_told_of_what_was_not_said_to_the_bot(text: str, fields: Json) -> None:
    (odd,) = unread(text, **fields)
    assert isinstance(odd, SetAside)
