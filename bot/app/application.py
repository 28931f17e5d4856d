"""The running bot: its parts, wired together."""

from __future__ import annotations

import asyncio
import logging
import secrets
from functools import partial

from bot.app.access import build_access
from bot.app.agent import Agent, AgentNeeds, build_agent, build_settings
from bot.app.background import Background
from bot.app.control import WORKER, answer_questions, operator_parts
from bot.app.dispatching import Among, build_dispatching
from bot.app.forgetting import Around, build_forgetting
from bot.app.indexing import build_search
from bot.app.intake import build_intake
from bot.app.outside import Outside
from bot.app.plugins import load_plugins
from bot.app.recalling import build_records, propose_with
from bot.app.reception import Reception
from bot.app.reminding import RemindingService
from bot.app.screens import build_screens
from bot.app.spending import build_spending
from bot.app.watch import Watch, Watched
from bot.config import Config
from bot.core.access import format_code
from bot.core.chat import ChatAddress
from bot.core.retry import RetryPolicy
from bot.errors import DataError, StoreLost
from bot.ports import Inbox
from bot.runtime.access_gate import LOCAL_CHANNEL
from bot.runtime.activity import Activity
from bot.runtime.command_menu import CommandMenu
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.dispatcher import Dispatcher
from bot.runtime.forgetting import Forgetting
from bot.runtime.inbox import ChannelInbox, InboxParts
from bot.runtime.lane import LaneParts
from bot.runtime.lanes import Lanes
from bot.runtime.overheard import Overheard
from bot.runtime.pauses import Pauses
from bot.runtime.supervisor import Supervisor
from bot.runtime.tools import ToolRegistry
from bot.runtime.waiting import either, within
from bot.runtime.workers import Workers

logger = logging.getLogger(__name__)

DELIVERY_RETRY = RetryPolicy(attempts=300, base_s=1.0, factor=2.0, cap_s=300.0)
"""For a day: while a platform cannot be reached, nobody can be told that it could not."""

DRAINING_SHARE = 0.9
"""How much of the shutdown's deadline running turns get; the rest is for closing everything."""

EXIT_REFUSED = 2  # no channel has a token that its platform takes


