"""What a person cleared away is part of no record and no opening; nor is what they switched off."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import SessionKey
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.episodes import Account, Episode
from bot.core.memory.facts import FactId
from bot.core.memory.opening import KnownFact, Opening
from bot.core.tasks import TaskState
from bot.core.turns import TurnId
from bot.testing.clock import START
from bot.testing.stores.facts import stated
from bot.testing.stores.given import (
    ANN,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    have_turn,
    message,
)

KEY = HOME.session_key
THREAD = replace(HOME, thread="5").session_key
ANYWHERE = 2**62
LATER = START + timedelta(hours=1)
ACCOUNT = Account(summary="Herons were counted.")
HERS = Viewer(audience=audience_of(KEY, "private"), person_key=ANN.person_key)
OPENED = Opening(facts=(KnownFact(id=FactId(7), text="Prefers tea."),))
TASK = TaskState(goal="count herons")


async def no_record_runs_across_a_clear(open_store: OpenStore) -> None:
    """It runs across the beginning of a session, as long as what was before is not recorded."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2)]
    await store.clear(KEY, at=START, opening=OPENED, is_recalled=True)
    ids.append(await have_turn(store, 3))
    whole = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert ([turn.id for turn in whole.turns], whole.is_closed) == (ids, False)

    await store.clear(KEY, at=START)
    before = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert ([turn.id for turn in before.turns], before.is_closed) == (ids, True)
    after = await have_turn(store, 4)
    before = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert ([turn.id for turn in before.turns], before.is_closed) == (ids, True)
    await store.pass_over(before.turns)
    left = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    assert ([turn.id for turn in left.turns], left.is_closed) == ([after], False)
    await store.close()


async def a_task_is_of_the_session_that_was_cleared_with_it(open_store: OpenStore) -> None:
    """Until another one is put away."""
    store = open_store()
    await _turn_with_task(store, 1, TASK)
    await store.clear(KEY, at=START)
    assert (await store.unrecorded(KEY, through=ANYWHERE, limit=9)).task == TASK

    await _turn_with_task(store, 2, replace(TASK, goal="count storks"))
    assert (await store.unrecorded(KEY, through=ANYWHERE, limit=9)).task == TASK
    await store.clear(KEY, at=START, is_recalled=True)

    assert (await store.unrecorded(KEY, through=ANYWHERE, limit=9)).task is None
    await store.close()


async def the_newest_turns_are_those_that_nothing_covers(open_store: OpenStore) -> None:
    """The newest of many, without what was recorded, or cleared away."""
    store = open_store()
    ids = [await have_turn(store, number) for number in range(1, 6)]
    assert await _newest(store, 9) == ids
    assert await _newest(store, 2) == ids[-2:]
    assert await _newest(store, 9, key=THREAD) == []

    first = await store.unrecorded(KEY, through=ids[1], limit=9)
    await store.pass_over(first.turns)
    assert await _newest(store, 9) == ids[2:]
    middle = await store.unrecorded(KEY, through=ids[3], limit=9)
    await store.pass_over(middle.turns[1:])
    assert await _newest(store, 9) == ids[4:]

    await store.clear(KEY, at=START, opening=OPENED, is_recalled=True)
    assert await _newest(store, 9) == ids[4:]
    await store.clear(KEY, at=START)
    await store.close()
    store = open_store()
    assert await _newest(store, 9) == []
    assert await _newest(store, 9) == []
    later = await have_turn(store, 6)
    assert await _newest(store, 9) == [later]
    await store.close()


async def the_last_record_is_the_chat_s_own_that_was_not_cleared(open_store: OpenStore) -> None:
    """Else one of another thread of the same chat."""
    store = open_store()
    assert await store.last_episode(HERS, KEY) is None
    first, second = await _recorded(store, 1), await _recorded(store, 3)
    assert await store.last_episode(HERS, KEY) == second
    assert await store.last_episode(HERS, THREAD) == second
    stranger = replace(HERS, audience=replace(HERS.audience, chat="2002"))
    assert await store.last_episode(stranger, KEY) is None
    of_thread = await _recorded(store, 5, key=THREAD)
    assert await store.last_episode(HERS, KEY) == second
    assert await store.last_episode(HERS, THREAD) == of_thread

    await store.clear(KEY, at=START, opening=OPENED, is_recalled=True)
    assert await store.last_episode(HERS, KEY) == second
    await store.clear(KEY, at=START)
    await store.close()
    store = open_store()

    assert await store.last_episode(HERS, KEY) == of_thread
    later = await _recorded(store, 7)
    assert await store.last_episode(HERS, KEY) == later
    assert await store.last_episodes(HERS, limit=9) == (later, of_thread, second, first)
    await store.close()


