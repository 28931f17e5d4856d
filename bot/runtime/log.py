"""Logging: the standard library with two formatters, and secrets that cannot get out.

A log call names its event first and puts the rest into ``extra``::

    logger.info("turn.finished", extra={"session": key, "ms": 812})

The law of this file: what is written passes :class:`Secrets`, tracebacks and other libraries' lines
included.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from traceback import walk_tb
from typing import TextIO
from urllib.parse import quote

HIDDEN = "***"
MIN_SECRET_CHARS = 4
"""What is shorter cannot be hidden without hiding half of the log."""

QUIET_LOGGERS = (
    *("aiohttp.access", "anthropic", "apscheduler", "asyncio", "httpcore", "httpcore2", "httpx"),
    *("httpx2", "peewee", "slack_bolt", "slack_sdk", "telegram"),
)
"""Libraries that tell of every request, some with the token in its address: warnings only."""

_SERVER_LOGGER = "aiohttp.server"
_OF_CLIENTS = ("aiohttp.http_exceptions.", "aiohttp.web_protocol.RequestPayloadError")
"""How the names of errors begin that are due to who asks: an address too long, what is no HTTP."""

_OWN_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class Secrets:
    """Texts that must never be written, whatever form they take in a line."""

    def __init__(self) -> None:
        self._forms: tuple[str, ...] = ()

    def add(self, secrets: Iterable[str]) -> None:
        """Hide these from now on."""
        forms = set(self._forms)
        for secret in secrets:
            if len(secret) >= MIN_SECRET_CHARS:
                forms.update(_forms_of(secret))
        # The longest first: one secret may be the beginning of another.
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))

    def hide_in(self, text: str) -> str:
        """Replace every secret in a text."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, HIDDEN)
        return text


class JsonFormatter(logging.Formatter):
    """One JSON object a line: the event, then when, how grave, who says it, then the extras."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Write a record as one line without secrets."""
        fields: dict[str, object] = {
            "event": record.getMessage(),
            "at": _time_of(record).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        for key, value in _extras_of(record).items():
            fields.setdefault(key, value)
        if traceback := _traceback_of(record, self):
            fields["exception"] = traceback
        return self._secrets.hide_in(json.dumps(fields, default=str, ensure_ascii=False))


class PlainFormatter(logging.Formatter):
    """For a person at a terminal: ``09:00:00 info  turn.finished  ms=812``."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Write a record without secrets; a traceback stands below it, indented."""
        time = _time_of(record).astimezone().strftime("%H:%M:%S")
        words = [f"{time} {record.levelname.lower():<7} {_printable(record.getMessage())}"]
        words += [f"{key}={_printable(value)}" for key, value in _extras_of(record).items()]
        line = " ".join(words)
        if traceback := _traceback_of(record, self):
            line += "".join(f"\n    {each}" for each in traceback.splitlines())
        return self._secrets.hide_in(line)


def set_up(level: str, stream: TextIO, *, as_json: bool) -> Secrets:
    """Send the log to ``stream``, instead of wherever it went, and quieten the libraries.

    Returns:
        The secrets to hide; none yet, the caller adds them as it learns of them.
    """
    secrets = Secrets()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(secrets) if as_json else PlainFormatter(secrets))
    root = logging.getLogger()
    for former in root.handlers[:]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger(_SERVER_LOGGER).addFilter(_lower_faults_of_clients)
    logging.captureWarnings(capture=True)
    return secrets


def level_switch() -> Callable[[object], None]:
    """Give what changes the level while the bot runs; None brings back the present one."""
    root = logging.getLogger()
    present = root.level

    def switch(level: object) -> None:
        root.setLevel(present if level is None else str(level).upper())

    return switch


def _lower_faults_of_clients(record: logging.LogRecord) -> bool:
    """Let what is wrong with a request be of use to who looks for it, and no alarm.

    Anybody who reaches a server of HTTP could else fill the log with tracebacks.
    """
    error = record.exc_info[1] if record.exc_info else None
    if error is None or not (_is_of_client(error) or _has_hung_up(error)):
        return True
    record.levelno, record.levelname = logging.DEBUG, logging.getLevelName(logging.DEBUG)
    return logging.getLogger(record.name).isEnabledFor(logging.DEBUG)


def _is_of_client(error: BaseException) -> bool:
    return f"{type(error).__module__}.{type(error).__qualname__}".startswith(_OF_CLIENTS)


def _has_hung_up(error: BaseException) -> bool:
    """Tell the server's connection from one of ours that broke while we answered."""
    if not isinstance(error, ConnectionError):
        return False
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in walk_tb(error.__traceback__)]
    return bool(modules) and modules[-1].startswith("aiohttp.")


def _forms_of(secret: str) -> Iterator[str]:
    """List the ways in which libraries and formatters may write a secret."""
    in_address = (quote(secret, safe=safe, errors="surrogateescape") for safe in ("/", ":/", ""))
    for form in (secret, repr(secret)[1:-1], *in_address):
        yield form
        yield json.dumps(form)[1:-1]
        yield json.dumps(form, ensure_ascii=False)[1:-1]


def _time_of(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _extras_of(record: logging.LogRecord) -> dict[str, object]:
    return {key: value for key, value in record.__dict__.items() if key not in _OWN_FIELDS}


def _traceback_of(record: logging.LogRecord, formatter: logging.Formatter) -> str:
    if record.exc_info and record.exc_info[0] is not None:
        return formatter.formatException(record.exc_info)
    return record.exc_text or ""


def _printable(value: object) -> str:
    """Keep a value on its line and away from the terminal's control codes."""
    text = str(value)
    return text if text.isprintable() else json.dumps(text, ensure_ascii=True)
