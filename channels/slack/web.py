"""Slack's Web API: the calls that the bot makes, and its refusals as the bot's own errors.

The law of this file: a call is made once. Who may try again, and when, is decided by those who pace
(the delivery queue, the loop that keeps the socket open), so no retry handler of the SDK waits
inside a call; it would be deaf to the Clock, and its connection handler repeats a ``postMessage``
that may have been carried out. Only the look-up of names, which nobody waits for, uses them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.api import ChannelAuthError, ChannelError, ChatAddress, DeliveryError, FateUnknown
from channels.slack.inbound import Identity
from channels.slack.metadata import key_of, metadata_of
from channels.slack.settings import Settings
from channels.slack.text import escape, fallback

REQUEST_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 10.0

LOOKUP_PAGE = 200
LOOKUP_PAGES = 5
"""How much of a chat is looked through for a reply whose fate is not known."""

_TOKEN_REFUSED = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "not_allowed_token_type",
        "not_authed",
        "token_expired",
        "token_revoked",
        "user_removed_from_team",
    }
)
_NOT_DONE_YET = frozenset({"org_login_required", "request_timeout", "team_added_to_org"})
"""Refusals that pass by themselves; nothing was carried out."""

_PERHAPS_DONE = frozenset({"fatal_error", "internal_error"})
"""Source: docs.slack.dev, chat.postMessage, Errors: "some aspect of the operation" may have
succeeded."""

_BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})

_NEVER_CONNECTED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientConnectorCertificateError,
    aiohttp.ConnectionTimeoutError,
)
_BROKEN_OFF = (
    SlackClientError,
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    AttributeError,  # the SDK takes any 200 for a JSON object; a proxy's page is none
    UnicodeDecodeError,
)

sdk_logger = logging.getLogger("channels.slack.sdk")
"""The logger of all SDK objects; kept above DEBUG, where the SDK writes down whole messages."""
sdk_logger.setLevel(logging.INFO)

Blocks = list[dict[str, object]]
"""Block Kit blocks as JSON."""


class BlocksRefused(DeliveryError):
    """Slack refused the blocks of a message; nothing was posted."""


class WebApi:
    """One workspace's Web API over one pool of connections; to be closed."""

    def __init__(self, settings: Settings) -> None:
        limit = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S, sock_connect=CONNECT_TIMEOUT_S)
        self.session = aiohttp.ClientSession(timeout=limit)
        self._app_token = settings.app_token
        self.client = self._client(settings, [])
        self._patient = self._client(
            settings, [AsyncRateLimitErrorRetryHandler(), AsyncServerErrorRetryHandler()]
        )

    def _client(self, settings: Settings, retrying: list[AsyncRetryHandler]) -> AsyncWebClient:
        client = AsyncWebClient(
            token=settings.bot_token.get_secret_value(),
            base_url=settings.base_url,
            session=self.session,
            logger=sdk_logger,
            retry_handlers=retrying,
        )
        client.proxy = proxy_for(client.base_url)  # the SDK's own choice ignores no_proxy
        return client

    async def identify(self) -> Identity:
        """Ask who the bot is.

        Raises:
            ChannelError: The token was refused, or Slack cannot be reached now.
        """
        with translated("bot_token"):
            answer = await self.client.auth_test()
        return Identity(team_id=str(answer["team_id"]), user_id=str(answer["user_id"]))

    async def open_socket(self) -> str:
        """Ask for the address of a new WebSocket; it serves once.

        Raises:
            ChannelError: The token was refused, or Slack cannot be reached now.
        """
        with translated("app_token"):
            answer = await self.client.apps_connections_open(
                app_token=self._app_token.get_secret_value()
            )
        return str(answer["url"])

    async def name_of(self, user_id: str) -> str:
        """Look up what people call a person.

        Raises:
            ChannelError: It cannot be had now.
        """
        with translated("bot_token"):
            answer = await self._patient.users_info(user=user_id)
        match answer.get("user"):
            case {"profile": {"display_name": str(name)}} if name:
                return name
            case {"profile": {"real_name": str(name)}} if name:
                return name
        return user_id

    async def post(self, address: ChatAddress, markdown: str, key: str) -> str:
        """Post one message and return its timestamp; by its key it can be found again.

        Raises:
            ChannelError: It was not posted, or its fate is unknown.
        """
        text = escape(markdown)
        try:
            return await self._post(address, fallback(text), _blocks(text), key)
        except BlocksRefused:
            return await self._post(address, text, None, key)

    async def _post(self, address: ChatAddress, text: str, blocks: Blocks | None, key: str) -> str:
        with translated("bot_token"):
            answer = await self.client.chat_postMessage(
                channel=address.chat,
                thread_ts=address.thread or None,
                text=text,
                blocks=blocks,
                metadata=metadata_of(key),
                unfurl_links=False,
                unfurl_media=False,
            )
        return str(answer["ts"])

    async def find(self, address: ChatAddress, key: str) -> str | None:
        """Look for a message by its key; give its timestamp, None when it surely is not there.

        Args:
            address: Where it was to be posted.
            key: What it was posted with.

        Raises:
            ChannelError: It cannot be told.
        """
        cursor = ""
        for _ in range(LOOKUP_PAGES):
            messages, cursor = await self._page(address, cursor)
            for message in messages:
                if key_of(message) == key:
                    return str(message["ts"])
            if not cursor:
                return None
        raise DeliveryError("too much was written since to look through it", can_retry=False)

    async def _page(self, address: ChatAddress, cursor: str) -> tuple[list[dict[str, object]], str]:
        params: dict[str, object] = {
            "channel": address.chat,
            "limit": LOOKUP_PAGE,
            "include_all_metadata": True,
        }
        if address.thread:
            params["ts"] = address.thread
        if cursor:
            params["cursor"] = cursor
        method = "conversations.replies" if address.thread else "conversations.history"
        with translated("bot_token"):
            answer = await self.client.api_call(method, http_verb="GET", params=params)
        further = answer.get("response_metadata")
        cursor = further.get("next_cursor", "") if isinstance(further, dict) else ""
        messages = answer.get("messages")
        return messages if isinstance(messages, list) else [], str(cursor)

    async def update(self, address: ChatAddress, ts: str, markdown: str) -> None:
        """Change a message; doing so twice does no harm, so its fate is never unknown.

        Raises:
            ChannelError: It was not changed, or perhaps it was.
        """
        text = escape(markdown)
        try:
            await self._update(address, ts, fallback(text), _blocks(text))
        except BlocksRefused:
            await self._update(address, ts, text, [])

    async def _update(self, address: ChatAddress, ts: str, text: str, blocks: Blocks) -> None:
        try:
            with translated("bot_token"):
                await self.client.chat_update(channel=address.chat, ts=ts, text=text, blocks=blocks)
        except FateUnknown as error:
            raise DeliveryError(str(error)) from error

    async def set_status(self, address: ChatAddress, status: str) -> None:
        """Show in a thread what the bot is doing, for two minutes or until it posts.

        Raises:
            ChannelError: It is not shown.
        """
        with translated("bot_token"):
            await self.client.assistant_threads_setStatus(
                channel_id=address.chat, thread_ts=address.thread, status=status
            )

    async def close(self) -> None:
        """Give the connections back."""
        await self.session.close()


