"""Retrying: a turn that failed is opened again where it stopped."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Receipt
from bot.core.lifecycle import Claim
from bot.core.messages import ToolResult, assistant_text
from bot.core.turns import Outcome, Step
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    asking,
    begin,
    have_turn,
    hear,
    message,
    model_call,
    saying,
    take,
)

KEY = HOME.session_key


async def a_failed_turn_goes_on_where_it_stopped(open_store: OpenStore) -> None:
    """With its messages, steps, results and doubts, and no more as part of the history."""
    store = open_store()
    await have_turn(store, 1)
    turn = await begin(store, message(2), message(3))
    step, result = asking("a", "b"), ToolResult(call_id="a", content="9:00")
    await store.record_step(turn.id, 0, step, model_call())
    await store.record_start(turn.id, 0, ("a", "b"))
    await store.record_result(turn.id, 0, result)
    await store.record_resume(turn.id)
    await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
    await store.close()
    store = open_store()

    claim = await store.reopen(KEY, at=START)

    assert claim == Claim(
        turn=replace(turn, steps=(replace(step, results=(result,)),)),
        messages=(message(2), message(3)),
        started=frozenset({"b"}),
    )
    assert (await store.unfinished()).claims == (claim,)
    assert len((await store.load(KEY)).turns) == 1
    assert await store.record_resume(turn.id) == 1
    assert await store.reopen(KEY, at=START) is None

    await store.record_result(turn.id, 0, ToolResult(call_id="b", content="done"))
    last = Step(answer=assistant_text("It is nine."), stop="end_turn")
    await store.record_step(turn.id, 1, last, model_call())
    await store.finish_turn(turn.id, "answered", (saying("It is nine."),), at=START)

    assert [each.outcome for each in (await store.load(KEY)).turns] == ["answered", "answered"]
    assert await store.reopen(KEY, at=START) is None
    await store.close()


async def a_turn_can_fail_more_than_once(open_store: OpenStore) -> None:
    """And be retried each time; what it said of its failures stays said."""
    store = open_store()
    turn = await begin(store, message(1))
    for _ in range(2):
        await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
        claim = await store.reopen(KEY, at=START)

        assert claim == Claim(turn=turn, messages=(message(1),))

    assert [item.reply.text for item in (await store.unfinished()).outbox] == ["sorry", "sorry"]
    await store.close()


async def an_empty_answer_is_asked_for_anew(open_store: OpenStore) -> None:
    """The step that was it is not there any more; the number is free again."""
    store = open_store()
    turn = await begin(store, message(1))
    results = (ToolResult(call_id="a", content="9:00"),)
    step = replace(asking("a"), results=results)
    off = replace(asking("b"), results=(ToolResult(call_id="b", content="off", is_error=True),))
    await store.record_step(turn.id, 0, step, model_call())
    await store.record_step(turn.id, 1, off, model_call())
    await store.record_start(turn.id, 1, ("c",))
    await store.finish_turn(turn.id, "empty", (), at=START)

    claim = await store.reopen(KEY, at=START)

    assert claim == Claim(turn=replace(turn, steps=(step,)), messages=(message(1),))

    last = Step(answer=assistant_text("It is nine."), stop="end_turn")
    await store.record_step(turn.id, 1, last, model_call())

    assert (await store.unfinished()).claims == (
        Claim(turn=replace(turn, steps=(step, last)), messages=(message(1),)),
    )
    await store.close()


async def only_a_failure_is_retried(open_store: OpenStore) -> None:
    """Whatever else a turn ended with was its answer, or a person's wish."""
    store = open_store()

    assert await store.reopen(KEY, at=START) is None

    others: tuple[Outcome, ...] = ("answered", "cut", "refused", "stopped")
    for number, outcome in enumerate(others):
        turn = await begin(store, message(number))
        await store.finish_turn(turn.id, outcome, (), at=START)

        assert await store.reopen(KEY, at=START) is None
    await store.close()


async def what_came_after_a_failure_ends_the_chance(open_store: OpenStore) -> None:
    """A newer turn, open or ended, but not a message that waits, nor another chat's turn."""
    store = open_store()
    await _fail(store, 1)
    await begin(store, message(2, address=ELSEWHERE))
    await hear(store, message(3))
    claim = await store.reopen(KEY, at=START)

    assert claim is not None
    assert claim.messages == (message(1),)

    await store.finish_turn(claim.turn.id, "failed", (), at=START)
    newer = await take(store)

    assert newer.messages == (message(3),)
    assert await store.reopen(KEY, at=START) is None

    await store.finish_turn(newer.turn.id, "stopped", (), at=START)

    assert await store.reopen(KEY, at=START) is None
    await store.close()


async def a_clear_ends_the_chance(open_store: OpenStore) -> None:
    """Before the failure or after it."""
    store = open_store()
    await _fail(store, 1)
    await store.clear(KEY, at=START)

    assert await store.reopen(KEY, at=START) is None

    turn = await begin(store, message(2))
    await store.clear(KEY, at=START)
    await store.finish_turn(turn.id, "failed", (), at=START)

    assert await store.reopen(KEY, at=START) is None
    assert not (await store.unfinished()).claims
    await store.close()


async def a_retried_turn_has_a_preview_of_its_own(open_store: OpenStore) -> None:
    """The one before became the word of the failure, which people have read."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sent(preview.id, Receipt(message_id="501"), at=START)
    await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
    await store.reopen(KEY, at=START)

    again = await store.add_preview(turn.id, saying("It"), at=START)

    assert (again.state, again.receipt) == ("pending", None)
    assert again.id > preview.id

    await store.mark_sent(again.id, Receipt(message_id="503"), at=START)
    (item,) = await store.finish_turn(turn.id, "answered", (saying("It is nine."),), at=START)

    assert item.replaces == Receipt(message_id="503")
    await store.close()


async def _fail(store: Store, number: int) -> None:
    turn = await begin(store, message(number))
    await store.finish_turn(turn.id, "failed", (), at=START)


RETRYING: tuple[Check, ...] = (
    a_failed_turn_goes_on_where_it_stopped,
    a_turn_can_fail_more_than_once,
    an_empty_answer_is_asked_for_anew,
    only_a_failure_is_retried,
    what_came_after_a_failure_ends_the_chance,
    a_clear_ends_the_chance,
    a_retried_turn_has_a_preview_of_its_own,
)
