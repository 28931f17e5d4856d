"""What tests of the runtime begin with."""

from collections.abc import AsyncIterator

import pytest

from bot.runtime.supervisor import Supervisor
from tests.runtime.post import FINDER, Post


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    async with Supervisor() as supervisor:
        yield supervisor


@pytest.fixture
def post(supervisor: Supervisor) -> Post:
    return Post(supervisor)


@pytest.fixture
def finder(supervisor: Supervisor) -> Post:
    return Post(supervisor, FINDER)
