"""Events on their way into the inbox, through Bolt."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from channels.slack.door import Door, NotNow
from channels.slack.reading import Json
from channels.slack.web import WebApi

logger = logging.getLogger(__name__)

bolt_logger = logging.getLogger("channels.slack.bolt")
"""Kept above WARNING: Bolt warns of what it finds in the environment (an OAuth client, a token),
none of which is used here."""
bolt_logger.setLevel(logging.ERROR)

Interact = Callable[[Json], Awaitable[Json | None]]
"""Sees to what is no message; gives what Slack is answered with, if anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A payload is stored, or needs not be; ``answer`` is JSON text for Slack, or empty."""

    answer: str = ""


class StoreFirst(AsyncMiddleware):
    """Stores every event and answers it, ahead of all that Bolt would do with it.

    Bolt acknowledges before its listeners run, and not at all when no listener matches or when its
    ``auth.test`` fails. Standing in front of authorization, this answers every event, known or not,
    once it is in the inbox; when storing fails Bolt turns the exception into a 500, which is no
    acknowledgement, so that Slack sends the event again.
    """

    def __init__(
        self,
        door: Door,
        *,
        interact: Interact,
        is_interaction: Callable[[Json], bool],
    ) -> None:
        self._door = door
        self._interact = interact
        self._is_interaction = is_interaction

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],
    ) -> BoltResponse:
        """Store what the request tells, if it is for us."""
        body: Json = req.body
        if self._is_interaction(body):
            answer = await self._interact(body)
            return BoltResponse(status=200, body=dict(answer) if answer else "")
        try:
            await self._door.take(body)
        except NotNow:
            return BoltResponse(status=503)
        return BoltResponse(status=200)


class Receiver:
    """The Bolt app behind the socket, or behind the requests of Slack."""

    def __init__(self, web: WebApi, store_first: StoreFirst) -> None:
        self._app = AsyncApp(
            name="daybook",
            logger=bolt_logger,
            # What is not given, Bolt takes from the environment. It calls nothing with the token.
            token=web.client.token,
            signing_secret="",
            before_authorize=store_first,
        )

    async def take(self, payload: object) -> Taken | None:
        """Have a payload stored; None when it was not, and must come again.

        Who sent it was checked before: to Bolt everything comes as over the socket.
        """
        request = AsyncBoltRequest(mode="socket_mode", body={})
        # Given to the constructor, the body would be searched for ids, which trips over one that is
        # no text: such a payload could never be set aside.
        request.body = dict(payload) if isinstance(payload, Mapping) else {}
        response = await self._app.async_dispatch(request)
        return Taken(answer=response.body or "") if response.status == 200 else None
