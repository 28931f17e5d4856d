"""What tests of channels stand on; a test whose platform has more on it brings its own."""

from collections.abc import AsyncIterator

import pytest

from bot.testing.channels import WatchedClock
from bot.testing.telegram_server import PretendedTelegram


@pytest.fixture
def clock() -> WatchedClock:
    return WatchedClock()


@pytest.fixture
async def telegram() -> AsyncIterator[PretendedTelegram]:
    async with PretendedTelegram() as server:
        yield server
