"""What time a service on the network says it is, by the ``Date`` of any answer."""

from __future__ import annotations

from datetime import datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from bot.core.http_dates import http_date
from bot.network import proxy_for

TIMEOUT_S = 10.0


def date_of(address: str) -> datetime | None:
    """Ask for the head of whatever is at a web address; None where nobody tells the time.

    Blocking. An error of HTTP is an answer like any other.
    """
    proxy = proxy_for(address)
    opener = build_opener(ProxyHandler({} if proxy is None else {"http": proxy, "https": proxy}))
    request = Request(address, method="HEAD")  # noqa: S310 - settings allow http and https alone
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            told = answer.headers.get("Date")
    except HTTPError as error:
        with error:
            told = error.headers.get("Date")
    except (OSError, HTTPException):
        return None
    return http_date(told or "")
