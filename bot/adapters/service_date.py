"""What time a service on the network says it is, by the ``Date`` of any answer."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TIMEOUT_S = 10.0


def date_of(address: str) -> datetime | None:
    """Ask for the head of whatever is at a web address; None where nobody tells the time.

    Blocking. An error of HTTP is an answer like any other; proxies of the environment are used.
    """
    request = Request(address, method="HEAD")  # noqa: S310 - settings allow http and https alone
    try:
        with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
            told = answer.headers.get("Date")
    except HTTPError as error:
        with error:
            told = error.headers.get("Date")
    except (OSError, HTTPException):
        return None
    return _moment(told or "")


def _moment(date: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
