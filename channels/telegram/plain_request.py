"""A request to the Bot API with the standard library alone, where nobody may wait for the SDK."""

from __future__ import annotations

import json
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPException, HTTPMessage, HTTPResponse

from bot.api import http_date, proxy_for

NO_ANSWER = (OSError, HTTPException, ValueError)
"""What :func:`ask` raises when there is no answer of the Bot API."""

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the Bot API said.

    Attributes:
        code: Of the error; 200 for none.
        result: Of a request that was carried out, raw.
        description: Of the error, in Telegram's words.
        at: When the server says it answered; None when it does not say.
    """

    code: int
    result: object = None
    description: str = ""
    at: datetime | None = None


def ask(address: str, method: str, parameters: dict[str, object], *, timeout_s: float) -> Answer:
    """Make one request, blocking.

    Args:
        address: Of the bot, token included. No error that is raised knows it.
        method: Of the Bot API.
        parameters: Of the method.
        timeout_s: For the connection, for each piece of the answer, and for the whole of it.

    Raises:
        OSError: No connection, or no answer in time.
        HTTPException: An answer that is no HTTP.
        ValueError: An answer that is none of the Bot API's.
    """
    request = urllib.request.Request(  # noqa: S310 - Settings allows http and https only
        f"{address}/{method}",
        data=json.dumps(parameters).encode(),
        headers={"Content-Type": "application/json"},
    )
    with _opener(address).open(request, timeout=timeout_s) as response:
        return _read(response.status, _all_of(response, timeout_s), response.headers)


class _TakesAnyStatus(urllib.request.HTTPErrorProcessor):
    """Hands every answer over; as exceptions, refusals would know the address, token and all."""

    def http_response(
        self, request: urllib.request.Request, response: HTTPResponse
    ) -> HTTPResponse:
        return response

    https_response = http_response


def _opener(address: str) -> urllib.request.OpenerDirector:
    proxy = proxy_for(address)
    proxies = {} if proxy is None else {"http": proxy, "https": proxy}
    return urllib.request.build_opener(_TakesAnyStatus, urllib.request.ProxyHandler(proxies))


def _all_of(response: HTTPResponse, limit_s: float) -> bytes:
    """Read to the end; urllib's own limit is for each piece."""
    until_s, content = time.monotonic() + limit_s, b""
    while piece := response.read1():
        content += piece
        if time.monotonic() > until_s or len(content) > _MOST_BYTES:
            raise TimeoutError("the answer does not come to an end")
    return content


def _read(status: int, content: bytes, headers: HTTPMessage) -> Answer:
    """Read an answer; a server in between may word a refusal in its own way."""
    answer: object = None
    if status == 200:
        answer = json.loads(content)
        if not isinstance(answer, dict) or "result" not in answer:
            raise ValueError("no answer of the Bot API")
    else:
        with suppress(ValueError):
            answer = json.loads(content)
    found = answer if isinstance(answer, dict) else {}
    return Answer(
        code=status,
        result=found.get("result"),
        description=str(found.get("description") or ""),
        at=http_date(headers.get("Date", "")),
    )
