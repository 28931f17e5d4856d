"""What Telegram's updates say: who spoke, where, to whom, and what."""

import copy
import json
from pathlib import Path

import pytest

from bot.api import Inbound, InboundEdit, InboundMessage, SetAside
from bot.testing.clock import START
from bot.testing.telegram_rules import Json
from channels.telegram.inbound import BotIdentity
from channels.telegram.intake import read_update

PAYLOADS = Path(__file__).parent.parent / "data" / "channels" / "telegram"
BOT = BotIdentity(id=77_000_077, username="daybook_bot")
GROUP = {"id": -4002, "type": "group", "title": "Kitchen"}
PERSON = {"id": 1001, "is_bot": False, "first_name": "Ada"}


def recorded(name: str) -> Json:
    payload: Json = json.loads((PAYLOADS / f"{name}.json").read_text(encoding="utf-8"))
    return payload


def read(raw: object) -> Inbound | SetAside | None:
    return read_update(raw, BOT, START)


def message(name: str) -> InboundMessage:
    inbound = read(recorded(name))
    assert isinstance(inbound, InboundMessage)
    return inbound


def said(text: str, **fields: object) -> Inbound | SetAside | None:
    """Read a message written in a group."""
    body = {"message_id": 9, "date": 1767603600, "chat": GROUP, "from": PERSON, "text": text}
    return read({"update_id": 1, "message": body | fields})


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
        ("private_quote", "and this?", True),
        ("group_mention", "👋 what is for dinner?", True),
        ("group_other_bot", "@daybook_bot2 hello", False),
        ("topic_message", "just talking", False),
        ("topic_reply_to_bot", "thanks, go on", True),
        ("thread_of_replies", "/status", True),
        ("group_general_topic", "/status", True),
        ("anonymous_admin", "/config", True),
        ("group_said_as_channel", "hi", True),
        ("future_fields", "hello", True),
    ],
)
def test_messages_of_people(name: str, text: str, is_addressed: bool) -> None:
    assert (message(name).text, message(name).is_addressed) == (text, is_addressed)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("private_sticker", "👍"),
        ("private_sticker_plain", "[sticker]"),
        ("private_custom_emoji", "nice 👍"),
        ("private_contact", "[contact: Ben K., +15550100]"),
        ("private_location", "[location: 52.520008, 13.404954]"),
        ("private_live_location", "[live location: 52.520008, 13.404954]"),
        ("private_venue", "[place: Tea House, Green Lane 1 (52.520000, 13.400000)]"),
        ("private_poll", "[poll: Which day?\n- Monday\n- Friday]"),
        ("private_checklist", "[checklist: Move\n- [x] boxes\n- [ ] keys]"),
        ("private_dice", "[🎲: 4]"),
        ("private_game", "[game]"),
        ("private_story", "[story]"),
    ],
)
def test_what_is_no_file_is_told_in_words(name: str, text: str) -> None:
    assert (message(name).text, message(name).attachments) == (text, ())


@pytest.mark.parametrize(
    ("name", "text", "file"),
    [
        ("private_photo", "what is this?", ("picture", "", "image/jpeg", "x2", 52_000)),
        ("private_huge_photo", "", ("picture", "", "image/jpeg", "p1280", 4_900_000)),
        ("private_live_photo", "", ("picture", "", "image/jpeg", "p800", 60_000)),
        ("private_picture_as_file", "", ("picture", "roof.png", "image/png", "d2", 1_200_000)),
        ("private_document", "", ("document", "plan.pdf", "application/pdf", "d1", 70_000)),
        ("private_voice", "", ("sound", "voice message (0:03)", "audio/ogg", "v1", 9_000)),
        ("private_audio", "", ("sound", "song.mp3 (3:05)", "audio/mpeg", "a1", 3_000_000)),
        ("private_video", "look", ("video", "roof.mp4 (1:15)", "video/mp4", "v1", 9_000_000)),
        ("private_video_note", "", ("video", "video message (0:07)", "", "vn1", 400_000)),
        ("private_animation", "", ("video", "animation (0:02)", "video/mp4", "g1", 90_000)),
    ],
)
def test_files_are_fetched_later(name: str, text: str, file: tuple[object, ...]) -> None:
    (attached,) = message(name).attachments
    assert message(name).text == text
    assert file == (
        attached.kind,
        attached.name,
        attached.media_type,
        attached.handle,
        attached.size_bytes,
    )


