"""Moments as headers of HTTP write them."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def http_date(text: str) -> datetime | None:
    """Read a date of HTTP, of whichever of its forms; None for what is no date.

    Source: RFC 9110, section 5.6.7; one without a zone is in UTC.
    """
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
