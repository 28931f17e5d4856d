"""What the bot reads of Slack by asking: who people are, and what stands in a chat.

The law of this file: a method's tier and the delay that Slack asks for are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from bot.api import ChatAddress, Clock
from channels.slack.failures import translated
from channels.slack.names import Entry, is_of_workspace
from channels.slack.tiers import Tier

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

Json = Mapping[str, object]

USERS_PER_MINUTE = 100
"""Tier 4. Source: docs.slack.dev, users.info, read 2026-11-30."""

MOST_A_PAGE = 999
"""Source: docs.slack.dev, conversations.replies, read 2026-11-30."""

MOST_PAGES = 5
"""So far a thread is read; one that is longer is a place, and no conversation."""

LOOKED_BACK_S = 24 * 3600.0
"""What was said in a channel longer ago is another talk; a thread is one talk, however old."""

_GUEST_FLAGS = ("is_restricted", "is_ultra_restricted", "is_stranger")
"""Source: docs.slack.dev, User object, read 2026-11-30."""


class SlackReader:
    """Reads over the connections of the Web API; ``team_id`` is the bot's own workspace."""

    def __init__(self, client: AsyncWebClient, clock: Clock, team_id: str) -> None:
        self._client = client
        self._team_id = team_id
        self._users = Tier(clock, USERS_PER_MINUTE)
        self._rooms = Tier(clock)
        self._replies = Tier(clock)
        self._history = Tier(clock)

    async def look_up(self, who: str) -> Entry:
        """Say what a person or a channel is called, and whether a person is a guest.

        Raises:
            ChannelError: It cannot be had now, or ever.
        """
        if who.startswith(("U", "W")):
            about = {"user": who, "include_locale": "true"}
            answer = await self._users.call(lambda: self._get("users.info", **about))
            return self._person(who, answer.get("user"))
        answer = await self._rooms.call(lambda: self._get("conversations.info", channel=who))
        match answer.get("channel"):
            case {"name": str(name)} if name:
                return Entry(name=name)
        return Entry(name=who)

    async def before(self, address: ChatAddress, ts: str, *, limit: int) -> tuple[Json, ...]:
        """Give the messages before one: those of its thread, or of its channel if it has none.

        Args:
            address: The conversation; in a channel its thread may be what the message begins.
            ts: The message.
            limit: So many, the newest, oldest first.

        Raises:
            ChannelError: They cannot be had.
        """
        if address.thread and address.thread != ts:
            found = await self.replies(address, latest=ts)
        else:
            found = await self._day_before(address.chat, ts, limit)
        # The root of a thread is given to whoever asks for any of it.
        older = [each for each in found if moment_of(each) < float(ts)]
        return tuple(older[-limit:])

    async def _day_before(self, chat: str, ts: str, limit: int) -> list[Json]:
        span = {"latest": ts, "oldest": f"{float(ts) - LOOKED_BACK_S:.6f}", "limit": limit}
        answer = await self._history.call(
            partial(self._get, "conversations.history", channel=chat, **span)
        )
        return _messages(answer)[::-1]

    async def replies(
        self, address: ChatAddress, *, oldest: str = "", latest: str = ""
    ) -> list[Json]:
        """Give a thread, its root first, without what is older or newer than said.

        Raises:
            ChannelError: It cannot be had.
        """
        span = {"channel": address.chat, "ts": address.thread, "oldest": oldest, "latest": latest}
        return await self._pages(self._replies, "conversations.replies", span)

    async def history(self, address: ChatAddress, *, oldest: str) -> list[Json]:
        """Give what was written in a chat outside threads since a moment, oldest first.

        Raises:
            ChannelError: It cannot be had.
        """
        span = {"channel": address.chat, "oldest": oldest}
        return (await self._pages(self._history, "conversations.history", span))[::-1]

    async def greet(self, channel: str, thread_ts: str, title: str, prompts: list[Json]) -> None:
        """Show suggestions in a thread of the assistant's pane; again they do no harm.

        Raises:
            ChannelError: They are not shown.
        """
        with translated("bot_token"):
            await self._client.assistant_threads_setSuggestedPrompts(
                channel_id=channel,
                thread_ts=thread_ts,
                title=title,
                prompts=[{key: str(value) for key, value in each.items()} for each in prompts],
            )

    async def _pages(self, tier: Tier, method: str, span: Mapping[str, str]) -> list[Json]:
        found: list[Json] = []
        given = {key: value for key, value in span.items() if value}
        cursor = ""
        for _ in range(MOST_PAGES):
            page = {**given, "limit": MOST_A_PAGE, **({"cursor": cursor} if cursor else {})}
            answer = await tier.call(partial(self._get, method, **page))
            found += _messages(answer)
            cursor = _cursor(answer)
            if not cursor:
                break
        return found

    async def _get(self, method: str, **params: object) -> Json:
        with translated("bot_token"):
            answer = await self._client.api_call(method, http_verb="GET", params=params)
        return answer.data if isinstance(answer.data, Mapping) else {}

    def _person(self, who: str, user: object) -> Entry:
        if not isinstance(user, Mapping):
            return Entry(name=who, is_guest=True)
        profile = user.get("profile")
        named = profile if isinstance(profile, Mapping) else {}
        name = named.get("display_name") or named.get("real_name") or user.get("name") or who
        zone, locale = user.get("tz"), user.get("locale")
        return Entry(
            name=str(name),
            is_guest=self._is_guest(user),
            timezone=zone if isinstance(zone, str) else "",
            language=locale if isinstance(locale, str) else "",
        )

    def _is_guest(self, user: Json) -> bool:
        """Say whether somebody is let in only in part, or is of another workspace."""
        if any(user.get(flag) is True for flag in _GUEST_FLAGS):
            return True
        return not is_of_workspace(user, self._team_id)


def moment_of(message: Json) -> float:
    """Say when a message was written, in seconds since 1970; never, where that makes no sense."""
    try:
        return float(str(message.get("ts")))
    except ValueError:
        return math.inf


def _messages(answer: Json) -> list[Json]:
    messages = answer.get("messages")
    if not isinstance(messages, list):
        return []
    return [each for each in messages if isinstance(each, Mapping)]


def _cursor(answer: Json) -> str:
    further = answer.get("response_metadata")
    return str(further.get("next_cursor") or "") if isinstance(further, Mapping) else ""
