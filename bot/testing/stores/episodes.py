"""Sessions are recorded once each, for their own audience, and follow what becomes of their turns.

What a session opens with lies in its cut: fixed from the first turn on, gone with a clear.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import ChatAddress, InboundDeletion
from bot.core.lifecycle import Received
from bot.core.memory.audience import Audience, Viewer, audience_of
from bot.core.memory.episodes import Account, Outline
from bot.core.memory.facts import FactId, NewFact
from bot.core.memory.jobs import MemoryJob
from bot.core.memory.opening import KnownFact, LastSession, Opening
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.core.window.conversation import Compaction
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    have_turn,
    message,
    saying,
)

KEY = HOME.session_key
ANYWHERE = 2**62
LATER = START + timedelta(hours=8)
ACCOUNT = Account(
    summary="Herons were counted.",
    open_tasks=("count storks",),
    details=("42",),
    outline=Outline(turns=2, beginning="How many herons?", ending="42."),
)
HERS = Viewer(audience=audience_of(KEY, "private"), person_key=ANN.person_key)
OPENED = Opening(
    last=LastSession(account=ACCOUNT, first=TurnId(1), through=TurnId(2), ended_at=START),
    facts=(KnownFact(id=FactId(7), text="Prefers tea."), KnownFact(id=FactId(8), text="Is Ann.")),
)
CLEARED = Compaction(kind="clear", at=START, turns_left=2)


async def a_silent_session_is_asked_for_once(open_store: OpenStore) -> None:
    """Of two turns at least; while somebody writes nothing is asked for, but by themselves."""
    store = open_store()
    assert await store.ask_for_episodes(LATER, at=START) == 0
    await have_turn(store, 1)
    assert await store.ask_for_episodes(LATER, at=START) == 0
    last = await have_turn(store, 2)
    assert await store.ask_for_episodes(START - timedelta(seconds=1), at=START) == 0
    assert await store.next_due() is None

    assert await store.ask_for_episodes(START, at=LATER) == 1
    assert await store.ask_for_episodes(START, at=START) == 1
    assert await store.next_due() == LATER
    await store.close()
    store = open_store()
    (job,) = await store.due_jobs(LATER, limit=5)

    assert (job.kind, job.session_key, job.through) == ("episode", KEY, last)
    assert job.person_key == ANN.person_key
    assert await store.ask_for_episodes(START - LATER.resolution, at=START, session_key=KEY) == 1
    (job,) = await store.due_jobs(START, limit=5)
    assert job.due_at == START
    await store.close()


async def a_single_turn_with_a_task_is_a_session(open_store: OpenStore) -> None:
    """Its task is that of now, or what a clear put away with it."""
    store = open_store()
    turn = await begin(store, message(1))
    task = TaskState(goal="count herons")
    await store.note_task(KEY, task, turn_id=turn.id, at=START)
    await store.finish_turn(turn.id, "answered", (saying("well"),), at=START)
    now = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert (now.task, now.is_closed, now.is_session) == (task, False, True)
    assert await store.ask_for_episodes(START, at=START) == 1

    await store.clear(KEY, at=START)
    put_away = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert ([each.id for each in put_away.turns], put_away.task) == ([turn.id], task)
    assert (await store.unrecorded(KEY, through=0, limit=9)).task is None
    await store.close()


async def a_record_lands_once_and_ends_its_job(open_store: OpenStore) -> None:
    """With the last of the turns; what is there already is not recorded again."""
    store = open_store()
    ids, job = await _asked(store, 3)
    found = await store.unrecorded(KEY, through=job.through, limit=2)
    assert [each.id for each in found.turns] == ids[:2]

    first = await store.land_episode(job, found.turns, ACCOUNT)
    assert await store.land_episode(job, found.turns, ACCOUNT) is None
    assert await store.due_jobs(START, limit=5) == (job,)
    rest = await store.unrecorded(KEY, through=job.through, limit=9)
    second = await store.land_episode(job, rest.turns, replace(ACCOUNT, summary="Later."))
    await store.close()
    store = open_store()

    assert first is not None
    assert second is not None
    assert (first.first, first.through, first.account) == (ids[0], ids[1], ACCOUNT)
    assert (first.audience, first.person_key) == (HERS.audience, ANN.person_key)
    assert (second.first, second.through) == (ids[2], ids[2])
    assert await store.due_jobs(START, limit=5) == ()
    assert await store.last_episodes(HERS, limit=9) == (second, first)
    assert await store.last_episodes(HERS, limit=1) == (second,)
    assert await store.ask_for_episodes(LATER, at=LATER) == 0
    await store.close()


async def records_are_for_their_audience_alone(open_store: OpenStore) -> None:
    """Also for the same person elsewhere, and for a chat of another kind."""
    store = open_store()
    _, job = await _asked(store, 2)
    found = await store.unrecorded(KEY, through=job.through, limit=9)
    await store.land_episode(job, found.turns, ACCOUNT)

    for elsewhere in (
        replace(HERS.audience, chat="2002"),
        replace(HERS.audience, kind="group"),
        replace(HERS.audience, account="78"),
        replace(HERS.audience, channel="slack"),
    ):
        assert await store.last_episodes(replace(HERS, audience=elsewhere), limit=9) == ()
    await store.close()


async def turns_that_are_passed_over_are_asked_for_no_more(open_store: OpenStore) -> None:
    """Nor are those that were never to be remembered."""
    store = open_store()
    await _asked(store, 2)
    found = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    await store.pass_over(found.turns)
    assert (await store.unrecorded(KEY, through=ANYWHERE, limit=9)).turns == ()

    await store.receive((Received(inbound=message(8), route="turn"),), cursor=None, at=START)
    claim = await store.claim(KEY, at=START, is_off_record=True)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "answered", (), at=START)
    assert (await store.unrecorded(KEY, through=ANYWHERE, limit=9)).turns == ()
    assert await store.ask_for_episodes(LATER, at=LATER) == 0
    await store.close()


async def a_deleted_message_has_its_session_recorded_anew(open_store: OpenStore) -> None:
    """The turns of that session alone, however many were recorded behind it."""
    store = open_store()
    ids, job = await _asked(store, 2)
    found = await store.unrecorded(KEY, through=job.through, limit=9)
    await store.land_episode(job, found.turns, ACCOUNT)
    ids += [await have_turn(store, 3), await have_turn(store, 4)]
    await store.ask_for_episodes(LATER, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    found = await store.unrecorded(KEY, through=job.through, limit=9)
    kept = await store.land_episode(job, found.turns, replace(ACCOUNT, summary="Later."))
    ids.append(await have_turn(store, 5))
    other = ChatAddress(channel="telegram", account="77", chat="2002")
    await store.receive(
        (Received(inbound=message(1, address=other), route="turn"),), cursor=None, at=START
    )

    await _delete(store, 1)

    assert kept is not None
    assert await store.last_episodes(HERS, limit=9) == (kept,)
    (job,) = await store.due_jobs(START, limit=5)
    assert (job.kind, job.through) == ("episode", ids[1])
    anew = await store.unrecorded(KEY, through=job.through, limit=9)
    assert [each.id for each in anew.turns] == ids[:2]
    assert anew.is_closed
    assert anew.task is None
    landed = await store.land_episode(job, anew.turns, replace(ACCOUNT, summary="Anew."))
    assert await store.last_episodes(HERS, limit=9) == (kept, landed)
    assert await store.due_jobs(START, limit=5) == ()
    await store.close()


async def a_record_of_a_turn_that_was_changed_meanwhile_is_refused(open_store: OpenStore) -> None:
    """It is to be written again, of what the turn says now."""
    store = open_store()
    _, job = await _asked(store, 2)
    found = await store.unrecorded(KEY, through=job.through, limit=9)
    await _delete(store, 2)

    assert await store.land_episode(job, found.turns, ACCOUNT) is None
    assert await store.last_episodes(HERS, limit=9) == ()
    assert len(await store.due_jobs(START, limit=5)) == 1
    await store.close()


async def a_session_opens_with_what_it_was_given(open_store: OpenStore) -> None:
    """Over a restart; a clear takes it away, and an undo brings it back."""
    store = open_store()
    await have_turn(store, 1)
    generation = await store.clear(KEY, at=START, compaction=CLEARED, opening=OPENED)
    await store.close()
    store = open_store()
    opened = await store.load(KEY)
    assert (opened.cut.opening, opened.generation) == (OPENED, generation)

    newer = replace(OPENED, name="Ann")
    assert await store.clear(KEY, at=START, compaction=CLEARED, opening=newer) == generation
    again = await store.load(KEY)
    assert (again.cut.opening, again.former) == (newer, opened.former)

    await store.clear(KEY, at=START, compaction=CLEARED)
    assert (await store.load(KEY)).cut.opening is None
    await store.clear(KEY, at=START, compaction=CLEARED)
    await store.close()
    store = open_store()
    assert (await store.load(KEY)).cut.opening is None
    assert await store.undo(KEY, at=START)
    assert (await store.load(KEY)).cut.opening == newer
    await store.close()


async def a_record_refreshes_a_session_in_which_nothing_was_said(open_store: OpenStore) -> None:
    """Once somebody wrote, what it opened with stays; what was cleared opens with nothing."""
    store = open_store()
    for said, opening in ((False, OPENED), (True, OPENED), (False, None)):
        await have_turn(store, 10 + 4 * said + 8 * (opening is None))
        await have_turn(store, 11 + 4 * said + 8 * (opening is None))
        await store.clear(
            KEY, at=START, compaction=CLEARED, opening=opening, is_recalled=opening is not None
        )
        await store.ask_for_episodes(START, at=START, session_key=KEY)
        jobs = await store.due_jobs(START, limit=5)
        (job,) = (each for each in jobs if each.kind == "episode")
        if said:
            turn = await begin(store, message(30))
        found = await store.unrecorded(KEY, through=job.through, limit=9)
        account = replace(ACCOUNT, summary="Written by a model.")
        await store.land_episode(job, found.turns, account)

        opened = (await store.load(KEY)).cut.opening
        if said or opening is None:
            assert opened == opening
        else:
            assert opened is not None
            assert opened.last is not None
            assert (opened.last.account, opened.facts) == (account, OPENED.facts)
        if said:
            await store.finish_turn(turn.id, "answered", (), at=START)
    await store.close()


async def what_was_made_of_a_deleted_message_leaves_openings(open_store: OpenStore) -> None:
    """Of the session of now and of what an undo brings back, in threads of the chat as well."""
    store = open_store()
    ids = [await have_turn(store, 1), await have_turn(store, 2)]
    last = LastSession(account=ACCOUNT, first=ids[0], through=ids[1], ended_at=START)
    await store.clear(KEY, at=START, compaction=CLEARED, opening=replace(OPENED, last=last))
    thread = replace(HOME, thread="5").session_key
    alone = Opening(last=last)
    await store.clear(thread, at=START, compaction=CLEARED, opening=alone)
    await store.clear(thread, at=START, compaction=CLEARED)
    elsewhere = ChatAddress(channel="telegram", account="77", chat="10010").session_key
    await store.clear(elsewhere, at=START, compaction=CLEARED, opening=alone)
    generation = (await store.load(thread)).generation

    await _delete(store, 1)

    assert (await store.load(KEY)).cut.opening == replace(OPENED, last=None)
    changed = await store.load(thread)
    assert changed.former is not None
    assert changed.former.opening is None
    assert changed.generation == generation + 1
    assert (await store.load(elsewhere)).cut.opening == alone
    await store.close()


async def a_fact_that_holds_no_more_leaves_openings(open_store: OpenStore) -> None:
    """Whoever had read the chat before may not write it back."""
    store = open_store()
    tea = NewFact(
        person_key=ANN.person_key,
        audience=HERS.audience,
        topic="preference",
        key="drink",
        text="Prefers tea.",
        origin="told",
        confidence=1.0,
        at=START,
    )
    ((fact, _),) = await store.keep_facts((tea,))
    known = KnownFact(id=fact.id, text=fact.text)
    opening = replace(OPENED, facts=(known,))
    generation = await store.clear(KEY, at=START, compaction=CLEARED, opening=opening)
    cut = (await store.load(KEY)).cut

    await store.keep_facts((replace(tea, text="Prefers coffee.", at=LATER),))

    opened = await store.load(KEY)
    assert opened.cut.opening == replace(opening, facts=())
    assert not await store.save_cut(KEY, cut, generation=generation, at=LATER)
    await store.close()


async def a_session_is_its_only_speakers(open_store: OpenStore) -> None:
    """In a group, where several spoke it is nobody's."""
    store = open_store()
    bob = replace(ANN, user_id="1002", name="Bob")
    for number, (place, sender) in enumerate((("-5", ANN), ("-5", ANN), ("-6", ANN), ("-6", bob))):
        said = message(number, address=replace(HOME, chat=place))
        turn = await begin(store, replace(said, sender=sender, kind="group"))
        await store.finish_turn(turn.id, "answered", (), at=START)
    await store.ask_for_episodes(START, at=START)
    speakers: list[str] = []
    for job in await store.due_jobs(START, limit=5):
        found = await store.unrecorded(job.session_key, through=job.through, limit=9)
        episode = await store.land_episode(job, found.turns, ACCOUNT)
        assert episode is not None
        assert episode.audience.kind == "group"
        speakers.append(episode.person_key)

    assert sorted(speakers) == ["", ANN.person_key]
    await store.close()


