"""Every kind of error that Slack answers with: known again, and what follows from it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.api import Button, ChannelAuthError, ChatAddress, DeliveryError, FateUnknown, Reply
from bot.ports import Channel
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.failures import ERRORS, ErrorKind, kind_of

PAGE = Path(__file__).parents[2] / "docs" / "slack.md"
DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
CODES = [(kind, code) for kind in ERRORS for code in kind.codes]
STREAMS_ONLY = ("no stream", "stream over", "stream open")


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


def test_the_page_shows_the_table_of_the_code() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## What happens with each error\n")[2]
    rows = re.findall(r"^\| (.*) \| (.*) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert rows[1:] == [(kind.said, kind.happens) for kind in ERRORS]


def test_every_kind_has_a_name_and_codes_of_its_own() -> None:
    assert len({kind.name for kind in ERRORS}) == len(ERRORS)
    assert len({code for _, code in CODES}) == len(CODES)
    for kind, code in CODES:
        assert kind_of(code, 200) is kind


@pytest.mark.parametrize(
    ("code", "status", "name"),
    [
        ("", 429, "limited"),
        ("", 503, "unavailable"),
        ("", 500, "broken"),
        ("", 200, "broken"),
        ("something_new", 200, "refused"),
        ("invalid_blocks", 500, "formatting"),
    ],
)
def test_what_has_no_known_code_goes_by_its_status(code: str, status: int, name: str) -> None:
    assert kind_of(code, status).name == name


async def raised_by(channel: Channel, reply: Reply) -> Exception | None:
    try:
        await channel.send(reply)
    except (DeliveryError, ChannelAuthError) as error:
        return error
    return None


@pytest.mark.parametrize(
    ("kind", "code"), [each for each in CODES if each[0].name not in STREAMS_ONLY]
)
async def test_what_follows_is_what_the_table_says(
    slack: PretendedSlack, channel: Channel, kind: ErrorKind, code: str
) -> None:
    slack.fail("chat.postMessage", code)
    error = await raised_by(channel, Reply(address=DIRECT, text="hi"))
    if kind.effect == "token":
        assert isinstance(error, ChannelAuthError)
        return
    if kind.effect == "mended":
        assert error is None
        return
    assert isinstance(error, DeliveryError)
    assert isinstance(error, FateUnknown) == (kind.effect == "unknown")
    assert error.can_retry == (kind.effect != "given up")


async def test_refused_blocks_become_text_that_says_what_to_write(
    slack: PretendedSlack, channel: Channel
) -> None:
    yes = Button(label="Yes, clear", command="context clear yes", token="t0")
    slack.fail("chat.postMessage", "invalid_blocks")
    await channel.send(Reply(address=DIRECT, text="Really?", buttons=(yes,)))
    (post,) = slack.sent
    assert (post.blocks, post.shown) == ((), "Really?\n• Yes, clear: `!context clear yes`")


async def test_an_edit_that_is_refused_for_good_says_so(
    slack: PretendedSlack, channel: Channel
) -> None:
    receipt = await channel.send(Reply(address=DIRECT, text="One"))
    for code in ("message_not_found", "cant_update_message", "edit_window_closed", "msg_too_long"):
        slack.fail("chat.update", code)
        with pytest.raises(DeliveryError, match=code) as raised:
            await channel.edit(receipt, Reply(address=DIRECT, text="Two"))
        assert not raised.value.can_retry
