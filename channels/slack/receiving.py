"""All that has to run so that events arrive, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.api import Clock, Inbox
from channels.slack.door import Door, DoorParts
from channels.slack.http_events import HttpEvents
from channels.slack.interactions import Interactions, is_interaction
from channels.slack.missed import Missed, MissedParts
from channels.slack.reachability import Reachability
from channels.slack.receiver import Receiver, StoreFirst
from channels.slack.settings import Settings
from channels.slack.socket_mode import Persistence, SocketMode
from channels.slack.token_watch import TokenWatch
from channels.slack.views import ViewCalls
from channels.slack.web import WebApi
from channels.slack.workspace import Workspace


async def receive(
    web: WebApi,
    open_workspace: Callable[[], Awaitable[Workspace]],
    inbox: Inbox,
    settings: Settings,
    clock: Clock,
) -> None:
    """Receive until cancelled.

    Raises:
        BaseExceptionGroup: Whatever ended it; ChannelAuthError among it where a token was refused.
        ChannelAuthError: Slack refused the bot token at once.
    """
    reachability = Reachability(inbox, clock)
    workspace = await Persistence(clock, reachability.trouble).succeed(open_workspace)
    channels = None if settings.channels is None else frozenset(settings.channels)
    async with asyncio.TaskGroup() as background:
        door = Door(
            DoorParts(inbox=inbox, workspace=workspace, channels=channels, background=background)
        )
        missed = Missed(MissedParts(inbox=inbox, door=door, workspace=workspace, clock=clock))
        reachability.on_gap = missed.begin
        since = await missed.last_heard()
        if since is not None:
            reachability.note_gap(since)
        background.create_task(missed.serve())
        interactions = Interactions(
            inbox=inbox,
            workspace=workspace,
            views=ViewCalls(web),
            channels=channels,
            clock=clock,
            background=background,
        )
        store_first = StoreFirst(door, interact=interactions.take, is_interaction=is_interaction)
        take = Receiver(web, store_first).take
        if settings.mode == "http":
            await HttpEvents(settings, clock, reachability, take).serve(web.identify)
        else:
            reachability.on_heard = TokenWatch(web.identify, clock, background).on_sign
            socket_mode = SocketMode(
                web, clock, reachability, background, connections=settings.connections
            )
            await socket_mode.serve(take)
