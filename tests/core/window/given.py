"""Plain turns to build windows from."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.core.chat import SessionKey
from bot.core.messages import Message, ToolCall, ToolResult, assistant_text, user_text
from bot.core.turns import Step, Turn, TurnId

KEY = SessionKey("loopback:bot:1:")


def turn(number: int, *, is_open: bool = False) -> Turn:
    step = Step(answer=assistant_text(f"answer {number}"), stop="end_turn")
    return Turn(
        id=TurnId(number),
        session_key=KEY,
        request=user_text(f"question {number}"),
        started_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC),
        steps=() if is_open else (step,),
        outcome=None if is_open else "answered",
    )


def turns(count: int, *, first_id: int = 1) -> tuple[Turn, ...]:
    return tuple(turn(first_id + number) for number in range(count))


def round_of(call_id: str, content: str) -> Step:
    call = ToolCall(id=call_id, name="page", arguments="{}")
    return Step(
        answer=Message(role="assistant", blocks=(call,)),
        stop="tool_use",
        results=(ToolResult(call_id=call_id, content=content),),
    )
