"""Where Telegram calls: what the settings say, and what Telegram says of it."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr, ValidationError
from telegram.error import TelegramError

from bot.testing.clock import START
from bot.testing.telegram_rules import Json
from channels.telegram import Settings
from channels.telegram.webhook import Info, read_info
from channels.telegram.webhook_place import WebhookPlace, secret_for


def place(url: str = "https://a.example/hook") -> WebhookPlace:
    return WebhookPlace(url=url, host="127.0.0.1", port=1, path="/hook", secret=SecretStr("s"))


@pytest.mark.parametrize(
    ("info", "is_set", "expected"),
    [
        (Info(url=""), False, True),
        (Info(url="https://a.example/hook"), False, False),
        (Info(url="https://b.example/hook"), True, True),
        (Info(url="https://a.example/hook", kinds=frozenset()), False, True),
        (Info(url="https://a.example/hook", kinds=frozenset()), True, False),
        (Info(url="https://a.example/hook", connections=1), False, True),
        (Info(url="https://a.example/hook", failure="Wrong response: 403 Forbidden"), True, True),
    ],
)
def test_when_it_must_be_set(info: Info, is_set: bool, expected: bool) -> None:
    assert info.must_be_set(place(), is_set=is_set) is expected


@pytest.mark.parametrize(
    ("waiting", "failed_at", "expected"),
    [
        (0, START, ""),
        (1, None, ""),
        (1, START - timedelta(seconds=1), ""),
        (1, START, "Telegram cannot deliver to the webhook: Connection refused"),
    ],
)
def test_when_there_is_trouble(waiting: int, failed_at: datetime | None, expected: str) -> None:
    info = Info(url="x", waiting=waiting, failed_at=failed_at, failure="Connection refused")
    assert info.trouble_since(START) == expected


def test_what_telegram_says_of_a_webhook_is_read() -> None:
    raw: Json = {
        "url": "https://a.example/hook",
        "has_custom_certificate": False,
        "pending_update_count": 3,
        "max_connections": 40,
        "allowed_updates": ["message"],
        "last_error_date": 1767603600,
        "last_error_message": "Connection timed out",
    }
    assert read_info(raw) == Info(
        url="https://a.example/hook",
        kinds=frozenset({"message"}),
        waiting=3,
        failed_at=datetime(2026, 1, 5, 9, tzinfo=UTC),
        failure="Connection timed out",
    )
    with pytest.raises(TelegramError):
        read_info(True)


def test_the_secret_comes_from_the_token_and_does_not_give_it_away() -> None:
    one, other = (secret_for(f"{number}:abc").get_secret_value() for number in (1, 2))
    assert one == secret_for("1:abc").get_secret_value()
    assert one != other
    assert (len(one), "abc" in one) == (64, False)


def test_settings_of_a_webhook() -> None:
    values = {"token": "1:a", "mode": "webhook", "webhook_url": "https://a.example/hook"}
    found = Settings.model_validate(values).webhook
    assert found is not None
    assert (found.host, found.port, found.path) == ("127.0.0.1", 8443, "/hook")
    assert found.secret == secret_for("1:a")
    changed = Settings.model_validate(
        values | {"webhook_path": "/inside", "webhook_secret": "my_own-1"}
    ).webhook
    assert changed is not None
    assert (changed.path, changed.secret.get_secret_value()) == ("/inside", "my_own-1")
    assert "my_own-1" not in repr(changed)
    assert Settings.model_validate(values | {"mode": "polling"}).webhook is None


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"webhook_url": None}, "webhook_url is needed"),
        ({"webhook_url": "http://a.example/hook"}, "must be https"),
        ({"webhook_url": "https://a.example:444/hook"}, "443, 80, 88 or 8443"),
        ({"webhook_secret": "with space"}, "must be 1 to 256"),
        ({"webhook_path": "hook"}, "webhook_path"),
    ],
)
def test_settings_that_cannot_work(changes: Json, complaint: str) -> None:
    values: Json = {"token": "1:a", "mode": "webhook", "webhook_url": "https://a.example/hook"}
    with pytest.raises(ValidationError, match=complaint) as caught:
        Settings.model_validate(values | changes)
    assert "with space" not in str(caught.value)
