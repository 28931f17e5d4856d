"""Where every event comes in: it is classified, stored, and only then acted upon."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from bot.core.access import Decision
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
from bot.core.commands import PREFIX, CommandCall, parse_command
from bot.core.lifecycle import Cursor, Received, SetAside
from bot.errors import StoreError
from bot.ports import Channel, Clock, Lifecycle, Redactor
from bot.runtime.access_gate import AccessGate
from bot.runtime.activity import Activity
from bot.runtime.border import Incident, guarded
from bot.runtime.command_desk import CommandDesk
from bot.runtime.commands import CommandTable
from bot.runtime.delivery import Delivery
from bot.runtime.lanes import Lanes
from bot.runtime.redaction import redact_inbound, without_text
from bot.runtime.supervisor import Spawn
from bot.runtime.waiting import whole

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatcherParts:
    """What the dispatcher works with."""

    lifecycle: Lifecycle
    gate: AccessGate
    redactor: Redactor
    commands: CommandTable
    desk: CommandDesk
    lanes: Lanes
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock
    activity: Activity
    spawn: Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How an event goes on.

    Attributes:
        stored: What is stored of it.
        act: What is done once that is committed.
        undo: What is taken back when it is not.
    """

    stored: Received | SetAside
    act: Callable[[], None]
    undo: Callable[[], None] = lambda: None


