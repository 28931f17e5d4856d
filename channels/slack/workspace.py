"""The workspace as the bot knows it: who it is there, what people are called, what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from bot.api import ChatAddress, Clock, EarlierMessage
from channels.slack.inbound import Identity, Knowledge, Scene, earlier_of
from channels.slack.names import NameBook
from channels.slack.reading import Json, SlackReader
from channels.slack.settings import Settings
from channels.slack.text import mentioned_channels, mentioned_users

if TYPE_CHECKING:
    from channels.slack.web import WebApi


class Workspace:
    """What is known of one workspace, and the way to learn more.

    Attributes:
        identity: Who the bot is.
        reader: Asks Slack.
        book: What people and channels are called.
    """

    def __init__(self, web: WebApi, identity: Identity, settings: Settings, clock: Clock) -> None:
        self.identity = identity
        self.reader = SlackReader(web.client, clock, identity.team_id)
        self.book = NameBook(self.reader.look_up, clock)
        self._settings = settings

    @property
    def minds_guests(self) -> bool:
        """Whether guests are let in by name only."""
        return self._settings.guests == "closed"

    @property
    def known(self) -> Knowledge:
        """What is known at this moment; grows by itself."""
        return Knowledge(
            names=self.book.names,
            zones=self.book.zones,
            languages=self.book.languages,
            guests=self.book.guests if self.minds_guests else None,
            told=self.book.known,
            follows_threads=self._settings.threads == "follow",
        )

    def scene(self, channel: str) -> Scene:
        """Give the place for reading what stands in a channel."""
        return Scene(identity=self.identity, known=self.known, channel=channel)

    async def learn(self, messages: Iterable[Json], background: asyncio.TaskGroup) -> None:
        """Learn what people and channels in messages are called, within a short time."""
        await self.book.learn(ids_in(messages) - {self.identity.user_id}, background)

    async def earlier(
        self, address: ChatAddress, ts: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give what stands before a message, as people would read it.

        Raises:
            ChannelError: Slack does not show it.
        """
        found = await self.reader.before(address, ts, limit=limit)
        async with asyncio.TaskGroup() as background:
            await self.learn(found, background)
        scene = self.scene(address.chat)
        said = (earlier_of(each, scene) for each in found)
        return tuple(each for each in said if each is not None)


def ids_in(messages: Iterable[Json]) -> frozenset[str]:
    """Find the ids of people and channels whose names are worth knowing: authors and mentioned."""
    found: frozenset[str] = frozenset()
    for message in messages:
        user, text = message.get("user"), message.get("text")
        found |= frozenset({user}) if isinstance(user, str) and user else frozenset()
        if isinstance(text, str):
            found |= mentioned_users(text) | mentioned_channels(text)
        inner = message.get("message")
        if isinstance(inner, Mapping):  # of a change
            found |= ids_in((inner,))
    return found
