"""The ordered work of each chat: one turn after the other, chats side by side.

A chat that waits for its turn costs a key in a queue. So many turns as may run at once have a lane,
which is a task; one turn a lane, then the chat stands in line again behind those that wait longer.
"""

from __future__ import annotations

import asyncio
import logging

from bot.core.chat import ChatAddress, InboundMessage, SessionKey
from bot.core.lifecycle import Claim
from bot.core.turns import TurnId
from bot.errors import StoreError, StoreLost, StoreUnreadable
from bot.runtime.lane import Lane, LaneParts, Work
from bot.runtime.storing import STORE_RETRY_S

logger = logging.getLogger(__name__)


ALBUM_WAIT_S = 1.0
"""After a part of an album so long is waited for more of it: platforms bring them one by one."""

RESUMED_ALBUM_WAIT_S = 5.0
"""So long after a start, when the platform has to be reached first."""


class Lanes:
    """Sees to what waits in chats; an idle chat costs nothing."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts
        self._lanes: dict[SessionKey, Lane] = {}
        self._waiting: dict[SessionKey, None] = {}
        self._open: dict[SessionKey, Claim] = {}
        self._gathering: dict[SessionKey, float] = {}
        self._found: set[TurnId] = set()
        self._resumed: set[TurnId] = set()
        self._held: set[SessionKey] = set()
        self._left = asyncio.Event()
        self._is_closed = False

    def gather(self, session_key: SessionKey) -> None:
        """See to what waits in a chat once its album is whole, of which a part has come in."""
        self._gathering[session_key] = self._parts.clock.monotonic() + ALBUM_WAIT_S
        self.wake(session_key)

    def expect(self, chats: tuple[SessionKey, ...]) -> None:
        """Let chats wait for the rest of albums, of which an earlier process took in a part."""
        until_s = self._parts.clock.monotonic() + RESUMED_ALBUM_WAIT_S
        self._gathering.update(dict.fromkeys(chats, until_s))

    def wake(self, session_key: SessionKey, reopened: Claim | None = None) -> None:
        """See to what waits in a chat, first of all to a turn that was opened again."""
        if self._is_closed:
            return
        if reopened is not None:
            self._open[session_key] = reopened
            self._parts.runner.forget(session_key)
        lane = self._lanes.get(session_key)
        if lane is not None:
            lane.is_woken = True
        elif session_key not in self._waiting:
            self._parts.activity.begin(session_key)
            self._waiting[session_key] = None
            self._start_lanes()

    def see_change(self, session_key: SessionKey) -> None:
        """See to a chat in which messages were changed: what was read of it is out of date.

        So it is in its other threads, which may have opened with what was made of them.
        """
        lane = self._lanes.get(session_key)
        if lane is not None:
            lane.is_outdated = True
        chat = ChatAddress.from_session_key(session_key).whole_chat.session_key
        self._parts.runner.forget_chats((chat,))
        self.wake(session_key)

    def resume(self, claim: Claim) -> None:
        """Go on with a turn that an earlier process left open."""
        self._resumed.add(claim.turn.id)
        if self._parts.follows_bad_end:
            self._found.add(claim.turn.id)
        self.wake(claim.turn.session_key, claim)

    def was_resumed(self, turn_id: TurnId) -> bool:
        """Say whether an earlier process left a turn open."""
        return turn_id in self._resumed

    def stop(self, session_key: SessionKey, event_id: str, *, only: TurnId | None = None) -> bool:
        """End the turn that runs or waits in a chat; False when there is none.

        What came in after the event ``event_id``, by which it is stopped, is answered. With
        ``only`` no other turn is meant, such as the one that followed it meanwhile.
        """
        lane, reopened = self._lanes.get(session_key), self._open.get(session_key)
        running = None if lane is None else lane.turn_id
        if only is not None and only not in (running, reopened and reopened.turn.id):
            return False
        if lane is not None:
            return lane.stop(event_id)
        if session_key not in self._waiting:
            return False
        del self._waiting[session_key]
        self._start(session_key, stop_before=event_id)  # beside the others: it asks no model
        return True

    def stoppable_in(self, address: ChatAddress) -> tuple[SessionKey, ...]:
        """Name the conversations of a chat, its threads and itself, that :meth:`stop` would end."""
        whole = address.whole_chat.session_key
        running = (key for key, lane in self._lanes.items() if lane.can_stop)
        return tuple(key for key in (*running, *self._waiting) if key.startswith(whole))

    def asked_in(self, session_key: SessionKey) -> InboundMessage | None:
        """Give what the turn that runs in a conversation is to answer last; None without one."""
        lane = self._lanes.get(session_key)
        return None if lane is None else lane.asked

    def hold(self, chats: tuple[SessionKey, ...]) -> None:
        """Begin no new turn in chats, by what their keys begin with; open ones go on."""
        self._held.update(chats)

    def release(self, chats: tuple[SessionKey, ...]) -> None:
        """Let turns begin again."""
        self._held.difference_update(chats)
        self._start_lanes()

    async def quiet(self, chats: tuple[SessionKey, ...]) -> bool:
        """Wait until no turn of chats that are held is open; False when it is left open."""
        while not self._is_closed:
            if not any(key.startswith(chats) for key in (*self._lanes, *self._open)):
                return True
            self._left.clear()
            await self._left.wait()
        return False

    def close(self) -> None:
        """Begin no more turns; what waits is done by the next process."""
        self._is_closed = True
        self._left.set()
        while self._waiting:
            session_key, _ = self._waiting.popitem()
            self._parts.activity.end(session_key)

    @property
    def running_turns(self) -> int:
        """How many answers are being written."""
        return sum(1 for lane in self._lanes.values() if lane.is_running)

    @property
    def waiting_chats(self) -> int:
        """How many chats wait until a turn of theirs may run."""
        return len(self._waiting)

    def _start_lanes(self) -> None:
        while len(self._lanes) < self._parts.most_turns:
            session_key = next(filter(self._may_start, self._waiting), None)
            if session_key is None:
                return
            del self._waiting[session_key]
            self._start(session_key)

    def _may_start(self, session_key: SessionKey) -> bool:
        """Say whether a chat is not held, or has an open turn to go on with."""
        is_held = bool(self._held) and session_key.startswith(tuple(self._held))
        return not is_held or session_key in self._open

    def _start(self, session_key: SessionKey, *, stop_before: str = "") -> None:
        lane = self._lanes[session_key] = Lane(self._parts, stop_before=stop_before)
        task = self._parts.spawn(f"lane {session_key}", self._work(session_key, lane))

        def end(task: asyncio.Task[None]) -> None:
            if task.cancelled():  # only when the process ends; maybe before it began
                self.close()
            self._leave(session_key, lane)

        task.add_done_callback(end)

    async def _work(self, session_key: SessionKey, lane: Lane) -> None:
        has_more = False
        try:
            has_more = await self._take_turn(session_key, lane)
        except asyncio.CancelledError:
            self.close()
            raise
        finally:
            if has_more:
                lane.is_woken = True
            self._leave(session_key, lane)

    def _leave(self, session_key: SessionKey, lane: Lane) -> None:
        if self._lanes.get(session_key) is not lane:
            return
        del self._lanes[session_key]
        self._left.set()
        if lane.is_woken and not self._is_closed:
            self._waiting[session_key] = None
        else:
            self._parts.activity.end(session_key)
        self._start_lanes()

    async def _take_turn(self, session_key: SessionKey, lane: Lane) -> bool:
        """Run one turn if there is anything to do; say whether more waits behind it."""
        is_in_doubt = False
        while not self._is_closed:
            try:
                work = await self._next_work(session_key, lane, is_in_doubt=is_in_doubt)
                if work is not None:
                    await lane.run(work)
            except StoreLost:
                break  # the bot ends, and says why
            except StoreUnreadable:  # asked again, it would fail again, and again
                logger.exception("lane.unreadable", extra={"session": session_key})
                self._parts.runner.forget(session_key)
                break
            except StoreError:
                logger.exception("lane.store_failed", extra={"session": session_key})
                self._parts.runner.forget(session_key)
                is_in_doubt = True
                await self._parts.clock.sleep(STORE_RETRY_S)
            else:
                return work is not None and work.claim.has_more
        return False

    async def _next_work(
        self, session_key: SessionKey, lane: Lane, *, is_in_doubt: bool
    ) -> Work | None:
        lifecycle = self._parts.lifecycle
        claim = self._open.pop(session_key, None)
        if claim is None and is_in_doubt:  # read back what the journal has of it
            unfinished = await lifecycle.unfinished()
            mine = (each for each in unfinished.claims if each.turn.session_key == session_key)
            claim = next(mine, None)
        if claim is None:
            await self._gathered(session_key, lane)
            if self._is_closed:
                return None
        if claim is None and lane.stop_before:
            before = lane.stop_before
            claim = await self._claim(session_key, before)
            lane.stop_before = ""
            if claim is not None:
                lane.end_at_once()
                return Work(claim=claim)
        if claim is None:
            lane.is_woken = False
            claim = await self._claim(session_key)
            lane.stop_before = ""  # too late: what this would have stopped cannot be told apart
            return None if claim is None else Work(claim=claim)
        if lane.stop_before:
            first = claim.messages[0].event_id
            if await lifecycle.is_before(session_key, first, lane.stop_before):
                lane.end_at_once()
            lane.stop_before = ""
        lane.is_woken = True  # what waits behind it is not known
        was_found = claim.turn.id in self._found
        self._found.discard(claim.turn.id)
        return Work(claim=claim, was_open=True, was_found=was_found)

    async def _claim(self, session_key: SessionKey, before: str = "") -> Claim | None:
        memories, now = self._parts.memories, self._parts.clock.now()
        is_off = memories is not None and not memories.is_remembered(session_key)
        return await self._parts.lifecycle.claim(
            session_key, at=now, before=before, is_off_record=is_off
        )

    async def _gathered(self, session_key: SessionKey, lane: Lane) -> None:
        """Wait until nothing more of an album is likely to come, unless somebody stops it."""
        clock = self._parts.clock
        while (until_s := self._gathering.get(session_key)) is not None and not lane.stop_before:
            wait_s = until_s - clock.monotonic()
            if wait_s <= 0:
                del self._gathering[session_key]
            else:
                await clock.sleep(min(wait_s, ALBUM_WAIT_S))  # what comes may end it sooner
