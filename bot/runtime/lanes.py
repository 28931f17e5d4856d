"""The ordered work of each chat: one turn after the other, chats side by side."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.core.chat import ChatAddress, Reply, SessionKey
from bot.core.lifecycle import Claim
from bot.core.llm import Usage
from bot.errors import DeliveryError, StoreError
from bot.ports import Channel, Clock, Lifecycle
from bot.runtime import notices
from bot.runtime.activity import Activity
from bot.runtime.border import Incident, guarded
from bot.runtime.delivery import Delivery
from bot.runtime.preview import Preview
from bot.runtime.runner import AgentRunner
from bot.runtime.supervisor import Spawn
from bot.runtime.turn_run import Answer

logger = logging.getLogger(__name__)

TYPING_AFTER_S = 0.5
"""An answer that is there sooner needs no sign that it is being written."""

STORE_RETRY_S = 5.0
"""How long a chat waits when its messages cannot be read or written."""


@dataclass(slots=True)
class _Lane:
    running: asyncio.Task[Answer] | None = None
    is_stopping: bool = False
    is_woken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneParts:
    """What lanes work with."""

    runner: AgentRunner
    lifecycle: Lifecycle
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock
    activity: Activity
    spawn: Spawn


class Lanes:
    """Wakes a chat's lane when something waits in it; an idle chat costs nothing."""

    def __init__(self, parts: LaneParts) -> None:
        self._parts = parts
        self._lanes: dict[SessionKey, _Lane] = {}
        self._is_closed = False

    def wake(self, session_key: SessionKey, unfinished: Claim | None = None) -> None:
        """See to what waits in a chat, first of all to a turn that was cut by a crash."""
        lane = self._lanes.get(session_key)
        if lane is not None:
            lane.is_woken = True
        elif not self._is_closed:
            lane = self._lanes[session_key] = _Lane()
            self._parts.activity.begin(session_key)
            self._parts.spawn(f"lane {session_key}", self._work(session_key, lane, unfinished))

    def stop(self, session_key: SessionKey) -> bool:
        """Cancel the running turn of a chat; False when there is none."""
        lane = self._lanes.get(session_key)
        if lane is None or lane.running is None or lane.is_stopping:
            return False
        lane.is_stopping = True
        lane.running.cancel()
        return True

    def close(self) -> None:
        """Begin no more turns; what waits is done by the next process."""
        self._is_closed = True

    @property
    def running_turns(self) -> int:
        """How many turns are being run."""
        return sum(1 for lane in self._lanes.values() if lane.running is not None)

    async def _work(self, session_key: SessionKey, lane: _Lane, unfinished: Claim | None) -> None:
        parts = self._parts
        claim, is_in_doubt = unfinished, False
        try:
            while not self._is_closed:
                lane.is_woken = False
                try:
                    if is_in_doubt:
                        claim, is_in_doubt = await self._open_claim(session_key), False
                    claim = claim or await parts.lifecycle.claim(session_key, at=parts.clock.now())
                    if claim is not None:
                        await self._run_turn(lane, claim)
                        claim = None
                    elif not lane.is_woken:
                        return
                except StoreError:
                    logger.exception("lane.store_failed", extra={"session": session_key})
                    parts.runner.forget(session_key)
                    is_in_doubt = True
                    await parts.clock.sleep(STORE_RETRY_S)
        finally:
            del self._lanes[session_key]
            parts.activity.end(session_key)

    async def _open_claim(self, session_key: SessionKey) -> Claim | None:
        """Read back what the journal says of a turn whose recording failed."""
        unfinished = await self._parts.lifecycle.unfinished()
        mine = (each for each in unfinished.claims if each.turn.session_key == session_key)
        return next(mine, None)

    async def _run_turn(self, lane: _Lane, claim: Claim) -> None:
        parts, turn = self._parts, claim.turn
        last = claim.messages[-1]
        channel = parts.channels[last.address.channel]
        reply_to = last.message_id if last.kind == "group" else ""
        template = Reply(address=last.address, text="", reply_to=reply_to)
        preview = Preview(channel, parts.lifecycle, parts.clock, turn.id, template)
        signs = (
            parts.spawn(f"preview {turn.id}", preview.run()),
            parts.spawn(f"typing {turn.id}", self._show_typing(channel, last.address)),
        )
        started = parts.clock.monotonic()
        try:
            answer = await self._answer(lane, claim, preview)
        finally:
            for sign in signs:
                sign.cancel()
        await preview.close()
        replies = tuple(
            replace(template, text=text, reply_to="" if number else reply_to)
            for number, text in enumerate(channel.split(answer.text))
        )
        items = await parts.lifecycle.finish_turn(
            turn.id, answer.outcome, replies, at=parts.clock.now()
        )
        parts.runner.close_turn(answer.turn)
        parts.delivery.enqueue(items)
        _log_turn(answer, (parts.clock.monotonic() - started) * 1000)

    async def _answer(self, lane: _Lane, claim: Claim, preview: Preview) -> Answer:
        """Run the turn; a stop or an incident ends it with an answer like any other."""
        parts, turn = self._parts, claim.turn
        about: dict[str, object] = {"session": turn.session_key, "turn": turn.id}
        lane.running = asyncio.ensure_future(parts.runner.run(claim, preview))
        try:
            result = await guarded(lane.running, parts.clock, about)
        except asyncio.CancelledError:
            if not lane.is_stopping:
                raise
            await preview.close()
            shown = preview.partial_text if preview.is_message else ""
            text = f"{shown}\n\n{notices.STOPPED}" if shown else ""
            result = Answer(
                turn=replace(turn, outcome="stopped"), outcome="stopped", text=text, usage=Usage()
            )
            parts.runner.forget(turn.session_key)
        finally:
            lane.running, lane.is_stopping = None, False
        if isinstance(result, Incident):
            parts.runner.forget(turn.session_key)
            result = Answer(
                turn=replace(turn, outcome="failed"),
                outcome="failed",
                text=notices.for_incident(result.number),
                usage=Usage(),
            )
        return result

    async def _show_typing(self, channel: Channel, address: ChatAddress) -> None:
        interval_s = channel.capabilities.typing_interval_s
        if interval_s is None:
            return
        await self._parts.clock.sleep(TYPING_AFTER_S)
        while True:
            try:
                await channel.show_typing(address)
            except DeliveryError as error:
                logger.debug("typing.failed", extra={"why": str(error)})
            await self._parts.clock.sleep(interval_s)


def _log_turn(answer: Answer, duration_ms: float) -> None:
    """Write the one line that tells of a turn."""
    turn = answer.turn
    logger.info(
        "turn.finished",
        extra={
            "session": turn.session_key,
            "turn": turn.id,
            "outcome": answer.outcome,
            "steps": len(turn.steps),
            "tools": sum(len(step.answer.tool_calls) for step in turn.steps),
            "tokens_in": answer.usage.prompt_tokens,
            "tokens_out": answer.usage.output_tokens,
            "ms": round(duration_ms, 1),
        },
    )
