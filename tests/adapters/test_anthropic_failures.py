from datetime import UTC, datetime

import pytest

from bot.adapters.anthropic_model.failures import MAX_CHARS, error_from, retry_after_s
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

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def failed(status: int, body: object) -> ModelError:
    return error_from(status, body, {}, NOW)


def said(message: str, kind: str = "invalid_request_error") -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("words", "needed", "limit"),
    [
        ("prompt is too long: 213462 tokens > 200000 maximum", 213_462, 200_000),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
            "decrease input length or `max_tokens` and try again",
            209_573,
            200_000,
        ),
        (
            "request (9120 tokens) exceeds the available context size (4096 tokens), try "
            "increasing it",
            9_120,
            4_096,
        ),
        ("the request exceeds the available context size, try increasing it", None, None),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9100 "
            "tokens (8100 in the messages, 1000 in the completion).",
            9_100,
            8_192,
        ),
    ],
)
def test_overflow_is_told_by_the_words_and_gives_the_numbers(
    words: str, needed: int | None, limit: int | None
) -> None:
    error = failed(400, said(words))

    assert isinstance(error, ContextTooLong)
    assert (needed, limit) == (error.needed_tokens, error.limit_tokens)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (200, said("", "overloaded_error"), ModelOverloaded),
        (500, said("", "overloaded_error"), ModelOverloaded),
        (529, "", ModelOverloaded),
        (400, said("", "rate_limit_error"), ModelRateLimited),
        (402, said("", "billing_error"), ModelAuthError),
        (403, None, ModelAuthError),
        (400, {"error": "model is required"}, ModelRequestRefused),
        (418, ["?"], ModelRequestRefused),
        (404, said("model: claude-0", "not_found_error"), ModelNotFound),
        (404, {"error": "model 'evil' not found"}, ModelNotFound),
        (404, said("File Not Found", "not_found_error"), ModelRequestRefused),
        (404, "<html>", ModelRequestRefused),
        (408, None, ModelUnavailable),
        (302, "", ModelUnavailable),
        (502, "<html>", ModelUnavailable),
        (504, "<html>", ModelSilent),
        (524, "", ModelSilent),
        (500, said("", "timeout_error"), ModelSilent),
        (400, said("no room", "exceed_context_size_error"), ContextTooLong),
    ],
)
def test_the_type_goes_before_the_status(
    status: int, body: object, expected: type[ModelError]
) -> None:
    assert type(failed(status, body)) is expected


def test_the_vendors_words_are_kept_on_one_line_and_short() -> None:
    error = failed(400, said("messages.0:\n  wrong " * 40))

    assert str(error).startswith("The model's vendor refused the request as invalid: messages.0: ")
    assert len(str(error)) == MAX_CHARS


def test_a_page_of_a_proxy_is_not_quoted() -> None:
    expected = "The model's vendor cannot be reached or failed: HTTP 502"

    assert expected == str(failed(502, "<!doctype html><h1>Bad gateway</h1>"))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "250", "retry-after": "3"}, 0.25),
        ({"retry-after": "Mon, 05 Jan 2026 09:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 05 Jan 2026 08:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 05 Jan 2026 09:00:30 -0000"}, 30.0),
    ],
)
def test_the_time_to_wait_comes_in_three_forms(
    headers: dict[str, str], expected: float | None
) -> None:
    assert expected == retry_after_s(headers, NOW)
