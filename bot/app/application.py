"""The running bot: its parts, wired together."""

from __future__ import annotations

import asyncio
import logging
import secrets

from bot import __version__
from bot.app.access import build_access
from bot.app.agent import Agent, build_agent
from bot.app.background import Background
from bot.app.commands import add_the_rest, build_commands, build_desk
from bot.app.control import answer_questions
from bot.app.intake import build_intake
from bot.app.moves import build_moves
from bot.app.outside import Outside
from bot.app.plugins import load_plugins
from bot.app.reception import Reception
from bot.app.screens import build_screens
from bot.config import Config
from bot.core.access import GroupMode, format_code
from bot.core.chat import ChatAddress
from bot.core.retry import RetryPolicy
from bot.errors import DataError, StoreLost
from bot.ports import Inbox
from bot.runtime.access_gate import LOCAL_CHANNEL
from bot.runtime.activity import Activity
from bot.runtime.command_menu import CommandMenu
from bot.runtime.commands.status import Vitals
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.dispatcher import Dispatcher, DispatcherParts
from bot.runtime.edits import Edits
from bot.runtime.health import ChannelBook, Health, Signs, WatchedModel, judge
from bot.runtime.inbox import ChannelInbox, InboxParts
from bot.runtime.lane import LaneParts
from bot.runtime.lanes import Lanes
from bot.runtime.listening import Listener
from bot.runtime.overheard import Overheard
from bot.runtime.pauses import Pauses
from bot.runtime.supervisor import Supervisor
from bot.runtime.tools import ToolRegistry
from bot.runtime.waiting import either, within

logger = logging.getLogger(__name__)

DELIVERY_RETRY = RetryPolicy(attempts=300, base_s=1.0, factor=2.0, cap_s=300.0)
"""For a day: while a platform cannot be reached, nobody can be told that it could not."""

DRAINING_SHARE = 0.9
"""How much of the shutdown's deadline running turns get; the rest is for closing everything."""

EXIT_REFUSED = 2  # no channel has a token that its platform takes


