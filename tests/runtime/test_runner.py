"""One context manager a chat, whatever happens to what it holds."""

from bot.core.chat import SessionKey
from bot.core.retry import RetryPolicy
from bot.runtime.runner import KEPT_CONVERSATIONS, AgentRunner
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_run import AgentParts
from bot.testing.chat_run import ChatRun, Unchanging
from bot.testing.model import ScriptedModel


def runner_of(chat: ChatRun) -> AgentRunner:
    agent = AgentParts(
        model=ScriptedModel(),
        tools=ToolRegistry(chat.clock),
        lifecycle=chat.store,
        clock=chat.clock,
        jitter=lambda: 0.0,
        retry=RetryPolicy(attempts=1, base_s=1.0, factor=2.0, cap_s=1.0, patience_s=1.0),
        redactor=Unchanging(),
    )
    return AgentRunner(agent, chat.parts)


def others(count: int) -> list[SessionKey]:
    return [SessionKey(f"loopback:bot:other-{number}:") for number in range(count)]


async def test_forgetting_a_chat_makes_no_second_manager_of_it() -> None:
    chat = ChatRun()
    runner = runner_of(chat)
    manager = runner.context_of(chat.key)
    claim, _ = await chat.open()
    await manager.open_turn(claim)

    runner.forget(chat.key)

    assert runner.context_of(chat.key) is manager
    runner.close_turn(claim.turn)
    runner.forget(chat.key)
    assert runner.context_of(chat.key) is manager


async def test_the_chat_longest_idle_is_dropped_and_none_whose_turn_runs() -> None:
    chat = ChatRun()
    runner = runner_of(chat)
    running = runner.context_of(chat.key)
    claim, _ = await chat.open()
    await running.open_turn(claim)
    keys = others(KEPT_CONVERSATIONS)
    first, second = runner.context_of(keys[0]), runner.context_of(keys[1])

    for key in keys[2:]:
        runner.context_of(key)

    assert runner.context_of(chat.key) is running
    assert runner.context_of(keys[1]) is second
    assert runner.context_of(keys[0]) is not first