async def no_session_opens_with_a_late_record_of_what_was_cleared(open_store: OpenStore) -> None:
    """Also where it opens with something else."""
    store = open_store()
    await have_turn(store, 1)
    await have_turn(store, 2)
    await store.clear(KEY, at=START)
    await store.clear(KEY, at=START, opening=OPENED, is_recalled=True)
    found = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    await store.ask_for_episodes(START, at=START, session_key=KEY)
    (job,) = (each for each in await store.due_jobs(START, limit=5) if each.kind == "episode")

    assert await store.land_episode(job, found.turns, ACCOUNT) is not None

    assert (await store.load(KEY)).cut.opening == OPENED
    await store.close()


async def a_clear_with_nothing_to_put_away_still_clears(open_store: OpenStore) -> None:
    """What a new session left behind is cleared too, and no later session brings it back."""
    store = open_store()
    await have_turn(store, 1)
    last = await have_turn(store, 2)
    await store.clear(KEY, at=START, is_recalled=True)
    assert (await store.load(KEY)).cut.recalled_from == 0

    await store.clear(KEY, at=START)
    assert (await store.load(KEY)).cut.recalled_from == last + 1
    await store.clear(KEY, at=START, is_recalled=True)
    assert (await store.load(KEY)).cut.recalled_from == last + 1
    await store.close()


async def nothing_lands_where_memory_was_switched_off(open_store: OpenStore) -> None:
    """In the chat, or everywhere; what was not kept is there to be read and recorded later."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2)]
    await store.ask_for_episodes(START, at=START)
    await store.ask_to_read()
    jobs = {job.kind: job for job in await store.due_jobs(LATER, limit=5)}
    found = await store.unrecorded(KEY, through=ANYWHERE, limit=9)
    unread = await store.unread(jobs["facts"], limit=9)
    fact = stated(turn_id=ids[0])

    for scope, value, is_off in ((KEY, "off", True), (KEY, "on", False), ("", "off", False)):
        await store.override("memory", f'"{value}"', scope=scope, by="admin", at=START)
        if is_off:
            await store.land_facts(jobs["facts"], unread, (fact,))
            assert await store.land_episode(jobs["episode"], found.turns, ACCOUNT) is None
            assert await store.facts_for(HERS) == ()
            assert await store.unread(jobs["facts"], limit=9) == unread
            assert len(await store.due_jobs(LATER, limit=5)) == 2
    await store.land_facts(jobs["facts"], unread, (fact,))
    assert len(await store.facts_for(HERS)) == 1
    await store.override("memory", None, scope=KEY, by="admin", at=START)
    assert await store.land_episode(jobs["episode"], found.turns, ACCOUNT) is None
    await store.override("memory", None, scope="", by="admin", at=START)
    assert await store.land_episode(jobs["episode"], found.turns, ACCOUNT) is not None
    await store.close()


async def turns_are_known_by_their_chats(open_store: OpenStore) -> None:
    """Those that are there."""
    store = open_store()
    first = await have_turn(store, 1)
    other = await begin(store, message(2, address=replace(HOME, thread="5")))

    known = await store.chats_of(frozenset({first, other.id, 99}))

    assert known == {first: KEY, other.id: THREAD}
    assert await store.chats_of(frozenset()) == {}
    await store.close()


async def _newest(store: Store, limit: int, key: SessionKey = KEY) -> list[TurnId]:
    return [turn.id for turn in (await store.last_unrecorded(key, limit=limit)).turns]


async def _turn_with_task(store: Store, number: int, task: TaskState) -> None:
    turn = await begin(store, message(number))
    await store.note_task(KEY, task, turn_id=turn.id, at=START)
    await store.finish_turn(turn.id, "answered", (), at=START)


async def _recorded(store: Store, number: int, key: SessionKey = KEY) -> Episode:
    """Have two turns and their record."""
    for each in (number, number + 1):
        said = message(each, address=HOME if key == KEY else replace(HOME, thread="5"))
        turn = await begin(store, said)
        await store.finish_turn(turn.id, "answered", (), at=START)
    await store.ask_for_episodes(START, at=START, session_key=key)
    jobs = await store.due_jobs(START, limit=9)
    (job,) = (each for each in jobs if (each.kind, each.session_key) == ("episode", key))
    found = await store.unrecorded(key, through=job.through, limit=9)
    episode = await store.land_episode(job, found.turns, ACCOUNT)
    assert episode is not None
    return episode


CLEARING: tuple[Check, ...] = (
    no_record_runs_across_a_clear,
    a_task_is_of_the_session_that_was_cleared_with_it,
    the_newest_turns_are_those_that_nothing_covers,
    the_last_record_is_the_chat_s_own_that_was_not_cleared,
    no_session_opens_with_a_late_record_of_what_was_cleared,
    a_clear_with_nothing_to_put_away_still_clears,
    nothing_lands_where_memory_was_switched_off,
    turns_are_known_by_their_chats,
)
