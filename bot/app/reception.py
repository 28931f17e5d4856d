"""Every channel being run, and run again when it breaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from bot.app.channels import Announce
from bot.errors import ChannelAuthError, StoreLost
from bot.ports import Channel, Clock, Inbox
from bot.runtime.delivery import REFUSED_PAUSE_S
from bot.runtime.health import ChannelBook
from bot.runtime.supervisor import Spawn
from bot.runtime.waiting import either

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
GROWTH = 2.0

BROKEN = "it broke; the log says how at task.failed"


class Reception:
    """Keeps channels receiving. A refused token ends one; what nobody foresaw does not."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        make_inbox: Callable[[str], Inbox],
        book: ChannelBook,
        clock: Clock,
        spawn: Spawn,
        announce: Announce,
    ) -> None:
        self._channels = channels
        self._make_inbox = make_inbox
        self._book = book
        self._clock = clock
        self._spawn = spawn
        self._announce = announce
        self._tasks: list[asyncio.Task[None]] = []
        self._none_is_left = asyncio.Event()

    def open(self, on_over: Callable[[], None]) -> None:
        """Begin; ``on_over`` is called once no channel has anything more to say."""

        def count(_: asyncio.Task[None]) -> None:
            if all(task.done() for task in self._tasks):
                on_over()

        self._tasks = [
            self._spawn(f"channel {name}", self._keep(name, channel))
            for name, channel in self._channels.items()
        ]
        for task in self._tasks:
            task.add_done_callback(count)

    def close(self) -> None:
        """Take nothing more; what was taken is stored or will be sent again."""
        for task in self._tasks:
            task.cancel()

    async def _keep(self, name: str, channel: Channel) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            began_s = self._clock.monotonic()
            # A task of its own, so that what breaks it ends at the supervisor, with a traceback,
            # and who cancels it does not cancel its keeper.
            await asyncio.wait({self._spawn(f"receiving {name}", self._run(name, channel))})
            if self._book.states[name].phase == "ended":
                return
            if self._book.states[name].phase == "refused":
                if {state.phase for state in self._book.states.values()} <= {"refused", "ended"}:
                    self._none_is_left.set()
                    return
                # Others go on; the token may be right again, or a proxy have spoken for Telegram.
                await either(self._clock.sleep(REFUSED_PAUSE_S), self._none_is_left.wait())
                if self._none_is_left.is_set():
                    return
                continue
            self._book.note(name, "failing", BROKEN)
            if self._clock.monotonic() - began_s > LONGEST_PAUSE_S:
                pause_s = FIRST_PAUSE_S
            await self._clock.sleep(pause_s)
            pause_s = min(pause_s * GROWTH, LONGEST_PAUSE_S)

    async def _run(self, name: str, channel: Channel) -> None:
        try:
            await channel.run(self._make_inbox(name))
        except ChannelAuthError as error:
            logger.error("channel.refused", extra={"channel": name, "why": str(error)})  # noqa: TRY400 - a wrong token needs no traceback
            if self._book.states[name].phase != "refused":
                self._announce(f"{name}: {error}")
            self._book.note(name, "refused")
        except StoreLost:
            self._book.note(name, "ended")  # as does the bot, which says why
        else:
            self._book.note(name, "ended")
