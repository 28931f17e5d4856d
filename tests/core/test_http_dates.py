"""Dates of HTTP."""

from datetime import UTC, datetime

import pytest

from bot.core.http_dates import http_date

MOMENT = datetime(2026, 11, 30, 8, 49, 37, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 30 Nov 2026 08:49:37 GMT",
        "Mon Nov 30 08:49:37 2026",
        "Mon, 30 Nov 2026 08:49:37 -0000",
        "Mon, 30 Nov 2026 10:49:37 +0200",
    ],
)
def test_a_date_is_a_moment(text: str) -> None:
    assert MOMENT == http_date(text)


@pytest.mark.parametrize("text", ["", "soon", "120", "Mon, 99 Nov 2026 08:49:37 GMT"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert http_date(text) is None
