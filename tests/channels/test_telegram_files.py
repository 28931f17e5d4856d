"""Files are fetched whole or refused by kind, and the token stays where it belongs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from bot.api import (
    MOST_FILE_BYTES,
    Attachment,
    Channel,
    ChannelAuthError,
    DeliveryError,
    FileTooLarge,
)
from bot.testing.channels import WatchedClock, captured_logs
from bot.testing.telegram_server import PretendedTelegram
from channels.telegram import Settings, build


def document(file_id: str) -> Attachment:
    return Attachment(kind="document", name="a.txt", media_type="", handle=file_id)


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        server.stored.content["one"] = b"words"
        yield server


@pytest.fixture
async def channel(telegram: PretendedTelegram) -> AsyncIterator[Channel]:
    settings = Settings(token=SecretStr(telegram.token), base_url=telegram.base_url)
    made = build(settings, WatchedClock())
    yield made
    await made.close()


async def test_a_file_comes_whole(telegram: PretendedTelegram, channel: Channel) -> None:
    telegram.stored.content["a name.txt"] = bytes(range(256)) * 4_000

    assert await channel.fetch(document("one")) == b"words"
    assert await channel.fetch(document("a name.txt")) == bytes(range(256)) * 4_000


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Give the folder in which a server of one's own keeps files."""
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder


@pytest.fixture
async def beside(telegram: PretendedTelegram, kept: Path) -> AsyncIterator[Channel]:
    """Give a channel on the machine of such a server."""
    settings = Settings(
        token=SecretStr(telegram.token), base_url=telegram.base_url, server_files=str(kept)
    )
    made = build(settings, WatchedClock())
    yield made
    await made.close()


async def test_a_file_is_read_where_the_server_keeps_it(
    telegram: PretendedTelegram, beside: Channel, kept: Path
) -> None:
    place = kept / "document"
    place.write_bytes(b"kept words")
    telegram.stored.places["one"] = str(place)

    assert await beside.fetch(document("one")) == b"kept words"


async def test_no_server_says_what_else_is_read_of_this_machine(
    telegram: PretendedTelegram, channel: Channel, beside: Channel, kept: Path
) -> None:
    private, inside, link = kept.parent / "private", kept / "inside", kept / "link"
    private.write_bytes(b"private words")
    inside.write_bytes(b"kept words")
    link.symlink_to(private)
    for asked, place in (
        (channel, private),
        (channel, inside),
        (beside, private),
        (beside, link),
        (beside, kept / ".." / "private"),
        (beside, kept),
        (beside, kept / "nothing"),
    ):
        telegram.stored.places["one"] = str(place)
        with pytest.raises(DeliveryError) as caught:
            await asked.fetch(document("one"))
        assert not caught.value.can_retry


def test_files_are_not_read_at_the_word_of_telegrams_own_server() -> None:
    with pytest.raises(ValidationError, match="server of your own"):
        Settings(token=SecretStr("1:a"), server_files="/srv/files")


async def test_what_is_too_large_is_not_held(
    telegram: PretendedTelegram, beside: Channel, kept: Path
) -> None:
    stored, place = telegram.stored, kept / "large"
    place.write_bytes(bytes(MOST_FILE_BYTES + 1))
    stored.content |= {
        "told": b"words",
        "refused": b"words",
        "not told": bytes(MOST_FILE_BYTES + 1),
        "kept": b"words",
    }
    stored.claimed_sizes |= {"told": MOST_FILE_BYTES + 1, "refused": 10**9, "not told": 5}
    stored.places["kept"] = str(place)

    for file_id in ("told", "refused", "not told", "kept"):
        with pytest.raises(FileTooLarge):
            await beside.fetch(document(file_id))


async def test_what_is_gone_is_not_asked_for_again(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.stored.answers = [404]
    for file_id in ("unknown", "one"):
        with pytest.raises(DeliveryError) as caught:
            await channel.fetch(document(file_id))
        assert not caught.value.can_retry


@pytest.mark.parametrize("status", [429, 500, 502])
async def test_what_may_come_later_can_be_asked_for_again(
    telegram: PretendedTelegram, channel: Channel, status: int
) -> None:
    telegram.stored.answers = [status]
    with pytest.raises(DeliveryError) as caught:
        await channel.fetch(document("one"))

    assert caught.value.can_retry
    assert await channel.fetch(document("one")) == b"words"


async def test_a_refused_token_is_told_as_such(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    telegram.stored.answers = [401]
    with pytest.raises(ChannelAuthError):
        await channel.fetch(document("one"))


async def test_the_token_is_in_no_log_and_no_error(
    telegram: PretendedTelegram, channel: Channel
) -> None:
    with captured_logs() as logs:
        await channel.fetch(document("one"))
        await telegram.__aexit__()
        with pytest.raises(DeliveryError) as caught:
            await channel.fetch(document("one"))

    assert telegram.token not in f"{caught.value!r} {logs()}"
    assert any("/file/bot***" in line for line in logs())
