"""Sending: into the right topic, mended where that helps, and every failure by its kind."""

import socket
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import SecretStr

from bot.api import (
    Capabilities,
    Channel,
    ChannelAuthError,
    ChatAddress,
    DeliveryError,
    FateUnknown,
    Receipt,
    Reply,
)
from bot.testing.channels import WatchedClock, captured_logs
from bot.testing.telegram_server import Fault, PretendedTelegram
from channels.telegram import Settings, build

ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
TOPIC = replace(ADA, chat="-100200", thread="11")


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.state.chat(1001, "private")
        server.says(-100200, "hello", chat_type="supergroup", thread=11)
        yield server


@pytest.fixture
async def channel(telegram: PretendedTelegram, clock: WatchedClock) -> AsyncIterator[Channel]:
    settings = Settings(
        token=SecretStr(telegram.token), base_url=telegram.base_url, messages_per_second=0
    )
    made = build(settings, clock)
    yield made
    await made.close()


def test_what_telegram_can_do(channel: Channel) -> None:
    assert channel.name == "telegram"
    assert channel.capabilities == Capabilities(
        max_text_length=4096,
        can_edit=True,
        shows_drafts=True,
        preview_interval_s=1.0,
        typing_interval_s=4.0,
        has_buttons=True,
        sends_files=True,
    )


