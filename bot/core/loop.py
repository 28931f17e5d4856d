"""The agent loop as a state machine: what to do next, as a function of the steps so far.

Theory of operation::

                 ┌────────────── on_results ──────────────┐
                 v                                        │
    start ──> AskModel ── on_answer ──> the answer calls? ─┴─ yes ──> RunTools
                                              │ no
                                              v
                                           Finish  <── on_failure, on_cancel

Everything follows from ``LoopState.steps``, which is exactly what the journal holds: a turn cut by
a crash goes on by giving the recorded steps to :func:`start`. A round is a step that called tools.
After ``max_steps`` rounds the model is asked once more with tools off, so that every turn ends with
an answer; calls it makes all the same are answered for it and not run. The limit may change from
one request to the next, also below what a turn has used: then that one answer is asked for next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import assert_never

from bot.core.llm import ModelResponse, StopReason
from bot.core.messages import ContentBlock, Message, ToolCall, ToolResult
from bot.core.turns import Outcome, Step, TurnId

MAX_CALLS_PER_ROUND = 10

TOO_MANY_CALLS = (
    f"Not run: at most {MAX_CALLS_PER_ROUND} calls can be made at once. Call it again if needed."
)
TOOLS_ARE_OFF = "Not run: no more tools in this turn. Answer with what is known."

_VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VALID_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_INVALID_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask the model for the next step."""

    may_use_tools: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """Run these calls side by side; they belong to the newest step."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """The turn is over; ``text`` is the model's own last word, possibly empty."""

    outcome: Outcome
    text: str


Action = AskModel | RunTools | Finish


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopState:
    """Where a turn stands.

    Attributes:
        taken_ids: Ids of the calls in the history that is sent along: vendors refuse a request
            in which an id stands twice, and small local models number from zero in every answer.
    """

    turn_id: TurnId
    max_steps: int
    steps: tuple[Step, ...] = ()
    taken_ids: frozenset[str] = frozenset()

    @property
    def rounds(self) -> int:
        """How many steps called tools."""
        return sum(1 for step in self.steps if step.answer.tool_calls)


def start(state: LoopState) -> tuple[LoopState, Action]:
    """Begin a turn, or go on with one whose steps were recorded."""
    return state, _next_action(state)


def on_answer(state: LoopState, response: ModelResponse) -> tuple[LoopState, Action]:
    """Take the model's answer in as the newest step, ``state.steps[-1]``."""
    answer = _with_valid_calls(state, response.message)
    calls = answer.tool_calls
    refused: tuple[ToolResult, ...] = ()
    if response.stop == "refusal" or state.rounds >= state.max_steps:
        refused = _refuse(calls, TOOLS_ARE_OFF)
    elif len(calls) > MAX_CALLS_PER_ROUND:
        refused = _refuse(calls[MAX_CALLS_PER_ROUND:], TOO_MANY_CALLS)
    step = Step(answer=answer, stop=response.stop, results=refused)
    state = replace(state, steps=(*state.steps, step))
    return state, _next_action(state)


def on_results(state: LoopState, results: tuple[ToolResult, ...]) -> tuple[LoopState, Action]:
    """Take in results of the newest step's calls; the first result of a call stays.

    Raises:
        ValueError: There is no step, or a result that no call of it asked for.
    """
    if not state.steps:
        raise ValueError("results without a step")
    last = state.steps[-1]
    known = {call.id for call in last.answer.tool_calls}
    if strangers := [result.call_id for result in results if result.call_id not in known]:
        raise ValueError(f"results for calls that were not made: {strangers}")
    merged = {result.call_id: result for result in (*reversed(results), *reversed(last.results))}
    ordered = tuple(merged[call.id] for call in last.answer.tool_calls if call.id in merged)
    state = replace(state, steps=(*state.steps[:-1], replace(last, results=ordered)))
    return state, _next_action(state)


def on_failure(state: LoopState) -> tuple[LoopState, Action]:
    """End the turn, the model having failed for good."""
    return state, Finish(outcome="failed", text="")


def on_cancel(state: LoopState) -> tuple[LoopState, Action]:
    """End the turn at a person's wish."""
    return state, Finish(outcome="stopped", text="")


def _next_action(state: LoopState) -> Action:
    if not state.steps:
        return AskModel(may_use_tools=True)
    last = state.steps[-1]
    if last.open_calls:
        return RunTools(calls=last.open_calls)
    if any(result.content != TOOLS_ARE_OFF for result in last.results):
        return AskModel(may_use_tools=state.rounds < state.max_steps)
    pauses = sum(1 for step in state.steps if step.stop == "pause_turn")
    if last.stop == "pause_turn" and pauses <= state.max_steps:
        return AskModel(may_use_tools=state.rounds < state.max_steps)
    return _finish(last.stop, last_words(state.steps))


def last_words(steps: tuple[Step, ...]) -> str:
    """Give the text of the last step, with that of the pauses which led up to it."""
    texts = [steps[-1].answer.text]
    for step in reversed(steps[:-1]):
        if step.stop != "pause_turn" or step.answer.tool_calls:
            break
        texts.append(step.answer.text)
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(text for text in reversed(texts) if text.strip())


def _finish(stop: StopReason, text: str) -> Finish:
    match stop:
        case "refusal":
            return Finish(outcome="refused", text=text)
        case "max_tokens" | "window_full":
            return Finish(outcome="cut", text=text)
        case "end_turn" | "stop_sequence" | "tool_use" | "pause_turn":
            return Finish(outcome="answered" if text.strip() else "empty", text=text)
        case _:
            assert_never(stop)


def _refuse(calls: tuple[ToolCall, ...], why: str) -> tuple[ToolResult, ...]:
    return tuple(ToolResult(call_id=call.id, content=why, is_error=True) for call in calls)


def _with_valid_calls(state: LoopState, answer: Message) -> Message:
    """Mend what a vendor would refuse to read again: call ids that are malformed or taken, names.

    A mended name is that of no tool, so the model is told which there are.
    """
    taken = set(state.taken_ids)
    taken.update(call.id for step in state.steps for call in step.answer.tool_calls)
    blocks: list[ContentBlock] = []
    for number, block in enumerate(answer.blocks):
        if isinstance(block, ToolCall):
            if not _VALID_ID.fullmatch(block.id) or block.id in taken:
                fresh = f"call_{state.turn_id}_{len(state.steps)}_{number}"
                block = replace(block, id=_unused(fresh, taken))
            if not _VALID_NAME.fullmatch(block.name):
                block = replace(block, name=_INVALID_CHARACTER.sub("_", block.name)[:64] or "_")
            taken.add(block.id)
        blocks.append(block)
    return replace(answer, blocks=tuple(blocks))


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
