"""What people can do to a chat's context: look at it, compact it, clear it, bring it back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.chat import SessionKey
from bot.core.llm import Usage
from bot.core.memory.opening import Opening
from bot.core.memory.recalled import Recollection
from bot.core.messages import Message
from bot.core.metrics import COMPACTIONS
from bot.core.tokens import weigh_message, weigh_tools
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Compaction, Cut
from bot.core.window.leaving import let_leave
from bot.core.window.report import Weights, WindowReport, report_on
from bot.core.window.restart import resume_after_restart
from bot.core.window.shapes import shown
from bot.core.window.window import Limits, Window
from bot.languages import gettext, ngettext
from bot.runtime.context.manager import ContextManager
from bot.runtime.context.parts import ContextParts
from bot.runtime.context.scale import Scale
from bot.runtime.context.state import Held

BEHIND_ALL_TURNS = TurnId(2**62)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    """A chat's context at this moment, and its limits.

    Attributes:
        opening: What the session opened with, None for nothing.
        memory: What was remembered for the newest message, None where that is not known any more;
            ``facts_tokens`` and ``recalled_tokens`` are what that costs.
        usage: What the answers since the last clear took in and gave out.
        max_tokens: What a request may have; ``set_tokens`` is what somebody set, of which a model
            that reads ``window_tokens`` with its answer may leave less.
        can_undo: Whether a compaction or a clear can be taken back.
        waits_for_summary: Whether turns left that no summary covers yet.
    """

    report: WindowReport
    turns: int
    max_turns: int
    max_tokens: int
    set_tokens: int
    window_tokens: int
    model: str
    turns_left: int
    compaction: Compaction | None
    opening: Opening | None
    usage: Usage
    can_undo: bool
    waits_for_summary: bool
    has_summary: bool
    memory: Recollection | None = None
    facts_tokens: int = 0
    recalled_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A change that was not made, and why: both numbers where a limit is in the way."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A change that was made; both sizes are estimates of a request without a new message."""

    turns_left: int
    turns: int
    tokens_before: int
    tokens_after: int


