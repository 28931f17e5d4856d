"""Slack's and the network's errors, in the bot's words.

The law of this file: every error is of one kind of :data:`ERRORS`, and what follows from it follows
from its kind alone. ``docs/slack.md`` shows the same table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.api import ChannelAuthError, ChannelError, DeliveryError, FateUnknown, distrust

Effect = Literal["mended", "given up", "rests", "again", "token", "unknown"]
"""What follows: it is brought in another form; never again; after a pause; later; once the token is
right; and, nobody knowing whether it was done, as docs/delivery.md says."""

ErrorName = Literal[
    "limited",
    "token",
    "scope",
    "formatting",
    "no stream",
    "stream over",
    "stream open",
    "edit refused",
    "too long",
    "chat gone",
    "not in it",
    "no rights",
    "thread gone",
    "refused",
    "unavailable",
    "unreachable",
    "broken",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKind:
    """A kind of error.

    Attributes:
        said: How it shows, in words for people.
        happens: What follows from it, in words for people.
        codes: Slack's words for it; empty where something else tells it.
    """

    name: ErrorName
    said: str
    effect: Effect
    happens: str
    codes: tuple[str, ...] = ()


ERRORS: tuple[ErrorKind, ...] = (
    ErrorKind(
        name="limited",
        said="429, `ratelimited`",
        effect="rests",
        happens="Nothing at all goes out in this chat for as long as Slack says; then the same "
        "message. Other chats go on.",
        codes=("ratelimited", "rate_limited", "message_limit_exceeded"),
    ),
    ErrorKind(
        name="token",
        said="`invalid_auth`, `token_revoked`, `account_inactive` and the like",
        effect="token",
        happens="The chat rests for 5 min, then it is tried again; receiving says so in the log.",
        codes=(
            "account_inactive",
            "invalid_auth",
            "not_allowed_token_type",
            "not_authed",
            "token_expired",
            "token_revoked",
            "user_removed_from_team",
        ),
    ),
    ErrorKind(
        name="scope",
        said="`missing_scope`",
        effect="given up",
        happens="Given up, naming the scope and the token that lacks it.",
        codes=("missing_scope", "no_permission"),
    ),
    ErrorKind(
        name="formatting",
        said="`invalid_blocks`, `msg_blocks_too_long`",
        effect="mended",
        happens="Sent as plain text, without formatting; what was a button is a command to write.",
        codes=("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"),
    ),
    ErrorKind(
        name="no stream",
        said="`unknown_method`, `missing_recipient_user_id`, or any other refusal of a stream's "
        "beginning",
        effect="mended",
        happens="Shown as a message that is edited; no stream is tried in this chat for an hour.",
        codes=(
            "unknown_method",
            "method_deprecated",
            "method_not_supported_for_channel_type",
            "channel_type_not_supported",
            "missing_recipient_team_id",
            "missing_recipient_user_id",
        ),
    ),
    ErrorKind(
        name="stream over",
        said="`message_not_in_streaming_state`, `stopped_by_user`",
        effect="mended",
        happens="The same message is brought up to date by an edit, and goes on so.",
        codes=("message_not_in_streaming_state", "stopped_by_user"),
    ),
    ErrorKind(
        name="stream open",
        said="`streaming_state_conflict`",
        effect="mended",
        happens="The stream, which an earlier process began, is stopped; then the edit is made.",
        codes=("streaming_state_conflict",),
    ),
    ErrorKind(
        name="edit refused",
        said="`message_not_found`, `cant_update_message`, `edit_window_closed`",
        effect="given up",
        happens="Sent as a message of its own. What was to be taken away is gone, or stays.",
        codes=(
            "message_not_found",
            "cant_update_message",
            "cant_delete_message",
            "edit_window_closed",
        ),
    ),
    ErrorKind(
        name="too long",
        said="`msg_too_long`",
        effect="given up",
        happens="An edit: sent as a message of its own. A message: given up; answers are split "
        "before, so that it should not come to this.",
        codes=("msg_too_long",),
    ),
    ErrorKind(
        name="chat gone",
        said="`channel_not_found`, `is_archived`",
        effect="given up",
        happens="Given up. The rest of the answer, and the word about it, are refused likewise.",
        codes=("channel_not_found", "is_archived", "user_disabled", "messages_tab_disabled"),
    ),
    ErrorKind(
        name="not in it",
        said="`not_in_channel`, `user_not_in_channel`",
        effect="given up",
        happens="Given up; once the bot, or the person, is in the channel, `!retry` sends it.",
        codes=("not_in_channel", "user_not_in_channel"),
    ),
    ErrorKind(
        name="no rights",
        said="`restricted_action` and its kind, `ekm_access_denied`",
        effect="given up",
        happens="Given up; `!retry` sends it once the bot may write.",
        codes=(
            "restricted_action",
            "restricted_action_non_threadable_channel",
            "restricted_action_read_only_channel",
            "restricted_action_thread_locked",
            "restricted_action_thread_only_channel",
            "access_denied",
            "ekm_access_denied",
            "team_access_not_granted",
            "cannot_reply_to_message",
        ),
    ),
    ErrorKind(
        name="thread gone",
        said="`thread_not_found`",
        effect="given up",
        happens="Given up: in a channel an answer stands in its thread, or nowhere.",
        codes=("thread_not_found",),
    ),
    ErrorKind(
        name="refused",
        said="any other `ok: false`",
        effect="given up",
        happens="Given up, and told in the chat with Slack's own word.",
    ),
    ErrorKind(
        name="unavailable",
        said="503, `service_unavailable`, `request_timeout`",
        effect="again",
        happens="Sent again after 1, 2, 4 … s: nothing was done.",
        codes=(
            "service_unavailable",
            "org_login_required",
            "request_timeout",
            "team_added_to_org",
        ),
    ),
    ErrorKind(
        name="unreachable",
        said="no connection",
        effect="again",
        happens="Sent again after 1, 2, 4 … s: it surely did not arrive.",
    ),
    ErrorKind(
        name="broken",
        said="`fatal_error`, `internal_error`, other 5xx, a time-out, a connection that broke, an "
        "answer that makes no sense",
        effect="unknown",
        happens="Its fate is unknown: looked up, by the key that every message carries. An edit is "
        "simply made again.",
        codes=("fatal_error", "internal_error"),
    ),
)
"""Source: docs.slack.dev, the errors of chat.postMessage, chat.update, chat.delete,
chat.postEphemeral, chat.startStream, chat.appendStream and chat.stopStream, read 2026-11-30. Of
fatal_error and internal_error it is said there that some of the operation may have succeeded."""

_NAMED = {kind.name: kind for kind in ERRORS}
_BY_CODE = {code: kind for kind in ERRORS for code in kind.codes}

_NEVER_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
_BROKEN_OFF = (
    SlackClientError,
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    AttributeError,  # the SDK takes any 200 for a JSON object; a proxy's page is none
    UnicodeDecodeError,
)


class Refused(DeliveryError):
    """Slack said no, and nothing was done.

    Attributes:
        code: In Slack's word.
        kind: What follows from it.
    """

    def __init__(
        self, message: str, kind: ErrorKind, code: str, *, retry_after_s: float | None = None
    ) -> None:
        can_retry = kind.effect in ("rests", "again")
        super().__init__(message, can_retry=can_retry, retry_after_s=retry_after_s)
        self.kind = kind
        self.code = code


@contextmanager
def translated(token_setting: str) -> Iterator[None]:
    """Raise the bot's errors in place of the SDK's; ``token_setting`` names the token in use."""
    try:
        yield
    except SlackApiError as error:
        raise _refusal(error, token_setting) from error
    except _NEVER_CONNECTED as error:
        raise DeliveryError(f"Slack cannot be reached ({reason_of(error)})") from error
    except _BROKEN_OFF as error:
        raise FateUnknown(f"Slack did not answer ({type(error).__name__})") from error


def reason_of(error: Exception) -> str:
    """Say in a few words why a connection came to nothing; no address is in them."""
    match error:
        case aiohttp.ClientHttpProxyError(status=status):
            return f'the proxy answers {status}: look at "proxy"'
        case aiohttp.ClientProxyConnectionError():
            return 'the proxy cannot be reached: look at "proxy"'
    return distrust(error) or type(error).__name__


def told(answer: Mapping[str, object], name: str) -> str:
    """Read what an answer must name, as a message's timestamp.

    Raises:
        FateUnknown: It does not: something was done, and nobody can say what.
    """
    value = answer.get(name)
    if not isinstance(value, str) or not value:
        raise FateUnknown(f"Slack's answer names no {name}")
    return value


def kind_of(code: str, status: int) -> ErrorKind:
    """Say of which kind an answer is that is no success, by Slack's code, if any, and by HTTP's."""
    if status == 429:
        return _NAMED["limited"]
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status == 503:
        return _NAMED["unavailable"]
    if status >= 500 or not code:
        return _NAMED["broken"]
    return _NAMED["refused"]


def _refusal(error: SlackApiError, token_setting: str) -> ChannelError:
    response = error.response
    if not isinstance(response, AsyncSlackResponse):  # its body broke off or was no JSON
        return FateUnknown("Slack's answer cannot be read")
    data = response.data if isinstance(response.data, dict) else {}
    code, status = str(data.get("error", "")), response.status_code
    kind = kind_of(code, status)
    match kind.name:
        case "limited":
            wait_s = _retry_after_s(response.headers)
            return Refused("Slack asks for fewer requests", kind, code, retry_after_s=wait_s)
        case "token":
            return ChannelAuthError(
                f"Slack refused the token ({code}): check channels.slack.{token_setting}"
            )
        case "scope":
            return _missing_scope(str(data.get("needed", "")), token_setting)
        case "unavailable":
            return Refused(f"Slack is not available ({code or status})", kind, code)
        case "broken":
            return FateUnknown(f"Slack failed ({code or status})")
        case "formatting":
            return Refused(f"Slack refused the formatting ({code})", kind, code)
    return Refused(f"Slack refused it ({code})", kind, code)


def _missing_scope(needed: str, token_setting: str) -> ChannelError:
    mend = f"the token channels.slack.{token_setting} lacks the scope {needed or 'it needs'}"
    if token_setting == "app_token":  # noqa: S105 - the name of a setting
        return ChannelAuthError(f"Slack opens no socket: {mend}")
    return Refused(f"Slack refused it: {mend}", _NAMED["scope"], "missing_scope")


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    value = headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None
