"""The rows of the specification about short-term memory, one after the other."""

from dataclasses import replace

import pytest

from bot.core.tokens import budget_for
from bot.errors import CannotFit, ContextTooLong
from bot.runtime import notices
from bot.testing.chat_run import LIMITS, ChatRun, tokens_of, tool_step
from tests.runtime.context_given import notes, results, talk, texts


async def test_ctx_1_calls_and_results_stay_until_something_has_to_go() -> None:
    chat = ChatRun()
    await chat.turn(rounds=[("one", "two"), ("three",)])

    request = await chat.turn()

    assert ["one", "two", "three"] == results(request)


@pytest.mark.parametrize(
    ("context", "window", "answer", "limit", "reserve"),
    [
        (50_000, 1_000_000, 4_096, 50_000, 4_096),
        (50_000, 200_000, 256, 50_000, 2_000),
        (1_000_000, 200_000, 64_000, 150_000, 50_000),
        (50_000, 4_000, 4_096, 3_000, 1_000),
        (4_000, 1_000_000, 4_096, 4_000, 4_096),
        (50_000, 52_000, 2_000, 50_000, 2_000),
        (50_000, 51_999, 2_000, 49_999, 2_000),
    ],
)
def test_ctx_2_a_request_and_its_answer_share_the_window(
    context: int, window: int, answer: int, limit: int, reserve: int
) -> None:
    budget = budget_for(context, window, answer)

    assert (limit, reserve) == (budget.limit_tokens, budget.reserve_tokens)


async def test_ctx_5_a_change_acts_on_the_next_call_of_a_running_turn() -> None:
    chat = ChatRun()
    await talk(chat, 10)
    claim, context = await chat.open()
    before = await context.request(claim.turn, may_use_tools=True)
    chat.limits = replace(LIMITS, max_turns=4, model="another", max_tokens=300)

    after = await context.request(claim.turn, may_use_tools=True)

    assert 11 == sum("question" in text for text in texts(before))
    assert 3 == sum("question" in text for text in texts(after))
    assert ("another", 300) == (after.model, after.max_tokens)


@pytest.mark.parametrize("chars", [19_999, 20_000, 20_001, 300_000])
async def test_ctx_6_a_long_result_is_cut_once_its_turn_is_past(chars: int) -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_context_tokens=200_000)
    now = await chat.turn(rounds=[("x" * chars,)])
    later = await chat.turn()

    assert chars == len(results(now)[0])
    (shown,) = results(later)
    assert min(chars, 19_990) <= len(shown) <= min(chars, 20_000)
    assert ("tool_result_get" in shown) == (chars > 20_000)
    if chars > 20_000:
        head, _, tail = shown.partition("\n[…")
        assert 1.8 < len(head) / len(tail.partition("…]\n")[2]) < 2.2


@pytest.mark.parametrize(("past", "kept"), [(18, 19), (19, 20), (20, 11)])
async def test_ctx_7_the_oldest_half_leaves_when_there_are_too_many_turns(
    past: int, kept: int
) -> None:
    chat = ChatRun()
    await talk(chat, past)

    request = await chat.turn()

    assert kept == sum("question" in text for text in texts(request))
    assert ("10 earlier turns" in notes(request)) == (past == 20)


async def test_ctx_8_what_left_waits_for_its_summary_and_has_a_digest_at_the_front() -> None:
    chat = ChatRun()
    await talk(chat, 20)

    request = await chat.turn()

    (job,) = await chat.store.due_jobs(chat.clock.now(), limit=5)
    assert ("summary", 10) == (job.kind, job.through)
    assert "question 10" in str(request.messages[0].blocks[0])
    assert "question 11" == texts(request)[0]
    assert 1 == chat.left


async def test_ctx_10_of_fewer_than_five_turns_the_words_stay() -> None:
    chat = ChatRun()
    for _ in range(3):
        await chat.turn(rounds=[("y" * 60_000,)], reply="an answer")
    chat.limits = replace(LIMITS, max_context_tokens=14_000)

    request = await chat.turn()

    assert [] == results(request)
    assert 4 == sum("question" in text for text in texts(request))
    assert 3 == texts(request).count("an answer")
    assert "only the words are shown" in notes(request)


async def test_ctx_10_of_five_turns_the_first_half_leaves() -> None:
    chat = ChatRun()
    for _ in range(4):
        await chat.turn(rounds=[("y" * 20_000,)], reply="an answer")
    chat.limits = replace(LIMITS, max_context_tokens=17_000)

    request = await chat.turn()

    assert 2 == len(results(request))
    assert 3 == sum("question" in text for text in texts(request))


async def test_ctx_11_the_ladder_caps_then_begins_anew_and_then_gives_up() -> None:
    chat = ChatRun()
    await chat.turn(text="w" * 12_000, rounds=[("x" * 15_000,)])
    await talk(chat, 5)
    claim, context = await chat.open("the very question")
    await context.request(claim.turn, may_use_tools=True)

    assert await context.overflowed(ContextTooLong())
    capped = await context.request(claim.turn, may_use_tools=True)
    assert 5 == sum("question" in text for text in texts(capped))
    assert notices.SHORTENED == context.notice
    assert {"remember", "summary"} == {
        job.kind for job in await chat.store.due_jobs(chat.clock.now(), limit=5)
    }

    assert await context.overflowed(ContextTooLong())
    alone = await context.request(claim.turn, may_use_tools=True)
    assert ["the very question"] == texts(alone)
    assert notices.EMPTIED == context.notice
    assert not await context.overflowed(ContextTooLong())

    await chat.end(replace(claim.turn, steps=()))
    assert ["the very question"] == texts(await chat.turn())[:1]
    assert 7 == len(chat.store.turns) - 1


