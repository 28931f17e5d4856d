"""What a log line looks like, and that no secret gets into one."""

import io
import json
import logging
import warnings
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.runtime.log import HIDDEN, QUIET_LOGGERS, JsonFormatter, PlainFormatter, Secrets, set_up

SECRET = "1" * 8 + ":" + 'A"b\\c/ü' * 3


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """A stream to log to; afterwards logging is as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in QUIET_LOGGERS}
    yield io.StringIO()
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, former in levels.items():
        logging.getLogger(name).setLevel(former)
    logging.captureWarnings(capture=False)


def record_of(message: str, **extra: object) -> logging.LogRecord:
    record = logging.LogRecord("bot.x", logging.INFO, "x.py", 1, message, (), None)
    record.__dict__.update(extra)
    record.created = 0.0
    return record


def test_a_json_line_says_the_event_first() -> None:
    line = JsonFormatter(Secrets()).format(record_of("turn.finished", ms=812, outcome="ünïted\n"))

    expected = {
        "event": "turn.finished",
        "at": "1970-01-01T00:00:00.000+00:00",
        "level": "info",
        "logger": "bot.x",
        "ms": 812,
        "outcome": "ünïted\n",
    }
    assert list(expected.items()) == list(json.loads(line).items())
    assert "\n" not in line


def test_an_extra_cannot_pose_as_the_event() -> None:
    line = JsonFormatter(Secrets()).format(record_of("real", event="forged", at="never"))

    assert json.loads(line)["event"] == "real"


def test_what_json_does_not_know_is_written_as_text() -> None:
    line = JsonFormatter(Secrets()).format(record_of("x", chats={"a"}))

    assert json.loads(line)["chats"] == "{'a'}"


def test_a_plain_line_stays_one_line_and_harmless() -> None:
    line = PlainFormatter(Secrets()).format(record_of("turn\x1b[2J", ms=8, text="a\nb", who="Zoë"))

    assert line.endswith(r'info    "turn\u001b[2J" ms=8 text="a\nb" who=Zoë')


def test_a_traceback_is_kept(stream: io.StringIO) -> None:
    set_up("info", stream, as_json=True)
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("bot.x").exception("job.failed")

    line = json.loads(stream.getvalue())
    assert line["exception"].startswith("Traceback")
    assert line["exception"].endswith("ValueError: why")


def test_a_traceback_for_people_is_indented(stream: io.StringIO) -> None:
    set_up("info", stream, as_json=False)
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("bot.x").exception("job.failed")

    first, *rest = stream.getvalue().splitlines()
    assert first.endswith("error   job.failed")
    assert rest[-1] == "    ValueError: why"


@pytest.mark.parametrize("as_json", [True, False])
def test_no_secret_gets_out(stream: io.StringIO, *, as_json: bool) -> None:
    set_up("debug", stream, as_json=as_json).add((SECRET, ""))
    logger = logging.getLogger("bot.x")
    logger.info("said %s", SECRET)
    logger.info("asked", extra={"url": f"https://host/bot{quote(SECRET)}/getMe", "raw": SECRET})
    logger.info("held", extra={"nested": {"token": [SECRET]}})
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception("failed")

    said = stream.getvalue()
    assert said.count(HIDDEN) >= 5
    assert SECRET[-8:] not in said
    assert json.dumps(SECRET)[-9:-1] not in said
    assert quote(SECRET)[-8:] not in said


@given(secret=st.text(min_size=4), before=st.text(), after=st.text())
def test_a_secret_is_found_wherever_it_stands(secret: str, before: str, after: str) -> None:
    secrets = Secrets()
    secrets.add((secret,))

    for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe="", errors="replace")):
        assert form not in secrets.hide_in(before + form + after).replace(HIDDEN, "")


def test_a_secret_that_begins_another_leaves_no_rest() -> None:
    secrets = Secrets()
    secrets.add(("12345", "1234567890"))

    assert secrets.hide_in("1234567890 12345") == f"{HIDDEN} {HIDDEN}"


def test_what_is_too_short_to_hide_is_left() -> None:
    secrets = Secrets()
    secrets.add(("", "ab"))

    assert secrets.hide_in("about") == "about"


def test_libraries_are_quiet_and_the_level_counts(stream: io.StringIO) -> None:
    set_up("info", stream, as_json=True)
    logging.getLogger("httpx").info("HTTP Request: GET …")
    logging.getLogger("telegram.ext").info("polling")
    logging.getLogger("bot.x").debug("unseen")
    logging.getLogger("slack_bolt").warning("seen")

    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["seen"]


def test_python_warnings_are_logged(stream: io.StringIO) -> None:
    set_up("info", stream, as_json=True)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    assert "DeprecationWarning: old" in json.loads(stream.getvalue())["event"]


def test_setting_up_twice_logs_once(stream: io.StringIO) -> None:
    set_up("info", stream, as_json=True)
    set_up("info", stream, as_json=True)
    logging.getLogger("bot.x").info("once")

    assert stream.getvalue().count("once") == 1
