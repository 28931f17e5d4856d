"""Files are fetched with the token, which goes to Slack alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.api import (
    MOST_FILE_BYTES,
    Attachment,
    Channel,
    ChannelAuthError,
    DeliveryError,
    FileTooLarge,
)
from bot.testing.clock import FakeClock
from bot.testing.slack_server import PretendedSlack
from channels.slack import Settings, build


def file_at(url: str, media_type: str = "text/plain") -> Attachment:
    return Attachment(kind="document", name="a.txt", media_type=media_type, handle=url)


@pytest.fixture
async def slack() -> AsyncIterator[PretendedSlack]:
    async with PretendedSlack() as server:
        server.stored.content["a.txt"] = ("text/plain", b"words")
        yield server


@pytest.fixture
async def channel(slack: PretendedSlack) -> AsyncIterator[Channel]:
    built = build(Settings.model_validate(slack.settings), FakeClock())
    yield built
    await built.close()


async def test_a_file_comes_whole(slack: PretendedSlack, channel: Channel) -> None:
    slack.stored.content["page.html"] = ("text/html", b"<html>words</html>")

    assert await channel.fetch(file_at(slack.file_url("a.txt"))) == b"words"
    page = file_at(slack.file_url("page.html"), "text/html")
    assert await channel.fetch(page) == b"<html>words</html>"
    assert slack.stored.asked == [slack.bot_token] * 2


async def test_a_page_for_people_is_no_file(slack: PretendedSlack, channel: Channel) -> None:
    slack.stored._token = "another"
    slack.stored.content["page.html"] = ("text/html", b"<html>words</html>")
    for name, media_type in (("a.txt", "text/plain"), ("page.html", "text/html")):
        with pytest.raises(DeliveryError, match="files:read") as caught:
            await channel.fetch(file_at(slack.file_url(name), media_type))
        assert not caught.value.can_retry


async def test_the_token_goes_to_slack_alone(slack: PretendedSlack, channel: Channel) -> None:
    async with PretendedSlack() as elsewhere:
        elsewhere.stored.content["a.txt"] = ("text/plain", b"words")
        for url in (
            elsewhere.file_url("a.txt"),
            "https://files.slack.com.example.org/a.txt",
            "http://files.slack.com/a.txt",
            "https://evil@[::1/a.txt",
            "",
        ):
            with pytest.raises(DeliveryError, match="does not lie with Slack"):
                await channel.fetch(file_at(url))

        assert elsewhere.stored.asked == []


async def test_what_is_too_large_is_not_held(slack: PretendedSlack, channel: Channel) -> None:
    slack.stored.content["large"] = ("text/plain", bytes(MOST_FILE_BYTES + 1))

    with pytest.raises(FileTooLarge):
        await channel.fetch(file_at(slack.file_url("large")))


@pytest.mark.parametrize(
    ("status", "can_retry"), [(404, False), (403, False), (429, True), (502, True)]
)
async def test_refusals_by_kind(
    slack: PretendedSlack, channel: Channel, status: int, can_retry: bool
) -> None:
    slack.stored.answers = [status]
    with pytest.raises(DeliveryError) as caught:
        await channel.fetch(file_at(slack.file_url("a.txt")))

    assert caught.value.can_retry is can_retry


async def test_a_refused_token_and_a_server_that_is_away(
    slack: PretendedSlack, channel: Channel
) -> None:
    slack.stored.answers = [401]
    with pytest.raises(ChannelAuthError):
        await channel.fetch(file_at(slack.file_url("a.txt")))
    url = slack.file_url("a.txt")
    await slack.__aexit__()
    with pytest.raises(DeliveryError) as caught:
        await channel.fetch(file_at(url))

    assert caught.value.can_retry
    assert slack.bot_token not in repr(caught.value)
