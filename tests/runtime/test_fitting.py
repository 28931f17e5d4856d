"""Random chats, broken ones among them: what goes out is what a vendor takes, and fits."""

from bot.core.tokens import SAFETY
from bot.testing.fitting import drive
from bot.testing.independent_count import count_request


async def test_every_request_of_random_chats_fits_by_an_independent_count() -> None:
    found = await drive(range(60), count_request)

    assert None is found.faults
    assert found.requests > 500
    assert found.over <= SAFETY


async def test_requests_of_large_chats_fit_budgets_of_180_000_and_900_000_tokens() -> None:
    found = await drive(range(2), count_request, are_large=True)

    assert None is found.faults
    assert 50 < found.requests
    assert -0.5 < found.over <= SAFETY  # the limit was really near
