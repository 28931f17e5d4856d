"""Files, buttons, and what one person alone is shown, on their way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.api import (
    Button,
    Channel,
    ChannelAuthError,
    ChatAddress,
    DeliveryError,
    FateUnknown,
    OutgoingFile,
    Receipt,
    Reply,
)
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build

ROOM = "C1ROOM"
DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
YES = Button(label="Yes", command="context clear yes", token="t0")
FIRST = "files.getUploadURLExternal"
LAST = "files.completeUploadExternal"


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {"D1ADA": "im", ROOM: "channel"}
        yield server


@pytest.fixture
async def channel(slack: PretendedSlack) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), FakeClock())
    yield built
    await built.close()


@pytest.fixture
async def thread(slack: PretendedSlack) -> ChatAddress:
    root = await slack.says(ROOM, "hello", mention=True)
    return ChatAddress(channel="slack", account="T0TEAM", chat=ROOM, thread=root)


def file(name: str = "notes.md", content: bytes = b"# n\r\n\0") -> OutgoingFile:
    return OutgoingFile(name=name, media_type="text/markdown", content=content)


# Files.


@pytest.mark.parametrize("name", ["notes.md", "Übersicht 你好.txt", 'a "b" & <c>.csv', "no ending"])
async def test_a_file_arrives_byte_for_byte_in_its_thread(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, name: str
) -> None:
    content = bytes(range(256)) * 5
    reply = Reply(address=thread, text="<!here> you are", key="k-1", file=file(name, content))
    receipt = await channel.send(reply)
    (shared,) = slack.sending.shared
    assert (shared.name, shared.content) == (name, content)
    assert (shared.channel, shared.thread_ts) == (ROOM, thread.thread)
    assert shared.caption == "&lt;!here&gt; you are"
    assert receipt.message_id


async def test_a_file_without_a_caption_says_its_name(
    slack: PretendedSlack, channel: Channel
) -> None:
    await channel.send(Reply(address=DIRECT, text="", file=file()))
    assert [shared.caption for shared in slack.sending.shared] == ["notes.md"]


@pytest.mark.parametrize("step", [FIRST, "upload"])
@pytest.mark.parametrize("weather", ["drop_before", "500"])
async def test_what_breaks_off_before_anybody_sees_it_is_simply_done_again(
    slack: PretendedSlack, channel: Channel, step: str, weather: str
) -> None:
    slack.fail(step, weather)
    reply = Reply(address=DIRECT, text="", key="k-1", file=file())
    with pytest.raises(DeliveryError) as raised:
        await channel.send(reply)
    assert raised.value.can_retry
    assert not isinstance(raised.value, FateUnknown)
    await channel.send(reply)
    assert len(slack.sending.shared) == 1


@pytest.mark.parametrize(("weather", "count"), [("drop_before", 0), ("drop_after", 1)])
async def test_a_file_whose_fate_is_unknown_is_looked_up(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, weather: str, count: int
) -> None:
    """A file of the same name and size that was sent before is another one."""
    sent = Reply(address=thread, text="", key="k-1", file=file())
    await channel.send(sent)
    lost = replace(sent, key="k-2")
    slack.fail(LAST, weather)
    with pytest.raises(FateUnknown):
        await channel.send(lost)
    found = await channel.find_sent(lost)
    assert (found is not None) == bool(count)
    assert len(slack.sending.shared) == 1 + count
    if found is not None:
        assert found == Receipt(message_id=slack.sent[-1].ts)


@pytest.mark.parametrize("step", [FIRST, LAST])
async def test_refusals_of_files_are_refusals_like_others(
    slack: PretendedSlack, channel: Channel, step: str
) -> None:
    reply = Reply(address=DIRECT, text="", file=file())
    slack.fail(step, "missing_scope")
    with pytest.raises(DeliveryError, match="lacks the scope") as refused:
        await channel.send(reply)
    slack.fail(step, "429", retry_after_s=9)
    with pytest.raises(DeliveryError) as limited:
        await channel.send(reply)
    slack.fail(step, "invalid_auth")
    with pytest.raises(ChannelAuthError):
        await channel.send(reply)
    assert (refused.value.can_retry, limited.value.retry_after_s) == (False, 9)


async def test_a_message_of_text_cannot_become_a_file(
    slack: PretendedSlack, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=DIRECT, text="Which?", buttons=(YES,)))
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, Reply(address=DIRECT, text="", file=file()))
    assert not raised.value.can_retry
    assert slack.state.shown("D1ADA") == ["Which?"]


# Buttons.


async def test_buttons_stand_below_and_an_edit_without_takes_them_away(
    slack: PretendedSlack, channel: Channel
) -> None:
    no = replace(YES, label="No", token="t1")
    receipt = await channel.send(Reply(address=DIRECT, text="Clear?", buttons=(YES, no)))
    (post,) = slack.state.current.values()
    assert post.buttons == (("Yes", "t0"), ("No", "t1"))
    await channel.edit(receipt, Reply(address=DIRECT, text="Cleared."))
    (post,) = slack.state.current.values()
    assert (post.shown, post.buttons) == ("Cleared.", ())


# What one person alone is shown.


async def test_one_person_of_a_channel_alone_is_shown_it(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    reply = Reply(address=thread, text="**Secret**", for_person="U1ADA", buttons=(YES,))
    receipt = await channel.send(reply)
    (hidden,) = slack.sending.hidden
    assert (hidden.for_user, hidden.channel, hidden.thread_ts) == ("U1ADA", ROOM, thread.thread)
    assert (hidden.shown, hidden.buttons) == ("**Secret**", (("Yes", "t0"),))
    assert receipt.message_id == hidden.ts
    assert slack.sent == ()


async def test_in_a_direct_chat_nothing_has_to_be_hidden(
    slack: PretendedSlack, channel: Channel
) -> None:
    await channel.send(Reply(address=DIRECT, text="Secret", for_person="U1ADA"))
    assert (slack.state.shown("D1ADA"), slack.sending.hidden) == (["Secret"], [])


async def test_what_is_hidden_cannot_be_looked_up(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    lost = Reply(address=thread, text="Secret", for_person="U1ADA", key="k-1")
    slack.fail("chat.postEphemeral", "drop_after")
    with pytest.raises(FateUnknown):
        await channel.send(lost)
    with pytest.raises(DeliveryError) as raised:
        await channel.find_sent(lost)
    assert not raised.value.can_retry


async def test_a_file_for_one_person_of_a_channel_goes_to_that_person(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    reply = Reply(address=thread, text="", for_person="U1ADA", key="k-1", file=file())
    slack.fail(LAST, "drop_after")
    with pytest.raises(FateUnknown):
        await channel.send(reply)
    assert await channel.find_sent(reply) == Receipt(message_id=slack.sent[-1].ts)
    assert [(each.channel, each.thread_ts) for each in slack.sending.shared] == [("D1ADA", "")]


async def test_a_person_who_is_not_there_is_shown_nothing(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    for given in (None, file()):
        with pytest.raises(DeliveryError) as raised:
            await channel.send(Reply(address=thread, text="x", for_person="U9", file=given))
        assert not raised.value.can_retry
    assert slack.sent == ()


# Pace.


async def test_messages_of_a_chat_are_a_second_apart_behind_a_burst(
    slack: PretendedSlack, channel: Channel
) -> None:
    clock = FakeClock()
    paced = build(Settings.model_validate(slack.settings), clock)
    times = []

    async def ready(chat: str) -> None:
        await paced.ready(replace(DIRECT, chat=chat))
        times.append((chat, clock.monotonic()))
        await paced.send(Reply(address=replace(DIRECT, chat=chat), text="hi"))

    for _ in range(3):
        await ready("D1ADA")
    await paced.ready(replace(DIRECT, chat=ROOM))
    held = [asyncio.ensure_future(ready("D1ADA")) for _ in range(2)]
    await clock.advance(5)
    await asyncio.gather(*held)
    await paced.close()
    assert [at for _, at in times] == [0.0, 0.0, 0.0, 1.0, 2.0]
