"""When the bot was there is kept; what a clock ahead has left is set right."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.core.attendance import LONGEST_BREAK, NEVER, OLDEST_RIGHT, Stretch
from bot.core.chat import Receipt
from bot.core.lifecycle import Received
from bot.core.schedule import LONGEST_LEAD
from bot.ports import Pairing
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    entry_of,
    message,
    saying,
)

HOUR = timedelta(hours=1)
YEAR = timedelta(days=365)
SECOND = timedelta(seconds=1)
EARLY = OLDEST_RIGHT - SECOND


async def it_is_known_when_the_bot_was_there(open_store: OpenStore) -> None:
    """Over a restart, a day without it, and a clock that was ahead for a while."""
    store = open_store()
    assert () == await store.stretches()
    first = Stretch(since=START, until=START + HOUR)
    assert (first,) == await store.attend(START, at=first.until)
    await store.close()
    store = open_store()

    back = first.until + LONGEST_BREAK + SECOND
    again = Stretch(since=back, until=back + HOUR)
    await store.attend(back, at=back)
    assert (first, again) == await store.attend(back, at=again.until)
    assert 3 == len(await store.attend(back + YEAR, at=back + YEAR))
    await store.close()
    store = open_store()

    assert 3 == len(await store.stretches())
    assert (first, again) == await store.attend(again.until, at=again.until)
    assert (first, again) == await store.stretches()
    await store.close()


async def before_it_was_noted_the_bot_was_there(open_store: OpenStore) -> None:
    """Until the newest moment of a schedule that it saw to: so it is after an update."""
    store = open_store()
    await store.claim_slot("rollover", START, at=START)
    await store.claim_slot("sessions", START + HOUR, at=START + HOUR)

    until = START + HOUR
    assert (Stretch(since=NEVER, until=until),) == await store.stretches()
    now = until + 2 * LONGEST_BREAK
    after = (Stretch(since=NEVER, until=until), Stretch(since=now, until=now))
    assert after == await store.attend(now, at=now)
    assert after == await store.stretches()
    await store.close()


async def what_a_clock_ahead_noted_is_of_now(open_store: OpenStore) -> None:
    """Once it is set back: silence, age and pauses count from then, and not from next year."""
    store = open_store()
    ahead = START + YEAR
    await store.attend(START, at=START)
    await _have_chat(store, ahead)
    assert () == await store.silent_since(ahead)

    await store.attend(ahead, at=ahead)
    assert () == await store.due_jobs(ahead, limit=9)
    await store.attend(START, at=START)

    assert START == (await store.pairings())[0].asked_at
    (job,) = await store.due_jobs(START, limit=9)
    entry = entry_of(1, moment=ahead)
    await store.remember(job, (entry,), is_done=True)
    await store.mark_written((entry,))
    assert () == await store.silent_since(START)
    (silent,) = await store.silent_since(START + SECOND)
    assert START == silent.heard_at
    assert 0 == await store.prune(START)
    assert 2 == await store.prune(START + SECOND)  # an event and a reply
    await store.close()


async def a_doubtful_clock_changes_nothing_before_it_is_believed(open_store: OpenStore) -> None:
    """One that shows less than was noted is wrong now, or was ahead then."""
    store = open_store()
    ahead = START + YEAR
    await store.attend(ahead, at=ahead)
    await _have_chat(store, ahead)
    known = (Stretch(since=ahead, until=ahead),)

    assert known == await store.attend(START, at=START, unproved_since=START)
    assert known == await store.stretches()
    assert ahead == (await store.pairings())[0].asked_at
    right = Stretch(since=START, until=START + HOUR)
    assert (right,) == await store.attend(START, at=right.until)
    assert right.until == (await store.pairings())[0].asked_at
    await store.close()


async def what_a_clock_behind_noted_is_of_when_it_was_set(open_store: OpenStore) -> None:
    """Over a restart; also of a chat that was known before."""
    store = open_store()
    first = START - YEAR
    for moment in (first, START):
        await store.attend(moment, at=moment)
    await _have_chat(store, START)
    behind = START - 5 * YEAR
    await store.attend(behind, at=behind, unproved_since=behind)
    await store.receive(
        (Received(inbound=message(2), route="turn"),), cursor=None, at=behind + SECOND
    )
    claim = await store.claim(HOME.session_key, at=behind + SECOND)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "answered", (), at=behind + SECOND)
    await store.close()
    store = open_store()

    assert START == (await store.stretches())[-1].until
    at = START + HOUR
    await store.attend(at, at=at, unproved_since=at)
    assert START == (await store.pairings())[0].asked_at
    (heard,) = await store.heard_since("telegram", START, limit=9)
    assert at == heard.heard_at
    assert 2 == await store.prune(at)  # what was before: an event and its reply
    assert 1 == await store.prune(at + SECOND)
    await store.close()


async def no_clock_is_believed_that_is_older_than_the_bot(open_store: OpenStore) -> None:
    """Whatever is known: there is nothing yet that it could be compared with."""
    store = open_store()
    assert () == await store.attend(EARLY, at=EARLY, unproved_since=EARLY)
    await store.receive((Received(inbound=message(1), route="none"),), cursor=None, at=EARLY)
    assert () == await store.stretches()

    first = Stretch(since=START, until=START)
    assert (first,) == await store.attend(START, at=START, unproved_since=START)
    assert 0 == await store.prune(START)
    assert 1 == await store.prune(START + SECOND)
    await store.close()


async def a_clock_that_is_a_little_off_changes_nothing(open_store: OpenStore) -> None:
    """Nor does one that is right."""
    store = open_store()
    ahead = START + LONGEST_LEAD
    await store.attend(START, at=START)
    await _have_chat(store, ahead)
    await store.attend(ahead, at=ahead)
    for moment in (START, START + SECOND):
        await store.attend(moment, at=moment)

    assert ahead == (await store.pairings())[0].asked_at
    assert 0 == await store.prune(ahead)
    assert () == await store.due_jobs(START, limit=9)
    await store.close()


async def _have_chat(store: Store, at: datetime) -> None:
    """Have a chat of one turn, its reply sent; work on its memory that waits; who wants in."""
    heard = Received(inbound=message(1), route="turn")
    await store.receive((heard,), cursor=None, at=at)
    claim = await store.claim(HOME.session_key, at=at)
    assert claim is not None
    (item,) = await store.finish_turn(claim.turn.id, "answered", (saying("Yes."),), at=at)
    await store.mark_sent(item.id, Receipt(message_id="2"), at=at)
    await store.ask_to_remember(at + SECOND, at=at)
    (job,) = await store.due_jobs(at, limit=9)
    await store.postpone(job.id, due_at=at + HOUR, reason="no answer")
    await store.ask_for(
        Pairing(person_key=ANN.person_key, code="1", name="Ann", address=ELSEWHERE, asked_at=at),
        since=NEVER,
    )


ATTENDING: tuple[Check, ...] = (
    it_is_known_when_the_bot_was_there,
    before_it_was_noted_the_bot_was_there,
    what_a_clock_ahead_noted_is_of_now,
    a_doubtful_clock_changes_nothing_before_it_is_believed,
    what_a_clock_behind_noted_is_of_when_it_was_set,
    no_clock_is_believed_that_is_older_than_the_bot,
    a_clock_that_is_a_little_off_changes_nothing,
)
