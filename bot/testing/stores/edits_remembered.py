"""Changed messages of turns that were summarised, that daily files have, or facts stand on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.memory.audience import Viewer
from bot.core.turns import TurnId
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.core.window.notes import DELETED
from bot.testing.clock import START
from bot.testing.stores.edits import LATER, change, deletion_of, edit_of
from bot.testing.stores.facts import DAY, PRIVATE, stated
from bot.testing.stores.given import (
    ANN,
    HOME,
    TRIMMED,
    Check,
    OpenStore,
    Store,
    begin,
    entry_of,
    have_turn,
    hear,
    message,
)

HERS = Viewer(audience=PRIVATE, person_key=ANN.person_key)


async def summed_up(store: Store, *points: KeyPoints, through: int) -> Cut:
    """Have the turns through one left, and a summary stand for them."""
    cut = Cut(kept_from=TurnId(through + 1), turns_left=through, digest="[a digest]")
    generation = (await store.load(HOME.session_key)).generation
    await store.save_cut(HOME.session_key, cut, generation=generation, at=START, compaction=TRIMMED)
    (job,) = await store.due_jobs(START, limit=5)
    summary = Summary(
        generation=generation,
        through=TurnId(through),
        overview="They spoke of old times.",
        key_points=points,
        pinned=("ORDER-4711", "name: Ann"),
        made_at=START,
    )
    turns = await store.turns_between(HOME.session_key, 1, through)
    entries = tuple(entry_of(turn.id) for turn in turns)
    assert await store.land_summary(job, summary, entries, cut=cut, digest="")
    return (await store.load(HOME.session_key)).cut


async def said(store: Store, *texts: str) -> None:
    """Go through a turn for each text."""
    for number, text in enumerate(texts, 1):
        turn = await begin(store, message(number, text))
        await store.finish_turn(turn.id, "answered", (), at=START)


async def a_summary_is_corrected(open_store: OpenStore) -> None:
    """With a date, in its own turn's points or beside them; the job stays done."""
    store = open_store()
    await said(store, "at three", "about ORDER-4711", "and now?")
    noted = KeyPoints(turn_id=TurnId(2), information=("about ORDER-4711",))
    cut = await summed_up(store, noted, through=2)

    await change(store, edit_of(message(1), "at four"))
    await change(store, edit_of(message(2), "about ORDER-5000"))

    conversation = await store.load(HOME.session_key)
    assert conversation.summary is not None
    assert conversation.cut.summary_version == conversation.summary.version > cut.summary_version
    second, first = conversation.summary.key_points
    day = f"changed on {LATER:%Y-%m-%d}: "
    assert first.information == (f"{day}“at three” now reads “at four”",)
    assert second.information == (
        "about ORDER-4711",
        f"{day}“about ORDER-4711” now reads “about ORDER-5000”",
    )
    assert conversation.summary.pinned == ("name: Ann", "ORDER-5000")
    assert await store.due_jobs(LATER, limit=5) == ()
    await store.close()


async def a_deletion_leaves_nothing_in_a_summary(open_store: OpenStore) -> None:
    """Of a turn that is noted by itself it goes; of the overview nothing is kept."""
    store = open_store()
    await said(store, "an old secret", "about ORDER-4711", "and now?")
    noted = KeyPoints(turn_id=TurnId(2), information=("about ORDER-4711",))
    await summed_up(store, noted, through=2)

    await change(store, deletion_of(message(2)))

    conversation = await store.load(HOME.session_key)
    assert conversation.summary is not None
    assert "ORDER-4711" not in str(conversation)
    assert conversation.summary.overview == "They spoke of old times."

    await change(store, deletion_of(message(1)))

    conversation = await store.load(HOME.session_key)
    assert conversation.summary is None
    assert conversation.cut.digest
    assert "secret" not in str(conversation)
    (job,) = await store.due_jobs(LATER, limit=5)
    assert (job.kind, job.through) == ("summary", 2)
    await store.close()


async def a_digest_follows(open_store: OpenStore) -> None:
    """Also the one that an undo would bring back."""
    store = open_store()
    await said(store, "an old secret", "at three", "and now?")
    left = Cut(kept_from=TurnId(3), turns_left=2, digest="asked: an old secret; at three")
    for cut in (left, replace(left, kept_from=TurnId(4), turns_left=3)):
        await store.save_cut(HOME.session_key, cut, generation=0, at=START, compaction=TRIMMED)

    await change(store, edit_of(message(2), "at four"))
    await change(store, deletion_of(message(1)))

    for _ in range(2):
        conversation = await store.load(HOME.session_key)
        assert "at four" in conversation.cut.digest
        assert "at three" not in str(conversation)
        assert "secret" not in str(conversation)
        await store.undo(HOME.session_key, at=LATER)
    await store.close()