class Dispatcher:
    """Takes events of all channels; one that is not for the bot leaves no trace."""

    def __init__(self, parts: DispatcherParts) -> None:
        self._parts = parts
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
        events = tuple([await self._without_secrets(event) for event in events])
        plans = tuple(plan for event in events if (plan := self._plan(event)) is not None)
        if not plans and cursor is None:
            return
        position = None if cursor is None else Cursor(channel=channel, value=cursor)
        # Cut in between, it would lie there: brought again by the platform, it is not new any more.
        await whole(self._store_and_act(plans, position))

    async def _without_secrets(self, event: Inbound | SetAside) -> Inbound | SetAside:
        """Redact what may be stored; where that fails, all of it, so that it is answered at least.

        Refused, it would come again and again, and hold up what waits behind it.
        """
        if isinstance(event, InboundMessage) and not event.is_addressed:
            return event  # most of what a group says, of which nothing is kept
        redacted = await guarded(
            redact_inbound(event, self._parts.redactor),
            self._parts.clock,
            {"event": event.event_id, "doing": "redaction"},
        )
        return without_text(event) if isinstance(redacted, Incident) else redacted

    async def _store_and_act(self, plans: tuple[_Plan, ...], cursor: Cursor | None) -> None:
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
        # A preview is gone on with, or finished, by its turn.
        self._parts.delivery.enqueue(
            tuple(item for item in unfinished.outbox if not item.is_preview)
        )
        for claim in unfinished.claims:
            if self._is_served(claim.turn.session_key):
                self._parts.lanes.resume(claim)
        for session_key in unfinished.waiting:
            if self._is_served(session_key):
                self._parts.lanes.wake(session_key)
        for message in unfinished.commands:
            if self._is_served(message.address.session_key):
                await self._resume_command(message)

    async def _resume_command(self, message: InboundMessage) -> None:
        plan = self._plan(message)
        if plan is None:
            await self._parts.lifecycle.settle(
                message.address.channel, message.event_id, at=self._parts.clock.now()
            )
        elif isinstance(plan.stored, Received) and plan.stored.route == "command":
            plan.act()
        else:  # it was one when it was stored; no turn ever takes it
            prefix = self._parts.channels[message.address.channel].capabilities.command_prefix
            call = parse_command(message.text, prefix=prefix) or _as_word(message)
            decision = self._parts.gate.decide(message.sender, message.kind)
            self._plan_command(message, call, decision).act()

    def _is_served(self, session_key: SessionKey) -> bool:
        """Say whether a chat's channel is configured; without it what is open is kept."""
        if ChatAddress.from_session_key(session_key).channel in self._parts.channels:
            return True
        logger.warning("resume.no_channel", extra={"session": session_key})
        return False

    def _plan(self, event: Inbound | SetAside) -> _Plan | None:
        match event:
            case SetAside():
                return _Plan(stored=event, act=lambda: _log_set_aside(event))
            case InboundMessage():
                return self._plan_message(event) if event.is_addressed else None
            case StopRequest():
                stored = Received(inbound=event, route="none")
                return _Plan(stored=stored, act=lambda: self._stop(event))
            case InboundEdit() | InboundDeletion() | ButtonPress() | ChatMoved() | BotStanding():
                logger.debug("inbound.not_followed", extra={"event": event.event_id})
                return None
            case _:
                assert_never(event)

    def _plan_message(self, message: InboundMessage) -> _Plan | None:
        decision = self._parts.gate.decide(message.sender, message.kind)
        call = self._read_command(message)
        if decision in ("stranger", "silent"):
            return self._plan_stranger(message, decision, call)
        if call is not None:
            return self._plan_command(message, call, decision)
        if not message.is_named:
            return None  # a command of some other bot in the group
        session_key = message.address.session_key
        stored = Received(inbound=message, route="turn")
        return _Plan(stored=stored, act=lambda: self._parts.lanes.wake(session_key))

    def _read_command(self, message: InboundMessage) -> CommandCall | None:
        """Read a message as a command of ours; None when it is none, or another bot's."""
        commands = self._parts.commands
        prefix = self._parts.channels[message.address.channel].capabilities.command_prefix
        call = parse_command(message.text, prefix=prefix)
        if call is None:
            # "@bot stop" is a command as well, in a group, where the mention stands for the slash.
            word = _as_word(message)
            is_one = message.kind == "group" and message.is_named and commands.knows(word)
            return word if is_one else None
        call = commands.resolve(call)
        if commands.knows(call):
            return call
        if not message.is_named:
            return None
        is_spoken = not message.text.startswith(PREFIX)  # "!important" is no slip of a command
        return None if is_spoken and commands.nearest(call.name) is None else call

    def _plan_stranger(
        self, message: InboundMessage, decision: Decision, call: CommandCall | None
    ) -> _Plan | None:
        if call is not None and call.name == "claim" and message.kind == "private":
            return self._plan_command(message, call, decision)
        person = message.sender.person_key
        if decision == "stranger" and self._parts.gate.is_to_be_told(person):
            welcome = CommandCall(name="", arguments="")
            plan = self._plan_command(message, welcome, decision)
            return replace(plan, undo=lambda: self._parts.gate.forget_told(person))
        return None

    def _plan_command(
        self, message: InboundMessage, call: CommandCall, decision: Decision
    ) -> _Plan:
        def act() -> None:
            session_key, activity = message.address.session_key, self._parts.activity
            self._parts.commands.begin(call, message)
            work = self._parts.desk.serve(message, call, is_admin=decision == "admin")
            task = self._parts.spawn(f"command {message.event_id}", work)
            activity.begin(session_key)
            task.add_done_callback(lambda _: activity.end(session_key))  # also if it never began

        return _Plan(stored=Received(inbound=message, route="command"), act=act)

    def _stop(self, request: StopRequest) -> None:
        session_key = request.address.session_key
        may = self._parts.gate.decide(request.sender, "group") in ("admin", "allowed")
        if may and self._parts.lanes.stop(session_key, request.event_id):
            logger.info("turn.stopped", extra={"session": session_key})


def _as_word(message: InboundMessage) -> CommandCall:
    return CommandCall(name=message.text.strip().lower(), arguments="")


def _log_set_aside(event: SetAside) -> None:
    logger.warning(
        "inbound.set_aside",
        extra={"channel": event.channel, "event": event.event_id, "why": event.reason},
    )
