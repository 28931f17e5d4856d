"""What a vendor says when it fails, as one error of :mod:`bot.errors`.

The type in the body goes before the status: once a stream has begun the status is 200 whatever
happens. No status decides alone what a person may try again; the class does.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime

from bot.adapters.anthropic_model.json_values import as_object, text_in
from bot.core.http_dates import http_date
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
    ModelSilent,
    ModelUnavailable,
)

MAX_CHARS = 200

_BY_KIND: dict[str, type[ModelError]] = {
    "authentication_error": ModelAuthError,
    "permission_error": ModelAuthError,
    "billing_error": ModelAuthError,
    "rate_limit_error": ModelRateLimited,
    "overloaded_error": ModelOverloaded,
    "request_too_large": ContextTooLong,
    "exceed_context_size_error": ContextTooLong,  # llama.cpp
    "invalid_request_error": ModelRequestRefused,
    "not_found_error": ModelRequestRefused,
    "api_error": ModelUnavailable,
    "timeout_error": ModelSilent,
}

_BY_STATUS: dict[int, type[ModelError]] = {
    401: ModelAuthError,
    402: ModelAuthError,
    403: ModelAuthError,
    408: ModelUnavailable,
    409: ModelUnavailable,
    413: ContextTooLong,
    429: ModelRateLimited,
    499: ModelUnavailable,
    504: ModelSilent,  # a gateway's word: what is behind it was asked
    524: ModelSilent,
    529: ModelOverloaded,
}

_TOO_LONG = (
    # the vendor: input alone, input with the room for the answer
    re.compile(r"prompt is too long: (?P<needed>\d+) tokens > (?P<limit>\d+) maximum"),
    re.compile(r"exceed context limit: (?P<needed>\d+) \+ (?P<more>\d+) > (?P<limit>\d+)"),
    # llama.cpp, with and without numbers
    re.compile(
        r"(?:\((?P<needed>\d+) tokens\) )?exceeds the available context size"
        r"(?: \((?P<limit>\d+) tokens\))?"
    ),
    # vLLM
    re.compile(r"maximum context length is (?P<limit>\d+) tokens(?:\D+(?P<needed>\d+))?"),
)
"""How overflow is told apart from any other refusal.

Source: the wordings that public clients of these servers look for, read 2026-11."""


def error_from(status: int, body: object, headers: Mapping[str, str], at: datetime) -> ModelError:
    """Turn a vendor's refusal into the error that the runner understands.

    Args:
        status: HTTP status; 200 for an error that came inside a stream.
        body: The body, parsed if it was JSON.
        headers: Looked up in lower case.
        at: The present, to which a date in ``retry-after`` relates.
    """
    kind, words = _kind_and_words(body)
    for pattern in _TOO_LONG:
        if found := pattern.search(words):
            return _too_long(words, status, found.groupdict())
    error_class = _BY_KIND.get(kind) or _BY_STATUS.get(status) or _by_family(status)
    if error_class is ModelRequestRefused and _tells_of_no_model(status, kind, words):
        error_class = ModelNotFound
    message = sentence(error_class, words or f"HTTP {status}")
    if error_class is ContextTooLong:
        return ContextTooLong(message)
    return error_class(message, retry_after_s=retry_after_s(headers, at))


def sentence(error_class: type[ModelError], words: str) -> str:
    """Say what failed, in the class's own words and the vendor's, shortened."""
    opening = (error_class.__doc__ or "").partition("\n")[0].rstrip(".")
    text = f"{opening}: {' '.join(words.split())}"
    return text if len(text) <= MAX_CHARS else f"{text[: MAX_CHARS - 1]}…"


def retry_after_s(headers: Mapping[str, str], at: datetime) -> float | None:
    """Read how long the vendor wants to be left alone: milliseconds, seconds or a date."""
    if (seconds := _number(headers.get("retry-after-ms"))) is not None:
        return seconds / 1000
    text = headers.get("retry-after")
    if text is None:
        return None
    if (seconds := _number(text)) is not None:
        return seconds
    until = http_date(text)
    return None if until is None else max(0.0, (until - at).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:  # also for the empty text
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _by_family(status: int) -> type[ModelError]:
    return ModelRequestRefused if 400 <= status < 500 else ModelUnavailable


def _tells_of_no_model(status: int, kind: str, words: str) -> bool:
    """Tell a model that is not there from a place that is not: local servers word both alike."""
    return (status == 404 or kind == "not_found_error") and "model" in words.lower()


def _too_long(words: str, status: int, numbers: Mapping[str, str | None]) -> ContextTooLong:
    needed, more, limit = (numbers.get(name) for name in ("needed", "more", "limit"))
    return ContextTooLong(
        sentence(ContextTooLong, words or f"HTTP {status}"),
        needed_tokens=int(needed) + int(more or 0) if needed else None,
        limit_tokens=int(limit) if limit else None,
    )


def _kind_and_words(body: object) -> tuple[str, str]:
    """Read the vendor's ``{"error": {"type", "message"}}`` and what local servers make of it."""
    if isinstance(body, str):
        return "", "" if body.lstrip().startswith("<") else body  # a proxy's page says nothing
    outer = as_object(body)
    error = outer.get("error")
    if isinstance(error, str):
        return text_in(outer, "type"), error
    inner = as_object(error) or outer
    words = text_in(inner, "message") or text_in(inner, "detail")
    return text_in(inner, "type"), words or (json.dumps(body) if body else "")
