"""The watch of ``tests/conftest.py``: no secret is logged unnoticed, at whatever level."""

import logging

import pytest

from bot.testing.log_watch import LogWatch
from bot.testing.secret_texts import secret_texts

TOKEN = "1001" * 3 + ":" + "AbCd_-9" * 5
PLANTED = max((each.secret for each in secret_texts()), key=len)

logger = logging.getLogger("bot.of_a_test")
library = logging.getLogger("some_library")


def leaks_of(watch: LogWatch) -> list[str]:
    """Take what was found, so that this test itself does not fail of it."""
    leaks, watch.leaks = watch.leaks, []
    return leaks


@pytest.mark.parametrize("secret", [TOKEN, PLANTED, "xox" + "b-" + "1" * 11 + "-x", "k" * 20])
def test_a_secret_is_found_wherever_it_stands_in_a_line(log_watch: LogWatch, secret: str) -> None:
    logger.debug("event.of_a_test", extra={"why": f"about {secret}"})
    logger.info("GET /bot%s/getMe", secret)
    try:
        raise ValueError(secret)
    except ValueError:
        logger.exception("event.that_broke")
    library.warning("asked with %s", secret)

    assert [
        "bot.of_a_test: event.of_a_test",
        "bot.of_a_test: GET /bot%s/getMe",
        "bot.of_a_test: event.that_broke",
        "some_library: asked with %s",
    ] == leaks_of(log_watch)


def test_what_is_no_secret_is_let_pass_and_counted(log_watch: LogWatch) -> None:
    before = log_watch.lines
    logger.debug("event.of_a_test", extra={"session": "telegram:77:1001:", "ms": 812})
    library.debug("below the level of a library: %s", TOKEN)

    assert ([], before + 1) == (leaks_of(log_watch), log_watch.lines)


def test_what_is_below_the_level_is_not_written(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING"):
        logger.info("event.of_a_test")
        logger.warning("event.that_counts")

    assert ["event.that_counts"] == caplog.messages
