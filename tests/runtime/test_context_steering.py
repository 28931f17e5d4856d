"""What people do to a context, and what stays the same from one request to the next."""

from dataclasses import replace

import pytest

from bot.runtime.context.steering import Refused
from bot.testing.chat_run import LIMITS, ChatRun, tokens_of
from tests.runtime.context_given import notes, talk, texts


async def test_ctx_17_a_clear_shows_nothing_of_before_not_even_to_the_turn_after_next() -> None:
    chat = ChatRun()
    await talk(chat, 25)

    assert 15 == await chat.steering().clear()

    assert ["question 26"] == texts(await chat.turn())
    assert "earlier turn" not in notes(await chat.turn())
    view = await chat.steering().view()
    assert (2, 0, "clear") == (
        view.turns,
        view.turns_left,
        view.compaction and view.compaction.kind,
    )


async def test_ctx_17_a_turn_that_runs_during_a_clear_belongs_to_before() -> None:
    chat = ChatRun()
    await talk(chat, 3)
    claim, context = await chat.open()
    await context.request(claim.turn, may_use_tools=True)
    await chat.steering().clear()

    request = await context.request(claim.turn, may_use_tools=True)
    await chat.end(claim.turn)

    assert 4 == len(texts(request)) - 3
    assert ["question 5"] == texts(await chat.turn())


async def test_ctx_17_the_view_counts_what_is_shown() -> None:
    chat = ChatRun()
    await chat.turn(rounds=[("one", "two")])
    await chat.turn()

    view = await chat.steering().view()

    assert (("user", 2), ("assistant", 3), ("tool results", 2)) == view.report.by_role
    assert (2, 20, 50_000) == (view.turns, view.max_turns, view.max_tokens)
    assert ("system", "tools", "summary", "memory", "history", "current") == tuple(
        name for name, _ in view.report.tokens
    )
    assert view.usage.prompt_tokens > 0


async def test_ctx_19_a_clear_is_undone_and_later_turns_stay() -> None:
    chat = ChatRun()
    await talk(chat, 4)
    await chat.steering().clear()
    await chat.turn()

    assert not isinstance(await chat.steering().undo(), Refused)

    assert 6 == sum("question" in text for text in texts(await chat.turn()))
    assert isinstance(await chat.steering().undo(), Refused)


async def test_ctx_19_an_undo_that_the_limits_would_cut_again_is_refused_with_both_numbers() -> (
    None
):
    chat = ChatRun()
    await talk(chat, 21)

    refused = await chat.steering().undo()

    assert isinstance(refused, Refused)
    assert "22 turns, and 20" in refused.reason
    chat.limits = replace(LIMITS, max_turns=40)
    assert not isinstance(await chat.steering().undo(), Refused)
    assert 22 == sum("question" in text for text in texts(await chat.turn()))


async def test_ctx_19_what_was_compacted_by_hand_comes_back() -> None:
    chat = ChatRun()
    await talk(chat, 9)
    done = await chat.steering().compact()
    assert not isinstance(done, Refused)
    assert (5, 4) == (done.turns_left, done.turns)

    await chat.steering().undo()

    assert 10 == sum("question" in text for text in texts(await chat.turn()))


async def test_asm_5_the_beginning_stays_byte_for_byte_while_no_stage_acts() -> None:
    chat = ChatRun()
    earlier = await chat.turn(rounds=[("one",)])
    for _ in range(10):
        later = await chat.turn(rounds=[("one",)])
        before = [block for message in earlier.messages for block in message.blocks]
        after = [block for message in later.messages for block in message.blocks]
        volatile = next(
            number
            for number, block in enumerate(before)
            if getattr(block, "text", "").startswith("[For this message only")
        )
        assert before[:volatile] == after[:volatile]
        assert (earlier.system, earlier.tools) == (later.system, later.tools)
        earlier = later


async def test_the_estimate_follows_what_the_model_reports_also_after_a_restart() -> None:
    chat = ChatRun()
    await talk(chat, 3)
    claim, context = await chat.open()
    request = await context.request(claim.turn, may_use_tools=True)
    await chat.restart()
    again = await chat.manager.open_turn(claim)
    await again.request(claim.turn, may_use_tools=True)
    scale = chat.manager.state.scale(chat.limits)

    assert tokens_of(request) > 0
    assert 1.0 == pytest.approx(scale.calibration.ratio, abs=0.05)
    assert scale.calibration.last_actual > 0
