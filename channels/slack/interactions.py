"""What people do beside writing: slash commands, buttons, the form of settings, the App Home.

The law of this file: what is to be done is in the inbox before Slack is told. What is only shown (a
form, a page, a greeting) is not kept, and Slack is not made to wait for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.api import (
    ChannelError,
    ChatAddress,
    Clock,
    InboundMessage,
    Inbox,
    Sender,
    StoreError,
    gettext,
    gettext_noop,
    speaking,
)
from channels.slack import home, modal
from channels.slack.commands import Who, is_below_hidden, is_command, read_command, read_press
from channels.slack.events import GREETED_TYPE
from channels.slack.greeting import GREETING, OpenedThread, opened_thread, prompts
from channels.slack.inbound import is_direct
from channels.slack.payloads import Callback
from channels.slack.settings import CHANNEL
from channels.slack.workspace import Workspace

if TYPE_CHECKING:
    from channels.slack.views import View, ViewCalls

logger = logging.getLogger(__name__)

Json = Mapping[str, object]

_KINDS = ("block_actions", "view_submission", "view_closed", "shortcut", "message_action")

_SHOWN_TO = ("app_home_opened", GREETED_TYPE)
"""Types of the events that tell that somebody looks at what is only shown."""

IS_IN_WITHIN_S = 1.0
"""A third of the time that Slack gives for a command."""

NOT_IN = gettext_noop("I am not in this channel. `/invite` me, then I can answer here.")
"""What who gives a command is told where the bot cannot post; nobody else sees it."""

NO_COMMAND = gettext_noop(
    "`/daybook` takes commands: `/daybook help` lists them. To talk to me, mention me in a "
    "channel, or write to me in a direct message."
)
"""What who asks something in a slash command is told: an answer would have no thread to stand in,
and nobody would see the question. Nothing of it is kept."""


def is_interaction(body: Json) -> bool:
    """Say whether a payload is one of these, over whichever way it came."""
    if body.get("type") in _KINDS or isinstance(body.get("command"), str):
        return True
    event = body.get("event")
    return isinstance(event, Mapping) and event.get("type") in _SHOWN_TO


def doer_of(body: Json) -> frozenset[str]:
    """Find the user id of who did it; none where it makes no sense."""
    user, event = body.get("user"), body.get("event")
    around = event if isinstance(event, Mapping) else {}
    thread = opened_thread(around)
    if isinstance(user, Mapping):
        told = user.get("id")
    else:
        told = body.get("user_id") or around.get("user") or (thread.user if thread else None)
    return frozenset({told}) if isinstance(told, str) and told else frozenset()


def teams_of(body: Json) -> frozenset[str]:
    """Find the workspaces that a payload concerns; none where it names none.

    In a channel that is shared Slack may name that of whoever did it first; the bot's own stands at
    the message, or at the view.
    """
    places = (("team", "id"), ("message", "team"), ("view", "app_installed_team_id"))
    parts = ((body.get(part), key) for part, key in places)
    named = (part.get(key) for part, key in parts if isinstance(part, Mapping))
    try:
        around = Callback.model_validate(body).teams
    except ValidationError:
        around = frozenset()
    return around | {team for team in named if isinstance(team, str) and team}


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactions:
    """Takes them, one payload at a time.

    Attributes:
        channels: The only ones that are listened in, None for all.
        background: Where what is shown is seen to.
    """

    inbox: Inbox
    workspace: Workspace
    views: ViewCalls
    channels: frozenset[str] | None
    clock: Clock
    background: asyncio.TaskGroup

    async def take(self, body: Json) -> Json | None:
        """See to a payload; give what Slack is to be answered with it, if anything.

        Raises:
            StoreError: It was not stored; Slack must not be told that it was.
        """
        teams = teams_of(body)
        if teams and self.workspace.identity.team_id not in teams:
            return None
        who = await self._who_did(body)
        if isinstance(body.get("command"), str):
            return await self._command(body, who)
        if body.get("type") == "view_submission":
            return await self._submission(body, who)
        if body.get("type") == "block_actions":
            await self._press(body, who)
        elif (opened := home.opened(body, who)) is not None:
            self._show("home", self._publish(*opened))
        elif (thread := opened_thread(body.get("event"))) is not None:
            self.background.create_task(self._greet(thread, who))
        return None

    async def _who_did(self, body: Json) -> Who:
        """Learn who does something; of whom nothing can be learnt now, they count as a guest."""
        workspace, doer = self.workspace, doer_of(body)
        await workspace.book.learn(doer, self.background)
        known = workspace.known
        if known.guests is not None:
            unknown = frozenset(each for each in doer if not workspace.book.is_known(each))
            known = replace(known, guests=workspace.book.guests | unknown)
        return Who(identity=workspace.identity, known=known)

    def _hears(self, address: ChatAddress) -> bool:
        return self.channels is None or is_direct(address.chat) or address.chat in self.channels

    async def _command(self, body: Json, who: Who) -> Json | None:
        message = read_command(body, who, self.clock.now())
        if message is None:
            logger.warning("command.unreadable", extra={"channel": CHANNEL})
            return None
        if not self._hears(message.address):
            return None
        if message.kind == "group" and not await self._is_in(message.address.chat):
            return self._told(NOT_IN, message)
        if not is_command(message):
            return self._told(NO_COMMAND, message)
        await self._give(await self._in_its_chat(message), body)
        return None

    def _told(self, text: str, message: InboundMessage) -> Json:
        """Answer a command so that nobody but who gave it sees it."""
        with speaking(self.inbox.screens.language(message.address, message.sender)):
            return {"response_type": "ephemeral", "text": gettext(text)}

    async def _is_in(self, channel: str) -> bool:
        """Say whether the bot can answer in a channel, as far as Slack says so in time."""
        try:
            async with asyncio.timeout(IS_IN_WITHIN_S):
                return await self.views.is_in(channel)
        except (ChannelError, TimeoutError):
            return True

    async def _in_its_chat(self, message: InboundMessage) -> InboundMessage:
        """Let what is said beside the threads of a direct chat be of the newest of them."""
        if message.kind != "private":
            return message
        newest = await self.inbox.heard_in(message.address, limit=1)
        return replace(message, address=newest[0].address) if newest else message

    async def _give(self, message: InboundMessage, body: Json) -> None:
        """Have a command carried out; who asks for the settings and may set them gets a form."""
        if message.text == modal.OPENS:
            form = self.inbox.screens.settings(message.address, message.sender, message.kind)
            trigger = body.get("trigger_id")
            if form is not None and isinstance(trigger, str):
                with speaking(self.inbox.screens.language(message.address, message.sender)):
                    view = modal.view_of(form, message.address, message.kind)
                self._show("form", self._open(trigger, view, message))
                return
        await self.inbox.receive((message,))

    async def _open(self, trigger_id: str, view: View, message: InboundMessage) -> None:
        """Show the form, and where that cannot be, answer in words."""
        try:
            await self.views.open(trigger_id, view)
        except ChannelError:
            await self.inbox.receive((message,))
            raise

    async def _press(self, body: Json, who: Who) -> None:
        pressed = home.pressed_in(body, who)
        if pressed is not None:
            message = await self._in_its_chat(pressed)
            await self._give(message, body)
            self._show("home", self._publish_after(message, pressed.address))
            return
        press = read_press(body, who)
        if press is None or not self._hears(press.address):
            return
        await self.inbox.receive((press,))
        url = body.get("response_url")
        if is_below_hidden(body) and isinstance(url, str):
            # Nobody can change such a message but with this address, and only now.
            self._show("removal", self.views.take_away(url))

    async def _submission(self, body: Json, who: Who) -> Json | None:
        """Check a form that was filled in; give what is wrong with it, or have it carried out."""
        filled = modal.read(body, who, self.clock.now())
        if filled is None or not filled.commands:
            return None
        first, screens = filled.commands[0], self.inbox.screens
        with speaking(screens.language(first.address, first.sender)):
            faults = screens.faults(filled.values)
        if faults:
            return modal.refusal(faults)
        await self.inbox.receive(filled.commands)
        return None

    async def _publish_after(self, message: InboundMessage, address: ChatAddress) -> None:
        """Show a page anew once what was pressed on it is done."""
        await self.inbox.settled(message.address)
        await self._publish(address, message.sender)

    async def _publish(self, address: ChatAddress, sender: Sender) -> None:
        newest = await self.inbox.heard_in(address, limit=1)
        place, screens = newest[0].address if newest else address, self.inbox.screens
        with speaking(screens.language(place, sender)):
            view = home.view_of(await screens.home(place, sender), address)
        await self.views.publish(sender.user_id, view)

    async def _greet(self, thread: OpenedThread, who: Who) -> None:
        sender = who.sender(thread.user, self.workspace.identity.team_id, "")
        address = who.address(thread.channel, thread.thread_ts)
        with speaking(self.inbox.screens.language(address, sender)):
            shown = gettext(GREETING), prompts()
        try:
            await self.workspace.reader.greet(thread.channel, thread.thread_ts, *shown)
        except ChannelError as error:
            about = {"channel": CHANNEL, "why": str(error)}
            logger.warning("greeting.not_shown", extra=about)

    def _show(self, what: str, work: Coroutine[object, object, None]) -> None:
        self.background.create_task(self._shown(what, work))

    async def _shown(self, what: str, work: Coroutine[object, object, None]) -> None:
        """See to something that is only shown: it may fail, and ends nothing else."""
        try:
            await work
        except (ChannelError, StoreError) as error:
            about = {"channel": CHANNEL, "what": what, "why": str(error)}
            logger.warning("view.not_shown", extra=about)
