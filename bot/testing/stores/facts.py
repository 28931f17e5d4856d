"""Facts are kept once, for their own audience, and follow the words they stand on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import Sender
from bot.core.memory.audience import Audience, Viewer, audience_of
from bot.core.memory.facts import Fact, FactId, FactOrigin, NewFact
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.said import Said
from bot.core.turns import TurnId
from bot.testing.clock import START
from bot.testing.stores.edits import LATER, change, deletion_of, edit_of
from bot.testing.stores.given import (
    ANN,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    have_turn,
    hear,
    message,
    take,
)
from bot.testing.stores.moving import MOVED, NEW, OLD
from bot.testing.stores.moving import said as in_group

DAY = timedelta(days=1)
DUE = START + timedelta(minutes=2)
BO = Sender(channel="telegram", user_id="1002", name="Bo")
PRIVATE = audience_of(HOME.session_key, "private")
GROUP = audience_of(OLD.session_key, "group")


def stated(
    text: str = "Lives in Lisbon.",
    *,
    key: str = "home city",
    day: float = 0,
    turn_id: TurnId | None = None,
    origin: FactOrigin = "extracted",
    audience: Audience = PRIVATE,
) -> NewFact:
    """Write a statement that is to be remembered."""
    return NewFact(
        person_key=ANN.person_key,
        audience=audience,
        topic="environment",
        key=key,
        text=text,
        origin=origin,
        confidence=0.8,
        at=START + day * DAY,
        turn_id=turn_id,
    )


async def what_is_kept_is_read_again_as_it_is(open_store: OpenStore) -> None:
    """By another process too; keys in one spelling, the key that is known before a new one."""
    store = open_store()
    ((fact, ended),) = await store.keep_facts((stated(key="My Home City", turn_id=TurnId(3)),))
    assert ended is None
    await store.close()
    store = open_store()

    assert await store.facts_for(_viewer()) == (fact,)
    assert fact == Fact(
        id=fact.id,
        person_key=ANN.person_key,
        audience=PRIVATE,
        topic="environment",
        key="home city",
        text="Lives in Lisbon.",
        origin="extracted",
        confidence=0.8,
        turn_id=TurnId(3),
        valid_from=START,
        valid_to=None,
        confirmed_at=START,
    )
    ((again, _),) = await store.keep_facts((stated("I live in Lisbon", key="city, home", day=1),))
    assert (again.id, again.key, again.confirmed_at) == (fact.id, "home city", START + DAY)
    assert await store.facts_for(_viewer()) == (again,)
    await store.close()


async def a_new_value_ends_the_one_before(open_store: OpenStore) -> None:
    """Which stays, for whom it is about; each person and each audience has values of its own."""
    store = open_store()
    await store.keep_facts((stated(), _of_bo(stated(audience=GROUP)), stated(audience=GROUP)))
    ((fact, ended), (other, none)) = await store.keep_facts(
        (stated("Lives in Porto.", day=1), stated("Likes tea.", key="favorite drink", day=1))
    )

    assert none is None
    assert ended is not None
    assert (ended.text, ended.valid_to) == ("Lives in Lisbon.", START + DAY)
    assert await store.history_of(fact.id, _viewer()) == (fact, ended)
    assert await store.history_of(ended.id, _viewer()) == (fact, ended)
    assert await store.history_of(fact.id, _viewer(who=BO)) == ()
    assert await store.history_of(FactId(99), _viewer()) == ()
    at_home = await store.facts_for(_viewer())
    assert {each.text for each in at_home if each.audience == PRIVATE} == {fact.text, other.text}
    assert [each.text for each in at_home if each.audience == GROUP] == ["Lives in Lisbon."]
    in_group = await store.facts_for(_viewer(GROUP, BO))
    assert [each.person_key for each in in_group] == [BO.person_key, ANN.person_key]
    await store.close()


async def what_is_read_late_ends_nothing_newer(open_store: OpenStore) -> None:
    """It goes before what was said after it, and no moment is without a value."""
    store = open_store()
    await store.keep_facts((stated("Lives in Faro."), stated("Lives in Porto.", day=5)))

    ((late, ended),) = await store.keep_facts((stated("Lives in Lisbon.", day=2),))

    assert ended is None
    (holding,) = await store.facts_for(_viewer())
    assert holding.text == "Lives in Porto."
    versions = await store.history_of(late.id, _viewer())
    assert [(each.text, each.valid_to) for each in versions] == [
        ("Lives in Porto.", None),
        ("Lives in Lisbon.", START + 5 * DAY),
        ("Lives in Faro.", START + 2 * DAY),
    ]
    await store.close()


async def a_fact_is_confirmed_by_whom_it_is_about(open_store: OpenStore) -> None:
    """Where they may recall it, and while it holds."""
    store = open_store()
    ((fact, _), (of_bo, _)) = await store.keep_facts(
        (stated(), _of_bo(stated(audience=GROUP, key="work city")))
    )
    at = START + 40 * DAY

    assert not await store.confirm_fact(fact.id, _viewer(GROUP), at=at)
    assert not await store.confirm_fact(fact.id, _viewer(who=BO), at=at)
    assert not await store.confirm_fact(of_bo.id, _viewer(GROUP), at=at)
    assert not await store.confirm_fact(FactId(99), _viewer(), at=at)
    assert await store.facts_for(_viewer()) == (fact,)

    assert await store.confirm_fact(fact.id, _viewer(), at=at)
    assert await store.confirm_fact(of_bo.id, _viewer(who=BO, audience=_home_of(BO)), at=at)
    assert await store.facts_for(_viewer()) == (replace(fact, confirmed_at=at),)
    await store.keep_facts((stated("Lives in Porto.", day=50),))
    assert not await store.confirm_fact(fact.id, _viewer(), at=at)
    await store.close()


async def turns_are_read_together_soon_after_the_first(open_store: OpenStore) -> None:
    """With who said what; once, cleared ones too, open ones not; asked for once."""
    store = open_store()
    assert await store.ask_to_read() == 0
    first = await have_turn(store, 1)
    assert await store.ask_to_read() == 1
    assert await store.ask_to_read() == 0
    second = await have_turn(store, 2)
    await store.clear(HOME.session_key, at=START)
    open_turn = await begin(store, message(3))
    assert await store.ask_to_read() == 1
    await store.close()
    store = open_store()

    assert await store.due_jobs(DUE - timedelta(seconds=1), limit=5) == ()
    (job,) = await store.due_jobs(DUE, limit=5)
    assert (job.kind, job.through, job.audience) == ("facts", second, PRIVATE)
    unread = await store.unread(job, limit=5)
    assert [each.turn.id for each in unread] == [first, second]
    assert [each.said for each in unread] == [_said(0)] * 2
    assert await store.unread(job, limit=1) == unread[:1]

    await store.land_facts(job, unread[:1], (stated(turn_id=first),))
    assert await store.unread(job, limit=5) == unread[1:]
    assert await store.due_jobs(DUE, limit=5) == (job,)
    await store.land_facts(job, unread[1:], ())
    assert await store.next_due() is None
    assert [each.turn_id for each in await store.facts_for(_viewer())] == [first]

    await store.finish_turn(open_turn.id, "answered", (), at=LATER)
    after_it = await begin(store, message(4))
    await store.finish_turn(after_it.id, "answered", (), at=LATER + DAY)
    assert await store.ask_to_read() == 1
    assert await store.next_due() == LATER + timedelta(minutes=2)
    await store.close()


async def a_job_that_grew_while_it_was_done_goes_on(open_store: OpenStore) -> None:
    """What ended meanwhile is read too."""
    store = open_store()
    job = await _asked(store, 1)
    unread = await store.unread(job, limit=5)
    second = await have_turn(store, 2)
    await store.ask_to_read()

    await store.land_facts(job, unread, ())

    (grown,) = await store.due_jobs(DUE, limit=5)
    assert (grown.id, grown.through) == (job.id, second)
    assert [each.turn.id for each in await store.unread(grown, limit=5)] == [second]
    await store.close()


async def a_turn_off_the_record_is_never_read(open_store: OpenStore) -> None:
    """Nor when a message of it is changed afterwards."""
    store = open_store()
    await hear(store, message(1))
    claim = await store.claim(HOME.session_key, at=START, is_off_record=True)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "answered", (), at=START)

    assert await store.ask_to_read() == 0
    await change(store, edit_of(message(1), "I live in Lisbon"))
    assert await store.ask_to_read() == 0
    await store.close()


async def an_edit_has_a_turn_read_again(open_store: OpenStore) -> None:
    """What was read out of it is gone, what it had ended holds on, what was told in it stays."""
    store = open_store()
    job = await _asked(store, 1)
    unread = await store.unread(job, limit=5)
    turn_id = unread[0].turn.id
    told = stated("Is called Ann.", key="name", turn_id=turn_id, origin="told")
    await store.keep_facts((stated("Lives in Faro.", day=-1), told))
    await store.land_facts(job, unread, (stated(turn_id=turn_id),))
    assert await _texts(store) == ["Is called Ann.", "Lives in Lisbon."]

    await change(store, edit_of(message(1), "I live in Porto"))

    assert await _texts(store) == ["Is called Ann.", "Lives in Faro."]
    await store.land_facts(job, unread, (stated(turn_id=turn_id),))  # read before the edit
    assert await _texts(store) == ["Is called Ann.", "Lives in Faro."]
    assert await store.ask_to_read() == 1
    (again,) = await store.due_jobs(LATER, limit=5)
    (reread,) = await store.unread(again, limit=5)
    assert (reread.turn.revision, reread.turn.request.text) == (1, "I live in Porto")
    await store.land_facts(again, (reread,), (stated("Lives in Porto.", turn_id=turn_id),))
    assert await _texts(store) == ["Is called Ann.", "Lives in Porto."]
    await store.close()


async def taking_a_message_back_is_forgetting_it(open_store: OpenStore) -> None:
    """What its author told in it goes too, and not what others did, nor what was said elsewhere."""
    store = open_store()
    await hear(store, in_group(1), replace(in_group(2), sender=BO))
    turn = (await take(store, OLD)).turn
    await store.finish_turn(turn.id, "answered", (), at=START)
    elsewhere = TurnId(turn.id + 7)
    await store.keep_facts(
        (
            stated("Is Ann.", key="name", turn_id=turn.id, audience=GROUP, origin="told"),
            _of_bo(stated("Is Bo.", key="name", turn_id=turn.id, audience=GROUP, origin="told")),
            stated("Has a cat.", key="pet", turn_id=turn.id, audience=GROUP),
            stated("Uses Vim.", key="editor", turn_id=turn.id, audience=GROUP),
            stated("Uses Vim.", key="editor", turn_id=elsewhere, audience=GROUP, day=1),
        )
    )

    await change(store, deletion_of(in_group(1)))

    left = await store.facts_for(_viewer(GROUP))
    assert {(each.text, each.turn_id) for each in left} == {
        ("Is Bo.", turn.id),
        ("Uses Vim.", elsewhere),
    }
    await store.ask_to_read()
    (job,) = await store.due_jobs(LATER, limit=5)
    (unread,) = await store.unread(job, limit=5)
    assert [each.person_key for each in unread.said] == [BO.person_key]
    await store.close()


async def a_turn_that_is_tried_again_is_read_again(open_store: OpenStore) -> None:
    """Once it has ended; what was read out of its failure is gone."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.finish_turn(turn.id, "failed", (), at=START)
    await store.ask_to_read()
    (job,) = await store.due_jobs(DUE, limit=5)
    unread = await store.unread(job, limit=5)
    await store.land_facts(job, unread, (stated(turn_id=turn.id),))

    claim = await store.reopen(HOME.session_key, at=LATER)

    assert claim is not None
    assert await _texts(store) == []
    assert await store.ask_to_read() == 0
    await store.finish_turn(turn.id, "answered", (), at=LATER)
    assert await store.ask_to_read() == 1
    (job,) = await store.due_jobs(LATER + DAY, limit=5)
    await store.land_facts(job, unread, (stated(turn_id=turn.id),))  # of the first try
    assert await _texts(store) == []
    assert [each.said for each in await store.unread(job, limit=5)] == [_said(0)]
    await store.close()


