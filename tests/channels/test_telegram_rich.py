"""Tables and task lists as rich messages: only when wanted, and with a way back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from xml.etree import ElementTree

import pytest
from pydantic import SecretStr

from bot.api import Channel, ChannelAuthError, ChatAddress, DeliveryError, FateUnknown, Reply
from bot.testing.channels import WatchedClock
from bot.testing.markdown_documents import markdown_document, seen_in
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build
from channels.telegram.rich import rich_html

ADA = ChatAddress(channel="telegram", account="77000077", chat="1001")
TABLE = "| a | b |\n|:--|--:|\n| [l](https://x.org) | `1<2` |"


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.state.chat(1001, "private")
        yield server


@pytest.fixture
async def channel(telegram: PretendedTelegram) -> AsyncIterator[Channel]:
    settings = Settings(
        token=SecretStr(telegram.token),
        base_url=telegram.base_url,
        messages_per_second=0,
        rich="auto",
    )
    made = build(settings, WatchedClock())
    yield made
    await made.close()


def called(telegram: PretendedTelegram) -> list[str]:
    return [call.method for call in telegram.state.calls]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (
            TABLE,
            '<table><tr><th align="left">a</th><th align="right">b</th></tr><tr>'
            '<td align="left"><a href="https://x.org">l</a></td>'
            '<td align="right"><code>1&lt;2</code></td></tr></table>',
        ),
        (
            "# T\n\n- [x] **d**\n- [ ] o",
            "<h1>T</h1><ul><li>☑ <b>d</b></li><li>☐ o</li></ul>",
        ),
        (
            "- [ ] o\n\n```py\na < b\n```\n\n> q\n\n3. c",
            "<ul><li>☐ o</li></ul>"
            '<pre><code class="language-py">a &lt; b\n</code></pre>'
            '<blockquote><p>q</p></blockquote><ol start="3"><li>c</li></ol>',
        ),
        ("- [ ] Vec<T>\n\n---\n", "<ul><li>☐ Vec&lt;T&gt;</li></ul><hr/>"),
        ("no **table**\n\n- and no tasks", ""),
        ("|" + " a |" * 21 + "\n|" + "-|" * 21, ""),
        (f"{TABLE}\n\n" + "word " * 8000, ""),
    ],
)
def test_what_is_worth_it_becomes_html(markdown: str, html: str) -> None:
    assert rich_html(markdown) == html


NUMBERS_AND_MARKS = re.compile(r"\(https://example\.org/\d+\)|\[[x ]\]|[\s\d.•☐☑|+—-]")
"""What may be shown in different ways: marks of lists, tasks and tables, and addresses."""


def test_the_html_shows_the_words_that_a_reader_sees() -> None:
    drawn = 0
    for seed in range(100):
        markdown = markdown_document(seed)
        if html := rich_html(markdown):
            drawn += 1
            shown = "".join(ElementTree.fromstring(f"<p>{html}</p>").itertext())
            seen = seen_in(markdown).text
            assert (seed, NUMBERS_AND_MARKS.sub("", seen)) == (
                seed,
                NUMBERS_AND_MARKS.sub("", shown),
            )
    assert drawn > 10


async def test_a_table_is_sent_as_a_rich_message(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.accept_rich_messages()
    receipt = await channel.send(Reply(address=ADA, text=TABLE))
    await channel.edit(receipt, Reply(address=ADA, text=f"{TABLE}\n\nmore"))
    await channel.send(Reply(address=ADA, text="no table"))

    assert called(telegram) == ["sendRichMessage", "editMessageText", "sendMessage"]
    message = telegram.state.chats[1001].messages[int(receipt.message_id)]
    assert str(message["rich_message"]).endswith("</table><p>more</p>")


async def test_a_server_that_does_not_know_them_is_asked_once(
    telegram: PretendedTelegram, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="channels.telegram.posting")
    await channel.send(Reply(address=ADA, text=TABLE))
    await channel.send(Reply(address=ADA, text=TABLE))

    assert called(telegram) == ["sendMessage", "sendMessage"]
    assert [each.message for each in caplog.records if "rich" in each.message] == [
        "telegram.not_rich"
    ]


async def test_one_that_is_refused_is_sent_as_text_and_the_next_is_tried(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.accept_rich_messages()
    telegram.fail("sendRichMessage", "bad_request", description="Bad Request: RICH_INVALID")
    await channel.send(Reply(address=ADA, text=TABLE))
    await channel.send(Reply(address=ADA, text=TABLE))

    assert called(telegram) == ["sendMessage", "sendRichMessage"]


async def test_a_refused_token_is_not_taken_for_a_server_of_former_days(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.accept_rich_messages()
    telegram.fail("sendRichMessage", "unauthorised")
    with pytest.raises(ChannelAuthError):
        await channel.send(Reply(address=ADA, text=TABLE))
    await channel.send(Reply(address=ADA, text=TABLE))

    assert called(telegram) == ["sendRichMessage"]


async def test_the_fate_of_a_rich_message_is_that_of_any_other(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.state.accept_rich_messages()
    telegram.fail("sendRichMessage", "drop_after")
    with pytest.raises(FateUnknown):
        await channel.send(Reply(address=ADA, text=TABLE))
    telegram.fail("sendRichMessage", "rate_limited")
    with pytest.raises(DeliveryError) as raised:
        await channel.send(Reply(address=ADA, text=TABLE))

    assert raised.value.retry_after_s == 7
    assert called(telegram) == ["sendRichMessage"]


async def test_by_default_a_table_is_an_aligned_block(telegram: PretendedTelegram) -> None:
    telegram.state.accept_rich_messages()
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url)
    plain = build(settings, WatchedClock())
    await plain.send(Reply(address=ADA, text=TABLE))
    await plain.close()

    (sent,) = telegram.sent
    assert [entity["type"] for entity in sent.entities] == ["pre"]
    assert "l (https://x.org)" in sent.text
