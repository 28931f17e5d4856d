"""Slack's Web API: the calls that the bot makes, and its refusals as the bot's own errors.

The law of this file: a call is made once. Who may try again, and when, is decided by those who pace
(the delivery queue, the loop that keeps the socket open), so no retry handler of the SDK waits
inside a call; it would be deaf to the Clock, and its connection handler repeats a ``postMessage``
that may have been carried out. Only the look-up of names, which nobody waits for, uses them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

import aiohttp
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient
from yarl import URL

from bot.api import Attachment, proxy_for, trusted
from channels.slack.failures import translated
from channels.slack.files import fetch_file
from channels.slack.inbound import Identity
from channels.slack.names import is_of_workspace
from channels.slack.settings import Settings

REQUEST_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 10.0

sdk_logger = logging.getLogger("channels.slack.sdk")
"""The logger of all SDK objects; kept above DEBUG, where the SDK writes down whole messages."""
sdk_logger.setLevel(logging.INFO)

Params = Mapping[str, object]
"""What a method is given."""

Answer = Mapping[str, object]
"""What a method has answered."""

_ADMIN_FLAGS = ("is_admin", "is_owner", "is_primary_owner")
"""Source: Slack, users.info and the object "user", read 2026-11-30."""


class WebApi:
    """One workspace's Web API over one pool of connections; to be closed."""

    def __init__(self, settings: Settings) -> None:
        limit = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S, sock_connect=CONNECT_TIMEOUT_S)
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=trusted()), timeout=limit, middlewares=(_led,)
        )
        self._settings = settings
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
        client.proxy = None  # the SDK's own choice ignores no_proxy; the session makes it
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
            token = self._settings.app_token
            answer = await self.client.apps_connections_open(
                app_token=token.get_secret_value() if token else ""
            )
        return str(answer["url"])

    async def is_admin(self, user_id: str, team_id: str) -> bool:
        """Tell whether somebody is an admin or owner of a workspace, and not of another one.

        Raises:
            ChannelError: It cannot be had now.
        """
        with translated("bot_token"):
            answer = await self._patient.users_info(user=user_id)
        match answer.get("user"):
            case dict() as user:
                is_one = any(user.get(key) is True for key in _ADMIN_FLAGS)
                return is_one and is_of_workspace(user, team_id)
        return False

    async def ask(self, method: str, params: Params) -> Answer:
        """Call a method once, with JSON; a parameter that is None is left out.

        Raises:
            ChannelError: It was not done.
            FateUnknown: It may have been done.
        """
        with translated("bot_token"):
            answer = await self.client.api_call(method, json=_given(params))
        return answer.data if isinstance(answer.data, dict) else {}

    async def ask_by_form(self, method: str, params: Params) -> Answer:
        """Call a method once that takes no JSON; else as :meth:`ask`."""
        with translated("bot_token"):
            answer = await self.client.api_call(method, data=_as_form(params))
        return answer.data if isinstance(answer.data, dict) else {}

    async def fetch(self, attachment: Attachment) -> bytes:
        """Give the content of a file that came with a message.

        Raises:
            ChannelError: It cannot be had.
        """
        token = self._settings.bot_token.get_secret_value()
        return await fetch_file(
            self.session, attachment, token=token, base_url=self._settings.base_url
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self.session.close()


async def _led(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Lead every request of a session, redirects and WebSockets too, the way that it has to go."""
    proxy = proxy_for(str(request.url))
    request.update_proxy(None if proxy is None else URL(proxy), None, None)
    return await handler(request)


def _given(params: Params) -> dict[str, object]:
    return {key: value for key, value in params.items() if value is not None}


def _as_form(params: Params) -> dict[str, str]:
    given = _given(params)
    return {key: "true" if value is True else str(value) for key, value in given.items()}