def test_every_form_of_a_picture_too_large_leaves_the_smallest() -> None:
    forms = [
        {"file_id": name, "file_unique_id": name, "file_size": size, "width": side, "height": side}
        for name, side, size in (("b", 4000, 9_000_000), ("a", 3000, 6_000_000))
    ]
    assert [each.handle for each in heard("", photo=forms).attachments] == ["a"]


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("image/gif", "picture"),
        ("image/svg+xml", "document"),
        ("audio/flac", "sound"),
        ("video/webm", "video"),
        ("text/plain", "document"),
        (None, "document"),
    ],
)
def test_a_document_is_what_its_type_says(media_type: str | None, kind: str) -> None:
    document = {"file_id": "d", "file_unique_id": "u", "mime_type": media_type, "file_size": -5}
    (attached,) = heard("", document=document).attachments
    assert (attached.kind, attached.name, attached.size_bytes) == (kind, "", None)


def test_the_parts_of_an_album_know_each_other() -> None:
    one, two = message("private_album_one"), message("private_album_two")
    assert (one.album, two.album, message("private_photo").album) == ("13000", "13000", "")
    assert (one.text, two.text) == ("two views", "")
    assert len((*one.attachments, *two.attachments)) == 2


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("forward_of_person", "Ben"),
        ("forward_of_hidden", "A neighbour"),
        ("forward_of_group", "Builders"),
        ("forward_of_channel", "News"),
        ("private_via_bot", "@cats_bot"),
        ("private_text", ""),
    ],
)
def test_whose_words_they_are(name: str, author: str) -> None:
    assert message(name).forwarded_from == author


def test_links_and_code_keep_what_makes_them_so() -> None:
    assert message("private_formatted").text == (
        "See the [plan](https://example.org/plan), run `make all` and:\n"
        "```python\nprint(1)\n```\nthanks 👍"
    )


@pytest.mark.parametrize(
    "name",
    [
        *("group_join", "group_from_bot", "group_pinned", "group_own_inline", "topic_created"),
        *("group_linked_channel_post", "live_location_edit", "future_kind"),
    ],
)
def test_what_nobody_said_is_not_heard(name: str) -> None:
    assert read(recorded(name)) is None


def test_a_private_message_in_full() -> None:
    told = message("private_text")
    assert told.event_id == "message:77000077:1001:11"
    assert told.address.session_key == "telegram:77000077:1001:"
    assert (told.kind, told.message_id, told.quoted) == ("private", "11", "")
    assert (told.sender.person_key, told.sender.name) == ("telegram::1001", "Ada L.")
    assert told.sender.language == "en"
    assert told.sent_at.isoformat() == "2026-01-05T09:00:00+00:00"


def test_an_edit_has_its_own_identity() -> None:
    edit = read(recorded("private_edit"))
    assert isinstance(edit, InboundEdit)
    assert edit.event_id.startswith("edit:77000077:1001:11:1767603630:")
    assert edit.edited_at.timestamp() == 1767603630
    assert (edit.message.event_id, edit.message.text) == (
        "message:77000077:1001:11",
        "What is on tomorrow?",
    )


def test_two_edits_in_one_second_are_told_apart() -> None:
    """Telegram's moments are whole seconds: by them alone the second would be a redelivery."""
    first = recorded("private_edit")
    edited = first["edited_message"]
    assert isinstance(edited, dict)
    second = {**first, "edited_message": edited | {"text": "What is on next week?"}}

    told = [read(each) for each in (first, second, second)]

    ids = [each.event_id for each in told if isinstance(each, InboundEdit)]
    assert (len(ids), len(set(ids))) == (3, 2)


