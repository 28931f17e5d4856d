"""What is held in memory of an active chat: its conversation, and how its size is measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.core.chat import SessionKey
from bot.core.tokens import calibrate
from bot.core.turns import Turn
from bot.core.window.conversation import Conversation, Cut
from bot.core.window.opening import render_opening
from bot.core.window.recent import Work, gone_out_of_view
from bot.core.window.shapes import as_text, shown
from bot.core.window.summary.render import render_summary
from bot.core.window.window import Window
from bot.runtime.context.parts import ContextParts, TurnLimits
from bot.runtime.context.scale import Scale

SHARE_OF_SUMMARY = 8
MOST_SUMMARY_TOKENS = 2_000
"""A summary takes so much, and an eighth of the budget, at most."""

SHARE_OF_OPENING = 16
MOST_OPENING_TOKENS = 800
"""What a session opens with takes so much, and a sixteenth of the budget, at most."""

MOST_SAMPLES = 8
"""So many of a chat's newest calls say how the local count is to be corrected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is held of a chat: its conversation with turns as they are shown, and what left it.

    Attributes:
        work: Of turns that are not shown in full, oldest first.
        samples: Local counts of the newest requests and what the model ``model`` said of them.
    """

    conversation: Conversation
    uncovered: tuple[Turn, ...]
    samples: tuple[tuple[int, int], ...]
    model: str
    work: tuple[Work, ...] = ()


class ChatState:
    """Keeps a chat's conversation while the chat is active; everything in it is in the store.

    What is out of date while a turn runs still says how its requests are measured, until it is read
    again.
    """

    def __init__(self, session_key: SessionKey, parts: ContextParts) -> None:
        self._session_key = session_key
        self._parts = parts
        self._held: Held | None = None
        self._is_outdated = False
        self._changes = 0

    async def hold(self) -> Held:
        """Give what is held of the chat, reading the store where nothing is or it is out of date.

        What changed while it was read is read too: half of it may be of before.
        """
        while self._held is None or self._is_outdated:
            changes = self._changes
            held = await self._read()
            if changes == self._changes:
                self._held, self._is_outdated = held, False
        return self._held

    def window_of(self, held: Held, turn: Turn, limits: TurnLimits) -> Window:
        """Make the window of a turn, before anything is done for its size."""
        conversation = held.conversation
        summary = ""
        if conversation.summary is not None:
            budget = self._parts.budget(limits)
            most = min(MOST_SUMMARY_TOKENS, budget.limit_tokens // SHARE_OF_SUMMARY)
            summary = render_summary(
                conversation.summary, max_tokens=most, count=self._parts.counter.count
            )
        return Window(
            cut=conversation.cut,
            past=tuple(each for each in conversation.turns if each.id < turn.id),
            open_turn=turn,
            uncovered=held.uncovered,
            opening=self.opening_of(conversation.cut, limits),
            summary=summary,
            instructions=self._parts.instructions,
            conduct=self._conduct(),
        )

    def lone_window(self, turn: Turn) -> Window:
        """Make the window of a turn that is no part of the conversation, or has none to read."""
        return Window(
            open_turn=turn, instructions=self._parts.instructions, conduct=self._conduct()
        )

    def opening_of(self, cut: Cut, limits: TurnLimits) -> str:
        """Write out what a session opens with by a cut; empty for nothing."""
        if cut.opening is None:
            return ""
        limit_tokens = self._parts.budget(limits).limit_tokens
        return render_opening(
            cut.opening,
            self._parts.timezone,
            max_tokens=min(MOST_OPENING_TOKENS, limit_tokens // SHARE_OF_OPENING),
            count=self._parts.counter.count,
        )

    def _conduct(self) -> str:
        recalling = self._parts.recalling
        return "" if recalling is None else recalling.conduct(self._session_key)

    def scale(self, limits: TurnLimits) -> Scale:
        """Give what windows of this chat are weighed with."""
        held = self._held
        is_same = held is not None and held.model == limits.model
        samples = held.samples if held is not None and is_same else ()
        return Scale(
            self._parts.counter,
            calibrate(samples),
            self._parts.tools(),
            held.conversation.cut if held is not None else None,
        )

    def sample(self, model: str, local: int, actual: int) -> None:
        """Take in how long a request was by the local count, and what the model said of it."""
        held = self._held
        if held is None or local <= 0 or actual <= 0:
            return
        before = held.samples if held.model == model else ()
        samples = (*before, (local, actual))[-MOST_SAMPLES:]
        self._held = replace(held, samples=samples, model=model)

    def keep(self, window: Window) -> None:
        """Take in what compaction decided: turns that left are held no longer."""
        self._changes += 1
        held = self._held
        if held is None:
            return
        version, summary = window.cut.summary_version, held.conversation.summary
        if version and (summary is None or summary.version != version):
            self._is_outdated = True  # another one landed while the turn ran
            return
        conversation = replace(
            held.conversation,
            cut=window.cut,
            turns=window.past,
            summary=summary if version else None,
            is_fresh=False,
        )
        before, first = held.conversation.turns, window.cut.cleared_before
        work = gone_out_of_view(held.work, before, window.past, first)
        self._held = replace(held, conversation=conversation, uncovered=window.uncovered, work=work)

    def add_turn(self, turn: Turn) -> None:
        """Take an ended turn into the conversation, unless it was cleared meanwhile."""
        self._changes += 1
        held = self._held
        if held is None or turn.id < held.conversation.cut.kept_from:
            return
        conversation = held.conversation
        turns = tuple(each for each in conversation.turns if each.id != turn.id)
        turns = (*turns, shown(turn, conversation.cut))
        self._held = replace(held, conversation=replace(conversation, turns=turns))

    def forget(self, *, is_in_use: bool) -> None:
        """Say that the store has changed: whoever holds the chat next reads it.

        ``is_in_use`` by a turn that runs, what is held stays in memory until then.
        """
        self._changes += 1
        self._is_outdated = True
        if not is_in_use:
            self._held = None

    async def _read(self) -> Held:
        conversation = await self._parts.conversations.load(self._session_key)
        cut = conversation.cut
        limits = self._parts.limits(self._session_key)
        samples = tuple(
            (call.local_tokens, call.usage.prompt_tokens)
            for call in conversation.calls
            if call.asked_model == limits.model and call.local_tokens and call.usage.prompt_tokens
        )
        turns = tuple(shown(turn, cut) for turn in conversation.turns)
        in_full = () if conversation.is_fresh else turns  # or in a moment in words only
        return Held(
            conversation=replace(conversation, turns=turns, calls=()),
            uncovered=await self._read_uncovered(conversation),
            samples=samples[-MOST_SAMPLES:],
            model=limits.model,
            work=gone_out_of_view((), conversation.turns, in_full, cut.cleared_before),
        )

    async def _read_uncovered(self, conversation: Conversation) -> tuple[Turn, ...]:
        ids = conversation.uncovered_ids
        if not (conversation.cut.digest and ids):
            return ()
        turns = await self._parts.conversations.turns_between(
            self._session_key, ids.start, ids.stop - 1
        )
        return tuple(map(as_text, turns))