async def facts_move_with_their_chat(open_store: OpenStore) -> None:
    """Into one chain with what is known there; what is kept late of the old chat finds the new."""
    store = open_store()
    new_group = audience_of(NEW.session_key, "group")
    await store.keep_facts(
        (
            stated("Lives in Faro.", audience=GROUP),
            stated("Lives in Lisbon.", audience=GROUP, day=2),
            stated("Lives in Porto.", audience=new_group, day=1),
            stated("Likes tea.", key="favorite drink", audience=GROUP),
            stated("Is private."),
        )
    )

    await store.move_chat(MOVED.address, MOVED.new_chat)

    assert await store.facts_for(_viewer(GROUP, BO)) == ()
    moved = await store.facts_for(_viewer(new_group))
    assert {each.text for each in moved} == {"Likes tea.", "Lives in Lisbon."}
    city = next(each for each in moved if each.key == "home city")
    versions = await store.history_of(city.id, _viewer(new_group))
    assert [each.text for each in versions] == [
        "Lives in Lisbon.",
        "Lives in Porto.",
        "Lives in Faro.",
    ]
    assert [each.valid_to for each in versions] == [None, START + 2 * DAY, START + DAY]
    ((late, _),) = await store.keep_facts((stated("Has a cat.", key="pet", audience=GROUP),))
    assert late.audience == new_group
    await store.close()


