"""The values that the checks are made of, and the ways to a certain state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date, datetime

from bot.app import Store as Store
from bot.core.chat import ChatAddress, InboundMessage, Receipt, Reply, Sender, SessionKey
from bot.core.lifecycle import Claim, ModelCall, Received, Route
from bot.core.llm import StopReason, Usage
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import Message, Text, Thinking, ToolCall, assistant_text
from bot.core.turns import Step, Turn, TurnId
from bot.core.window.conversation import Compaction
from bot.testing.clock import START

ANN = Sender(channel="telegram", user_id="1001", name="Ann")
HOME = ChatAddress(channel="telegram", account="77", chat="1001")
TRIMMED = Compaction(kind="turns", at=START, turns_left=2, tokens_before=900, tokens_after=400)
ELSEWHERE = ChatAddress(channel="slack", account="T1", chat="C1", thread="1.5")


OpenStore = Callable[[], Store]
"""Opens the same data again with every call; the one before was closed."""

Check = Callable[[OpenStore], Awaitable[None]]


def message(number: int, text: str = "", *, address: ChatAddress = HOME) -> InboundMessage:
    """Write message number ``number`` of a chat."""
    return InboundMessage(
        event_id=f"message:{address.chat}:{number}",
        address=address,
        kind="private",
        sender=ANN,
        message_id=str(number),
        text=text or f"message {number}",
        is_addressed=True,
        sent_at=START,
    )


def model_call(key: SessionKey = HOME.session_key) -> ModelCall:
    """Account for a call of the model."""
    return ModelCall(
        session_key=key,
        person_key=ANN.person_key,
        model="scripted",
        purpose="answer",
        usage=Usage(input_tokens=10, output_tokens=2),
        at=START,
    )


def asking(*call_ids: str, thinking: str = "") -> Step:
    """Make a step that calls a tool once for each id."""
    thoughts = (Thinking(text=thinking, signature="signed"),) if thinking else ()
    calls = tuple(ToolCall(id=each, name="clock", arguments="{}") for each in call_ids)
    stop: StopReason = "tool_use" if calls else "end_turn"
    answer = Message(role="assistant", blocks=(*thoughts, Text(text="One moment."), *calls))
    return Step(answer=answer, stop=stop)


def entry_of(
    turn_id: int, text: str = "- decided: yes", *, moment: datetime = START
) -> MemoryEntry:
    """Write what the daily file gets of a turn at home."""
    return MemoryEntry(
        turn_id=TurnId(turn_id),
        moment=moment,
        audience=audience_of(HOME.session_key, "private"),
        day=date(2026, 1, 5),
        text=text,
    )


def saying(text: str) -> Reply:
    """Write a reply."""
    return Reply(address=HOME, text=text)


async def hear(store: Store, *messages: InboundMessage, route: Route = "turn") -> tuple[bool, ...]:
    """Have the store receive messages."""
    events = tuple(Received(inbound=each, route=route) for each in messages)
    return await store.receive(events, cursor=None, at=START)


async def begin(store: Store, *messages: InboundMessage) -> Turn:
    """Open a turn with these messages."""
    await hear(store, *messages)
    return (await take(store, messages[0].address)).turn


async def take(store: Store, address: ChatAddress = HOME) -> Claim:
    """Open a turn with what waits in a chat."""
    claim = await store.claim(address.session_key, at=START)
    assert claim is not None
    return claim


async def have_turn(store: Store, number: int) -> TurnId:
    """Go through a whole turn that ends with an answer which is delivered."""
    turn = await begin(store, message(number))
    answer = Step(answer=assistant_text(f"answer {number}"), stop="end_turn")
    await store.record_step(turn.id, 0, answer, model_call())
    (item,) = await store.finish_turn(turn.id, "answered", (saying(f"answer {number}"),), at=START)
    await store.mark_sent(item.id, Receipt(message_id=f"sent {number}"), at=START)
    return turn.id


async def is_refused(call: Awaitable[object]) -> bool:
    """Say whether a call is refused as a mistake of the caller."""
    try:
        await call
    except ValueError:
        return True
    return False
