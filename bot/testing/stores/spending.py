"""What calls of the model took and cost, and what waits or is told because of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import add

from bot.core.chat import PersonKey, SessionKey
from bot.core.cost import Spent, SpentLine, UnpricedLine
from bot.core.lifecycle import ModelCall
from bot.core.llm import Payer, Usage
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


async def the_dearest_of_each_kind_are_given(open_store: OpenStore) -> None:
    """What took most money first, then what took most tokens; a chat with all its threads."""
    store = open_store()
    topics = tuple(replace(HOME, thread=thread).session_key for thread in ("", "5", "6%"))
    costs = (*((topic, 30) for topic in topics), (ELSEWHERE.session_key, 80))
    for key, cost in costs:
        await store.record_call(_call(key=key, cost=cost))
    later = replace(_call(who=BOB, at=START + HOUR), cost_nano_usd=5)
    for model in ("a", "b", "c"):
        await store.record_call(replace(later, model=model))
    await store.record_call(replace(later, model="b", cost_nano_usd=None))

    (first, *_) = await store.largest_lines((START, START + HOUR), most=1)
    whole = await store.largest_lines((START, START + 2 * HOUR), most=2)
    others = await store.largest_lines((START + HOUR, START + 2 * HOUR), most=9)

    thrice = Spent(usage=reduce(add, (USED,) * 3), nano_usd=90, calls=3)
    assert SpentLine(axis="chat", name=HOME.whole_chat.session_key, spent=thrice) == first
    assert ["chat", "chat", "person", "person", "model", "model", "purpose"] == [
        line.axis for line in whole
    ]
    assert [ANN.person_key, BOB] == [line.name for line in whole if line.axis == "person"]
    assert ["b", "a", "c"] == [line.name for line in others if line.axis == "model"]
    assert () == await store.largest_lines((START, START), most=9)
    await store.close()


async def calls_without_a_price_are_told_apart(open_store: OpenStore) -> None:
    """By who pays, who answered and who was asked."""
    store = open_store()
    for call in (_call(cost=None), _call(cost=None), _call(), _call(who=BOB, cost=None)):
        await store.record_call(replace(call, asked="alias"))
    await store.record_call(_call(at=START + HOUR, cost=None))

    found = await store.unpriced_lines((START, START + HOUR))

    payers = {each.payer.person_key: each for each in found}
    line = UnpricedLine(
        payer=Payer(session_key=HOME.session_key, person_key=ANN.person_key, purpose="answer"),
        model="m",
        asked="alias",
        usage=USED + USED,
    )
    assert (line, 2) == (payers[ANN.person_key], len(found))
    assert USED == payers[BOB].usage
    await store.close()


async def a_call_is_kept_from_its_beginning(open_store: OpenStore) -> None:
    """Over a restart; at its end stands what it took, when and by whom it was answered."""
    store = open_store()
    span = (START, START + 2 * HOUR)
    prompt = Usage(input_tokens=9)
    cut_off = await store.begin_call(replace(_call(cost=1), usage=prompt))
    await store.close()
    store = open_store()
    (left,) = await store.spent_in((span,))
    call_id = await store.begin_call(replace(_call(cost=1), usage=prompt))
    over = replace(_call(at=START + HOUR), model="n", asked="m", local_tokens=8)
    await store.end_call(call_id, over)

    assert Spent(usage=prompt, nano_usd=1, calls=1) == left
    assert cut_off != call_id
    lines = {line.name: line.spent for line in await store.spent_lines(span)}
    assert Spent(usage=USED, nano_usd=70, calls=1) == lines["n"]
    assert left == lines["m"]
    assert Spent(usage=prompt + USED, nano_usd=71, calls=2) == lines[HOME.session_key]
    assert over.local_tokens == (await store.load(HOME.session_key)).calls[-1].local_tokens
    await store.close()


async def a_call_that_took_nothing_leaves_no_trace(open_store: OpenStore) -> None:
    """Neither in sums, nor in what a chat used since it was cleared meanwhile."""
    store = open_store()
    await have_turn(store, 1)
    (before,) = await store.spent_in(((START - HOUR, START + HOUR),))
    key = HOME.session_key
    ended, in_vain = await store.begin_call(_call()), await store.begin_call(_call())
    await store.clear(key, at=START)
    await store.end_call(in_vain, None)
    await store.record_call(_call(at=START + 2 * HOUR))
    await store.end_call(ended, None)

    assert (before,) == await store.spent_in(((START - HOUR, START + HOUR),))
    lines = await store.spent_lines((START - HOUR, START + HOUR))
    assert all(line.spent.calls for line in lines)
    assert "m" not in {line.name for line in lines}
    assert USED == await store.usage_of(key)
    await store.close()


async def a_call_ends_in_the_chat_that_moved_meanwhile(open_store: OpenStore) -> None:
    """Whose it was when it began is its chat under the other id."""
    store = open_store()
    await have_turn(store, 1)
    call_id = await store.begin_call(_call())
    await store.move_chat(HOME, "-42")
    await store.end_call(call_id, _call(cost=90))

    new = replace(HOME, chat="-42").session_key
    lines = await store.spent_lines((START, START + HOUR))
    (spent,) = (line.spent for line in lines if line.axis == "chat")
    assert [new] == [line.name for line in lines if line.axis == "chat"]
    assert spent.nano_usd == 90
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
    await store.record_step(turn.id, 1, step, None)
    assert (spent,) == await store.spent_in(((call.at, call.at + HOUR),)), "kept by somebody else"
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
    the_dearest_of_each_kind_are_given,
    calls_without_a_price_are_told_apart,
    a_call_is_kept_from_its_beginning,
    a_call_that_took_nothing_leaves_no_trace,
    a_call_ends_in_the_chat_that_moved_meanwhile,
    a_step_is_kept_with_what_it_cost,
    a_job_that_is_held_back_has_not_failed,
    what_was_held_back_for_a_reason_goes_on,
    words_that_nobody_asked_for_lie_in_the_outbox,
)