async def odd_texts_are_kept_as_they_are(open_store: OpenStore) -> None:
    """Whatever letters they are of."""
    store = open_store()
    texts = ("喜欢绿茶", "Ist 'überall' \"da\" %_\\ 🙂", "a\u2028b")
    await store.keep_facts(tuple(stated(text, key=f"key {n}") for n, text in enumerate(texts)))

    assert sorted(await _texts(store)) == sorted(texts)
    await store.close()


def _viewer(audience: Audience = PRIVATE, who: Sender = ANN) -> Viewer:
    return Viewer(audience=audience, person_key=who.person_key)


def _of_bo(statement: NewFact) -> NewFact:
    return replace(statement, person_key=BO.person_key)


def _home_of(who: Sender) -> Audience:
    return replace(PRIVATE, chat=who.user_id)


def _said(block: int, who: Sender = ANN) -> tuple[Said, ...]:
    return (Said(block=block, person_key=who.person_key, name=who.name),)


async def _texts(store: Store) -> list[str]:
    return sorted(each.text for each in await store.facts_for(_viewer()))


async def _asked(store: Store, *numbers: int) -> MemoryJob:
    for number in numbers:
        await have_turn(store, number)
    await store.ask_to_read()
    (job,) = await store.due_jobs(DUE, limit=5)
    return job


FACTS: tuple[Check, ...] = (
    what_is_kept_is_read_again_as_it_is,
    a_new_value_ends_the_one_before,
    what_is_read_late_ends_nothing_newer,
    a_fact_is_confirmed_by_whom_it_is_about,
    turns_are_read_together_soon_after_the_first,
    a_job_that_grew_while_it_was_done_goes_on,
    a_turn_off_the_record_is_never_read,
    an_edit_has_a_turn_read_again,
    taking_a_message_back_is_forgetting_it,
    a_turn_that_is_tried_again_is_read_again,
    facts_move_with_their_chat,
    odd_texts_are_kept_as_they_are,
)
