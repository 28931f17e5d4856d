"""Turns: the journal of an open one, and what remains of an ended one."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Sender
from bot.core.lifecycle import Claim, Received
from bot.core.messages import Image, Message, Text, ToolCall, ToolResult, assistant_text
from bot.core.turns import Step
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    asking,
    begin,
    have_turn,
    hear,
    is_refused,
    message,
    model_call,
    saying,
)


async def the_journal_survives(open_store: OpenStore) -> None:
    """An open turn comes back with its messages, steps and results, reasoning included."""
    store = open_store()
    turn = await begin(store, message(1), message(2))
    step = asking("a", "b", "c", thinking="hm")
    late, early = ToolResult(call_id="b", content="2"), ToolResult(call_id="a", content="1")
    await store.record_step(turn.id, 0, step, model_call())
    await store.record_result(turn.id, 0, late)
    await store.record_result(turn.id, 0, early)
    await store.record_result(turn.id, 0, replace(early, content="too late"))
    unasked = [ToolResult(call_id=each, content="") for each in ("z", "y")]
    for result in unasked:
        await store.record_result(turn.id, 0, result)
    await store.close()
    store = open_store()

    kept = replace(turn, steps=(replace(step, results=(early, late, *unasked)),))

    assert (await store.unfinished()).claims == (
        Claim(turn=kept, messages=(message(1), message(2))),
    )
    assert [call.id for call in kept.steps[0].open_calls] == ["c"]
    await store.close()


async def a_call_that_was_started_is_in_doubt_until_its_result(open_store: OpenStore) -> None:
    """Over restarts; one that was only asked for is not."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking("a", "b", "c"), model_call())
    await store.record_start(turn.id, 0, ("a",))
    await store.record_start(turn.id, 0, ("b", "b"))
    await store.close()
    store = open_store()

    assert [claim.started for claim in (await store.unfinished()).claims] == [{"a", "b"}]

    await store.record_result(turn.id, 0, ToolResult(call_id="a", content="1"))
    await store.record_step(turn.id, 1, asking("d"), model_call())
    await store.record_start(turn.id, 1, ("d",))

    assert [claim.started for claim in (await store.unfinished()).claims] == [{"b", "d"}]

    await store.record_start(turn.id, 1, ())
    await store.record_result(turn.id, 0, ToolResult(call_id="b", content="2"))
    await store.record_result(turn.id, 1, ToolResult(call_id="d", content="3"))

    assert [claim.started for claim in (await store.unfinished()).claims] == [frozenset()]
    await store.close()


async def the_processes_that_went_on_are_counted(open_store: OpenStore) -> None:
    """So that a turn which ends each of them can be given up."""
    store = open_store()
    turn = await begin(store, message(1))
    other = await begin(store, message(2, address=ELSEWHERE))

    assert [await store.record_resume(each) for each in (turn.id, turn.id, other.id)] == [1, 2, 1]

    await store.close()
    store = open_store()

    assert await store.record_resume(turn.id) == 3
    await store.close()


async def what_files_bring_is_put_in_once(open_store: OpenStore) -> None:
    """Behind the text of their message; over a restart, and whoever does it a second time."""
    store = open_store()
    await hear(store, message(1), message(2))
    turn = await begin(store, message(3))
    picture = Image(media_type="image/png", data="QUJD")
    brought = ((), (picture, Text(text="[document: a.txt]")), ())

    request = await store.record_request(turn.id, brought)

    first, second, third = turn.request.blocks
    assert request.blocks == (first, second, *brought[1], third)
    assert await store.record_request(turn.id, ((picture,), (), ())) == request
    await store.close()
    store = open_store()

    (claim,) = (await store.unfinished()).claims
    assert claim.turn.request == request
    await store.finish_turn(turn.id, "stopped", (), at=START)
    assert await is_refused(store.record_request(turn.id, brought))
    await store.close()


async def steps_follow_one_another(open_store: OpenStore) -> None:
    """No gap, no second writing, no result of a step that is not there."""
    store = open_store()
    turn = await begin(store, message(1))

    assert await is_refused(store.record_step(turn.id, 1, asking(), model_call()))
    await store.record_step(turn.id, 0, asking("a"), model_call())
    assert await is_refused(store.record_step(turn.id, 0, asking(), model_call()))
    result = ToolResult(call_id="a", content="")
    assert await is_refused(store.record_result(turn.id, 1, result))
    assert await is_refused(store.record_start(turn.id, 1, ("a",)))
    await store.close()


