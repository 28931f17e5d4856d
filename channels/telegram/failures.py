"""Telegram's and the network's errors, in the bot's words.

The law of this file: every error is of one kind of :data:`ERRORS`, and what follows from it follows
from its kind alone. ``docs/telegram.md`` shows the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    RetryAfter,
    TelegramError,
)

from bot.api import (
    ChannelAuthError,
    ChannelError,
    DeliveryError,
    FateUnknown,
    blame_proxy,
    distrust,
)
from channels.telegram.durations import seconds_of
from channels.telegram.token import TOKEN_REFUSED, redact

Effect = Literal["done", "mended", "given up", "rests", "again", "token", "unknown"]
"""What follows: nothing is wrong; it is sent in another form; never again; after a pause; later;
once the token is right; and, nobody knowing whether it arrived, as docs/delivery.md says."""

ErrorName = Literal[
    "limited",
    "token",
    "moved",
    "unmodified",
    "reply gone",
    "thread gone",
    "blocked",
    "chat gone",
    "no rights",
    "edit refused",
    "too long",
    "formatting",
    "picture",
    "refused",
    "conflict",
    "unreachable",
    "broken",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKind:
    """A kind of error.

    Attributes:
        said: How it shows, in words for people.
        words: By which Telegram's description is known, in lower case; empty where the error's
            class says enough.
        happens: What follows from it, in words for people.
    """

    name: ErrorName
    said: str
    effect: Effect
    happens: str
    words: tuple[str, ...] = ()


ERRORS: tuple[ErrorKind, ...] = (
    ErrorKind(
        name="limited",
        said="429, too many requests",
        effect="rests",
        happens="Nothing at all goes out in this chat for as long as Telegram says, else for 5 s; "
        "then the same message. Other chats go on.",
    ),
    ErrorKind(
        name="token",
        said="401 or 404, the token is refused",
        effect="token",
        happens="The chat rests for 5 min, then it is tried again; receiving says so in the log.",
    ),
    ErrorKind(
        name="moved",
        said="the group was upgraded to a supergroup",
        effect="mended",
        happens="Sent to the supergroup at once; what was to be changed in the group is sent anew.",
    ),
    ErrorKind(
        name="unmodified",
        said="`message is not modified`",
        effect="done",
        happens="All is well. An edit that would change nothing is not even made.",
        words=("message is not modified",),
    ),
    ErrorKind(
        name="reply gone",
        said="`message to be replied not found`",
        effect="mended",
        happens="Sent without pointing at the message. Telegram is told to do so by itself.",
        words=(
            "message to be replied not found",
            "message to reply not found",
            "replied message not found",
            "reply_message_id_invalid",
        ),
    ),
    ErrorKind(
        name="thread gone",
        said="`message thread not found`, `TOPIC_DELETED`",
        effect="mended",
        happens="Sent to the group itself, with a line that says that its topic is gone.",
        words=("message thread not found", "topic_deleted", "topic_id_invalid"),
    ),
    ErrorKind(
        name="blocked",
        said="the person blocked the bot or is deactivated, the bot was removed",
        effect="given up",
        happens="Given up. The rest of the answer, and the word about it, are refused likewise.",
        words=(
            "bot was blocked",
            "user is deactivated",
            "bot was kicked",
            "bot is not a member",
            "can't initiate conversation",
            "can't send messages to bots",
        ),
    ),
    ErrorKind(
        name="chat gone",
        said="`chat not found`, a deleted group",
        effect="given up",
        happens="Given up.",
        words=("chat not found", "peer_id_invalid", "chat was deactivated", "chat was deleted"),
    ),
    ErrorKind(
        name="no rights",
        said="`not enough rights`, `CHAT_WRITE_FORBIDDEN`, a closed topic",
        effect="given up",
        happens="Given up; `/retry` sends it once the bot may write.",
        words=(
            "not enough rights",
            "have no rights",
            "need administrator rights",
            "chat_write_forbidden",
            "chat_restricted",
            "chat_admin_required",
            "chat_send_",
            "topic_closed",
        ),
    ),
    ErrorKind(
        name="edit refused",
        said="`message to edit not found`, `message can't be edited`",
        effect="given up",
        happens="Sent as a message of its own.",
        words=(
            "message to edit not found",
            "message can't be edited",
            "message_id_invalid",
            "no text in the message to edit",
        ),
    ),
    ErrorKind(
        name="too long",
        said="`message is too long`, a caption or a file that is too large",
        effect="given up",
        happens="Given up. Answers are split before, so that it should not come to this.",
        words=(
            "message is too long",
            "message_too_long",
            "caption is too long",
            "caption_too_long",
            "file is too big",
        ),
    ),
    ErrorKind(
        name="formatting",
        said="`can't parse entities`",
        effect="mended",
        happens="Sent as it was written, without formatting.",
        words=("entit",),
    ),
    ErrorKind(
        name="picture",
        said="`PHOTO_INVALID_DIMENSIONS`, `IMAGE_PROCESS_FAILED`",
        effect="mended",
        happens="Sent as a file.",
        words=("photo_", "image_process_failed"),
    ),
    ErrorKind(
        name="refused",
        said="any other 400 or 403",
        effect="given up",
        happens="Given up, and told in the chat with Telegram's own words.",
    ),
    ErrorKind(
        name="conflict",
        said="409, another program uses the token",
        effect="again",
        happens="Sent again after 1, 2, 4 … s.",
    ),
    ErrorKind(
        name="unreachable",
        said="no connection",
        effect="again",
        happens="Sent again after 1, 2, 4 … s: it surely did not arrive.",
    ),
    ErrorKind(
        name="broken",
        said="5xx, a time-out, a connection that broke, an answer that makes no sense",
        effect="unknown",
        happens="Its fate is unknown: repeated once, marked, when Telegram answers again. "
        "An edit is simply made again.",
    ),
)
"""In the order in which their words are looked for. Source: what telegram-bot-api and the server
behind it answer, as reported by its users and libraries, read 2026-11-30."""

_NAMED = {kind.name: kind for kind in ERRORS}

_STARTS: tuple[tuple[str, ErrorName], ...] = (
    ("too many requests", "limited"),
    ("request entity too large", "too long"),
)
"""Refusals for which the SDK has no class, by how they begin."""

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)

PATIENCE_S = 5.0
"""How long to wait after a 429 that does not say how long."""


def kind_of(error: TelegramError) -> ErrorKind:
    """Say of which kind an error is."""
    return _NAMED[_by_class(error) or _by_words(error) or _by_cause(error)]


def failure_of(error: TelegramError, *, is_repeatable: bool) -> ChannelError:
    """Say what an error means for whoever called.

    Args:
        error: What the SDK raised.
        is_repeatable: Doing it twice shows nothing twice (an edit, a poll), so that a request of
            unknown fate may simply be made again. A 5xx counts as unknown fate: behind Telegram's
            front servers the message may have been accepted.
    """
    text = redact(f"Telegram: {reason_of(error.__cause__) or error.message}")
    match kind_of(error).effect:
        case "token":
            return ChannelAuthError(TOKEN_REFUSED)
        case "rests":
            return DeliveryError(text, retry_after_s=_pause_s(error))
        case "done" | "mended" | "given up":  # what should have been mended could not be
            return DeliveryError(text, can_retry=False)
        case "again":
            return DeliveryError(text)
        case "unknown":
            return DeliveryError(text) if is_repeatable else FateUnknown(text)


def reason_of(cause: BaseException | None) -> str:
    """Say what the way to Telegram has against a connection; empty where it is not that.

    Args:
        cause: What the HTTP client raised, if it did.
    """
    match cause:
        case httpx.ProxyError():
            return distrust(cause) or f'the proxy answers "{cause}": look at "proxy"'
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return distrust(cause) or blame_proxy(cause, str(cause.request.url))
    return "" if cause is None else distrust(cause)


def _by_class(error: TelegramError) -> ErrorName | None:
    match error:
        case RetryAfter():
            return "limited"
        case InvalidToken():
            return "token"
        case ChatMigrated():
            return "moved"
        case Conflict():
            return "conflict"
    return None


def _by_words(error: TelegramError) -> ErrorName | None:
    message = error.message.lower()
    if not isinstance(error, BadRequest | Forbidden):  # of other errors the words may be anybody's
        return next((name for start, name in _STARTS if message.startswith(start)), None)
    for kind in ERRORS:
        if any(words in message for words in kind.words):
            return kind.name
    return "refused"


def _by_cause(error: TelegramError) -> ErrorName:
    return "unreachable" if isinstance(error.__cause__, _NEVER_SENT) else "broken"


def _pause_s(error: TelegramError) -> float:
    return seconds_of(error.retry_after) if isinstance(error, RetryAfter) else PATIENCE_S
