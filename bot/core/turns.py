"""Turns: one request and everything up to its answer.

The law of this file: a turn is atomic. Its messages are made here and nowhere else, with every
tool call followed at once by its result, so that no history made of whole turns can be refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NewType

from bot.core.chat import SessionKey
from bot.core.llm import StopReason
from bot.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from bot.core.shortening import head_and_tail

TurnId = NewType("TurnId", int)

Outcome = Literal["answered", "cut", "refused", "empty", "failed", "stopped"]
"""How a turn ended. ``cut``: answered, but the answer reached its length limit."""

FAILED_REQUEST_CHARS = 2_000
"""How much is shown later of a request that could not be answered."""

NO_RESULT = "No result was recorded for this call."

_ENDED_WITHOUT_ANSWER: dict[Outcome, str] = {
    "answered": "[no text]",
    "cut": "[no text before the length limit]",
    "refused": "[declined to answer]",
    "empty": "[no text]",
    "failed": "[could not answer: a technical failure]",
    "stopped": "[stopped by the person before an answer]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer of the model and the results of the tools it called, in the order of the calls."""

    answer: Message
    stop: StopReason
    results: tuple[ToolResult, ...] = ()

    @property
    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls without a result."""
        done = {result.call_id for result in self.results}
        return tuple(call for call in self.answer.tool_calls if call.id not in done)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request and everything up to its answer.

    Attributes:
        request: The user's message, all that was taken together into this turn.
        started_at: When it was opened, or opened again to be tried once more.
        outcome: None while the turn is open.
        generation: Number of clears of the conversation before this turn.
        revision: How often a message of it was changed, or taken back, after it had begun.
    """

    id: TurnId
    session_key: SessionKey
    request: Message
    started_at: datetime
    steps: tuple[Step, ...] = ()
    outcome: Outcome | None = None
    generation: int = 0
    revision: int = 0

    @property
    def reply(self) -> str:
        """The final text, empty when there is none."""
        return self.steps[-1].answer.text if self.steps else ""


def messages_of(turn: Turn) -> tuple[Message, ...]:
    """Lay a turn out for the model.

    The first message is the user's; roles alternate; each call has its result. An ended turn ends
    with the assistant's text and holds no thinking, which vendors want back only while a turn is
    open, and no empty text. Calls that never got a result are answered with an error in its place.
    """
    ended = turn.outcome is not None
    messages = [_shortened(turn.request) if turn.outcome == "failed" else turn.request]
    for step in turn.steps:
        answer = _lasting_part(step.answer) if ended else step.answer
        if answer.blocks:
            messages.append(answer)
        results = _results_in_order(step)
        if results:
            messages.append(Message(role="user", blocks=results))
    if turn.outcome is not None and messages[-1].role == "user":
        closing = Text(text=_ENDED_WITHOUT_ANSWER[turn.outcome])
        messages.append(Message(role="assistant", blocks=(closing,)))
    return _merge_same_roles(messages)


def _shortened(request: Message) -> Message:
    """Cut what was asked in vain, head and tail: what was too long once is not sent again whole."""
    blocks = (
        replace(block, text=head_and_tail(block.text, FAILED_REQUEST_CHARS, _left_out))
        if isinstance(block, Text)
        else block
        for block in request.blocks
        if not isinstance(block, Image)
    )
    return replace(request, blocks=tuple(blocks) or (Text(text="[a picture]"),))


def _left_out(count: int) -> str:
    return f"\n[{count} characters are left out here]\n"


def pairing_faults(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """Say what a vendor would refuse about these messages; empty when nothing.

    Checked by id *and* count: a call answered twice is as wrong as one not answered.
    """
    faults: list[str] = []
    expected: Counter[str] = Counter()
    seen: set[str] = set()
    for number, message in enumerate(messages):
        faults += (f"message {number}: {fault}" for fault in _shape_faults(messages, number))
        results = Counter(b.call_id for b in message.blocks if isinstance(b, ToolResult))
        if results != expected:
            faults.append(f"message {number}: results {sorted(results)}, calls {sorted(expected)}")
        expected = Counter(call.id for call in message.tool_calls)
        for call_id in expected:
            if call_id in seen or expected[call_id] > 1:
                faults.append(f"message {number}: call id {call_id} is used twice")
            seen.add(call_id)
    if expected:
        faults.append(f"calls without results at the end: {sorted(expected)}")
    return tuple(faults)


def _shape_faults(messages: tuple[Message, ...], number: int) -> Iterator[str]:
    """Yield what is wrong with a message, whatever its calls and results are paired with."""
    message = messages[number]
    expected_role = "assistant" if number % 2 else "user"
    if message.role != expected_role:
        yield f"is the {message.role}'s, not the {expected_role}'s"
    if not message.blocks:
        yield "is empty"
    for block in message.blocks:
        if isinstance(block, ToolCall if message.role == "user" else ToolResult):
            yield f"a {type(block).__name__} from the {message.role}"
    is_result = [isinstance(block, ToolResult) for block in message.blocks]
    if is_result != sorted(is_result, reverse=True):
        yield "results stand behind other blocks"


def _results_in_order(step: Step) -> tuple[ToolResult, ...]:
    first: dict[str, ToolResult] = {}
    for result in step.results:
        first.setdefault(result.call_id, result)
    return tuple(
        first.get(call.id, ToolResult(call_id=call.id, content=NO_RESULT, is_error=True))
        for call in step.answer.tool_calls
    )


def _lasting_part(answer: Message) -> Message:
    blocks = tuple(
        block
        for block in answer.blocks
        if not isinstance(block, Thinking)
        and not (isinstance(block, Text) and not block.text.strip())
    )
    return Message(role=answer.role, blocks=blocks)


def _merge_same_roles(messages: list[Message]) -> tuple[Message, ...]:
    """Join neighbours of one role (an answer without text that the model went on from)."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            blocks = merged[-1].blocks + message.blocks
            merged[-1] = Message(role=message.role, blocks=blocks)
        else:
            merged.append(message)
    return tuple(merged)
