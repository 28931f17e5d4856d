"""The calls by which Slack shows a form or a page, takes one away, and says where the bot is."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from bot.api import DeliveryError
from channels.slack.failures import Refused, translated
from channels.slack.web import WebApi

View = Mapping[str, object]
"""A view as Block Kit JSON: a modal, or an App Home."""

_SLACK = (".slack.com", ".slack-gov.com")


class ViewCalls:
    """Makes them; each once, since a trigger serves for three seconds."""

    def __init__(self, web: WebApi) -> None:
        self._web = web

    async def open(self, trigger_id: str, view: View) -> None:
        """Show a modal to whoever pulled the trigger.

        Raises:
            ChannelError: It is not shown.
        """
        await self._web.ask("views.open", {"trigger_id": trigger_id, "view": view})

    async def publish(self, user_id: str, view: View) -> None:
        """Put a page into somebody's App Home.

        Raises:
            ChannelError: It is not shown.
        """
        await self._web.ask("views.publish", {"user_id": user_id, "view": view})

    async def is_in(self, channel: str) -> bool:
        """Say whether the bot is in a channel; outside it can answer nobody there.

        Raises:
            ChannelError: It cannot be said.
        """
        try:
            answer = await self._web.ask_by_form("conversations.info", {"channel": channel})
        except Refused as error:
            if error.code == "channel_not_found":
                return False
            raise
        about = answer.get("channel")
        return not (isinstance(about, Mapping) and about.get("is_member") is False)

    async def take_away(self, response_url: str) -> None:
        """Take away a message that one person alone was shown; ``response_url`` came with a press.

        Raises:
            ChannelError: It stays.
        """
        host = urlsplit(response_url).hostname or ""
        own = urlsplit(self._web.client.base_url).hostname
        if host != own and not host.endswith(_SLACK):
            raise DeliveryError("the address to answer at is not Slack's", can_retry=False)
        with translated("bot_token"):
            async with self._web.session.post(
                response_url, json={"delete_original": True}, allow_redirects=False
            ) as answer:
                if answer.status != 200:
                    raise DeliveryError(f"Slack refused it ({answer.status})", can_retry=False)