async def an_ended_turn_takes_nothing_more(open_store: OpenStore) -> None:
    """Not a step, a start, a result, a preview, and its end stays what it was."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.record_step(turn.id, 0, asking("a"), model_call())
    await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
    before = (await store.load(HOME.session_key), await store.unfinished())

    assert await store.finish_turn(turn.id, "answered", (saying("again"),), at=START) == ()
    assert await is_refused(store.record_step(turn.id, 1, asking(), model_call()))
    assert await is_refused(
        store.record_result(turn.id, 0, ToolResult(call_id="a", content="late"))
    )
    assert await is_refused(store.record_start(turn.id, 0, ("a",)))
    assert await is_refused(store.record_resume(turn.id))
    assert await is_refused(store.add_preview(turn.id, saying("…"), at=START))
    assert (await store.load(HOME.session_key), await store.unfinished()) == before
    await store.close()


async def an_ended_turn_is_remembered(open_store: OpenStore) -> None:
    """With its steps and results, but without the reasoning that served only while it was open."""
    store = open_store()
    turn = await begin(store, message(1))
    step, result = asking("a", thinking="hm"), ToolResult(call_id="a", content="9:00")
    last = Step(answer=assistant_text("It is nine."), stop="end_turn")
    await store.record_step(turn.id, 0, step, model_call())
    await store.record_result(turn.id, 0, result)
    await store.record_step(turn.id, 1, last, model_call())

    assert (await store.load(HOME.session_key)).turns == ()

    await store.finish_turn(turn.id, "answered", (), at=START)
    await store.close()
    store = open_store()

    without = replace(step.answer, blocks=step.answer.blocks[1:])
    steps = (replace(step, answer=without, results=(result,)), last)
    ended = replace(turn, steps=steps, outcome="answered")

    assert (await store.load(HOME.session_key)).turns == (ended,)
    assert (await store.unfinished()).claims == ()
    await store.close()


async def a_clear_leaves_all_before_it_behind(open_store: OpenStore) -> None:
    """Also the turn that is open at that moment, and also after a restart."""
    store = open_store()
    await have_turn(store, 1)
    turn = await begin(store, message(2))

    assert await store.clear(HOME.session_key, at=START) == 1

    await store.finish_turn(turn.id, "answered", (saying("late"),), at=START)
    await store.close()
    store = open_store()

    cleared = await store.load(HOME.session_key)
    assert (cleared.turns, cleared.generation) == ((), 1)
    assert [item.reply.text for item in (await store.unfinished()).outbox] == ["late"]

    third = await have_turn(store, 3)
    (kept,) = (await store.load(HOME.session_key)).turns

    assert (kept.id, kept.generation) == (third, 1)
    await store.close()


async def any_text_comes_back_unchanged(open_store: OpenStore) -> None:
    """Zero bytes, emoji, and the halves of emoji that platforms and models sometimes give."""
    store = open_store()
    odd = "a\0b \U0001f469\u200d\U0001f52c \ud83d"
    turn = await begin(store, message(1, odd))
    call = ToolCall(id="a", name="echo", arguments=odd)
    answer = Message(role="assistant", blocks=(Text(text=odd), call))
    step = Step(answer=answer, stop="tool_use", results=(ToolResult(call_id="a", content=odd),))
    await store.record_step(turn.id, 0, step, model_call())

    (claim,) = (await store.unfinished()).claims

    assert claim == Claim(turn=replace(turn, steps=(step,)), messages=(message(1, odd),))

    items = await store.finish_turn(turn.id, "answered", (saying(odd),), at=START)

    assert (await store.unfinished()).outbox == items
    await store.close()


async def what_is_open_comes_oldest_first(open_store: OpenStore) -> None:
    """Claims, waiting chats and commands alike."""
    store = open_store()
    early, late = message(1, address=ELSEWHERE), message(2)
    turns = [await begin(store, each) for each in (early, late)]
    events = [
        Received(inbound=message(3, address=ELSEWHERE), route="turn"),
        Received(inbound=message(4), route="turn"),
        Received(inbound=message(5, address=ELSEWHERE), route="turn"),
        Received(inbound=message(6), route="command"),
        Received(inbound=message(7, address=ELSEWHERE), route="command"),
    ]
    await store.receive(tuple(events), cursor=None, at=START)

    found = await store.unfinished()

    assert [claim.turn for claim in found.claims] == turns
    assert found.waiting == (ELSEWHERE.session_key, HOME.session_key)
    assert [command.message_id for command in found.commands] == ["6", "7"]
    await store.close()


async def the_bot_has_one_owner(open_store: OpenStore) -> None:
    """Who claims it first, for good."""
    store = open_store()
    other = Sender(channel="slack", realm="T1", user_id="U1", name="Bo")

    assert await store.grants() == ()
    assert await store.claim_ownership(ANN, at=START)
    assert not await store.claim_ownership(other, at=START)
    assert not await store.claim_ownership(ANN, at=START)
    await store.close()
    store = open_store()

    assert [(each.person_key, each.grant) for each in await store.grants()] == [
        (ANN.person_key, "owner")
    ]
    await store.close()


TURNS: tuple[Check, ...] = (
    the_journal_survives,
    a_call_that_was_started_is_in_doubt_until_its_result,
    the_processes_that_went_on_are_counted,
    what_files_bring_is_put_in_once,
    steps_follow_one_another,
    an_ended_turn_takes_nothing_more,
    an_ended_turn_is_remembered,
    a_clear_leaves_all_before_it_behind,
    any_text_comes_back_unchanged,
    what_is_open_comes_oldest_first,
    the_bot_has_one_owner,
)