def test_an_edit_by_a_bot_is_not_heard() -> None:
    update = recorded("group_from_bot")
    message = update.pop("message")
    assert isinstance(message, dict)
    edited = message | {"edit_date": 1767603630}
    assert read({**update, "edited_message": edited}) is None


def test_a_reply_brings_the_picture_that_the_bot_may_not_have_seen() -> None:
    told = message("group_reply_to_photo")
    assert (told.text, told.quoted) == ("what is it?", "guess\n\n[picture]")
    assert [each.handle for each in told.attachments] == ["p800"]
    assert [each.handle for each in message("private_external_reply").attachments] == ["p800"]
    photo = [{"file_id": "x", "file_unique_id": "x", "width": 1, "height": 1}]
    mine: Json = {"id": BOT.id, "is_bot": True, "first_name": "Daybook"}
    target = {"message_id": 8, "date": 1, "chat": GROUP, "from": mine, "photo": photo}
    assert heard("so?", reply_to_message=target).attachments == ()


def test_an_edit_of_a_caption_is_one() -> None:
    edit = read(recorded("edit_caption"))
    assert isinstance(edit, InboundEdit)
    assert (edit.message.text, len(edit.message.attachments)) == ("and this?", 1)


def test_only_a_topic_is_a_thread() -> None:
    assert message("topic_message").address.thread == "31"
    assert message("private_topic").address.session_key == "telegram:77000077:1001:5"
    assert message("group_general_topic").address.thread == ""
    assert message("thread_of_replies").address.thread == ""


def test_a_reply_quotes_what_it_is_about() -> None:
    assert message("private_quote").quoted == "a letter"
    assert message("topic_reply_to_bot").quoted == "The roof needs 40 tiles."
    assert message("topic_message").quoted == ""
    assert message("private_quote_part").quoted == "40 tiles"
    assert message("private_external_reply").quoted == "News: rain tomorrow\n[picture]"
    assert message("private_reply_to_story").quoted == "[story of Ben]"
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


@pytest.mark.parametrize(
    ("text", "entities"),
    [
        ("/new@other_bot", entity("bot_command", 0, 14)),
        (
            "/ask@other_bot @daybook_bot",
            [*entity("bot_command", 0, 14), *entity("mention", 15, 12)],
        ),
    ],
)
def test_a_command_for_another_bot_is_its_whatever_it_replies_to(
    text: str, entities: list[Json]
) -> None:
    ours = {"message_id": 8, "date": 1767603600, "chat": GROUP, "text": "hi"}
    ours["from"] = {"id": BOT.id, "is_bot": True, "first_name": "Day", "username": BOT.username}
    told = heard(text, entities=entities, reply_to_message=ours)

    assert (told.is_addressed, told.is_named) == (False, False)


def test_in_a_private_chat_there_is_no_other_bot() -> None:
    chat = {"id": 1001, "type": "private", "first_name": "Ada"}
    told = heard("/new@other_bot", entities=entity("bot_command", 0, 14), chat=chat)

    assert (told.is_addressed, told.is_named) == (True, True)


def test_a_caption_counts_like_a_text() -> None:
    told = said(
        "",
        caption="@daybook_bot what is it?",
        caption_entities=entity("mention", 0, 12),
        photo=[{"file_id": "a", "file_unique_id": "b", "width": 1, "height": 1}],
    )
    assert isinstance(told, InboundMessage)
    assert (told.text, told.is_addressed) == ("what is it?", True)


def test_half_a_character_cannot_get_in() -> None:
    assert heard("a \ud83d b").text == "a \N{REPLACEMENT CHARACTER} b"


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
    aside = read(update)
    assert isinstance(aside, SetAside)
    assert aside.event_id == f"update:77000077:{update['update_id']}"
    assert json.loads(aside.raw) == update
    assert aside.reason


@pytest.mark.parametrize("raw", [None, 7, "x", [], {}, {"update_id": True}, {"update_id": "1"}])
def test_what_is_no_update_is_set_aside_under_a_stable_name(raw: object) -> None:
    first, second = read(raw), read(raw)
    assert isinstance(first, SetAside)
    assert first == second
    assert first.event_id.startswith("unnumbered:")
