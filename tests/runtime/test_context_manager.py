"""One chat's conversation in memory."""

from datetime import UTC, datetime

import pytest

from bot.core.chat import SessionKey
from bot.core.messages import assistant_text, user_text
from bot.core.turns import Conversation, Step, Turn, TurnId
from bot.runtime.context_manager import ContextManager

KEY = SessionKey("loopback:bot:1:")
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def turn(number: int, *, generation: int = 0, is_open: bool = False) -> Turn:
    step = Step(answer=assistant_text("yes"), stop="end_turn")
    return Turn(
        id=TurnId(number),
        session_key=KEY,
        request=user_text("no?"),
        started_at=NOW,
        steps=() if is_open else (step,),
        outcome=None if is_open else "answered",
        generation=generation,
    )


class Stored:
    """Conversations of one chat that count how often they are read."""

    def __init__(self, turns: int, generation: int = 0) -> None:
        self.conversation = Conversation(
            session_key=KEY,
            generation=generation,
            turns=tuple(turn(number + 1, generation=generation) for number in range(turns)),
        )
        self.loads = 0
        self.kept_from: list[int] = []

    async def load(self, session_key: SessionKey) -> Conversation:
        self.loads += 1
        return self.conversation

    async def keep_from(self, session_key: SessionKey, turn_id: TurnId) -> None:
        self.kept_from.append(turn_id)

    async def begin_generation(self, session_key: SessionKey, *, at: datetime) -> int:
        raise AssertionError("not asked for here")


async def test_the_store_is_read_once_while_the_chat_is_active() -> None:
    stored = Stored(2)
    manager = ContextManager(KEY, stored)

    await manager.open_turn(turn(3, is_open=True), max_turns=20)
    manager.close_turn(turn(3))
    window = await manager.open_turn(turn(4, is_open=True), max_turns=20)

    assert 1 == stored.loads
    assert [1, 2, 3] == [each.id for each in window.past]


@pytest.mark.parametrize(("past", "kept_from"), [(19, []), (20, [11])])
async def test_trimming_is_written_down(past: int, kept_from: list[int]) -> None:
    stored = Stored(past)

    window = await ContextManager(KEY, stored).open_turn(turn(past + 1, is_open=True), max_turns=20)

    assert kept_from == stored.kept_from
    assert bool(kept_from) == window.has_left


async def test_a_turn_of_the_generation_before_sees_none_of_the_new_one() -> None:
    stored = Stored(2, generation=1)

    window = await ContextManager(KEY, stored).open_turn(turn(9, is_open=True), max_turns=20)

    assert () == window.past
    assert [] == stored.kept_from


async def test_a_turn_that_ends_after_a_clear_does_not_come_back() -> None:
    stored = Stored(0)
    manager = ContextManager(KEY, stored)
    await manager.open_turn(turn(1, is_open=True), max_turns=20)
    stored.conversation = Conversation(session_key=KEY, generation=1)
    manager.close_turn(turn(1))

    window = await manager.open_turn(turn(2, generation=1, is_open=True), max_turns=20)

    assert () == window.past


async def test_what_is_forgotten_is_read_again() -> None:
    stored = Stored(1)
    manager = ContextManager(KEY, stored)
    await manager.open_turn(turn(2, is_open=True), max_turns=20)
    manager.forget()
    await manager.open_turn(turn(2, is_open=True), max_turns=20)

    assert 2 == stored.loads