class ContextSteering:
    """Looks at and changes one chat's context at a person's wish."""

    def __init__(
        self, session_key: SessionKey, parts: ContextParts, manager: ContextManager
    ) -> None:
        self._session_key = session_key
        self._parts = parts
        self._manager = manager

    async def view(self) -> ContextView:
        """Count what the model would be shown now, or is being shown."""
        held = await self._manager.state.hold()
        limits, scale = self._limits()
        live = self._parts.limits(self._session_key)
        running = self._manager.running
        window = running.window if running is not None else self._idle_window(held, limits)
        conversation = held.conversation
        weights = self._weights(scale, window)
        report = report_on(window, weights, with_open_turn=running is not None)
        memory = self._manager.memory if running is None else running.memory
        facts, recalled = (
            ("", "") if memory is None else (memory.standing_text, memory.relevant_text)
        )
        return ContextView(
            report=report,
            turns=len(report.turns),
            max_turns=limits.max_turns,
            max_tokens=limits.max_tokens,
            set_tokens=live.max_context_tokens,
            window_tokens=self._parts.window_of(live),
            model=live.model,
            turns_left=window.cut.turns_left,
            compaction=conversation.compaction,
            opening=window.cut.opening,
            usage=await self._parts.conversations.usage_of(self._session_key),
            can_undo=conversation.former is not None,
            waits_for_summary=bool(window.cut.digest),
            has_summary=bool(window.summary),
            memory=memory,
            facts_tokens=weights.text(facts) if facts else 0,
            recalled_tokens=weights.text(recalled) if recalled else 0,
        )

    async def compact(self) -> Compacted | Refused:
        """Let the older half of the turns leave now."""
        if self._manager.running is not None:
            return Refused(reason=gettext("an answer is being written; try again when it is there"))
        held = await self._manager.state.hold()
        limits, scale = self._limits()
        before = self._idle_window(held, limits)
        if len(before.past) < 2:
            return Refused(reason=_too_few(len(before.past)))
        after = let_leave(before, before.turns // 2, limits)
        now = self._parts.clock.now()
        done = Compacted(
            turns_left=len(before.past) - len(after.past),
            turns=len(after.past),
            tokens_before=scale.estimate(before),
            tokens_after=scale.estimate(after),
        )
        is_saved = await self._parts.conversations.save_cut(
            self._session_key,
            after.cut,
            generation=held.conversation.generation,
            at=now,
            compaction=Compaction(
                kind="asked",
                at=now,
                turns_left=done.turns_left,
                tokens_before=done.tokens_before,
                tokens_after=done.tokens_after,
            ),
        )
        self._manager.forget()
        if not is_saved:
            return Refused(reason=gettext("the chat was cleared meanwhile"))
        self._parts.on_left()
        self._parts.metrics.count(COMPACTIONS, "asked")
        return done

    async def clear(self) -> int:
        """Show nothing of what was before from now on, nor recall it; gives how many turns go."""
        return await self._leave(None, is_recalled=False)

    async def begin_session(self, opening: Opening | None) -> int:
        """Show nothing of what was before but ``opening``; gives how many turns go.

        What was said before may be recalled, also where there is nothing to open with.
        """
        return await self._leave(opening, is_recalled=True)

    async def _leave(self, opening: Opening | None, *, is_recalled: bool) -> int:
        held = await self._manager.state.hold()
        limits, _ = self._limits()
        turns = len(self._with_running(self._idle_window(held, limits)).past)
        now = self._parts.clock.now()
        await self._parts.conversations.clear(
            self._session_key,
            at=now,
            compaction=Compaction(kind="clear", at=now, turns_left=turns),
            opening=opening,
            is_recalled=is_recalled,
        )
        self._parts.metrics.count(COMPACTIONS, "clear")
        self._manager.forget()
        return turns

    async def undo(self) -> Compacted | Refused:
        """Bring back what the last compaction or clear took away, unless it would go again."""
        self._manager.forget()
        held = await self._manager.state.hold()
        former = held.conversation.former
        if former is None:
            return _nothing_to_undo(held)
        limits, scale = self._limits()
        before = self._with_running(self._idle_window(held, limits))
        after = self._with_running(await self._former_window(before, former))
        if after.turns > limits.max_turns:
            return Refused(
                reason=gettext(
                    "with the next message that would be {turns} turns, and {limit} are allowed: "
                    "they would leave again at once",
                    turns=after.turns,
                    limit=limits.max_turns,
                )
            )
        if (tokens := scale.estimate(after)) > limits.max_tokens:
            return Refused(
                reason=gettext(
                    "that would be about {tokens} tokens, and {limit} are allowed: it would be "
                    "cut again at once",
                    tokens=tokens,
                    limit=limits.max_tokens,
                )
            )
        is_undone = await self._parts.conversations.undo(
            self._session_key, at=self._parts.clock.now()
        )
        self._manager.forget()
        if not is_undone:
            return _nothing_to_undo(held)
        return Compacted(
            turns_left=len(before.past) - len(after.past),
            turns=len(after.past),
            tokens_before=scale.estimate(before),
            tokens_after=scale.estimate(after),
        )

    async def _former_window(self, before: Window, former: Cut) -> Window:
        """Make the window that a former cut gives; ``before`` is the one of now.

        Another summary is taken to be as long as the one of now: it is not read for this.
        """
        turns = await self._parts.conversations.turns_between(
            self._session_key, former.kept_from, BEHIND_ALL_TURNS - 1
        )
        return replace(
            before,
            cut=former,
            past=tuple(shown(turn, former) for turn in turns),
            opening=self._manager.state.opening_of(former, self._parts.limits(self._session_key)),
            summary=before.summary if former.summary_version else "",
        )

    def _with_running(self, window: Window) -> Window:
        """Count the turn that is being answered among the past ones, if it will be shown."""
        running = self._manager.running
        if running is None:
            return window
        turn = running.window.open_turn
        if turn.id < window.cut.kept_from or any(each.id == turn.id for each in window.past):
            return window
        return replace(window, past=(*window.past, shown(turn, window.cut)))

    def _limits(self) -> tuple[Limits, Scale]:
        live = self._parts.limits(self._session_key)
        scale = self._manager.state.scale(live)
        return scale.limits(self._parts.budget(live), live.max_turns), scale

    def _idle_window(self, held: Held, limits: Limits) -> Window:
        """Make the window of a turn without words, as if somebody were about to write."""
        placeholder = Turn(
            id=BEHIND_ALL_TURNS,
            session_key=self._session_key,
            request=Message(role="user", blocks=()),
            started_at=self._parts.clock.now(),
        )
        live = self._parts.limits(self._session_key)
        window = self._manager.state.window_of(held, placeholder, live)
        return resume_after_restart(window, limits) if held.conversation.is_fresh else window

    def _weights(self, scale: Scale, window: Window) -> Weights:
        count = self._parts.counter.count
        local = scale.local(window)
        factor = scale.calibration.estimate(local) / local if local else 1.0
        return Weights(
            text=lambda text: round(count(text) * factor),
            message=lambda message: round(weigh_message(message, count) * factor),
            tools=round(weigh_tools(scale.tools, count) * factor),
        )


def _too_few(turns: int) -> str:
    return ngettext(
        "there is only {count} turn in view", "there are only {count} turns in view", turns
    )


def _nothing_to_undo(held: Held) -> Refused:
    if held.conversation.compaction is None:
        return Refused(reason=gettext("there is no compaction or clear to take back"))
    return Refused(reason=gettext("the last compaction or clear was taken back already"))
