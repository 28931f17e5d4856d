"""What Telegram's updates say: who spoke, where, to whom, and what."""

import copy
import json
from pathlib import Path

import pytest

from bot.api import Inbound, InboundEdit, InboundMessage, SetAside
from bot.testing.telegram_rules import Json
from channels.telegram.inbound import BotIdentity
from channels.telegram.receive import read_update

PAYLOADS = Path(__file__).parent.parent / "data" / "channels" / "telegram"
BOT = BotIdentity(id=77_000_077, username="daybook_bot")
GROUP = {"id": -4002, "type": "group", "title": "Kitchen"}
PERSON = {"id": 1001, "is_bot": False, "first_name": "Ada"}


def recorded(name: str) -> Json:
    payload: Json = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return payload


def message(name: str) -> InboundMessage:
    inbound = read_update(recorded(name), BOT)
    assert isinstance(inbound, InboundMessage)
    return inbound


def said(text: str, **fields: object) -> Inbound | SetAside | None:
    """Read a message written in a group."""
    body = {"message_id": 9, "date": 1767603600, "chat": GROUP, "from": PERSON, "text": text}
    return read_update({"update_id": 1, "message": body | fields}, BOT)


def heard(text: str, **fields: object) -> InboundMessage:
    inbound = said(text, **fields)
    assert isinstance(inbound, InboundMessage)
    return inbound


def entity(kind: str, offset: int, length: int, **fields: object) -> list[Json]:
    return [{"type": kind, "offset": offset, "length": length, **fields}]


@pytest.mark.parametrize(
    ("name", "text", "is_addressed"),
    [
        ("private_text", "What is on today? 📅", True),
        ("private_command", "/context detail", True),
        ("private_photo", "what is this?\n\n[photo]", True),
        ("private_voice", "[voice message]", True),
        ("private_document", "[document: plan.pdf]", True),
        ("private_sticker", "[sticker]", True),
        ("private_quote", "and this?", True),
        ("group_mention", "👋 what is for dinner?", True),
        ("group_other_bot", "@daybook_bot2 hello", False),
        ("topic_message", "just talking", False),
        ("topic_reply_to_bot", "thanks, go on", True),
        ("thread_of_replies", "/status", True),
        ("anonymous_admin", "/config", True),
        ("future_fields", "hello", True),
    ],
)
def test_messages_of_people(name: str, text: str, is_addressed: bool) -> None:
    assert (message(name).text, message(name).is_addressed) == (text, is_addressed)


@pytest.mark.parametrize(
    "name",
    [
        *("group_join", "group_migrated", "group_from_bot", "topic_created", "channel_post"),
        *("my_chat_member", "future_kind", "live_location_edit"),
    ],
)
def test_what_nobody_said_is_not_heard(name: str) -> None:
    assert read_update(recorded(name), BOT) is None


def test_a_private_message_in_full() -> None:
    told = message("private_text")
    assert told.event_id == "message:77000077:1001:11"
    assert told.address.session_key == "telegram:77000077:1001:"
    assert (told.kind, told.message_id, told.quoted) == ("private", "11", "")
    assert (told.sender.person_key, told.sender.name) == ("telegram::1001", "Ada L.")
    assert told.sender.language == "en"
    assert told.sent_at.isoformat() == "2026-01-05T09:00:00+00:00"


def test_an_edit_has_its_own_identity() -> None:
    edit = read_update(recorded("private_edit"), BOT)
    assert isinstance(edit, InboundEdit)
    assert edit.event_id == "edit:77000077:1001:11:1767603630"
    assert (edit.message.event_id, edit.message.text) == (
        "message:77000077:1001:11",
        "What is on tomorrow?",
    )


def test_an_edit_by_a_bot_is_not_heard() -> None:
    update = recorded("group_from_bot")
    message = update.pop("message")
    assert isinstance(message, dict)
    edited = message | {"edit_date": 1767603630}
    assert read_update({**update, "edited_message": edited}, BOT) is None


def test_only_a_topic_is_a_thread() -> None:
    assert message("topic_message").address.thread == "31"
    assert message("thread_of_replies").address.thread == ""


