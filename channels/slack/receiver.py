"""Events on their way into the inbox, through Bolt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.api import Inbound, InboundEdit, Inbox, SetAside
from channels.slack.inbound import Identity, is_direct, people_in, to_inbound
from channels.slack.names import NameBook
from channels.slack.web import WebApi, sdk_logger


class StoreFirst(AsyncMiddleware):
    """Stores every event and answers it, ahead of all that Bolt would do with it.

    Bolt acknowledges before its listeners run, and not at all when no listener matches or when its
    ``auth.test`` fails. Standing in front of authorization, this answers every event, known or not,
    once it is in the inbox; when storing fails Bolt turns the exception into a 500, which is no
    acknowledgement, so that Slack sends the event again.
    """

    def __init__(
        self,
        inbox: Inbox,
        identity: Identity,
        names: NameBook,
        background: asyncio.TaskGroup,
        channels: frozenset[str] | None,
    ) -> None:
        self._inbox = inbox
        self._identity = identity
        self._names = names
        self._background = background
        self._channels = channels

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],
    ) -> BoltResponse:
        """Store what the request tells, if it is for us."""
        event = to_inbound(req.body, self._identity, self._names.known)
        if event is not None and self._hears(event):
            await self._inbox.receive((event,))
            self._names.learn(people_in(req.body), self._background)
        return BoltResponse(status=200)

    def _hears(self, event: Inbound | SetAside) -> bool:
        if self._channels is None or isinstance(event, SetAside):
            return True
        address = event.message.address if isinstance(event, InboundEdit) else event.address
        return is_direct(address.chat) or address.chat in self._channels


class Receiver:
    """The Bolt app behind the socket."""

    def __init__(self, web: WebApi, store_first: StoreFirst) -> None:
        self._app = AsyncApp(
            name="daybook",
            logger=sdk_logger,
            client=web.client,
            signing_secret="",  # everything is given: what is not, Bolt takes from the environment
            before_authorize=store_first,
        )

    async def take(self, payload: object) -> bool:
        """Have a payload stored; False when it was not, and must come again."""
        request = AsyncBoltRequest(mode="socket_mode", body={})
        # Given to the constructor, the body would be searched for ids, which trips over one that is
        # no text: such a payload could never be set aside.
        request.body = dict(payload) if isinstance(payload, Mapping) else {}
        response = await self._app.async_dispatch(request)
        return response.status == 200
