"""Files and buttons on their way out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from bot.api import Button, Channel, ChatAddress, DeliveryError, OutgoingFile, Reply
from bot.testing.channels import WatchedClock
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build
from channels.telegram.connection import BoundedRequest
from channels.telegram.keyboards import keyboard_of
from channels.telegram.outgoing import MAX_PHOTO_BYTES, outgoing, sending

ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
TOPIC = replace(ADA, chat="-100200", thread="11")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


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


def file(
    name: str = "notes.md", media_type: str = "text/markdown", content: bytes = b"# n\r\n\0"
) -> OutgoingFile:
    return OutgoingFile(name=name, media_type=media_type, content=content)


def buttons(*labels: str) -> tuple[Button, ...]:
    return tuple(
        Button(label=label, command=f"do {label}", token=f"t{number}")
        for number, label in enumerate(labels)
    )


# Files.


@pytest.mark.parametrize("name", ["notes.md", "Übersicht 你好.txt", 'a "b".csv', "no extension"])
async def test_a_file_arrives_byte_for_byte(
    telegram: PretendedTelegram, channel: Channel, name: str
) -> None:
    reply = Reply(address=TOPIC, text="**Here** it is", reply_to="1", file=file(name))
    receipt = await channel.send(reply)

    (sent,) = telegram.files
    assert (sent.method, sent.file) == ("sendDocument", b"# n\r\n\0")
    assert sent.file_name == name.replace('"', "'")
    assert (sent.chat_id, sent.thread, sent.text) == (-100200, 11, "Here it is")
    assert [entity["type"] for entity in sent.entities] == ["bold"]
    assert sent.params["reply_parameters"] == {
        "message_id": 1,
        "allow_sending_without_reply": True,
    }
    assert receipt.message_id == str(sent.id)


@pytest.mark.parametrize(
    ("media_type", "size", "method"),
    [
        ("image/png", 10, "sendPhoto"),
        ("image/jpeg", MAX_PHOTO_BYTES, "sendPhoto"),
        ("image/jpeg", MAX_PHOTO_BYTES + 1, "sendDocument"),
        ("image/gif", 10, "sendDocument"),
        ("image/svg+xml", 10, "sendDocument"),
        ("application/pdf", 10, "sendDocument"),
    ],
)
def test_what_telegram_shows_as_a_picture_is_sent_as_one(
    media_type: str, size: int, method: str
) -> None:
    reply = Reply(address=ADA, text="", file=file("f", media_type, bytes(size)))
    request = sending(outgoing(reply))

    assert request.method == method
    assert "caption" not in request.parameters


async def test_a_picture_that_telegram_cannot_show_is_sent_as_a_file(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.fail("sendPhoto", "bad_request", description="Bad Request: PHOTO_INVALID_DIMENSIONS")
    picture = file("wide.png", "image/png", PNG)
    await channel.send(Reply(address=ADA, text="a chart", file=picture, buttons=buttons("More")))

    (sent,) = telegram.files
    assert (sent.method, sent.file, sent.text) == ("sendDocument", PNG, "a chart")
    assert sent.keyboard == (("t0",),)


async def test_a_caption_that_is_too_long_keeps_its_beginning_and_its_end(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    text = "😀" * 1000 + " **This was sent again.**"
    await channel.send(Reply(address=ADA, text=text, file=file()))

    (sent,) = telegram.files
    assert len(sent.text.encode("utf-16-le")) // 2 <= 1024
    assert sent.text.startswith("😀" * 400)
    assert sent.text.endswith("😀 This was sent again.")
    assert "�" not in sent.text


async def test_a_long_upload_is_given_its_time(
    telegram: PretendedTelegram, channel: Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    do_request = BoundedRequest.do_request

    async def noted(self: BoundedRequest, **kwargs: object) -> tuple[int, bytes]:
        waits.append(float(str(kwargs["write_timeout"])))
        return await do_request(self, **kwargs)

    monkeypatch.setattr(BoundedRequest, "do_request", noted)
    await channel.send(Reply(address=ADA, text="", file=file(content=bytes(5_000_000))))

    assert waits == [120.0]


async def test_a_text_does_not_become_a_file_but_loses_its_buttons(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="Which?", buttons=buttons("This", "That")))
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, Reply(address=ADA, text="", file=file()))

    assert (type(raised.value), raised.value.can_retry) == (DeliveryError, False)
    message = telegram.state.chats[1001].messages[int(receipt.message_id)]
    assert (message["text"], "reply_markup" in message) == ("Which?", False)


# Buttons.


async def test_buttons_are_shown_and_an_edit_without_takes_them_away(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=TOPIC, text="Sure?", buttons=buttons("Yes", "No")))
    await channel.edit(receipt, Reply(address=TOPIC, text="Sure?"))
    await channel.edit(receipt, Reply(address=TOPIC, text="Sure?"))

    assert [call.keyboard for call in telegram.sent] == [(("t0", "t1"),)]
    assert [(call.text, call.keyboard) for call in telegram.edits] == [("Sure?", ())]


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        ((), []),
        (("Yes", "No"), [2]),
        (("Yes, clear this chat", "No"), [1, 1]),
        (("Allow Ada", "Not now"), [2]),
        (("1", "2", "3", "4", "5", "6", "7", "8"), [8]),
        (("Monday", "Tuesday", "Wednesday", "Thursday"), [2, 2]),
        (("是的请清除这个聊天记录", "不"), [1, 1]),
        (("x" * 80,), [1]),
    ],
)
def test_a_row_shows_the_whole_labels(labels: tuple[str, ...], rows: list[int]) -> None:
    keyboard = keyboard_of(buttons(*labels))

    assert [len(row) for row in keyboard] == rows
    assert [each["text"] for row in keyboard for each in row] == [*labels]
    assert [each["callback_data"] for row in keyboard for each in row] == [
        f"t{number}" for number in range(len(labels))
    ]