def _blocks(text: str) -> Blocks:
    return [{"type": "markdown", "text": text}]


def proxy_for(url: str) -> str | None:
    """Choose the proxy that the environment names for an address, WebSockets included."""
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return getproxies().get("https" if parts.scheme in ("https", "wss") else "http")


@contextmanager
def translated(token_setting: str) -> Iterator[None]:
    """Raise the bot's errors in place of the SDK's; ``token_setting`` names the token in use."""
    try:
        yield
    except SlackApiError as error:
        raise _refusal(error, token_setting) from error
    except _NEVER_CONNECTED as error:
        raise DeliveryError(f"Slack cannot be reached ({type(error).__name__})") from error
    except _BROKEN_OFF as error:
        raise FateUnknown(f"Slack did not answer ({type(error).__name__})") from error


def _refusal(error: SlackApiError, token_setting: str) -> ChannelError:
    response = error.response
    if not isinstance(response, AsyncSlackResponse):  # its body broke off or was no JSON
        return FateUnknown("Slack's answer cannot be read")
    data = response.data if isinstance(response.data, dict) else {}
    code, status = str(data.get("error", "")), response.status_code
    if status == 429 or code in ("ratelimited", "rate_limited"):
        wait_s = _retry_after_s(response.headers)
        return DeliveryError("Slack asks for fewer requests", retry_after_s=wait_s)
    if code in _TOKEN_REFUSED:
        return ChannelAuthError(
            f"Slack refused the token ({code}): check channels.slack.{token_setting}"
        )
    if code == "missing_scope":
        return _missing_scope(str(data.get("needed", "")), token_setting)
    if code in _BLOCKS_REFUSED:
        return BlocksRefused(f"Slack refused the formatting ({code})", can_retry=False)
    if status == 503 or code == "service_unavailable" or code in _NOT_DONE_YET:
        return DeliveryError(f"Slack is not available ({code or status})")
    if code in _PERHAPS_DONE or status >= 500 or not code:
        return FateUnknown(f"Slack failed ({code or status})")
    return DeliveryError(f"Slack refused it ({code})", can_retry=False)


def _missing_scope(needed: str, token_setting: str) -> ChannelError:
    mend = f"the token channels.slack.{token_setting} lacks the scope {needed or 'it needs'}"
    if token_setting == "app_token":  # noqa: S105 - the name of a setting
        return ChannelAuthError(f"Slack opens no socket: {mend}")
    return DeliveryError(f"Slack refused it: {mend}", can_retry=False)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    value = headers.get("Retry-After", "")
    return float(value) if value.isdecimal() else None
