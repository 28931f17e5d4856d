"""A chat of three hundred turns: what has to be kept is in view at its end."""

import json
import sys

import pytest

from bot.core.llm import ModelRequest
from bot.core.messages import ToolResult
from bot.core.tasks import TaskState
from bot.core.tokens import weigh_message
from bot.core.turns import TurnId, pairing_faults
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import RuleOfThumb, tokens_of
from tests.runtime.remembering_given import World, extract

TOLD = {
    1: "My name is Ada Larsson. I want to move the archive to the new server.",
    2: "Please always answer in Swedish.",
    3: "The order is ORDER-4711, the file is /srv/archive/plan-2.md.",
    40: "It costs 1250 EUR and is due on 2026-03-14.",
    150: "The page is https://example.org/wiki/archive?page=7.",
}
KEPT = (
    "Ada Larsson",
    "move the archive to the new server",
    "always answer in Swedish",
    "ORDER-4711",
    "/srv/archive/plan-2.md",
    "1250 EUR",
    "2026-03-14",
    "https://example.org/wiki/archive?page=7",
)
NOTED_IN = 20
"""The turn whose tool notes the task."""

TASK = TaskState(goal="Move the archive", done=("copied",), remaining=("switched over",))


def forgetful(request: ModelRequest) -> str:
    """Summarise without any exact detail: a summary that has to be refused."""
    drafted = json.loads(extract(request))
    drafted["overview"] = "They talked."
    for turn in drafted["turns"]:
        turn.update(decisions=["something"], information=[], actions=[], open_questions=[])
    return json.dumps(drafted)


def shares(request: ModelRequest) -> str:
    count = RuleOfThumb().count
    sizes = [weigh_message(message, count) for message in request.messages]
    return f"{tokens_of(request)} tokens in {len(sizes)} messages, the first {sizes[0]}"


@pytest.mark.parametrize("summariser", [extract, forgetful])
async def test_nothing_that_has_to_be_kept_is_missing_after_three_hundred_turns(
    summariser: object, supervisor: Supervisor
) -> None:
    world = World(forgetful if summariser is forgetful else extract)
    world.begin(supervisor)
    sizes = []
    for number in range(1, 301):
        rounds = [(f"page {number} " * 40,)] if number % 3 == 0 else []
        request = await world.chat.turn(TOLD.get(number, f"And step {number}?"), rounds=rounds)
        assert () == pairing_faults(request.messages)
        assert tokens_of(request) <= 50_000
        sizes.append(f"turn {number}: {shares(request)}")
        if number == NOTED_IN:
            noted_in = TurnId(number)
            await world.store.note_task(
                world.chat.key, TASK, turn_id=noted_in, at=world.clock.now()
            )
        if number % 10 == 0:
            await world.rest()
    sys.stdout.write("\n".join(sizes))  # shown with -s

    assert [] == missing(await world.chat.turn("Where were we?"))
    await world.chat.restart()
    again = await world.chat.turn("And now?")
    assert [] == missing(again)
    assert not any(isinstance(b, ToolResult) for message in again.messages for b in message.blocks)


def missing(request: ModelRequest) -> list[str]:
    shown = "\n".join(
        getattr(block, "text", "") for message in request.messages for block in message.blocks
    )
    return [each for each in (*KEPT, TASK.goal, *TASK.done, *TASK.remaining) if each not in shown]
