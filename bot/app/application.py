"""The running bot: its parts, wired together."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from zoneinfo import ZoneInfo

from bot import __version__
from bot.adapters.fetcher import PublicFetcher
from bot.app.channels import Announce
from bot.config import Config
from bot.core.access import AccessPolicy, format_code
from bot.core.chat import ChatAddress
from bot.core.retry import RetryPolicy
from bot.errors import ChannelAuthError
from bot.ports import Channel, Clock, Conversations, Lifecycle, ModelClient, People
from bot.runtime.access_gate import LOCAL_CHANNEL, AccessGate
from bot.runtime.activity import Activity
from bot.runtime.commands import Command, CommandTable
from bot.runtime.commands.claim import claim_command
from bot.runtime.commands.help import help_command
from bot.runtime.commands.new import new_command
from bot.runtime.commands.status import Vitals, status_command
from bot.runtime.commands.stop import stop_command
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.dispatcher import ChannelInbox, Dispatcher, DispatcherParts
from bot.runtime.lanes import LaneParts, Lanes
from bot.runtime.plugin_host import PluginHost
from bot.runtime.runner import AgentRunner
from bot.runtime.supervisor import Supervisor
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_run import AgentParts, AgentSettings
from bot.runtime.waiting import within

logger = logging.getLogger(__name__)

MODEL_RETRY = RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=20.0, patience_s=60.0)
DELIVERY_RETRY = RetryPolicy(attempts=8, base_s=1.0, factor=2.0, cap_s=60.0)

BUILT_IN_COMMANDS = frozenset({"claim", "help", "new", "start", "status", "stop"})
"""Names that no plugin may take; ``start`` is what Telegram sends when a chat is opened."""


class Store(Lifecycle, Conversations, People, Protocol):
    """The ports that one store fills together; ``close`` finishes what is queued."""

    async def close(self) -> None:
        """Write what is queued and let go of the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What the application is built on; tests put fakes here."""

    store: Store
    model: ModelClient
    model_name: str
    channels: Mapping[str, Channel]
    clock: Clock
    announce: Announce


class App:
    """A running bot: channels in, answers out, until the channels end or it is told to stop."""

    def __init__(self, config: Config, outside: Outside) -> None:
        self._config = config
        self._outside = outside
        self._supervisor = Supervisor()
        self._activity = Activity()
        self._states = dict.fromkeys(outside.channels, "starting")
        self._is_told_to_stop = False
        self._over = asyncio.Event()
        self._gate = AccessGate(
            AccessPolicy(
                mode=config.access,
                admins=frozenset(config.admins),
                allowed=frozenset(config.allow),
            ),
            outside.store,
            outside.clock,
        )
        self._tools = ToolRegistry(outside.clock)
        self._host = self._load_plugins()
        self._delivery = Delivery(
            DeliveryParts(
                channels=outside.channels,
                lifecycle=outside.store,
                clock=outside.clock,
                activity=self._activity,
                spawn=self._supervisor.spawn,
                policy=DELIVERY_RETRY,
                jitter=random.random,
            )
        )
        self._runner = self._build_runner()
        self._lanes = self._build_lanes()
        self._dispatcher_parts = self._build_dispatcher_parts()
        self._dispatcher = Dispatcher(self._dispatcher_parts)

    def stop(self) -> None:
        """Ask the bot to end: take nothing more, finish or leave to the next start, return."""
        self._is_told_to_stop = True
        self._over.set()

    async def settled(self, address: ChatAddress) -> None:
        """Wait until everything received in a chat is answered and delivered."""
        await self._activity.idle(address.session_key)

    async def run(self) -> int:
        """Run until every channel has ended or :meth:`stop` was called; return the exit code."""
        try:
            async with self._supervisor:
                await self._serve()
        finally:
            for channel in self._outside.channels.values():
                await channel.close()
            await self._outside.model.close()
        all_failed = set(self._states.values()) == {"token refused"}
        return 1 if all_failed and not self._is_told_to_stop else 0

    async def _serve(self) -> None:
        await self._gate.load()
        self._offer_ownership()
        await self._dispatcher.resume()
        channels = [
            self._supervisor.spawn(f"channel {name}", self._run_channel(name, channel))
            for name, channel in self._outside.channels.items()
        ]
        await self._until_over(channels)
        for task in channels:
            task.cancel()
        await self._drain()

    async def _until_over(self, channels: list[asyncio.Task[None]]) -> None:
        def on_done(_: asyncio.Task[None]) -> None:
            if all(task.done() for task in channels):
                self._over.set()

        for task in channels:
            task.add_done_callback(on_done)
        await self._over.wait()

    async def _drain(self) -> None:
        """Let what is under way come to its end; the next start goes on with what does not."""
        if not self._is_told_to_stop:
            await self._activity.idle()
            return
        self._lanes.close()
        try:
            deadline_s = self._config.shutdown_deadline_s
            await within(self._outside.clock, deadline_s, self._activity.idle())
        except TimeoutError:
            logger.warning("shutdown.left_open", extra={"chats": self._activity.busy_chats})

    async def _run_channel(self, name: str, channel: Channel) -> None:
        def receiving() -> None:
            self._set_state(name, "receiving")

        inbox = ChannelInbox(name, self._dispatcher, self._dispatcher_parts, receiving)
        try:
            await channel.run(inbox)
        except ChannelAuthError as error:
            logger.error("channel.refused", extra={"channel": name, "why": str(error)})  # noqa: TRY400 - a wrong token needs no traceback
            self._outside.announce(f"{name}: {error}")
            self._set_state(name, "token refused")
        else:
            self._set_state(name, "ended")

    def _set_state(self, name: str, state: str) -> None:
        was_starting = "starting" in self._states.values()
        self._states[name] = state
        ready = [each for each, how in self._states.items() if how == "receiving"]
        if was_starting and ready and "starting" not in self._states.values():
            self._outside.announce(f"ready: {', '.join(ready)}")
            self._supervisor.spawn("model warm-up", self._outside.model.warm_up())

    def _offer_ownership(self) -> None:
        if self._gate.has_owner or set(self._outside.channels) <= {LOCAL_CHANNEL}:
            return
        code = format_code(secrets.token_bytes(8))
        self._gate.offer(code)
        self._outside.announce(f"no owner yet: send the bot  /claim {code}  in a private chat")

    def _load_plugins(self) -> PluginHost:
        host = PluginHost(
            self._outside.clock,
            ZoneInfo(self._config.timezone),
            PublicFetcher(),
            self._tools,
            reserved_commands=BUILT_IN_COMMANDS,
        )
        host.load(self._config.plugins)
        return host

    def _build_runner(self) -> AgentRunner:
        config, outside = self._config, self._outside
        settings = AgentSettings(
            model=outside.model_name,
            persona=config.read_persona(),
            max_tokens=config.max_tokens,
            max_steps=config.agent_max_steps,
            max_turns=config.agent_max_context_turns,
            retry=MODEL_RETRY,
        )
        parts = AgentParts(
            model=outside.model,
            tools=self._tools,
            lifecycle=outside.store,
            clock=outside.clock,
            jitter=random.random,
            settings=settings,
        )
        return AgentRunner(parts, outside.store)

    def _build_lanes(self) -> Lanes:
        parts = LaneParts(
            runner=self._runner,
            lifecycle=self._outside.store,
            delivery=self._delivery,
            channels=self._outside.channels,
            clock=self._outside.clock,
            activity=self._activity,
            spawn=self._supervisor.spawn,
        )
        return Lanes(parts)

    def _build_dispatcher_parts(self) -> DispatcherParts:
        return DispatcherParts(
            lifecycle=self._outside.store,
            gate=self._gate,
            commands=self._build_commands(),
            lanes=self._lanes,
            delivery=self._delivery,
            channels=self._outside.channels,
            clock=self._outside.clock,
            activity=self._activity,
            spawn=self._supervisor.spawn,
        )

    def _build_commands(self) -> CommandTable:
        store, clock = self._outside.store, self._outside.clock
        table = CommandTable(
            (
                new_command(store, self._runner, clock),
                stop_command(self._lanes),
                status_command(self._vitals, store, clock),
                claim_command(self._gate),
            )
        )
        table.add(help_command(table))
        for each in self._host.commands.values():
            table.add(Command(name=each.name, description=each.description, handler=each.handler))
        return table

    def _vitals(self) -> Vitals:
        return Vitals(
            version=__version__,
            model=self._outside.model_name,
            channels=tuple(f"{name} ({state})" for name, state in self._states.items()),
            running_turns=self._lanes.running_turns,
            max_turns=self._config.agent_max_context_turns,
        )
