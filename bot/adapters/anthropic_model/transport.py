"""The vendor's SDK, bytes out and events in; the only module that imports it.

Importing it takes seconds and 40 MB, so that nothing imports this module but
:class:`~bot.adapters.anthropic_model.model.AnthropicModel` at its first question, in a thread.

The SDK gives the connection, the credentials, the errors of the first answer and the framing of
the stream. The events are read as they come: its own stream drops the pings, which tell a slow
model from a dead connection, and its accumulator loses malformed arguments.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from urllib.parse import quote

import anthropic
import httpx2

from bot.adapters.anthropic_model.failures import error_from, sentence
from bot.adapters.anthropic_model.json_values import JsonObject, as_object
from bot.errors import ModelError, ModelSilent, ModelStreamCut, ModelUnavailable
from bot.network import blame_proxy, distrust
from bot.ports import Clock

PATH = "/v1/messages"
MODELS_PATH = "/v1/models"

_LOOK_UP_TIMEOUT_S = 10.0
_NO_SUCH_THING = frozenset((404, 405, 501))

_BEFORE_ASKING = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)
"""What goes wrong before a request is on its way; of all else nobody knows how far it came."""

_SHORTEST_SECRET = 8


class Transport:
    """One pool of connections to one vendor."""

    def __init__(
        self, *, api_key: str, base_url: str, connect_timeout_s: float, clock: Clock
    ) -> None:
        self._api_key = api_key
        self._clock = clock
        self._client = anthropic.AsyncAnthropic(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            # how long an answer may take is watched by the caller, who sees the events
            timeout=anthropic.Timeout(None, connect=connect_timeout_s),
            open_telemetry=False,
        )

    async def events(self, body: bytes) -> AsyncGenerator[JsonObject, None]:
        """Send a request and give the events of its answer as they arrive.

        Close the generator (``aclosing``) to hang up.

        Raises:
            ModelError: The vendor refused or failed, or the stream broke off.
        """
        response = await self._open(body)
        try:
            async with aclosing(_named_data(response)) as received:
                async for name, data in received:
                    event = _parsed(data)
                    if name == "error" or event.get("type") == "error":
                        raise self._refusal(200, event, response.headers)
                    yield event
        finally:
            await response.aclose()

    async def knows(self, name: str) -> bool:
        """Look a model up; False where the server does not have it, or no such place.

        Raises:
            ModelError: The vendor refused or failed.
        """
        try:
            await self._client.get(
                f"{MODELS_PATH}/{quote(name, safe='')}",
                cast_to=object,
                options={"timeout": _LOOK_UP_TIMEOUT_S},
            )
        except anthropic.APIStatusError as error:
            if error.status_code in _NO_SUCH_THING:
                return False
            raise self._status_failure(error) from self._cause(error)
        except (anthropic.APIConnectionError, httpx2.RequestError) as error:
            raise self._no_connection(error) from error
        return True

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _open(self, body: bytes) -> httpx2.Response:
        try:
            stream = await self._client.post(
                PATH,
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
        except anthropic.APIStatusError as error:
            raise self._status_failure(error) from self._cause(error)
        except (anthropic.APIConnectionError, httpx2.RequestError) as error:
            raise self._no_connection(error) from error
        return stream.response

    def _status_failure(self, error: anthropic.APIStatusError) -> ModelError:
        return self._refusal(error.status_code, error.body, error.response.headers)

    def _cause(self, error: anthropic.APIStatusError) -> Exception | None:
        """Give the vendor's error, unless its body, which it holds, repeats the key."""
        return None if self._holds_key(str(error)) else error

    def _no_connection(self, error: Exception) -> ModelUnavailable:
        cause = error.__cause__ or error
        reason = distrust(error) or str(cause)
        if not isinstance(cause, _BEFORE_ASKING):
            words = f"the connection to {self._client.base_url.host} broke ({reason or cause!r})"
            return ModelSilent(sentence(ModelSilent, words))
        if isinstance(cause, httpx2.ProxyError):
            reason = f'the proxy answers "{reason}": look at "proxy"'
        elif not distrust(error):
            reason = blame_proxy(error, str(self._client.base_url)) or reason
        words = f"no connection to {self._client.base_url.host} ({reason})"
        return ModelUnavailable(sentence(ModelUnavailable, words))

    def _refusal(self, status: int, body: object, headers: Mapping[str, str]) -> ModelError:
        if self._holds_key(text := json.dumps(body)):
            body = json.loads(text.replace(self._api_key, "***"))
        return error_from(status, body, headers, self._clock.now())

    def _holds_key(self, text: str) -> bool:
        return len(self._api_key) >= _SHORTEST_SECRET and self._api_key in text


async def _named_data(response: httpx2.Response) -> AsyncGenerator[tuple[str | None, str], None]:
    """Give each event's name and data; a body that is no stream of events gives nothing."""
    try:
        async for event in anthropic.AsyncStream.raw_events(response):
            if event.data and event.data != "[DONE]":
                yield event.event, event.data
    except (httpx2.RequestError, httpx2.StreamError, UnicodeDecodeError) as error:
        raise ModelStreamCut(sentence(ModelStreamCut, str(error) or repr(error))) from error


def _parsed(data: str) -> JsonObject:
    try:
        return as_object(json.loads(data))
    except ValueError as error:
        raise ModelStreamCut("The model's answer broke off: an event is no JSON.") from error
