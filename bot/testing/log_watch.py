"""Every line that is logged, looked through for secrets: whatever its level, and by whomever."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from bot.testing.secret_texts import secret_texts

OURS = ("bot", "channels", "plugins")
"""The product's loggers, of which every line is looked at; of libraries those that they write."""

LEAST_CHARS = 10
"""A shorter secret may stand in a line by chance."""

FORMS = re.compile(
    r"(?<!\d)\d{5,}:[A-Za-z0-9_-]{30,}"  # a bot's token of Telegram
    r"|xox[a-z]-[A-Za-z0-9]{2,}-|xapp-\d-[A-Z0-9]{4,}"  # tokens of Slack
    r"|sk-ant-[A-Za-z0-9]|k{20}"  # a key of the model's vendor, and the one that tests have
    r"|Bearer [A-Za-z0-9_-]{16,}"
)
"""What secrets look like that tests give to the product, or that it makes itself."""


class LogWatch:
    """Gathers what was logged with a secret in it.

    Attributes:
        leaks: Of each such line, who logged it and what it begins with: never the secret.
        lines: How many lines were looked through.
    """

    def __init__(self) -> None:
        self.leaks: list[str] = []
        self.lines = 0
        self._planted = frozenset(
            each.secret for each in secret_texts() if len(each.secret) >= LEAST_CHARS
        )

    def look(self, record: logging.LogRecord) -> None:
        """Look a record through: message, extras, and traceback."""
        self.lines += 1
        text = " ".join(map(str, (record.getMessage(), *_extras_of(record), _traceback(record))))
        if FORMS.search(text) or any(secret in text for secret in self._planted):
            self.leaks.append(f"{record.name}: {str(record.msg)[:40]}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at every line for as long as the block lasts.

        A line that its level would leave out is made, looked at, and not written.
        """
        is_enabled, handle, watch = logging.Logger.isEnabledFor, logging.Logger.handle, self

        def always_for_ours(self: logging.Logger, level: int) -> bool:
            return self.name.split(".")[0] in OURS or is_enabled(self, level)

        def handle_and_look(self: logging.Logger, record: logging.LogRecord) -> None:
            if self.filter(record):  # the channels have what libraries log redacted there
                watch.look(record)
            if is_enabled(self, record.levelno):
                handle(self, record)

        logging.Logger.isEnabledFor = always_for_ours  # type: ignore[method-assign]  # for a while
        logging.Logger.handle = handle_and_look  # type: ignore[method-assign]  # likewise
        try:
            yield
        finally:
            logging.Logger.isEnabledFor = is_enabled  # type: ignore[method-assign]  # as it was
            logging.Logger.handle = handle  # type: ignore[method-assign]  # as it was


_OWN_FIELDS = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


def _extras_of(record: logging.LogRecord) -> Iterator[object]:
    return (value for key, value in record.__dict__.items() if key not in _OWN_FIELDS)


def _traceback(record: logging.LogRecord) -> str:
    if record.exc_info and record.exc_info[0] is not None:
        return logging.Formatter().formatException(record.exc_info)
    return record.exc_text or ""
