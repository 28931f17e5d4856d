"""One turn of one chat, from the claim to the replies that are stored for it."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bot.core.chat import InboundMessage, Reply
from bot.core.lifecycle import RETRYABLE, Claim
from bot.core.llm import Usage
from bot.core.turns import Outcome, Turn, TurnId
from bot.languages import gettext, speaking, spoken
from bot.ports import Channel, ChatMemories, Clock, Lifecycle
from bot.runtime import notices
from bot.runtime.activity import Activity
from bot.runtime.answers import replies_with
from bot.runtime.border import Incident, guarded, incident_number
from bot.runtime.delivery import Delivery
from bot.runtime.intake import Intake
from bot.runtime.language import LanguageFor, in_english
from bot.runtime.metrics import Metrics, meter_turn
from bot.runtime.preview import Preview
from bot.runtime.preview_message import PreviewParts
from bot.runtime.runner import AgentRunner
from bot.runtime.signs import show_typing
from bot.runtime.splitting import split_text
from bot.runtime.storing import until_stored
from bot.runtime.supervisor import Spawn
from bot.runtime.turn_answer import Answer, log_turn

logger = logging.getLogger(__name__)

MOST_RESUMES = 10
"""A turn that so many starts found open after a bad end is not tried again: it may be why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneParts:
    """What lanes work with.

    Attributes:
        intake: Brings in what messages have with them; without one it is only named.
        memories: Says in which chats turns are off the record; without it none are.
        follows_bad_end: Whether a turn that is found open may be what ended the process before.
        most_turns: So many may run at once.
        on_ended: Called when a turn has ended: something may be worth remembering in it.
        language_for: Chooses the language of what is told beside the model's words.
    """

    runner: AgentRunner
    lifecycle: Lifecycle
    delivery: Delivery
    channels: Mapping[str, Channel]
    clock: Clock
    activity: Activity
    spawn: Spawn
    intake: Intake | None = None
    memories: ChatMemories | None = None
    follows_bad_end: bool = True
    most_turns: int = 64
    on_ended: Callable[[], None] = lambda: None
    metrics: Metrics = field(default_factory=Metrics)
    language_for: LanguageFor = in_english


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A turn to be run.

    Attributes:
        was_open: It was begun before, so a message of it may stand in the chat.
        was_found: A process that came to a bad end left it open, and this start is not counted yet.
    """

    claim: Claim
    was_open: bool = False
    was_found: bool = False


class Lane:
    """Runs one turn; whatever becomes of it, people read something or stopped it themselves.

    Attributes:
        is_woken: Something came in since the turn took what waited.
        is_outdated: A message was changed since, so that the store alone knows what was asked.
        stop_before: The event by which somebody stopped what waits, before any of it was taken;
            what came in after it goes on.
        turn_id: The turn, once it has one.
        asked: The newest message that the turn answers, once it has one.
    """

    def __init__(self, parts: LaneParts, *, stop_before: str = "") -> None:
        self.is_woken = False
        self.is_outdated = False
        self.stop_before = stop_before
        self.turn_id: TurnId | None = None
        self.asked: InboundMessage | None = None
        self._parts = parts
        self._running: asyncio.Task[Answer] | None = None
        self._is_stopping = False
        self._is_ending = False

    @property
    def is_running(self) -> bool:
        """Whether an answer is being written."""
        return self._running is not None

    @property
    def can_stop(self) -> bool:
        """Whether there is something to stop, as far as can be told before trying."""
        return not (self._is_stopping or self._is_ending or self.stop_before)

    def end_at_once(self) -> None:
        """Let the turn that is run next be stopped before it begins."""
        self._is_stopping, self.stop_before = True, ""

    def stop(self, event_id: str) -> bool:
        """End the turn at a person's wish; False when its answer is there, or it ends already."""
        if not self.can_stop:
            return False
        if self.turn_id is None:
            self.stop_before = event_id
            return True
        if self._running is not None and not self._running.cancel():
            return False
        self._is_stopping = True
        return True

    async def run(self, work: Work) -> None:
        """Answer the claimed messages and hand the replies over for delivery.

        Raises:
            StoreError: The turn is still open, and as far as its journal says.
        """
        last = work.claim.messages[-1]
        self.turn_id, self.asked = work.claim.turn.id, last
        with speaking(self._parts.language_for(last.address, last.sender)):
            await self._run_in_language(work, last)

    async def _run_in_language(self, work: Work, last: InboundMessage) -> None:
        parts, turn = self._parts, work.claim.turn
        about: dict[str, object] = {"session": turn.session_key, "turn": turn.id}
        started = parts.clock.monotonic()
        reply_to = last.message_id if last.kind == "group" else ""
        template = Reply(address=last.address, text="", reply_to=reply_to, language=spoken())
        result = await guarded(self._answer_in_parts(work, template), parts.clock, about)
        if isinstance(result, Incident):
            words = notices.for_incident(result.number)
            result = self._end(turn, "failed", words), (replace(template, text=words),)
        answer, replies = result
        items = await until_stored(
            parts.clock,
            "finish_turn",
            lambda: parts.lifecycle.finish_turn(
                turn.id, answer.outcome, replies, at=parts.clock.now()
            ),
        )
        parts.runner.close_turn(answer.turn)
        if self.is_outdated:
            parts.runner.forget(turn.session_key)
        parts.delivery.enqueue(items)
        parts.on_ended()
        took_s = parts.clock.monotonic() - started
        meter_turn(parts.metrics, answer.turn, last.address.channel, took_s)
        log_turn(answer, took_s)

    async def _answer_in_parts(
        self, work: Work, template: Reply
    ) -> tuple[Answer, tuple[Reply, ...]]:
        """Give the answer and the platform messages that it is delivered in."""
        parts, turn = self._parts, work.claim.turn
        channel = parts.channels[template.address.channel]
        preview_parts = PreviewParts(
            lifecycle=parts.lifecycle,
            clock=parts.clock,
            marks=parts.delivery.marks,
            pacer=parts.delivery.pacer,
        )
        asked_by = work.claim.messages[-1].sender.user_id
        shown = replace(template, watched_by=asked_by)
        preview = Preview(channel, preview_parts, turn.id, shown)
        if work.was_open:
            await preview.adopt()
        answer = await self._answer_shown(work, channel, preview)
        if answer.outcome == "stopped" and preview.is_message:
            answer = replace(answer, text=preview.partial_text, notice=gettext(notices.STOPPED))
        texts = await split_text(channel, answer.worded(channel.capabilities.command_prefix))
        replies = tuple(
            replace(template, text=text, reply_to="" if number else template.reply_to)
            for number, text in enumerate(texts)
        )
        return answer, replies + await self._file_replies(answer, channel, template)

    async def _file_replies(
        self, answer: Answer, channel: Channel, template: Reply
    ) -> tuple[Reply, ...]:
        """Give the messages that bring what the turn's tools want sent behind the answer.

        A turn that can be tried again keeps it until then.
        """
        parts, turn = self._parts, answer.turn
        has_called = any(step.answer.tool_calls for step in turn.steps)
        if answer.outcome in RETRYABLE or not (has_called or answer.outcome == "stopped"):
            return ()  # as most turns are: not even the store is asked
        read = functools.partial(parts.lifecycle.files_of, turn.id)
        return await replies_with(
            await until_stored(parts.clock, "files_of", read), channel, template
        )

    async def _answer_shown(self, work: Work, channel: Channel, preview: Preview) -> Answer:
        """Run the turn and show that, and how far, the answer is being written."""
        parts, turn = self._parts, work.claim.turn
        address = work.claim.messages[-1].address
        pacer = parts.delivery.pacer
        typing = show_typing(channel, address, parts.clock, pacer, language=spoken())
        signs = (
            parts.spawn(f"preview {turn.id}", preview.run()),
            parts.spawn(f"typing {turn.id}", typing),
        )
        try:
            answer = await self._ended_at_once(work) or await self._answer(work.claim, preview)
            self._is_ending = True
            await preview.close()  # before its task: a call under way must come to its end
        finally:
            for sign in signs:
                sign.cancel()
        return answer

    async def _ended_at_once(self, work: Work) -> Answer | None:
        """End a turn that is not to be run: a person stopped it, or it ends every process."""
        turn, resumes = work.claim.turn, 0
        if work.was_found:
            resumes = await self._parts.lifecycle.record_resume(turn.id)
        if self._is_stopping:
            return self._end(turn, "stopped", "")
        if resumes < MOST_RESUMES:
            return None
        incident = incident_number(self._parts.clock)
        about = {"session": turn.session_key, "turn": turn.id, "incident": incident}
        logger.error("turn.given_up", extra={**about, "starts": resumes})
        return self._end(turn, "failed", notices.for_given_up(incident))

    async def _answer(self, claim: Claim, preview: Preview) -> Answer:
        """Run the agent; a stop or an incident ends it with an answer like any other."""
        parts, turn = self._parts, claim.turn
        about: dict[str, object] = {"session": turn.session_key, "turn": turn.id}
        self._running = asyncio.ensure_future(self._run(claim, preview))
        try:
            result = await guarded(self._running, parts.clock, about)
        except asyncio.CancelledError:
            if not self._is_stopping:
                raise
            return self._end(turn, "stopped", "")
        finally:
            self._running = None
        if isinstance(result, Incident):
            return self._end(turn, "failed", notices.for_incident(result.number))
        return result

    async def _run(self, claim: Claim, preview: Preview) -> Answer:
        if self._parts.intake is not None:
            claim = await self._parts.intake.take(claim)
        return await self._parts.runner.run(claim, preview)

    def _end(self, turn: Turn, outcome: Outcome, notice: str) -> Answer:
        """End a turn of which the store alone knows how far it got."""
        self._parts.runner.forget(turn.session_key)
        ended = replace(turn, outcome=outcome)
        return Answer(turn=ended, outcome=outcome, text="", usage=Usage(), notice=notice)