def test_a_reply_quotes_what_it_is_about() -> None:
    assert message("private_quote").quoted == "a letter"
    assert message("topic_reply_to_bot").quoted == "The roof needs 40 tiles."
    assert message("topic_message").quoted == ""
    target = {"message_id": 8, "date": 1, "chat": GROUP, "from": PERSON, "text": "x" * 1001}
    assert heard("so?", reply_to_message=target).quoted == "x" * 1000


def test_an_anonymous_admin_is_no_person() -> None:
    sender = message("anonymous_admin").sender
    assert (sender.user_id, sender.name) == ("chat:-1001000000001", "Builders")
    assert sender.names == frozenset()


@pytest.mark.parametrize(
    ("text", "entities", "left"),
    [
        ("@daybook_bot", entity("mention", 0, 12), ""),
        ("@Daybook_BOT, hi", entity("mention", 0, 12), "hi"),
        ("hi @daybook_bot there", entity("mention", 3, 12), "hi there"),
        ("👍👍 @daybook_bot", entity("mention", 5, 12), "👍👍"),
        ("Day Book go", entity("text_mention", 0, 8, user={**PERSON, "id": BOT.id}), "go"),
        ("/ask@daybook_bot now", entity("bot_command", 0, 16), "/ask now"),
        ("/ask now", entity("bot_command", 0, 4), "/ask now"),
    ],
)
def test_the_bot_is_addressed_and_its_name_removed(
    text: str, entities: list[Json], left: str
) -> None:
    told = heard(text, entities=entities)
    assert (told.is_addressed, told.text) == (True, left)


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("@daybook_bot", []),
        ("mail me@daybook_bot", entity("email", 5, 14)),
        ("@daybook_bot2", entity("mention", 0, 13)),
        ("Ada", entity("text_mention", 0, 3, user=PERSON)),
        ("/ask@daybook_bot2 now", entity("bot_command", 0, 17)),
        ("look in /etc", entity("bot_command", 8, 4)),
    ],
)
def test_talk_among_others_is_left_as_it_is(text: str, entities: list[Json]) -> None:
    told = heard(text, entities=entities)
    assert (told.is_addressed, told.text) == (False, text)


def test_a_caption_counts_like_a_text() -> None:
    told = said(
        "",
        caption="@daybook_bot what is it?",
        caption_entities=entity("mention", 0, 12),
        photo=[{"file_id": "a", "file_unique_id": "b", "width": 1, "height": 1}],
    )
    assert isinstance(told, InboundMessage)
    assert (told.text, told.is_addressed) == ("what is it?\n\n[photo]", True)


def test_half_a_character_cannot_get_in() -> None:
    assert heard("a \ud83d b").text == "a \N{REPLACEMENT CHARACTER} b"


def test_groups_can_be_narrowed() -> None:
    update = recorded("group_mention")
    assert read_update(update, BOT, frozenset({-4002})) is not None
    assert read_update(update, BOT, frozenset({-4003})) is None
    assert read_update(recorded("private_text"), BOT, frozenset()) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"chat": None},
        {"chat": {"id": 5}},
        {"date": "yesterday"},
        {"date": 10**30},
        {"from": {"id": 3}},
        {"text": 12},
        {"text": ["a"]},
        {"entities": "none"},
        {"entities": [{"type": "mention", "offset": "x", "length": 1}]},
        {"reply_to_message": "what?"},
        {"message_id": None, "chat": []},
    ],
    ids=str,
)
def test_what_makes_no_sense_is_set_aside(change: Json) -> None:
    update = copy.deepcopy(recorded("group_mention"))
    body = update["message"]
    assert isinstance(body, dict)
    body |= change
    aside = read_update(update, BOT)
    assert isinstance(aside, SetAside)
    assert aside.event_id == f"update:77000077:{update['update_id']}"
    assert json.loads(aside.raw) == update
    assert aside.reason


@pytest.mark.parametrize("raw", [None, 7, "x", [], {}, {"update_id": True}, {"update_id": "1"}])
def test_what_is_no_update_is_set_aside_under_a_stable_name(raw: object) -> None:
    first, second = read_update(raw, BOT), read_update(raw, BOT)
    assert isinstance(first, SetAside)
    assert first == second
    assert first.event_id.startswith("unnumbered:")
