"""What calls of the model took and cost, and what waits or is told because of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import add

from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Spent
from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage
from bot.core.messages import assistant_text
from bot.core.turns import Step
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    begin,
    have_turn,
    message,
    model_call,
    saying,
)

BOB = PersonKey("telegram::1002")
USED = Usage(input_tokens=3, output_tokens=2, cache_read_tokens=5, cache_write_tokens=1)
HOUR = timedelta(hours=1)


def _call(
    *,
    key: SessionKey = HOME.session_key,
    who: PersonKey = ANN.person_key,
    at: datetime = START,
    cost: int | None = 70,
) -> ModelCall:
    return ModelCall(
        session_key=key,
        person_key=who,
        model="m",
        purpose="answer",
        usage=USED,
        at=at,
        cost_nano_usd=cost,
    )


async def what_was_spent_is_added_up_by_spans(open_store: OpenStore) -> None:
    """A span has its beginning and not its end; a price that nobody knows is not nothing."""
    store = open_store()
    await store.record_call(_call(at=START))
    await store.record_call(_call(at=START + HOUR, who=BOB))
    await store.record_call(replace(_call(at=START + HOUR, cost=None), purpose="summary"))
    await store.close()
    store = open_store()
    spans = (
        (START - HOUR, START),
        (START, START + HOUR),
        (START + HOUR, START + 2 * HOUR),
        (START, START + 2 * HOUR),
    )
    one = Spent(usage=USED, nano_usd=70, calls=1)
    without = Spent(usage=USED, calls=1, unpriced=1)

    assert (Spent(), one, one + without, one + one + without) == await store.spent_in(spans)
    assert (Spent(), Spent(), one, one) == await store.spent_in(spans, person_key=BOB)
    assert () == await store.spent_in(())
    await store.close()


async def what_was_spent_is_told_apart(open_store: OpenStore) -> None:
    """By chat, by person, by model and by purpose: each call is in one line of each."""
    store = open_store()
    calls = (
        _call(),
        _call(),
        _call(who=BOB),
        _call(key=ELSEWHERE.session_key),
        replace(_call(), model="n"),
        replace(_call(cost=None), purpose="facts"),
    )
    for call in calls:
        await store.record_call(call)
    await store.record_call(_call(at=START + HOUR))

    lines = await store.spent_lines((START, START + HOUR))

    def spent(calls: int, unpriced: int) -> Spent:
        return Spent(
            usage=reduce(add, (USED,) * calls),
            nano_usd=70 * (calls - unpriced),
            calls=calls,
            unpriced=unpriced,
        )

    expected = {
        ("chat", HOME.session_key): spent(5, 1),
        ("chat", ELSEWHERE.session_key): spent(1, 0),
        ("person", ANN.person_key): spent(5, 1),
        ("person", BOB): spent(1, 0),
        ("model", "m"): spent(5, 1),
        ("model", "n"): spent(1, 0),
        ("purpose", "answer"): spent(5, 0),
        ("purpose", "facts"): spent(1, 1),
    }
    assert expected == {(line.axis, line.name): line.spent for line in lines}
    assert len(expected) == len(lines)
    await store.close()


async def a_step_is_kept_with_what_it_cost(open_store: OpenStore) -> None:
    """In one transaction, like its tokens."""
    store = open_store()
    turn = await begin(store, message(1))
    step = Step(answer=assistant_text("Nine."), stop="end_turn")
    call = replace(model_call(), cost_nano_usd=1_234_567_890_123)
    await store.record_step(turn.id, 0, step, call)
    await store.close()
    store = open_store()

    (spent,) = await store.spent_in(((call.at, call.at + HOUR),))

    assert Spent(usage=call.usage, nano_usd=1_234_567_890_123, calls=1) == spent
    await store.close()


async def a_job_that_is_held_back_has_not_failed(open_store: OpenStore) -> None:
    """It is due when it is said to be, with as many failures as before."""
    store = open_store()
    await have_turn(store, 1)
    await store.ask_to_remember(START + HOUR, at=START)
    (job,) = await store.due_jobs(START, limit=9)

    await store.hold_back(job.id, due_at=START + HOUR, reason="cap")

    assert () == await store.due_jobs(START, limit=9)
    assert (replace(job, due_at=START + HOUR),) == await store.due_jobs(START + HOUR, limit=9)
    await store.close()


async def what_was_held_back_for_a_reason_goes_on(open_store: OpenStore) -> None:
    """What waits for another one goes on waiting; what was due before stays so."""
    store = open_store()
    await have_turn(store, 1)
    await store.ask_to_remember(START + HOUR, at=START)
    (job,) = await store.due_jobs(START, limit=9)

    await store.hold_back(job.id, due_at=START + 9 * HOUR, reason="cap")
    await store.go_on("pause", at=START + HOUR)
    assert () == await store.due_jobs(START + HOUR, limit=9)
    await store.go_on("cap", at=START + HOUR)
    await store.go_on("cap", at=START + 2 * HOUR)

    assert (replace(job, due_at=START + HOUR),) == await store.due_jobs(START + HOUR, limit=9)
    await store.close()


async def words_that_nobody_asked_for_lie_in_the_outbox(open_store: OpenStore) -> None:
    """Over a restart, until they are sent."""
    store = open_store()
    (item,) = await store.tell((saying("Little is left."),), at=START)
    assert () == await store.tell((), at=START)
    await store.close()
    store = open_store()

    assert "Little is left." == item.reply.text
    assert (item,) == (await store.unfinished()).outbox
    await store.close()


SPENDING: tuple[Check, ...] = (
    what_was_spent_is_added_up_by_spans,
    what_was_spent_is_told_apart,
    a_step_is_kept_with_what_it_cost,
    a_job_that_is_held_back_has_not_failed,
    what_was_held_back_for_a_reason_goes_on,
    words_that_nobody_asked_for_lie_in_the_outbox,
)