async def what_was_read_before_is_refused(open_store: OpenStore) -> None:
    """A cut, a summary, a note for the file: whoever made them begins anew."""
    store = open_store()
    await said(store, "an old secret", "and now?")
    cut = Cut(kept_from=TurnId(2), turns_left=1, digest="asked: an old secret")
    await store.save_cut(HOME.session_key, cut, generation=0, at=START, compaction=TRIMMED)
    (job,) = await store.due_jobs(START, limit=5)
    summary = Summary(
        generation=0,
        through=TurnId(1),
        overview="an old secret",
        key_points=(),
        pinned=(),
        made_at=START,
    )

    await change(store, deletion_of(message(1)))

    now = (await store.load(HOME.session_key)).cut
    assert not await store.save_cut(HOME.session_key, cut, generation=0, at=LATER)
    assert not await store.land_summary(job, summary, (entry_of(1),), cut=now, digest="")
    assert await store.unwritten(limit=5) == ()
    assert (await store.due_jobs(LATER, limit=5))[0].through == 1
    assert "secret" not in str(await store.load(HOME.session_key))
    await store.close()


async def the_daily_file_is_told(open_store: OpenStore) -> None:
    """Of an edit by a dated line, of a deletion by what takes the place of all it has."""
    store = open_store()
    turn_id = await have_turn(store, 1)
    await store.ask_to_remember(LATER, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    await store.remember(job, (entry_of(turn_id, "- 09:00 known: a secret"),), is_done=True)

    await change(store, edit_of(message(1), "hidden"))

    (entry,) = await store.unwritten(limit=5)
    first, line = entry.text.split("\n")
    assert first == "- 09:00 known: a secret"
    assert line.endswith("“message 1” now reads “hidden”")
    assert (entry.moment, entry.revision) == (START, 1)

    await store.mark_written((entry_of(turn_id, "- 09:00 known: a secret"),))
    assert await store.unwritten(limit=5) == (entry,)
    await store.mark_written((entry,))
    assert await store.unwritten(limit=5) == ()

    await change(store, edit_of(message(1), "open", LATER + timedelta(minutes=1)))
    (addition,) = await store.unwritten(limit=5)
    assert addition.text.endswith("“hidden” now reads “open”")
    assert addition.revision == 0
    assert addition.moment > entry.moment

    await change(store, deletion_of(message(1)))
    (instead,) = await store.unwritten(limit=5)
    assert (instead.revision, instead.moment, instead.day) == (3, START, entry.day)
    assert DELETED in instead.text
    assert "secret" not in instead.text
    assert "open" not in instead.text
    await store.close()


async def a_fact_is_no_younger_than_what_is_left_of_it(open_store: OpenStore) -> None:
    """Neither confirmed by words that were taken back, nor older than those that were not."""
    store = open_store()
    ids: list[TurnId] = []
    for number in range(1, 4):
        await hear(store, message(number))
        claim = await store.claim(HOME.session_key, at=START + 10 * number * DAY)
        assert claim is not None
        await store.finish_turn(claim.turn.id, "answered", (), at=START)
        ids.append(claim.turn.id)
        await store.keep_facts((stated(day=10 * number, turn_id=claim.turn.id),))

    await change(store, deletion_of(message(3)))
    (fact,) = await store.facts_for(HERS)
    assert (fact.valid_from, fact.confirmed_at) == (START + 10 * DAY, START + 20 * DAY)
    await change(store, deletion_of(message(1)))
    (fact,) = await store.facts_for(HERS)
    assert (fact.valid_from, fact.confirmed_at) == (START + 20 * DAY, START + 20 * DAY)
    assert (fact.turn_id, fact.said_again) == (ids[1], ())
    await store.close()


EDITS_REMEMBERED: tuple[Check, ...] = (
    a_summary_is_corrected,
    a_deletion_leaves_nothing_in_a_summary,
    a_digest_follows,
    what_was_read_before_is_refused,
    the_daily_file_is_told,
    a_fact_is_no_younger_than_what_is_left_of_it,
)
