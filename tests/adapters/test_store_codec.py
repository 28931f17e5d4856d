"""Every value comes back from its JSON text as it was."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.store.codec import (
    decode_inbound,
    decode_message,
    decode_reply,
    decode_result,
    encode_inbound,
    encode_message,
    encode_reply,
    encode_result,
    micros_of,
    moment_of,
)
from bot.core.chat import (
    Button,
    ChatAddress,
    InboundMessage,
    Reply,
    Sender,
)
from bot.core.files import Attachment, OutgoingFile
from bot.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from bot.errors import StoreError
from bot.languages import LANGUAGES

texts = st.text(st.characters(exclude_categories=()), max_size=20)  # halves of pairs included
moments = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))]))
results = st.builds(ToolResult, call_id=texts, content=texts, is_error=st.booleans())
blocks = st.one_of(
    st.builds(Text, text=texts),
    st.builds(Image, media_type=texts, data=texts),
    st.builds(Thinking, text=texts, signature=texts, is_redacted=st.booleans()),
    st.builds(ToolCall, id=texts, name=texts, arguments=texts),
    results,
)
roles = st.sampled_from(["user", "assistant"])
messages = st.builds(Message, role=roles, blocks=st.lists(blocks, max_size=4).map(tuple))
addresses = st.builds(ChatAddress, channel=texts, account=texts, chat=texts, thread=texts)
senders = st.builds(Sender, channel=texts, user_id=texts, name=texts, realm=texts, language=texts)
attachments = st.builds(
    Attachment,
    kind=st.sampled_from(["picture", "document", "sound", "video"]),
    name=texts,
    media_type=texts,
    handle=texts,
    size_bytes=st.none() | st.integers(0, 2**40),
)
inbound_messages = st.builds(
    InboundMessage,
    event_id=texts,
    address=addresses,
    kind=st.sampled_from(["private", "group"]),
    sender=senders,
    message_id=texts,
    text=texts,
    is_addressed=st.booleans(),
    sent_at=moments,
    quoted=texts,
    forwarded_from=texts,
    attachments=st.lists(attachments, max_size=2).map(tuple),
    album=texts,
    is_unread=st.booleans(),
)
kinds = st.sampled_from(["final", "notice"])
buttons = st.builds(Button, label=texts, command=texts, token=texts, person=texts)
files = st.builds(OutgoingFile, name=texts, media_type=texts, content=st.binary(max_size=8))
replies = st.builds(
    Reply,
    address=addresses,
    text=texts,
    kind=kinds,
    reply_to=texts,
    key=texts,
    buttons=st.lists(buttons, max_size=2).map(tuple),
    file=st.none() | files,
    for_person=texts,
    language=st.sampled_from(LANGUAGES),
)


@given(messages)
def test_message_comes_back(message: Message) -> None:
    assert message == decode_message(_through_utf8(encode_message(message)))


@given(results)
def test_result_comes_back(result: ToolResult) -> None:
    assert result == decode_result(_through_utf8(encode_result(result)))


@given(inbound_messages)
def test_inbound_comes_back(inbound: InboundMessage) -> None:
    assert inbound == decode_inbound(_through_utf8(encode_inbound(inbound)))


@given(replies)
def test_reply_comes_back(reply: Reply) -> None:
    content = None if reply.file is None else reply.file.content
    assert reply == decode_reply(_through_utf8(encode_reply(reply)), reply.key, content)


@given(moments)
def test_moment_comes_back_in_utc(at: datetime) -> None:
    assert at == moment_of(micros_of(at))
    assert moment_of(micros_of(at)).tzinfo is UTC


def test_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        micros_of(datetime(2026, 1, 5))  # noqa: DTZ001 - what must not be


def test_text_stays_readable() -> None:
    """Forgetting looks for a text in the raw bytes of the file."""
    assert "日本語" in encode_message(Message(role="user", blocks=(Text(text="日本語"),)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "3",
        '{"role": "user"}',
        '{"role": "user", "blocks": [{"type": "hologram"}]}',
        '{"role": "user", "blocks": [{"type": "text"}]}',
    ],
)
def test_what_is_no_message_is_a_store_error(text: str) -> None:
    with pytest.raises(StoreError, match="a stored message cannot be read"):
        decode_message(text)


def test_what_is_no_result_is_a_store_error() -> None:
    with pytest.raises(StoreError, match="a stored result cannot be read"):
        decode_result('{"type": "text", "text": "hello"}')


def test_what_is_no_event_is_a_store_error() -> None:
    with pytest.raises(StoreError, match="a stored inbound cannot be read"):
        decode_inbound('{"type": "earthquake"}')


def _through_utf8(text: str) -> str:
    """What SQLite does with it."""
    return text.encode("utf-8").decode("utf-8")
