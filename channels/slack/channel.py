"""The Slack channel: what the bot sees of Slack."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING

from bot.api import (
    Attachment,
    Capabilities,
    Channel,
    ChannelAuthError,
    ChatAddress,
    Clock,
    DeliveryError,
    EarlierMessage,
    Finding,
    Inbox,
    MenuEntry,
    Receipt,
    Reply,
    Role,
    Sender,
    gettext,
    gettext_noop,
)
from channels.slack.limits import Pace
from channels.slack.roles import Roles
from channels.slack.settings import CHANNEL, Settings
from channels.slack.text import COMMAND_PREFIX, MAX_MARKDOWN_CHARS, split

if TYPE_CHECKING:
    from channels.slack.posting import Poster
    from channels.slack.web import WebApi
    from channels.slack.workspace import Workspace

logger = logging.getLogger(__name__)

STATUS = gettext_noop("is thinking…")
"""What the app does, behind its name."""

_SDK_MODULES = ("channels.slack.web", "channels.slack.posting", "channels.slack.receiving")
"""The modules that import the SDK, which takes most of a second."""


class SlackChannel:
    """One workspace, seen by one bot."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._web: WebApi | None = None
        self._poster: Poster | None = None
        self._pace = Pace(clock)
        self._workspace: Workspace | None = None
        self._opening = asyncio.Lock()
        self._roles = Roles(clock)

    @property
    def name(self) -> str:
        """``slack``."""
        return CHANNEL

    @property
    def capabilities(self) -> Capabilities:
        """Messages can be edited and found; a status stands for "is typing", two minutes long."""
        return Capabilities(
            max_text_length=MAX_MARKDOWN_CHARS,
            can_edit=True,
            command_prefix=COMMAND_PREFIX,
            preview_interval_s=1.5,
            typing_interval_s=60.0,
            finds_sent=True,
            has_buttons=True,
            sends_files=True,
            has_workspace_roles=True,
            groups_have_threads=True,
            looks_back=True,
            shows_to_one=True,
        )

    async def run(self, inbox: Inbox) -> None:
        """Receive until cancelled.

        Raises:
            ChannelAuthError: Slack refused one of the tokens.
        """
        web = await self._api()
        from channels.slack.receiving import receive

        try:
            await receive(web, self._known_workspace, inbox, self._settings, self._clock)
        except BaseExceptionGroup as group:  # a task group wraps what its tasks raise
            refused = _refusal_in(group)
            if refused is None:
                raise
            raise refused from None

    def split(self, text: str) -> tuple[str, ...]:
        """Cut CommonMark into texts of one message each, losing nothing."""
        return split(text)

    async def ready(self, address: ChatAddress) -> None:
        """Wait until a message may go into a chat: one a second, and short bursts."""
        await self._pace.reserve(address.chat)

    async def send(self, reply: Reply) -> Receipt:
        """Send one message; in a channel it stands in the thread of the conversation.

        What is unfinished begins as a stream where there can be one.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not sent.
            FateUnknown: It may have been sent.
        """
        poster = await self._post_office()
        return Receipt(message_id=await poster.send(reply))

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Change a message that was sent, or take it away.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: It was not changed, or not for sure; doing it again does no harm.
        """
        poster = await self._post_office()
        await poster.edit(reply, receipt.message_id)

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Look for a reply among what was written last; no clock has a say in it.

        Raises:
            ChannelError: It cannot be told.
        """
        poster = await self._post_office()
        ts = await poster.find(reply)
        return None if ts is None else Receipt(message_id=ts)

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Do nothing: Slack shows no text without leaving a message."""

    async def show_typing(self, address: ChatAddress) -> None:
        """Show a status where Slack has a place for it: in a thread.

        Raises:
            ChannelAuthError: The token is refused.
            DeliveryError: Not now.
        """
        if not address.thread:
            return
        poster = await self._post_office()
        try:
            await poster.show_sign(address, gettext(STATUS))
        except DeliveryError as error:
            if error.can_retry:
                raise
            logger.debug("typing.not_shown", extra={"channel": CHANNEL, "reason": str(error)})

    async def fetch(self, attachment: Attachment) -> bytes:
        """Give the content of a file that came with a message.

        Raises:
            ChannelAuthError: The token is refused.
            FileTooLarge: It has more than ``MOST_FILE_BYTES``.
            DeliveryError: It cannot be had, now or ever.
        """
        web = await self._api()
        return await web.fetch(attachment)

    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give what stands before a message: in its thread, or in the channel if it begins one.

        Raises:
            ChannelError: Slack does not show it.
        """
        workspace = await self._known_workspace()
        return await workspace.earlier(address, message_id, limit=limit)

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say whether somebody is an admin or owner of the workspace, wherever it is asked.

        Raises:
            ChannelError: It cannot be had now.
        """
        web = await self._api()
        return await self._roles.role_of(sender, web.is_admin)

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Do nothing: Slack's menu is written in the manifest."""

    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]:
        """Look at tokens, scopes, channels and the way in; nobody who receives is disturbed."""
        web = await self._api()
        from channels.slack.examine import Examination

        examination = Examination(
            web=web, settings=self._settings, clock=self._clock, is_running=is_running
        )
        return await examination.findings()

    async def close(self) -> None:
        """Give the connections back; what is being sent is cut off."""
        async with self._opening:
            web, self._web = self._web, None
            self._poster = self._workspace = None
        if web is not None:
            await web.close()

    async def _known_workspace(self) -> Workspace:
        """Ask once who the bot is.

        Raises:
            ChannelError: The token was refused, or Slack cannot be reached now.
        """
        web = await self._api()
        if self._workspace is None:
            from channels.slack.workspace import Workspace

            identity = await web.identify()
            self._workspace = Workspace(web, identity, self._settings, self._clock)
        return self._workspace

    async def _post_office(self) -> Poster:
        web = await self._api()
        if self._poster is None:
            from channels.slack.posting import Poster

            self._poster = Poster(web, self._clock, self._pace)
        return self._poster

    async def _api(self) -> WebApi:
        async with self._opening:
            if self._web is None:
                for module in _SDK_MODULES:
                    await asyncio.to_thread(importlib.import_module, module)
                from channels.slack.web import WebApi

                self._web = WebApi(self._settings)
            return self._web


def _refusal_in(group: BaseExceptionGroup[BaseException]) -> ChannelAuthError | None:
    """Find a refused token among what ended the tasks, and theirs."""
    for error in group.exceptions:
        found = _refusal_in(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, ChannelAuthError):
            return found
    return None


def build(settings: Settings, clock: Clock) -> Channel:
    """Make the channel; nothing is imported, connected or checked yet."""
    return SlackChannel(settings, clock)
