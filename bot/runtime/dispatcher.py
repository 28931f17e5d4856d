"""Where every event comes in: it is classified, stored, and only then acted upon."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import assert_never

from bot.core.chat import (
    BotStanding,
    ButtonPress,
    ChatAddress,
    ChatMoved,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    SessionKey,
    StopRequest,
)
from bot.core.commands import CommandCall
from bot.core.lifecycle import Cursor, Received, SetAside
from bot.core.turns import TurnId
from bot.core.window.notes import told_apart
from bot.errors import StoreError
from bot.ports import Channel, Clock, Lifecycle, Redactor
from bot.runtime.access_gate import AccessGate
from bot.runtime.activity import Activity
from bot.runtime.albums import Albums
from bot.runtime.border import Incident, guarded
from bot.runtime.command_desk import CommandDesk
from bot.runtime.commands import CommandTable
from bot.runtime.delivery import Delivery
from bot.runtime.edits import Edits
from bot.runtime.follow_ups import FollowUps
from bot.runtime.lanes import Lanes
from bot.runtime.listening import Heard, Listener
from bot.runtime.moves import ChatMoves
from bot.runtime.overheard import Overheard
from bot.runtime.overhearing import Overhearing
from bot.runtime.plan import Plan
from bot.runtime.platform_roles import PlatformRoles
from bot.runtime.redaction import redact_inbound, without_text
from bot.runtime.set_aside import SetAsideCount
from bot.runtime.supervisor import Spawn
from bot.runtime.waiting import whole

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatcherParts:
    """What the dispatcher works with."""

    lifecycle: Lifecycle
    gate: AccessGate
    roles: PlatformRoles
    listener: Listener
    overheard: Overheard
    edits: Edits
    moves: ChatMoves
    redactor: Redactor
    commands: CommandTable
    desk: CommandDesk
    lanes: Lanes
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock
    activity: Activity
    spawn: Spawn


class Dispatcher:
    """Takes events of all channels; one that is not for the bot leaves no trace.

    Attributes:
        set_aside: Counts events that made no sense to their channel.
    """

    def __init__(self, parts: DispatcherParts) -> None:
        self._parts = parts
        self.set_aside = SetAsideCount(parts.clock)
        self._albums = Albums(parts.clock, parts.listener.gives_command)
        self._overhearing = Overhearing(
            listener=parts.listener,
            albums=self._albums,
            overheard=parts.overheard,
            channels=parts.channels,
        )
        self._follow_ups = FollowUps(presence=parts.lifecycle)
        self._is_closed = False

    def close(self) -> None:
        """Begin nothing more: what is stored from now on is for the next process."""
        self._is_closed = True
        self._parts.lanes.close()

    async def receive(
        self, channel: str, events: tuple[Inbound | SetAside, ...], cursor: str | None
    ) -> None:
        """Store events and the channel's cursor in one transaction, then see to the new ones.

        Secrets are taken out before anything else is done with an event that is kept.

        Raises:
            StoreError: Nothing was stored; the platform must not be told.
        """
        events = self._albums.joined(events)
        events = tuple([await self._follow_ups.joined(event) for event in events])
        events = tuple(filter(self._overhearing.concerns, events))
        for event in events:
            await self._parts.roles.learn(event)
        events = tuple([await self._without_secrets(event) for event in events])
        plans = tuple(plan for event in events if (plan := self._plan(event)) is not None)
        if not plans and cursor is None:
            return
        position = None if cursor is None else Cursor(channel=channel, value=cursor)
        # Cut in between, it would lie there: brought again by the platform, it is not new any more.
        await whole(self._store_and_act(plans, position))
        self._albums.stored(events)

    async def _without_secrets(self, event: Inbound | SetAside) -> Inbound | SetAside:
        """Redact what may be stored; where that fails, all of it, so that it is answered at least.

        Refused, it would come again and again, and hold up what waits behind it.
        """
        redacted = await guarded(
            redact_inbound(event, self._parts.redactor),
            self._parts.clock,
            {"event": event.event_id, "doing": "redaction"},
        )
        return without_text(event) if isinstance(redacted, Incident) else told_apart(redacted)

    async def _store_and_act(self, plans: tuple[Plan, ...], cursor: Cursor | None) -> None:
        try:
            is_new = await self._parts.lifecycle.receive(
                tuple(plan.stored for plan in plans), cursor=cursor, at=self._parts.clock.now()
            )
        except StoreError:
            for plan in plans:
                plan.undo()
            raise
        for plan, new in zip(plans, is_new, strict=True):
            if new and not self._is_closed:
                plan.act()

    async def resume(self) -> None:
        """Go on with what an earlier process left open."""
        unfinished = await self._parts.lifecycle.unfinished()
        self._parts.delivery.enqueue(unfinished.replies)
        for moved in unfinished.moves:  # first: nothing new is to begin in these chats
            self._parts.moves.begin(moved)
        self._parts.lanes.expect(self._albums.resume(unfinished))
        for claim in unfinished.claims:
            if self._is_served(claim.turn.session_key):
                self._parts.lanes.resume(claim)
        for session_key in unfinished.waiting:
            if self._is_served(session_key):
                self._parts.lanes.wake(session_key)
        for message in unfinished.commands:
            if self._is_served(message.address.session_key):
                self._resume_command(message)  # at once: no turn runs yet that one may stop
        for press in unfinished.presses:
            if self._is_served(press.address.session_key):
                self._take_press(press)

    def _resume_command(self, message: InboundMessage) -> None:
        heard = self._parts.listener.hear_again(message)
        if heard is None or heard.call is None:
            work = self._parts.desk.pass_over(message)
            self._begin(message.address.session_key, f"command {message.event_id}", work)
        else:
            self._plan_command(heard, heard.call).act()

    def _is_served(self, session_key: SessionKey) -> bool:
        """Say whether a chat's channel is configured; without it what is open is kept."""
        if ChatAddress.from_session_key(session_key).channel in self._parts.channels:
            return True
        logger.warning("resume.no_channel", extra={"session": session_key})
        return False

    def _plan(self, event: Inbound | SetAside) -> Plan | None:
        match event:
            case SetAside():
                return Plan(stored=event, act=lambda: self._note_set_aside(event))
            case InboundMessage():
                return self._plan_message(event)
            case StopRequest():
                stored = Received(inbound=event, route="none")
                return Plan(stored=stored, act=lambda: self._stop(event))
            case ButtonPress():
                return self._plan_press(event)
            case BotStanding():
                return self._plan_standing(event)
            case InboundEdit() | InboundDeletion():
                return self._plan_change(event)
            case ChatMoved():
                return self._parts.moves.plan(event)
            case _:
                assert_never(event)

    def _plan_message(self, message: InboundMessage) -> Plan | None:
        heard = self._parts.listener.hear(message)
        if heard is None:
            return None
        if heard.call is not None:
            return self._plan_command(heard, heard.call)

        def act() -> None:
            lanes = self._parts.lanes
            (lanes.gather if message.album else lanes.wake)(message.address.session_key)
            self._note_home(heard)

        return Plan(stored=Received(inbound=message, route="turn"), act=act)

    def _plan_change(self, change: InboundEdit | InboundDeletion) -> Plan | None:
        edits = self._parts.edits
        stored = edits.received(change)
        return None if stored is None else Plan(stored=stored, act=lambda: edits.follow(change))

    def _plan_command(self, heard: Heard, call: CommandCall) -> Plan:
        message = heard.message

        def act() -> None:
            self._parts.commands.begin(call, message)
            work = self._parts.desk.serve(heard, call)
            self._begin(message.address.session_key, f"command {message.event_id}", work)
            self._note_home(heard)

        return Plan(
            stored=Received(inbound=message, route="command"),
            act=act,
            undo=lambda: self._parts.listener.unhear(heard),
        )

    def _note_home(self, heard: Heard) -> None:
        """Keep where an admin can be reached, if that is news; else the next message tells it."""
        message, gate = heard.message, self._parts.gate
        if heard.decision == "admin" and gate.is_new_home(message):
            work = gate.keep_home(message.sender.person_key, message.address)
            self._begin(message.address.session_key, "home of an admin", work)

    def _plan_standing(self, standing: BotStanding) -> Plan:
        heard = self._parts.listener.hear_standing(standing)
        told = None
        if heard is not None and heard.call is not None:
            told = self._plan_command(heard, heard.call)

        def act() -> None:
            logger.info(
                "bot.standing",
                extra={"session": standing.address.session_key, "standing": standing.standing},
            )
            if told is not None:
                told.act()
            elif standing.kind == "private" and standing.standing == "gone":
                work = self._parts.gate.keep_home(standing.by.person_key, None)
                self._begin(standing.address.session_key, "home of an admin", work)

        stored = Received(inbound=standing, route="none") if told is None else told.stored
        return Plan(stored=stored, act=act)

    def _plan_press(self, press: ButtonPress) -> Plan | None:
        decision = self._parts.gate.decide(press.sender, press.kind, press.address)
        if decision in ("stranger", "silent"):
            return None
        stored = Received(inbound=press, route="press")
        return Plan(stored=stored, act=lambda: self._take_press(press))

    def _take_press(self, press: ButtonPress) -> None:
        async def redeem() -> None:
            command = await self._parts.desk.redeem(press)
            if command is not None and not self._is_closed:
                self._resume_command(command)

        self._begin(press.address.session_key, f"press {press.event_id}", redeem())

    def _begin(
        self, session_key: SessionKey, name: str, work: Coroutine[object, object, None]
    ) -> None:
        """Start work that a chat is busy with as long as it lasts."""
        activity = self._parts.activity
        task = self._parts.spawn(name, work)
        activity.begin(session_key)
        task.add_done_callback(lambda _: activity.end(session_key))  # also if it never began

    def _stop(self, request: StopRequest) -> None:
        session_key, only = request.address.session_key, TurnId(request.draft_id) or None
        stop, decide = self._parts.lanes.stop, self._parts.gate.decide
        is_heard = decide(request.sender, "group", request.address) in ("admin", "allowed")
        if is_heard and stop(session_key, request.event_id, only=only):
            logger.info("turn.stopped", extra={"session": session_key})

    def _note_set_aside(self, event: SetAside) -> None:
        self.set_aside.note()
        logger.warning(
            "inbound.set_aside",
            extra={"channel": event.channel, "event": event.event_id, "why": event.reason},
        )
