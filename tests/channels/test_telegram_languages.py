"""What Telegram tells of a person's language, and what the channel says in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.api import LANGUAGES, ChatAddress, Language, Reply, speaking
from channels.telegram.inbound import BotIdentity
from channels.telegram.menu import MENU_LANGUAGES
from channels.telegram.outgoing import mended, outgoing
from channels.telegram.unread import unread_message

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
IDENTITY = BotIdentity(id=77, username="daybook_bot")
TOPIC = ChatAddress(channel="telegram", account="77", chat="-100200", thread="11")


@pytest.mark.parametrize(
    ("told", "language"), [({"language_code": "zh-hans"}, "zh-hans"), ({"language_code": 5}, "")]
)
def test_who_wrote_what_cannot_be_read_keeps_their_language(
    told: dict[str, object], language: str
) -> None:
    """They are told that it was not read."""
    person = {"id": 1001, "is_bot": False, "first_name": "Ada"} | told
    chat = {"id": 1001, "type": "private"}
    raw = {"update_id": 1, "message": {"message_id": 5, "from": person, "chat": chat}}

    unread = unread_message(raw, IDENTITY, AT)
    assert unread is not None
    assert language == unread.sender.language


@pytest.mark.parametrize(
    ("language", "remark"),
    [
        ("en", "Its topic is gone"),
        ("zh", "原话题已不存在"),
        ("ja", "元のトピックはもうありません"),
    ],
)
def test_that_a_topic_is_gone_is_said_in_the_language_that_is_spoken(
    language: Language, remark: str
) -> None:
    with speaking(language):
        again = mended(outgoing(Reply(address=TOPIC, text="answer")), "thread gone")

    assert again is not None
    assert remark in again.rendered.text
    assert ["italic"] == [span.kind for span in again.rendered.spans]


def test_menus_are_sent_in_every_language() -> None:
    assert ("", *LANGUAGES[1:]) == MENU_LANGUAGES
