"""Replies as blocks: within Slack's limits, what was written, byte for byte, and no bell rung."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.api import Button, ChatAddress, OutgoingFile, Reply
from bot.ports import Channel
from bot.testing.clock import FakeClock
from bot.testing.markdown_documents import markdown_document, seen_in
from bot.testing.slack_blocks import MOST_BUTTON_CHARS, faults_in_message
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build
from channels.slack.blocks import MAX_SECTION_CHARS, buttons_of, caption_of, content_of
from channels.slack.metadata import block_id_of, key_of, metadata_of
from channels.slack.text import MAX_MARKDOWN_CHARS, split

DIRECT = ChatAddress(channel="slack", account="T0TEAM", chat="D1ADA")
DOCUMENTS = 200
FILE = OutgoingFile(name="a<b>.csv", media_type="text/csv", content=b"a,b\n")
PINGS = ("<!channel>", "<!here|x>", "<@U1ADA>", "<!subteam^S1>", "<https://a.example|<!here>>")


def button(label: str, number: int = 0) -> Button:
    return Button(label=label, command="context clear yes", token=f"{number:032x}")


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.state.channels["D1ADA"] = "im"
        yield server


@pytest.fixture
async def channel(slack: PretendedSlack) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), FakeClock())
    yield built
    await built.close()


async def test_random_documents_arrive_as_they_were_written(
    slack: PretendedSlack, channel: Channel
) -> None:
    """What Slack kept of each, read by another parser, has the same words and the same code."""
    for seed in range(DOCUMENTS):
        document = "\n\n".join((markdown_document(seed), PINGS[seed % len(PINGS)]))
        slack.state.current.clear()
        for part in channel.split(document):
            await channel.send(Reply(address=DIRECT, text=part))
        posts = list(slack.state.current.values())
        shown = "\n\n".join(post.shown for post in posts)
        assert seen_in(shown) == seen_in(document), seed
        assert all(faults_in_message(post.blocks) == () for post in posts)
        assert not any(post.pings for post in posts), seed


@pytest.mark.parametrize("seed", range(3))
def test_long_documents_keep_the_limits_and_their_code(seed: int) -> None:
    document = "\n\n".join(markdown_document(seed * 100 + each) for each in range(40))
    parts = split(document)
    for part in parts:
        content = content_of(Reply(address=DIRECT, text=part))
        assert faults_in_message(content.blocks) == ()
        assert len(str(content.blocks[0]["text"])) <= MAX_MARKDOWN_CHARS
    code = [block for part in parts for block in seen_in(part).blocks]
    assert len(parts) > 1
    assert tuple(code) == seen_in(document).blocks


@given(st.lists(st.text(max_size=120), min_size=1, max_size=8))
@settings(max_examples=50)
def test_any_buttons_are_ones_that_slack_takes(labels: list[str]) -> None:
    below = buttons_of(tuple(button(label, number) for number, label in enumerate(labels)))
    assert faults_in_message(below) == ()
    (block,) = below
    elements = block["elements"]
    assert isinstance(elements, list)
    assert [each["value"] for each in elements] == [f"{n:032x}" for n in range(len(labels))]
    for label, element in zip(labels, elements, strict=True):
        written = str(element["text"]["text"])
        assert len(written) <= MOST_BUTTON_CHARS
        assert label.strip().startswith(written.removesuffix("…"))


def test_a_reply_without_buttons_has_no_block_for_them() -> None:
    assert buttons_of(()) == []


@pytest.mark.parametrize("text", ["", "The <numbers>", "<" * 1_000])
def test_the_caption_of_a_file_names_it_and_carries_the_key(text: str) -> None:
    blocks = caption_of(Reply(address=DIRECT, text=text, key="i-7", file=FILE), FILE)
    assert faults_in_message(blocks) == ()
    assert key_of({"blocks": blocks}) == "i-7"
    assert len(str(blocks)) <= MAX_SECTION_CHARS + 200
    assert ("a&lt;b&gt;.csv" in str(blocks)) == (text == "")


def test_the_key_is_read_where_it_is_ours_only() -> None:
    assert key_of({"metadata": metadata_of("i-1")}) == "i-1"
    assert key_of({"blocks": [{"type": "section"}, {"block_id": block_id_of("i-2")}]}) == "i-2"
    foreign = {"event_type": "other", "event_payload": {"key": "i-3"}}
    nothing: tuple[object, ...] = (
        {},
        "x",
        {"metadata": foreign},
        {"blocks": [{"block_id": "b:i"}, 7]},
        {"blocks": 1},
    )
    assert [key_of(each) for each in nothing] == [""] * 5