class App:
    """A running bot: channels in, answers out, until the channels end or it is told to stop."""

    def __init__(self, config: Config, outside: Outside) -> None:
        self._config = config
        self._outside = outside
        self._supervisor = Supervisor()
        self._activity = Activity()
        self._pauses = Pauses(outside.clock)
        self._model = WatchedModel(outside.model)
        self._book = ChannelBook(outside.channels, outside.clock, self._on_channel_change)
        self._started_s = outside.clock.monotonic()
        self._is_announced = self._is_answering = False
        self._told_to_stop = asyncio.Event()
        self._over = asyncio.Event()
        self._lost = asyncio.Event()
        outside.store_watch.on_loss = self._lose_store
        self._tools = ToolRegistry(outside.clock, outside.redactor)
        self._host = load_plugins(config, outside, self._tools)
        self._delivery = Delivery(
            DeliveryParts(
                channels=outside.channels,
                lifecycle=outside.store,
                clock=self._pauses,
                activity=self._activity,
                spawn=self._supervisor.spawn,
                policy=DELIVERY_RETRY,
                jitter=outside.jitter,
            )
        )
        self._access = build_access(config, outside, self._delivery, self._group_mode)
        self._background = Background(config, outside, self._model, self._supervisor.spawn)
        self._agent = self._build_agent()
        self._overheard = Overheard(outside.clock)
        self._lanes = self._build_lanes()
        self._dispatcher_parts = self._build_dispatcher_parts()
        self._dispatcher = Dispatcher(self._dispatcher_parts)

    def stop(self) -> None:
        """Ask the bot to end: take nothing more, finish or leave to the next start, return.

        Asked a second time, it leaves everything to the next start.
        """
        if self._told_to_stop.is_set():
            logger.warning("shutdown.hurried", extra={"chats": self._activity.busy_chats})
            self._supervisor.cancel_all()
        self._told_to_stop.set()
        self._over.set()

    async def settled(self, address: ChatAddress) -> None:
        """Wait until everything received in a chat is answered and delivered."""
        await self._activity.idle(address.session_key)

    async def run(self) -> int:
        """Run until every channel has ended or :meth:`stop` was called; return the exit code.

        Raises:
            DataError: The database was lost meanwhile.
        """
        try:
            async with self._supervisor:
                try:
                    await self._serve()
                finally:
                    self._dispatcher.close()
        except StoreLost as error:
            raise DataError(str(error)) from error
        finally:
            for channel in self._outside.channels.values():
                await channel.close()
            await self._outside.model.close()
            await self._background.close()
        all_refused = {state.phase for state in self._book.states.values()} == {"refused"}
        return EXIT_REFUSED if all_refused and not self._told_to_stop.is_set() else 0

    async def _serve(self) -> None:
        await self._agent.load()
        await self._access.load()
        self._offer_ownership()
        await self._dispatcher.resume()
        outside, clock = self._outside, self._outside.clock
        self._background.start(self._agent)
        channels, announce, spawn = outside.channels, outside.announce, self._supervisor.spawn
        reception = Reception(channels, self._make_inbox, self._book, clock, spawn, announce)
        reception.open(self._over.set)
        await self._over.wait()
        reception.close()
        await self._drain()
        if self._outside.store_watch.loss is not None:
            raise self._outside.store_watch.loss

    async def _drain(self) -> None:
        """Let what is under way come to its end; the next start goes on with what does not."""
        await either(self._activity.idle(), self._told_to_stop.wait(), self._lost.wait())
        if self._lost.is_set() or not self._told_to_stop.is_set():
            return
        limit_s = self._config.shutdown_deadline_s * DRAINING_SHARE
        logger.info("shutdown.begun", extra={"chats": self._activity.busy_chats})
        self._lanes.close()
        self._pauses.end_by(self._outside.clock.monotonic() + limit_s)
        try:
            idle = either(self._activity.idle(), self._lost.wait())
            await within(self._outside.clock, limit_s, idle)
        except TimeoutError:
            logger.warning("shutdown.left_open", extra={"chats": self._activity.busy_chats})

    def _lose_store(self) -> None:
        self._over.set()
        self._lost.set()
        self._supervisor.cancel_all()

    def _make_inbox(self, channel: str) -> Inbox:
        parts = InboxParts(
            overhears=self._access.gate.overhears,
            receive=self._dispatcher.receive,
            lifecycle=self._outside.store,
            clock=self._outside.clock,
            activity=self._activity,
            book=self._book,
            screens=build_screens(self._config, self._outside, self._agent, self._access),
        )
        return ChannelInbox(channel, parts)

    def _on_channel_change(self) -> None:
        for name, state in self._book.states.items():
            if state.has_received:
                self._menu.begin(name)
        heard = self._book.heard
        if heard and not self._is_announced:
            self._is_announced = True
            self._outside.announce(f"ready: {', '.join(heard)}")
            self._background.warm_up()
        data_dir = self._outside.data_dir
        if data_dir is None or self._is_answering or self._book.is_starting:
            return
        self._is_answering = True
        clean_up = self._background.clean_up_parts(self._agent)
        answering = answer_questions(
            self._config.http, data_dir, self._vitals, clean_up, self._access.pairings
        )
        self._supervisor.spawn("control", answering)

    def _offer_ownership(self) -> None:
        if self._access.gate.has_owner or set(self._outside.channels) <= {LOCAL_CHANNEL}:
            return
        code = format_code(secrets.token_bytes(8))
        self._access.gate.claims.offer(code)
        self._outside.announce(
            f"no owner yet: send the bot  /claim {code}  in a private chat (Slack: !claim)"
        )

    def _group_mode(self, address: ChatAddress) -> GroupMode:
        return self._agent.settings.group_mode(address)

    def _build_agent(self) -> Agent:
        return build_agent(
            self._config,
            self._outside,
            self._tools,
            self._model,
            self._pauses,
            self._background.wake,
        )

    def _build_lanes(self) -> Lanes:
        parts = LaneParts(
            runner=self._agent.runner,
            lifecycle=self._outside.store,
            delivery=self._delivery,
            channels=self._outside.channels,
            clock=self._pauses,
            activity=self._activity,
            spawn=self._supervisor.spawn,
            intake=build_intake(self._outside, self._agent.runner, self._host, self._overheard),
            follows_bad_end=self._outside.follows_bad_end,
        )
        return Lanes(parts)

    def _build_dispatcher_parts(self) -> DispatcherParts:
        outside, agent = self._outside, self._agent
        commands = build_commands(
            self._config, outside, agent, self._lanes, self._delivery, self._access
        )
        add_the_rest(commands, outside, self._host, self._vitals)
        listener = Listener(self._access.gate, self._access.pairings, commands, outside.channels)
        desk = build_desk(commands, self._config, outside, self._delivery, self._access, listener)
        self._menu = CommandMenu(
            outside.channels, commands, self._access.gate, self._supervisor.spawn
        )
        self._access.gate.on_admins_change = self._menu.refresh
        return DispatcherParts(
            lifecycle=self._outside.store,
            gate=self._access.gate,
            roles=self._access.roles,
            listener=listener,
            overheard=self._overheard,
            edits=Edits(
                listener=listener,
                lanes=self._lanes,
                clock=outside.clock,
                wake_memory=self._background.wake,
            ),
            moves=build_moves(
                outside,
                agent,
                self._access,
                self._lanes,
                self._activity,
                (self._supervisor.spawn, self._background.wake),
            ),
            redactor=self._outside.redactor,
            commands=commands,
            desk=desk,
            lanes=self._lanes,
            delivery=self._delivery,
            channels=self._outside.channels,
            clock=self._outside.clock,
            activity=self._activity,
            spawn=self._supervisor.spawn,
        )

    def _vitals(self) -> Vitals:
        return Vitals(
            version=__version__,
            up_s=self._outside.clock.monotonic() - self._started_s,
            model=self._agent.settings.name("model"),
            channels=self._book.worded(),
            running_turns=self._lanes.running_turns,
            max_turns=self._agent.settings.number("agent_max_context_turns"),
            set_aside=self._dispatcher.set_aside.of_last_day,
            health=self._health(),
        )

    def _health(self) -> Health:
        signs = Signs(
            now_s=self._outside.clock.monotonic(),
            channels=self._book.states,
            store_trouble=self._outside.store_watch.trouble,
            model_failures=self._model.failures,
            model_reason=self._model.reason,
            undelivered_for_s=self._delivery.longest_wait_s,
            memory_trouble=self._background.memory_trouble,
        )
        return judge(signs)