async def test_everything_goes_into_the_topic(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.send(Reply(address=TOPIC, text="**answer**", reply_to="1"))
    await channel.show_typing(TOPIC)
    assert [(call.chat_id, call.thread) for call in telegram.sent] == [(-100200, 11)]
    assert [(call.chat_id, call.thread) for call in telegram.actions] == [(-100200, 11)]
    sent = telegram.sent[0]
    assert sent.text == "answer"
    assert [entity["type"] for entity in sent.entities] == ["bold"]
    assert sent.params["link_preview_options"] == {"is_disabled": True}
    assert sent.params["reply_parameters"] == {
        "message_id": 1,
        "allow_sending_without_reply": True,
    }


async def test_an_answer_to_a_deleted_message_is_sent(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.send(Reply(address=ADA, text="answer", reply_to="404"))
    assert [call.text for call in telegram.sent] == ["answer"]


async def test_a_topic_that_is_gone_does_not_lose_the_answer(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.send(Reply(address=replace(TOPIC, thread="99"), text="answer"))
    assert [(call.text, call.thread) for call in telegram.sent] == [
        ("answer\n\n(Its topic is gone.)", 0)
    ]


async def test_refused_formatting_is_sent_plain(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    complaint = "Bad Request: can't parse entities: unsupported"
    telegram.fail("sendMessage", "bad_request", description=complaint)
    await channel.send(Reply(address=ADA, text="**bold** Vec<T>"))
    assert [(call.text, call.entities) for call in telegram.sent] == [("**bold** Vec<T>", ())]


async def test_a_sent_message_can_be_changed(telegram: PretendedTelegram, channel: Channel) -> None:
    receipt = await channel.send(Reply(address=ADA, text="unfin"))
    await channel.edit(receipt, Reply(address=ADA, text="unfinished *no more*"))
    await channel.edit(receipt, Reply(address=ADA, text="unfinished *no more*"))
    assert [(call.id, call.text) for call in telegram.edits] == [
        (int(receipt.message_id), "unfinished no more")
    ]


@pytest.mark.parametrize(
    ("fault", "kind", "can_retry"),
    [
        ("forbidden", DeliveryError, False),
        ("bad_request", DeliveryError, False),
        ("rate_limited", DeliveryError, True),
        ("conflict", DeliveryError, True),
        ("server_error", FateUnknown, True),
        ("garbage", FateUnknown, True),
        ("drop_before", FateUnknown, True),
        ("drop_after", FateUnknown, True),
        ("unauthorised", ChannelAuthError, None),
    ],
)
async def test_each_failure_of_sending_has_its_kind(
    telegram: PretendedTelegram,
    channel: Channel,
    fault: Fault,
    kind: type[Exception],
    can_retry: bool | None,
) -> None:
    telegram.fail("sendMessage", fault)
    with pytest.raises(kind) as raised:
        await channel.send(Reply(address=ADA, text="answer"))
    assert type(raised.value) is kind
    assert getattr(raised.value, "can_retry", None) == can_retry
    assert len(telegram.sent) == (fault == "drop_after")


@pytest.mark.parametrize("fault", ["server_error", "drop_before", "drop_after"])
async def test_an_edit_may_always_be_repeated(
    telegram: PretendedTelegram, channel: Channel, fault: Fault
) -> None:
    receipt = await channel.send(Reply(address=ADA, text="a"))
    telegram.fail("editMessageText", fault)
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, Reply(address=ADA, text="b"))
    assert (type(raised.value), raised.value.can_retry) == (DeliveryError, True)
    await channel.edit(receipt, Reply(address=ADA, text="b"))
    assert telegram.edits[-1].text == "b"


async def test_an_edit_of_what_is_gone_is_not_repeated(channel: Channel) -> None:
    with pytest.raises(DeliveryError, match="not found") as raised:
        await channel.edit(Receipt(message_id="404"), Reply(address=ADA, text="b"))
    assert raised.value.can_retry is False


async def test_a_limit_that_names_no_time_still_has_one(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.fail("sendMessage", "rate_limited", retry_after_s=0)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(Reply(address=ADA, text="answer"))
    assert (type(raised.value), raised.value.retry_after_s) == (DeliveryError, 5.0)


async def test_formatting_refused_in_a_text_with_long_links_keeps_the_shown_text(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.fail("sendMessage", "bad_request", description="Bad Request: can't parse entities")
    long_link = f"[here](https://example.org/{'x' * 4090})"
    await channel.send(Reply(address=ADA, text=long_link))
    assert [(call.text, call.entities) for call in telegram.sent] == [("here", ())]


async def test_what_cannot_be_sent_at_all_says_so(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    with pytest.raises(DeliveryError, match="Chat not found") as raised:
        await channel.send(Reply(address=replace(ADA, chat="404"), text="answer"))
    assert raised.value.can_retry is False


async def test_a_connection_that_was_never_made_sent_nothing(clock: WatchedClock) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    token = SecretStr("1" * 8 + ":" + "a" * 35)
    channel = build(Settings(token=token, base_url=f"http://127.0.0.1:{port}"), clock)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(Reply(address=ADA, text="answer"))
    await channel.close()
    assert (type(raised.value), raised.value.can_retry) == (DeliveryError, True)


async def test_a_chat_that_moved_gets_its_answer(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.move_chat(-100200, -100300)
    await channel.send(Reply(address=replace(TOPIC, thread=""), text="answer"))
    assert [(call.chat_id, call.text) for call in telegram.sent] == [(-100300, "answer")]


async def test_in_a_chat_that_moved_no_other_message_is_changed(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    address = replace(TOPIC, thread="")
    receipt = await channel.send(Reply(address=address, text="unfinished"))
    telegram.state.move_chat(-100200, -100300)
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, Reply(address=address, text="answer"))

    assert not raised.value.can_retry
    assert [call.chat_id for call in telegram.edits] == []


async def test_drafts_are_for_private_chats_and_long_ones_show_their_end(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    await channel.show_draft(ADA, 7, "un**fin**")
    await channel.show_draft(TOPIC, 7, "unfin")
    await channel.show_draft(ADA, 7, " ")
    assert [(call.id, call.text) for call in telegram.drafts] == [(7, "unfin")]
    await channel.show_draft(ADA, 7, "word " * 2000 + "end")
    assert len(telegram.drafts) == 2
    assert telegram.drafts[-1].text.endswith("end")
    assert len(telegram.drafts[-1].text) <= 4096


async def test_what_is_only_shown_says_too_when_telegram_wants_rest(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.fail("sendMessageDraft", "rate_limited", retry_after_s=30)
    with pytest.raises(DeliveryError) as of_draft:
        await channel.show_draft(ADA, 7, "lost")
    telegram.fail("sendChatAction", "rate_limited", retry_after_s=31)
    with pytest.raises(DeliveryError) as of_typing:
        await channel.show_typing(ADA)
    assert (of_draft.value.retry_after_s, of_typing.value.retry_after_s) == (30, 31)


async def test_telegram_cannot_be_asked_what_arrived(channel: Channel) -> None:
    assert not channel.capabilities.finds_sent
    assert await channel.find_sent(Reply(address=ADA, text="answer", key="k-1")) is None


async def test_the_token_is_in_no_log_of_a_bad_day(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    faults: tuple[Fault, ...] = ("garbage", "drop_before", "server_error", "unauthorised")
    with captured_logs() as lines:
        for fault in faults:
            telegram.fail("sendMessage", fault)
            with pytest.raises((DeliveryError, ChannelAuthError)) as raised:
                await channel.send(Reply(address=ADA, text="answer"))
            assert telegram.token not in repr(raised.value) + repr(raised.value.__cause__)
    assert lines()
    assert [line for line in lines() if telegram.token.split(":")[1] in line] == []