async def records_follow_a_chat_to_its_new_id(open_store: OpenStore) -> None:
    """With their audience, for those who can see it there."""
    store = open_store()
    _, job = await _asked(store, 2)
    found = await store.unrecorded(KEY, through=job.through, limit=9)
    await store.land_episode(job, found.turns, ACCOUNT)

    await store.move_chat(HOME, "-100")

    moved: Audience = replace(HERS.audience, chat="-100")
    assert await store.last_episodes(HERS, limit=9) == ()
    (episode,) = await store.last_episodes(replace(HERS, audience=moved), limit=9)
    assert (episode.session_key, episode.audience) == (
        replace(HOME, chat="-100").session_key,
        moved,
    )
    await store.close()


async def _asked(store: Store, count: int) -> tuple[list[TurnId], MemoryJob]:
    """Have so many turns, and a record of their session asked for."""
    ids = [await have_turn(store, number) for number in range(1, count + 1)]
    await store.ask_for_episodes(START, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    return ids, job


async def _delete(store: Store, number: int) -> None:
    gone = InboundDeletion(
        event_id=f"deletion:{number}",
        address=HOME,
        message_event_id=message(number).event_id,
        message_id=str(number),
    )
    await store.receive((Received(inbound=gone, route="none"),), cursor=None, at=START)


EPISODES: tuple[Check, ...] = (
    a_silent_session_is_asked_for_once,
    a_single_turn_with_a_task_is_a_session,
    a_record_lands_once_and_ends_its_job,
    records_are_for_their_audience_alone,
    turns_that_are_passed_over_are_asked_for_no_more,
    a_deleted_message_has_its_session_recorded_anew,
    a_record_of_a_turn_that_was_changed_meanwhile_is_refused,
    a_session_opens_with_what_it_was_given,
    a_record_refreshes_a_session_in_which_nothing_was_said,
    what_was_made_of_a_deleted_message_leaves_openings,
    a_fact_that_holds_no_more_leaves_openings,
    a_session_is_its_only_speakers,
    records_follow_a_chat_to_its_new_id,
)
