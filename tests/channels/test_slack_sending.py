"""Replies arrive whole and ring nobody; each refusal is the right error."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from pydantic import ValidationError

from bot.api import ChannelAuthError, ChatAddress, DeliveryError, FateUnknown, Receipt, Reply
from bot.ports import Channel
from bot.testing.channels import captured_logs, long_answer, words_of
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.looking import LOOKUP_PAGE, LOOKUP_PAGES

DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")


def reply(text: str, address: ChatAddress = DIRECT) -> Reply:
    return Reply(address=address, text=text)


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels |= {"D1ADA": "im", "C1ROOM": "channel"}
        yield server


@pytest.fixture
async def channel(slack: PretendedSlack) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), FakeClock())
    yield built
    await built.close()


async def test_a_long_answer_arrives_whole_and_rings_nobody(
    slack: PretendedSlack, channel: Channel
) -> None:
    text = f"<!channel> <@U1ADA>\n\n{long_answer()}\n\nVec<T> <!here|x> <!subteam^S1>"
    parts = channel.split(text)
    for part in parts:
        await channel.send(reply(part))
    shown = "\n".join(post.shown for post in slack.sent)
    assert len(parts) > 1
    assert words_of(shown) == words_of(text)
    assert "Vec<T>" in shown
    assert [post.pings for post in slack.sent] == [()] * len(parts)


async def test_the_server_would_have_noticed_a_ping(slack: PretendedSlack) -> None:
    slack.state.methods["chat.postMessage"]({"channel": "D1ADA", "text": "<!channel>"})
    assert slack.sent[0].pings == ("<!channel>",)


def test_what_the_channel_can_do(channel: Channel) -> None:
    can = channel.capabilities
    assert channel.name == "slack"
    assert (can.max_text_length, can.can_edit, can.shows_drafts) == (11_000, True, False)
    assert (can.preview_interval_s, can.typing_interval_s) == (1.5, 60.0)
    assert can.finds_sent


async def test_a_reply_stands_in_its_thread(slack: PretendedSlack, channel: Channel) -> None:
    root = await slack.says("C1ROOM", "hello", mention=True)
    thread = ChatAddress(channel="slack", account="T0TEAM", chat="C1ROOM", thread=root)
    receipt = await channel.send(reply("**hi**", thread))
    await channel.send(reply("direct"))
    first, second = slack.sent
    assert (first.thread_ts, first.markdown, first.ts) == (root, "**hi**", receipt.message_id)
    assert second.thread_ts == ""


async def test_a_message_is_changed(slack: PretendedSlack, channel: Channel) -> None:
    receipt = await channel.send(reply("half"))
    await channel.edit(receipt, reply("值" * 10_000))
    assert slack.edits[0].ts == receipt.message_id
    assert slack.edits[0].shown == "值" * 10_000


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_blocks_too_long"])
async def test_refused_formatting_is_left_out(
    slack: PretendedSlack, channel: Channel, code: str
) -> None:
    slack.fail("chat.postMessage", code)
    slack.fail("chat.update", code)
    receipt = await channel.send(reply("a <b>" * 1_500))
    await channel.edit(receipt, reply("done <@U1ADA>"))
    assert (slack.sent[0].markdown, slack.sent[0].shown) == ("", "a <b>" * 1_500)
    assert (slack.edits[0].markdown, slack.edits[0].shown) == ("", "done <@U1ADA>")
    assert slack.edits[0].pings == ()


@pytest.mark.parametrize(
    "text", ["a line\n" * 1_700, "值 & <b>" * 1_500, "<https://example.com/a> " * 480]
)
async def test_a_long_change_arrives_whole_without_its_formatting(
    slack: PretendedSlack, channel: Channel, text: str
) -> None:
    receipt = await channel.send(reply("half"))
    slack.fail("chat.update", "invalid_blocks")
    await channel.edit(receipt, reply(text))
    [changed] = slack.edits
    assert ("", text) == (changed.markdown, changed.shown)
    assert () == changed.pings


@pytest.mark.parametrize("code", ["channel_not_found", "not_in_channel", "is_archived", "new_one"])
async def test_some_refusals_are_for_good(
    slack: PretendedSlack, channel: Channel, code: str
) -> None:
    slack.fail("chat.postMessage", code)
    with pytest.raises(DeliveryError, match=code) as raised:
        await channel.send(reply("hi"))
    assert not raised.value.can_retry


@pytest.mark.parametrize("code", ["invalid_auth", "account_inactive", "token_revoked"])
async def test_a_refused_token_names_the_mend(
    slack: PretendedSlack, channel: Channel, code: str
) -> None:
    slack.fail("chat.postMessage", code)
    with pytest.raises(ChannelAuthError, match=r"channels\.slack\.bot_token"):
        await channel.send(reply("hi"))


async def test_a_missing_scope_is_named(slack: PretendedSlack, channel: Channel) -> None:
    slack.fail("chat.postMessage", "missing_scope")
    with pytest.raises(DeliveryError, match="lacks the scope") as raised:
        await channel.send(reply("hi"))
    assert not raised.value.can_retry


@pytest.mark.parametrize("weather", ["503", "service_unavailable", "request_timeout"])
async def test_what_was_not_done_may_be_tried_again(
    slack: PretendedSlack, channel: Channel, weather: str
) -> None:
    slack.fail("chat.postMessage", weather)
    with pytest.raises(DeliveryError) as raised:
        await channel.send(reply("hi"))
    assert raised.value.can_retry
    assert not isinstance(raised.value, FateUnknown)


@pytest.mark.parametrize(
    "weather",
    ["500", "drop_before", "drop_after", "html", "half_json", "json_text", "internal_error"],
)
async def test_what_was_perhaps_done_is_said_to_be_so(
    slack: PretendedSlack, channel: Channel, weather: str
) -> None:
    receipt = await channel.send(reply("warm up"))
    calls = len(slack.calls)
    slack.fail("chat.postMessage", weather)
    with pytest.raises(FateUnknown):
        await channel.send(reply("hi"))
    assert len(slack.calls) == calls + 1
    slack.fail("chat.update", weather)
    with pytest.raises(DeliveryError) as raised:
        await channel.edit(receipt, reply("hi"))
    assert raised.value.can_retry
    assert not isinstance(raised.value, FateUnknown)


async def test_a_server_that_is_not_there_may_be_tried_again(channel: Channel) -> None:
    async with PretendedSlack() as gone:
        settings = Settings.model_validate(gone.settings)
    alone = build(settings, FakeClock())
    with pytest.raises(DeliveryError, match="cannot be reached") as raised:
        await alone.send(reply("hi"))
    await alone.close()
    assert raised.value.can_retry
    assert not isinstance(raised.value, FateUnknown)


async def test_a_server_that_never_answers_is_not_waited_for_at_the_end(
    slack: PretendedSlack, channel: Channel
) -> None:
    slack.fail("chat.postMessage", "hang")
    sending = asyncio.create_task(channel.send(reply("hi")))
    await slack.wait_until(lambda: "chat.postMessage" in slack.calls)
    await channel.close()
    with pytest.raises(FateUnknown):
        await sending


async def test_a_limit_without_a_time(slack: PretendedSlack, channel: Channel) -> None:
    slack.fail("chat.postMessage", "ratelimited")
    with pytest.raises(DeliveryError) as raised:
        await channel.send(reply("hi"))
    assert (raised.value.can_retry, raised.value.retry_after_s) == (True, None)


async def test_a_status_is_shown_where_there_is_a_place_for_it(
    slack: PretendedSlack, channel: Channel
) -> None:
    root = await slack.says("C1ROOM", "hello", mention=True)
    thread = ChatAddress(channel="slack", account="T0TEAM", chat="C1ROOM", thread=root)
    await channel.show_typing(DIRECT)
    await channel.show_typing(thread)
    slack.fail("assistant.threads.setStatus", "missing_scope")
    await channel.show_typing(thread)
    await channel.show_draft(thread, 1, "half")
    assert [status["thread_ts"] for status in slack.state.statuses] == [root]
    assert slack.sent == ()


async def test_an_unknown_message_cannot_be_changed(channel: Channel) -> None:
    with pytest.raises(DeliveryError, match="message_not_found"):
        await channel.edit(Receipt(message_id="1.1"), reply("hi"))


async def test_no_text_is_logged(channel: Channel) -> None:
    with captured_logs() as lines:
        await channel.send(reply("between the two of us"))
    assert [line for line in lines() if "two of us" in line] == []


def test_settings_say_what_is_wrong_and_no_secret(slack: PretendedSlack) -> None:
    with pytest.raises(ValidationError, match="app_token"):
        Settings.model_validate({"bot_token": "x"})
    with pytest.raises(ValidationError, match="extra"):
        Settings.model_validate(slack.settings | {"tokn": "x"})
    settings = Settings.model_validate(slack.settings)
    assert slack.bot_token not in repr(settings)
    assert all(field.description for field in Settings.model_fields.values())


def test_importing_the_channel_imports_no_sdk() -> None:
    script = (
        "import sys, channels.slack\n"
        "print([m for m in ('slack_sdk', 'slack_bolt', 'aiohttp') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[]\n", 0)


async def thread_of(slack: PretendedSlack) -> ChatAddress:
    root = await slack.says("C1ROOM", "hello", mention=True)
    return ChatAddress(channel="slack", account="T0TEAM", chat="C1ROOM", thread=root)


async def test_what_arrived_is_found_though_its_answer_was_lost(
    slack: PretendedSlack, channel: Channel
) -> None:
    for number, address in enumerate((DIRECT, await thread_of(slack))):
        lost = Reply(address=address, text="answer", key=f"k-{number}")
        slack.fail("chat.postMessage", "drop_after")
        with pytest.raises(FateUnknown):
            await channel.send(lost)
        await slack.says(address.chat, "meanwhile", thread_ts=address.thread)

        found = await channel.find_sent(lost)
        assert found == Receipt(message_id=slack.sent[-1].ts)
        assert await channel.find_sent(Reply(address=address, text="answer", key="k-9")) is None


async def test_a_message_is_found_also_after_a_change_and_without_its_formatting(
    slack: PretendedSlack, channel: Channel
) -> None:
    slack.fail("chat.postMessage", "invalid_blocks")
    kept = Reply(address=DIRECT, text="answer", key="k-1")
    receipt = await channel.send(kept)
    await channel.edit(receipt, Reply(address=DIRECT, text="changed"))
    assert await channel.find_sent(kept) == receipt


async def test_only_a_chat_that_was_looked_through_says_that_nothing_arrived(
    slack: PretendedSlack, channel: Channel
) -> None:
    for number in range(LOOKUP_PAGE * LOOKUP_PAGES):
        slack.state.write("D1ADA", f"word {number}", user="U1ADA")
    unsent = Reply(address=DIRECT, text="answer", key="k-1")
    assert await channel.find_sent(unsent) is None
    slack.state.write("D1ADA", "one more", user="U1ADA")
    with pytest.raises(DeliveryError) as raised:
        await channel.find_sent(unsent)
    assert not raised.value.can_retry


async def test_looking_for_a_message_fails_like_everything_else(
    slack: PretendedSlack, channel: Channel
) -> None:
    lost = Reply(address=DIRECT, text="answer", key="k-1")
    slack.fail("conversations.history", "429", retry_after_s=9)
    with pytest.raises(DeliveryError) as limited:
        await channel.find_sent(lost)
    slack.fail("conversations.history", "invalid_auth")
    with pytest.raises(ChannelAuthError):
        await channel.find_sent(lost)
    assert limited.value.retry_after_s == 9
