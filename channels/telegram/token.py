"""The bot's token: what is said when it is refused, and how it stays out of logs and errors.

The Bot API has it in every address.
"""

import logging
import re

TOKEN_REFUSED = "Telegram refused the token: check channels.telegram.token"  # noqa: S105 - no token

_ADDRESS = re.compile(r"/bot\d[^/\s'\"]*")
_WEBHOOK_SECRET = re.compile(r"(secret_token\W{1,8})[\w-]+")

_LOGGERS = ("httpx", "httpcore", "telegram.Bot", "telegram.ext.ExtBot", "telegram.request")
"""Who logs secrets: httpx each address at INFO, the SDK what it is told to send at DEBUG."""


def redact(text: str) -> str:
    """Blank the token in every address of the Bot API, and the webhook's secret."""
    return _WEBHOOK_SECRET.sub(r"\1***", _ADDRESS.sub("/bot***", text))


def guard_logs() -> None:
    """Redact what the libraries below this channel log; repeating it changes nothing.

    A filter of a logger sees only what is logged through that very logger, hence the list.
    """
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_redact_record)


def _redact_record(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    redacted = redact(message)
    if redacted != message:
        record.msg, record.args = redacted, ()
    return True