async def test_ctx_11_what_stays_is_capped_at_ten_thousand_characters() -> None:
    chat = ChatRun()
    await chat.turn(text="w" * 12_000, rounds=[("x" * 15_000,)])
    claim, context = await chat.open("z" * 12_000)
    await context.request(claim.turn, may_use_tools=True)

    await context.overflowed(ContextTooLong())

    capped = await context.request(claim.turn, may_use_tools=True)
    lengths = [len(each) for each in (*results(capped), *texts(capped)) if each[0] in "xwz"]
    assert [True, True, 12_000] == [
        9_990 <= lengths[0] <= 10_000,
        9_990 <= lengths[1] <= 10_000,
        lengths[2],
    ]


async def test_ctx_11_the_numbers_of_the_error_are_the_truth_from_then_on() -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_context_tokens=1_000_000)
    await talk(chat, 3)
    claim, context = await chat.open("q" * 40_000)
    request = await context.request(claim.turn, may_use_tools=True)
    needed = tokens_of(request) * 2

    await context.overflowed(ContextTooLong(needed_tokens=needed, limit_tokens=16_000))

    with pytest.raises(CannotFit) as caught:
        await context.request(claim.turn, may_use_tools=True)
    assert 12_000 == caught.value.limit_tokens
    assert 20_000 < caught.value.needed_tokens
    assert {"scripted": 16_000} == await chat.store.windows()


async def test_ctx_12_a_request_that_cannot_fit_alone_changes_nothing() -> None:
    chat = ChatRun()
    await talk(chat, 3)
    claim, context = await chat.open("v" * 400_000)

    with pytest.raises(CannotFit) as caught:
        await context.request(claim.turn, may_use_tools=True)

    assert (50_000, True) == (caught.value.limit_tokens, caught.value.needed_tokens > 100_000)
    assert 0 == (await chat.store.load(chat.key)).cut.kept_from


async def test_ctx_12_a_turn_that_outgrows_the_budget_keeps_its_request_and_newest_rounds() -> None:
    chat = ChatRun()

    request = await chat.turn("the question", rounds=[("r" * 18_000,)] * 15)

    assert 5 <= len(results(request)) <= 10
    assert "the question" == texts(request)[0]
    assert "Done so far for this request" in notes(request)
    assert tokens_of(request) <= 50_000


async def test_ctx_13_the_digest_stands_until_the_summary_lands() -> None:
    chat = ChatRun()
    await chat.turn("My name is Ada. The order is ORDER-4711.")
    await talk(chat, 20)
    for _ in range(12):
        request = await chat.turn()
        assert "ORDER-4711" in notes(request)
        assert "Ada" in notes(request)

    assert "20 earlier turns" in notes(await chat.turn()) or "10 earlier" in notes(request)


@pytest.mark.parametrize(("max_turns", "kept"), [(20, 3), (18, 3), (24, 4), (60, 10)])
async def test_ctx_15_a_restart_resumes_with_the_words_of_the_last_turns(
    max_turns: int, kept: int
) -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_turns=max_turns)
    for _ in range(15):
        await chat.turn(rounds=[("looked up",)])
    await chat.restart()

    request = await chat.turn()

    assert kept + 1 == sum("question" in text for text in texts(request))
    assert [] == results(request)
    assert f"{15 - kept} earlier turns" in notes(request)
    chat.idle()
    again = await chat.turn(rounds=[("new",)])
    assert kept + 2 == sum("question" in text for text in texts(again))


async def test_ctx_15_an_idle_chat_comes_back_exactly_as_it_was() -> None:
    chat = ChatRun()
    for _ in range(15):
        await chat.turn(rounds=[("looked up",)])
    claim, context = await chat.open()
    before = await context.request(claim.turn, may_use_tools=True)
    chat.idle()

    context = await chat.manager.open_turn(claim)

    assert before == await context.request(claim.turn, may_use_tools=True)


async def test_ctx_15_a_turn_cut_by_a_crash_keeps_all_its_steps() -> None:
    chat = ChatRun()
    await talk(chat, 5)
    claim, context = await chat.open()
    turn = claim.turn
    for number in range(3):
        request = await context.request(turn, may_use_tools=True)
        turn = await chat.step(turn, context, request, tool_step(turn.id, number, ("found",)))
    await chat.restart()

    (open_again,) = (await chat.store.unfinished()).claims
    context = await chat.manager.open_turn(open_again)
    request = await context.request(open_again.turn, may_use_tools=True)

    assert ["found"] * 3 == results(request)


async def test_ctx_15_a_clear_outranks_the_restore() -> None:
    chat = ChatRun()
    await talk(chat, 5)
    await chat.steering().clear()
    await chat.restart()

    assert ["question 6"] == texts(await chat.turn())
