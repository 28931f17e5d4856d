"""Answers that grow before people's eyes: complete at last, whatever becomes of the stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from bot.api import Button, ChatAddress, DeliveryError, FateUnknown, Receipt, Reply
from bot.ports import Channel
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.channel import STATUS
from channels.slack.limits import APPENDS_A_MINUTE, STARTS_A_MINUTE, UPDATES_A_MINUTE
from channels.slack.streaming import LONGEST_STREAM_S, REFUSED_FOR_S

ADA, ROOM = "U1ADA", "C1ROOM"
YES = Button(label="Yes", command="context clear yes", token="t0")


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {"D1ADA": "im", ROOM: "channel"}
        yield server


@pytest.fixture
def clock(slack: PretendedSlack) -> FakeClock:
    clock = FakeClock()
    slack.sending.now_s = clock.monotonic
    return clock


@pytest.fixture
async def channel(slack: PretendedSlack, clock: FakeClock) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), clock)
    yield built
    await built.close()


@pytest.fixture
async def thread(slack: PretendedSlack) -> ChatAddress:
    root = await slack.says(ROOM, "hello", mention=True)
    slack.calls.clear()
    return ChatAddress(channel="slack", account="T0TEAM", chat=ROOM, thread=root)


def unfinished(thread: ChatAddress, text: str) -> Reply:
    return Reply(address=thread, text=text, key="k-1", watched_by=ADA)


def finished(thread: ChatAddress, text: str) -> Reply:
    return Reply(address=thread, text=text, key="k-2")


def shown(slack: PretendedSlack, thread: ChatAddress) -> list[str]:
    return slack.state.shown(thread.chat, thread.thread)


async def test_an_answer_grows_in_its_thread(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    first = shown(slack, thread)
    await channel.edit(receipt, unfinished(thread, "One two <!chan"))
    second = shown(slack, thread)
    whole = replace(finished(thread, "One two <!channel> three."), buttons=(YES,))
    await channel.edit(receipt, whole)
    assert ([first, second], shown(slack, thread)) == (
        [["One t"], ["One two "]],
        ["One two <!channel> three."],
    )
    (post,) = slack.state.current.values()
    assert (post.buttons, post.pings) == ((("Yes", "t0"),), ())
    assert slack.calls == ["chat.startStream", "chat.appendStream", "chat.stopStream"]
    assert slack.sending.open_streams == 0
    assert await channel.find_sent(whole) == receipt


async def test_without_a_thread_a_message_is_edited(
    slack: PretendedSlack, channel: Channel
) -> None:
    direct = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
    receipt = await channel.send(unfinished(direct, "One tw"))
    await channel.edit(receipt, unfinished(direct, "One two th"))
    await channel.edit(receipt, finished(direct, "One two three."))
    assert slack.calls == ["chat.postMessage", "chat.update", "chat.update"]
    assert shown(slack, direct) == ["One two three."]


async def test_what_is_finished_is_no_stream(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    await channel.send(finished(thread, "One."))
    assert slack.calls == ["chat.postMessage"]


@pytest.mark.parametrize("code", ["unknown_method", "missing_recipient_user_id", "new_one"])
async def test_where_no_stream_may_begin_a_message_is_edited(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress, code: str
) -> None:
    slack.fail("chat.startStream", code)
    receipt = await channel.send(unfinished(thread, "One tw"))
    await channel.edit(receipt, finished(thread, "One two."))
    await channel.send(unfinished(thread, "Three f"))
    assert shown(slack, thread) == ["One two.", "Three f"]
    assert slack.calls.count("chat.startStream") == 1
    await clock.advance(REFUSED_FOR_S)
    await channel.send(unfinished(thread, "Five s"))
    assert slack.calls[-1] == "chat.startStream"


async def test_a_start_that_is_put_off_is_no_reason_to_post(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    slack.fail("chat.startStream", "429", retry_after_s=9)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(unfinished(thread, "One tw"))
    assert raised.value.retry_after_s == 9
    assert shown(slack, thread) == []


OVER = ["message_not_in_streaming_state", "stopped_by_user", "msg_too_long", "new_one"]


@pytest.mark.parametrize("code", OVER)
async def test_a_stream_refused_in_the_middle_is_finished_by_an_edit(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, code: str
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    slack.fail("chat.appendStream", code)
    await channel.edit(receipt, unfinished(thread, "One two th"))
    middle = shown(slack, thread)
    await channel.edit(receipt, unfinished(thread, "One two three fo"))
    await channel.edit(receipt, finished(thread, "One two three four."))
    assert (middle, shown(slack, thread)) == (["One two th"], ["One two three four."])
    assert slack.calls.count("chat.appendStream") == 1
    assert slack.sending.open_streams == 0


@pytest.mark.parametrize("weather", ["drop_before", "drop_after", "500", "fatal_error"])
async def test_nothing_is_doubled_by_an_append_of_unknown_fate(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, weather: str
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    slack.fail("chat.appendStream", weather)
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, unfinished(thread, "One two th"))
    assert raised.value.can_retry
    assert not isinstance(raised.value, FateUnknown)
    await channel.edit(receipt, unfinished(thread, "One two three fo"))
    await channel.edit(receipt, finished(thread, "One two three four."))
    assert shown(slack, thread) == ["One two three four."]


@pytest.mark.parametrize("weather", ["drop_before", "drop_after", "429", "503"])
async def test_an_end_that_breaks_off_is_made_again(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, weather: str
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    slack.fail("chat.stopStream", weather)
    whole = replace(finished(thread, "One two."), buttons=(YES,))
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, whole)
    assert raised.value.can_retry
    await channel.edit(receipt, whole)
    assert (shown(slack, thread), slack.sending.open_streams) == (["One two."], 0)
    assert [post.buttons for post in slack.state.current.values()] == [(("Yes", "t0"),)]
    assert await channel.find_sent(whole) == receipt


async def test_a_stream_ends_before_slack_ends_it_and_goes_on_by_edits(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    await clock.advance(LONGEST_STREAM_S)
    await channel.edit(receipt, unfinished(thread, "One two th"))
    assert (shown(slack, thread), slack.sending.open_streams) == (["One two t"], 0)
    await channel.edit(receipt, unfinished(thread, "One two three fo"))
    assert shown(slack, thread) == ["One two three fo"]
    assert slack.calls == ["chat.startStream", "chat.stopStream", "chat.update"]


async def test_a_stream_that_slack_has_ended_is_finished_by_an_edit(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    await clock.advance(400)
    await channel.edit(receipt, finished(thread, "One two."))
    assert shown(slack, thread) == ["One two."]


async def test_another_text_is_shown_by_an_edit(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    """As when a step of the turn ends and the next one begins."""
    receipt = await channel.send(unfinished(thread, "Let me look."))
    await channel.edit(receipt, unfinished(thread, "It is ni"))
    middle = shown(slack, thread)
    await channel.edit(receipt, finished(thread, "It is nine."))
    assert (middle, shown(slack, thread)) == (["It is ni"], ["It is nine."])


async def restarted(slack: PretendedSlack, clock: FakeClock) -> Channel:
    return build(Settings.model_validate(slack.settings), clock)


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_later_process_finishes_the_stream_that_a_crash_left(
    slack: PretendedSlack,
    channel: Channel,
    clock: FakeClock,
    thread: ChatAddress,
    is_over: bool,
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    await clock.advance(400 if is_over else 1)
    later = await restarted(slack, clock)
    await later.edit(receipt, finished(thread, "One two."))
    await later.close()
    assert (shown(slack, thread), slack.sending.open_streams) == (["One two."], 0)


@pytest.mark.parametrize("is_same_process", [False, True])
async def test_a_stream_is_taken_back(
    slack: PretendedSlack,
    channel: Channel,
    clock: FakeClock,
    thread: ChatAddress,
    is_same_process: bool,
) -> None:
    receipt = await channel.send(unfinished(thread, "One tw"))
    later = channel if is_same_process else await restarted(slack, clock)
    for _ in range(2):
        await later.edit(receipt, finished(thread, ""))
    await later.close()
    assert shown(slack, thread) == []


async def test_what_is_another_persons_is_not_taken_back(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    with pytest.raises(DeliveryError, match="cant_delete_message") as raised:
        await channel.edit(Receipt(message_id=thread.thread), finished(thread, ""))
    assert not raised.value.can_retry


async def test_a_start_of_unknown_fate_is_found(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    first = await channel.send(unfinished(thread, "Before tha"))
    await channel.edit(first, finished(thread, "Before that."))
    before = await channel.find_sent(unfinished(thread, ""))
    slack.fail("chat.startStream", "drop_after")
    with pytest.raises(FateUnknown):
        await channel.send(unfinished(thread, "One tw"))
    later = await restarted(slack, clock)
    found = await later.find_sent(unfinished(thread, ""))
    notice = replace(unfinished(thread, "Stopped."), key="k-9", kind="notice")
    answer_to_later = replace(unfinished(thread, ""), reply_to=slack.state.next_ts())
    other = (await later.find_sent(notice), await later.find_sent(answer_to_later))
    assert found is not None
    await later.edit(found, unfinished(thread, "One two th"))
    await later.edit(found, finished(thread, "One two three."))
    await later.close()
    assert (before, other) == (None, (None, None))
    assert shown(slack, thread) == ["Before that.", "One two three."]


async def test_a_stream_of_another_bot_is_not_taken_for_ones_own(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    other = slack.state.write(ROOM, "hm", user="U9APP", thread_ts=thread.thread)
    other["streaming_state"] = "in_progress"
    assert await channel.find_sent(unfinished(thread, "")) is None


async def test_what_must_be_ended_is_not_begun_more_often_than_slack_lets_it_be_ended(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    for number in range(STARTS_A_MINUTE + 1):
        receipt = await channel.send(unfinished(thread, f"Number {number}."))
        await channel.edit(receipt, finished(thread, f"Number {number}."))
    assert slack.calls.count("chat.startStream") == STARTS_A_MINUTE
    assert shown(slack, thread) == [f"Number {each}." for each in range(STARTS_A_MINUTE + 1)]
    await clock.advance(60)
    await channel.send(unfinished(thread, "Once more"))
    assert slack.calls.count("chat.startStream") == STARTS_A_MINUTE + 1


@pytest.mark.parametrize("is_stream", [True, False])
async def test_showing_takes_no_calls_away_from_answers(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress, is_stream: bool
) -> None:
    if not is_stream:
        slack.fail("chat.startStream", "unknown_method")
    method, most = ("chat.appendStream", APPENDS_A_MINUTE)
    if not is_stream:
        method, most = ("chat.update", UPDATES_A_MINUTE)
    receipt = await channel.send(unfinished(thread, "Hm."))
    text = "Hm."
    for number in range(most + 5):
        text += f" {number}"
        await channel.edit(receipt, unfinished(thread, text))
    assert slack.calls.count(method) == most
    await channel.edit(receipt, finished(thread, text))
    assert shown(slack, thread) == [text]


async def test_a_sign_gives_way_to_a_growing_answer_and_goes_with_it(
    slack: PretendedSlack, channel: Channel, thread: ChatAddress
) -> None:
    await channel.show_typing(thread)
    receipt = await channel.send(unfinished(thread, "One tw"))
    await channel.show_typing(thread)
    await channel.edit(receipt, unfinished(thread, "Another t"))
    await channel.show_typing(thread)
    await channel.edit(receipt, finished(thread, "Another text."))
    await channel.edit(receipt, finished(thread, "Another text."))
    assert [status["status"] for status in slack.state.statuses] == [STATUS, STATUS, ""]


async def test_the_stream_of_one_message_is_not_taken_for_the_next_one(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    """Neither by the process that began it nor by a later one that goes on with it."""
    first = await channel.send(unfinished(thread, "Part one, which"))
    second = replace(unfinished(thread, ""), key="k-9")
    found = await channel.find_sent(second)
    later = await restarted(slack, clock)
    await later.edit(first, unfinished(thread, "Part one, which goes on"))
    again = await later.find_sent(second)
    await later.close()
    assert (None, None) == (found, again)


async def test_a_stream_that_is_over_has_its_key(
    slack: PretendedSlack, channel: Channel, clock: FakeClock, thread: ChatAddress
) -> None:
    first = await channel.send(unfinished(thread, "Part one, which"))
    await clock.advance(LONGEST_STREAM_S)
    await channel.edit(first, unfinished(thread, "Part one, which goes on"))
    later = await restarted(slack, clock)
    found = await later.find_sent(unfinished(thread, ""))
    other = await later.find_sent(replace(unfinished(thread, ""), key="k-9"))
    await later.close()
    assert (first, None) == (found, other)
