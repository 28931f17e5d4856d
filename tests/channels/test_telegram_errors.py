"""Every kind of error that Telegram answers with: known again, and what follows from it."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from telegram.error import BadRequest, NetworkError

from bot.api import (
    Channel,
    ChannelAuthError,
    ChatAddress,
    DeliveryError,
    FateUnknown,
    OutgoingFile,
    Reply,
)
from bot.testing.channels import WatchedClock
from bot.testing.telegram_rules import NOT_MODIFIED
from bot.testing.telegram_server import Fault, PretendedTelegram
from channels.telegram import Settings, build, connection
from channels.telegram.failures import ERRORS, ErrorName, kind_of
from tests.channels.test_telegram_receiving import stuck_server

PAGE = Path(__file__).parents[2] / "docs" / "telegram.md"
ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
TOPIC = replace(ADA, chat="-100200", thread="11")

SAID: dict[str, ErrorName] = {
    "Bad Request: message is not modified: specified new message content": "unmodified",
    "Bad Request: message to be replied not found": "reply gone",
    "Bad Request: REPLY_MESSAGE_ID_INVALID": "reply gone",
    "Bad Request: message thread not found": "thread gone",
    "Bad Request: TOPIC_DELETED": "thread gone",
    "Forbidden: bot was blocked by the user": "blocked",
    "Forbidden: user is deactivated": "blocked",
    "Forbidden: bot was kicked from the supergroup chat": "blocked",
    "Forbidden: bot is not a member of the supergroup chat": "blocked",
    "Bad Request: chat not found": "chat gone",
    "Bad Request: group chat was deactivated": "chat gone",
    "Bad Request: not enough rights to send text messages to the chat": "no rights",
    "Bad Request: CHAT_WRITE_FORBIDDEN": "no rights",
    "Bad Request: TOPIC_CLOSED": "no rights",
    "Bad Request: message to edit not found": "edit refused",
    "Bad Request: message can't be edited": "edit refused",
    "Bad Request: there is no text in the message to edit": "edit refused",
    "Bad Request: message is too long": "too long",
    "Bad Request: message caption is too long": "too long",
    "Bad Request: can't parse entities: unsupported start tag": "formatting",
    "Bad Request: ENTITY_BOUNDS_INVALID": "formatting",
    "Bad Request: PHOTO_INVALID_DIMENSIONS": "picture",
    "Bad Request: IMAGE_PROCESS_FAILED": "picture",
    "Bad Request: something new": "refused",
    "Forbidden: something new": "refused",
}


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.state.chat(1001, "private")
        server.says(-100200, "hello", chat_type="supergroup", thread=11)
        yield server


@pytest.fixture
async def channel(telegram: PretendedTelegram) -> AsyncIterator[Channel]:
    settings = Settings(
        token=SecretStr(telegram.token), base_url=telegram.base_url, messages_per_second=0
    )
    made = build(settings, WatchedClock())
    yield made
    await made.close()


def test_the_page_shows_the_table_of_the_code() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## What happens with each error\n")[2]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", section.partition("\n## ")[0], re.MULTILINE)

    assert rows[1:] == [(kind.said, kind.happens) for kind in ERRORS]


def test_every_kind_has_another_name_and_its_words_are_found_in_order() -> None:
    assert len({kind.name for kind in ERRORS}) == len(ERRORS)
    for kind in ERRORS:
        for words in kind.words:
            assert kind_of(BadRequest(f"Bad Request: {words.upper()}")) is kind


@pytest.mark.parametrize("said", SAID)
def test_what_telegram_says_is_known_again(said: str) -> None:
    assert kind_of(BadRequest(said)).name == SAID[said]


def test_words_of_others_are_not_taken_for_telegrams() -> None:
    """A proxy's page, or the network's error, would else have a message sent twice."""
    assert kind_of(NetworkError("Bad Gateway: can't parse entities")).name == "broken"
    assert kind_of(NetworkError("Request Entity Too Large (413)")).name == "too long"
    assert kind_of(NetworkError("Too Many Requests (429)")).name == "limited"


def fault_of(said: str) -> Fault:
    return "forbidden" if said.startswith("Forbidden") else "bad_request"


MENDED = {
    "reply gone": ("answer", 11, False, True),
    "thread gone": ("answer\n\n(Its topic is gone.)", 0, True, True),
    "formatting": ("**answer**", 11, True, False),
}
"""What is sent in the end: text, topic, whether it points at the message, and is formatted."""


@pytest.mark.parametrize("said", [said for said, name in SAID.items() if name in MENDED])
async def test_what_can_be_sent_in_another_form_is(
    telegram: PretendedTelegram, channel: Channel, said: str
) -> None:
    telegram.fail("sendMessage", "bad_request", description=said)
    await channel.send(Reply(address=TOPIC, text="**answer**", reply_to="1"))

    assert [MENDED[SAID[said]]] == [
        (call.text, call.thread, "reply_parameters" in call.params, bool(call.entities))
        for call in telegram.sent
    ]


@pytest.mark.parametrize("said", [said for said, name in SAID.items() if name not in MENDED])
async def test_what_nothing_mends_is_given_up_with_telegrams_words(
    telegram: PretendedTelegram, channel: Channel, said: str
) -> None:
    telegram.fail("sendMessage", fault_of(said), description=said)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(Reply(address=TOPIC, text="**answer**", reply_to="1"))

    error = raised.value
    assert (type(error), error.can_retry, error.retry_after_s) == (DeliveryError, False, None)
    assert said.partition(": ")[2].lower() in str(error).lower()
    assert telegram.sent == ()


async def test_all_that_is_disliked_is_taken_away_one_by_one(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.move_chat(-100200, -100300)
    for said in ("TOPIC_DELETED", "can't parse entities", "message to be replied not found"):
        telegram.fail("sendMessage", "bad_request", description=f"Bad Request: {said}")
    await channel.send(Reply(address=TOPIC, text="**answer**", reply_to="1"))

    (sent,) = telegram.sent
    assert (sent.chat_id, sent.thread, sent.text) == (
        -100300,
        0,
        "**answer**\n\n*(Its topic is gone.)*",
    )
    assert "reply_parameters" not in sent.params


async def test_a_refusal_that_nothing_mends_does_not_come_again(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    said = "Bad Request: can't parse entities"
    telegram.fail("sendMessage", "bad_request", description=said, times=3)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(Reply(address=ADA, text="**answer**"))
    await channel.send(Reply(address=ADA, text="**another**"))

    assert not raised.value.can_retry
    assert [call.text for call in telegram.sent] == ["**another**"]


@pytest.mark.parametrize("said", [said for said, name in SAID.items() if name == "edit refused"])
async def test_an_edit_that_is_refused_is_never_made_again(
    telegram: PretendedTelegram, channel: Channel, said: str
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="a"))
    telegram.fail("editMessageText", "bad_request", description=said)
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, Reply(address=ADA, text="b"))

    assert (type(raised.value), raised.value.can_retry) == (DeliveryError, False)


async def test_an_edit_that_changes_nothing_is_not_made(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="*a*"))
    await channel.edit(receipt, Reply(address=ADA, text="*a*"))
    await channel.edit(receipt, Reply(address=ADA, text="a"))
    await channel.edit(receipt, Reply(address=ADA, text="a"))

    assert [(call.text, len(call.entities)) for call in telegram.edits] == [("a", 0)]


async def test_what_a_broken_edit_shows_is_not_known_and_so_made_again(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="a"))
    telegram.fail("editMessageText", "drop_after")
    with pytest.raises(DeliveryError):
        await channel.edit(receipt, Reply(address=ADA, text="b"))
    telegram.state.chats[1001].messages[int(receipt.message_id)]["text"] = "a"
    await channel.edit(receipt, Reply(address=ADA, text="b"))
    await channel.edit(receipt, Reply(address=ADA, text="b"))

    assert [call.text for call in telegram.edits] == ["b", "b"]


async def test_an_edit_of_what_shows_it_already_is_well(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="a"))
    telegram.state.chats[1001].messages[int(receipt.message_id)] |= {"text": "b", "entities": []}
    await channel.edit(receipt, Reply(address=ADA, text="b"))

    assert telegram.edits == ()


async def test_a_draft_that_shows_it_already_is_well(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    """An error that is no use to repeat would end the showing of the whole answer."""
    telegram.fail("sendMessageDraft", "bad_request", description=NOT_MODIFIED)
    await channel.show_draft(ADA, 7, "thinking")

    assert telegram.drafts == ()


async def test_an_answer_that_never_comes_to_its_end_is_given_up(
    telegram: PretendedTelegram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_LIMIT_S", 0.2)
    async with stuck_server(trickles=True, to_all=True) as base_url:
        channel = build(
            Settings(token=SecretStr(telegram.token), base_url=base_url), WatchedClock()
        )
        with pytest.raises(FateUnknown):
            await channel.send(Reply(address=ADA, text="answer"))
        await channel.close()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("rate_limited", DeliveryError),
        ("unauthorised", ChannelAuthError),
        ("not_found", ChannelAuthError),
        ("conflict", DeliveryError),
        ("server_error", FateUnknown),
        ("garbage", FateUnknown),
        ("drop_after", FateUnknown),
    ],
)
async def test_a_file_fails_like_a_message(
    telegram: PretendedTelegram, channel: Channel, fault: Fault, kind: type[Exception]
) -> None:
    file = OutgoingFile(name="notes.txt", media_type="text/plain", content=b"notes")
    telegram.fail("sendDocument", fault)
    with pytest.raises(kind) as raised:
        await channel.send(Reply(address=ADA, text="", file=file))

    assert type(raised.value) is kind