class App:
    """A running bot: channels in, answers out, until the channels end or it is told to stop.

    ``watch`` knows how it is.
    """

    def __init__(self, config: Config, outside: Outside) -> None:
        self._config = config
        self._outside = outside
        self.watch = Watch(outside, self._on_channel_change)
        self._supervisor = Supervisor(self.watch.note_task_failure)
        spawn, watch = self._supervisor.spawn, self.watch
        self._workers = workers = Workers(spawn, outside.clock, watch.workers)
        self._activity = Activity()
        self._pauses = Pauses(outside.clock)
        self._is_announced = self._is_answering = False
        self._told_to_stop = asyncio.Event()
        self._over = asyncio.Event()
        self._lost = asyncio.Event()
        outside.store_watch.on_loss = self._lose_store
        self._settings = settings = build_settings(config, outside)
        self._searched = build_search(config, outside)
        self._tools = ToolRegistry(outside.clock, outside.redactor)
        self._delivery = Delivery(
            DeliveryParts(
                channels=outside.channels,
                lifecycle=outside.store,
                clock=self._pauses,
                activity=self._activity,
                spawn=self._supervisor.spawn,
                policy=DELIVERY_RETRY,
                jitter=outside.jitter,
                metrics=self.watch.metrics,
            )
        )
        self._access = build_access(config, outside, self._delivery, settings)
        self._spending = build_spending(config, outside, self._access, settings, watch, spawn)
        searched, jobs = self._searched, watch.jobs
        self._background = Background(config, outside, self._spending, workers, searched, jobs)
        self._reminding = RemindingService(config, outside)
        self._agent = self._build_agent()
        self._overheard = Overheard(outside.clock)
        self._forgetting = self._build_forgetting()
        search = self._searched.search
        memory = build_records(config, outside, settings, search, propose_with(self._forgetting))
        self._host = load_plugins(config, outside, self._tools, memory, self._reminding)
        self._lanes = self._build_lanes()
        self._dispatcher, self._menu = self._build_dispatcher()
        self.watch.parts = Watched(
            settings=settings,
            lanes=self._lanes,
            delivery=self._delivery,
            dispatcher=self._dispatcher,
            memory_trouble=lambda: self._background.memory_trouble,
            searched=self._searched,
            reminding=self._reminding,
            spawn=self._supervisor.spawn,
        )

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
            await self._spending.close()
            await self._background.close()
        all_refused = {state.phase for state in self.watch.book.states.values()} == {"refused"}
        return EXIT_REFUSED if all_refused and not self._told_to_stop.is_set() else 0

    async def _serve(self) -> None:
        await self._agent.load()
        await self._access.load()
        await self._reminding.zones.load()
        self._offer_ownership()
        await self._dispatcher.resume()
        outside, clock = self._outside, self._outside.clock
        self._background.start(self._agent)
        self._workers.keep("forgetting", self._forgetting.run)
        self._workers.keep("spending", self._spending.run)
        channels, announce, spawn = outside.channels, outside.announce, self._supervisor.spawn
        timer, workers = self._background.timer, self._workers
        self._reminding.start(self._access, self._delivery, self._lanes, workers, timer)
        reception = Reception(channels, self._make_inbox, self.watch.book, clock, spawn, announce)
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
            book=self.watch.book,
            screens=build_screens(self._config, self._outside, self._agent, self._access),
        )
        return ChannelInbox(channel, parts)

    def _on_channel_change(self) -> None:
        for name, state in self.watch.book.states.items():
            if state.has_received:
                self._menu.begin(name)
        heard = self.watch.book.heard
        if heard and not self._is_announced:
            self._is_announced = True
            self._outside.announce(f"ready: {', '.join(heard)}")
            self._background.warm_up()
        data_dir = self._outside.data_dir
        if data_dir is None or self._is_answering or self.watch.book.is_starting:
            return
        self._is_answering = True
        clean_up = self._background.clean_up_parts(self._agent)
        parts = operator_parts(self._config, self._outside, self._agent, self._access, clean_up)
        place = self._config.http
        self._workers.keep(WORKER, partial(answer_questions, place, data_dir, self.watch, parts))

    def _offer_ownership(self) -> None:
        if self._access.gate.has_owner or set(self._outside.channels) <= {LOCAL_CHANNEL}:
            return
        code = format_code(secrets.token_bytes(8))
        self._access.gate.claims.offer(code)
        self._outside.announce(
            f"no owner yet: send the bot  /claim {code}  in a private chat (Slack: !claim)"
        )

    def _build_agent(self) -> Agent:
        needs = AgentNeeds(
            settings=self._settings,
            tools=self._tools,
            model=self._spending,
            clock=self._pauses,
            search=self._searched.search,
            on_left=self._background.wake,
            zone_of=self._reminding.zones.of,
            metrics=self.watch.metrics,
        )
        return build_agent(self._config, self._outside, needs)

    def _build_forgetting(self) -> Forgetting:
        around = Around(
            searched=self._searched,
            telling=self._access.telling,
            activity=self._activity,
            spawn=self._supervisor.spawn,
            forget_chat=self._agent.runner.forget,
            overheard=self._overheard,
            wake_memory=self._background.wake,
        )
        return build_forgetting(self._config, self._outside, around)

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
            memories=self._settings,
            on_ended=self._background.wake,
            follows_bad_end=self._outside.follows_bad_end,
            metrics=self.watch.metrics,
            language_for=self._settings.language,
        )
        return Lanes(parts)

    def _build_dispatcher(self) -> tuple[Dispatcher, CommandMenu]:
        among = Among(
            config=self._config,
            outside=self._outside,
            agent=self._agent,
            access=self._access,
            lanes=self._lanes,
            delivery=self._delivery,
            host=self._host,
            overheard=self._overheard,
            recall=self._searched.search.recall,
            forgetting=self._forgetting,
            activity=self._activity,
            spawn=self._supervisor.spawn,
            wake_memory=self._background.wake,
            vitals=self.watch.vitals,
        )
        parts, menu = build_dispatching(among)
        return Dispatcher(parts), menu
