"""Random chats, broken ones among them: what goes out is what a vendor takes, and fits."""

from bot.core.tokens import SAFETY
from bot.testing.fitting import drive
from bot.testing.independent_count import count_request


async def test_every_request_of_random_chats_fits_by_an_independent_count() -> None:
    found = await drive(range(60), count_request)

    assert None is found.faults
    assert found.requests > 500
    assert found.over <= SAFETY
