"""What left a window is summarised and remembered: each turn once, whatever comes between."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import Sender
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import JobId, MemoryJob
from bot.core.turns import TurnId
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    TRIMMED,
    Check,
    OpenStore,
    Store,
    begin,
    entry_of,
    have_turn,
    message,
)

KEY = HOME.session_key
LATER = START + timedelta(days=1)


async def what_left_asks_for_its_summary(open_store: OpenStore) -> None:
    """Once a chat, with whose account it is on; a clear takes the wish away."""
    store = open_store()
    assert await store.next_due() is None
    ids, job = await _trimmed(store)

    assert (job.kind, job.session_key, job.through) == ("summary", KEY, ids[1])
    assert (job.generation, job.attempts, job.due_at) == (0, 0, START)
    assert job.audience == audience_of(KEY, "private")
    assert job.person_key == message(1).sender.person_key
    assert await store.next_due() == START

    await store.postpone(job.id, due_at=LATER, reason="nonsense")
    assert await store.due_jobs(START, limit=5) == ()
    (later,) = await store.due_jobs(LATER, limit=5)
    assert (later.id, later.attempts) == (job.id, 1)

    await _trim(store, ids[3])
    (wider,) = await store.due_jobs(START, limit=5)
    assert (wider.id, wider.through, wider.attempts) == (job.id, ids[2], 0)

    await store.clear(KEY, at=START)
    assert await store.next_due() is None
    await store.close()


async def nothing_left_asks_for_nothing(open_store: OpenStore) -> None:
    """Neither a cut that only makes turns shorter nor one behind which all is cleared."""
    store = open_store()
    ids, _ = await _trimmed(store)
    await store.save_cut(
        KEY,
        Cut(kept_from=ids[3], cleared_before=ids[3]),
        generation=0,
        at=START,
        compaction=TRIMMED,
    )
    assert await store.next_due() is None

    shorter = Cut(kept_from=ids[3], cleared_before=ids[3], text_through=ids[3])
    await store.save_cut(KEY, shorter, generation=0, at=START, compaction=TRIMMED)
    assert await store.next_due() is None
    await store.close()


async def a_summary_lands_on_the_cut_it_was_made_for(open_store: OpenStore) -> None:
    """With its entries, each turn once, whatever becomes of the summary."""
    store = open_store()
    ids, job = await _trimmed(store)
    cut = (await store.load(KEY)).cut
    entries = (entry_of(ids[0]), entry_of(ids[1]))

    moved = Cut(kept_from=ids[3])
    assert not await store.land_summary(job, _summary(ids[1]), entries, cut=moved, digest="")
    assert not await store.land_summary(job, _summary(ids[1], 7), entries, cut=cut, digest="")
    assert await store.due_jobs(START, limit=5) == (job,)
    assert await store.land_summary(
        job, _summary(ids[1]), (entry_of(ids[0], "- another"),), cut=cut, digest=""
    )
    await store.close()
    store = open_store()

    shown = await store.load(KEY)
    assert shown.summary is not None
    version = shown.cut.summary_version
    assert shown.summary == replace(_summary(ids[1]), version=version)
    assert shown.cut == replace(cut, summary_version=version, digest="")
    assert shown.former == Cut()
    assert await store.unwritten(limit=9) == entries
    assert await store.next_due() is None
    await store.close()


async def a_summary_of_a_part_leaves_the_rest_to_do(open_store: OpenStore) -> None:
    """At once, as if nothing had failed before; the next version takes the place of the first."""
    store = open_store()
    ids, job = await _trimmed(store)
    await store.postpone(job.id, due_at=START, reason="too long")
    cut = (await store.load(KEY)).cut
    assert await store.land_summary(job, _summary(ids[0]), (), cut=cut, digest="[rest]")

    first = await store.load(KEY)
    assert first.summary is not None
    assert first.cut.digest == "[rest]"
    (rest,) = await store.due_jobs(START, limit=5)
    assert (rest.kind, rest.through, rest.attempts) == ("summary", ids[1], 0)

    assert await store.land_summary(rest, _summary(ids[1]), (), cut=first.cut, digest="")

    second = await store.load(KEY)
    assert second.summary is not None
    assert second.summary.version > first.summary.version
    assert await store.next_due() is None
    await store.close()


async def a_summary_of_before_a_clear_never_lands(open_store: OpenStore) -> None:
    """Nor does it end the work that was asked for since; its entries are kept."""
    store = open_store()
    ids, job = await _trimmed(store)
    cut = (await store.load(KEY)).cut
    await store.clear(KEY, at=START)
    await store.undo(KEY, at=START)
    (asked,) = await store.due_jobs(START, limit=5)

    late = await store.land_summary(job, _summary(ids[1]), (entry_of(ids[0]),), cut=cut, digest="")

    assert not late
    assert (await store.load(KEY)).summary is None
    assert await store.unwritten(limit=9) == (entry_of(ids[0]),)
    assert await store.due_jobs(START, limit=5) == (asked,)
    assert (asked.generation, asked.through) == (2, ids[1])
    await store.close()


async def an_undo_brings_the_former_summary_back(open_store: OpenStore) -> None:
    """Its text is still there; what it does not cover asks for a summary again."""
    store = open_store()
    ids, job = await _trimmed(store)
    cut = (await store.load(KEY)).cut
    await store.land_summary(job, _summary(ids[1]), (), cut=cut, digest="")
    landed = await store.load(KEY)
    more = replace(landed.cut, kept_from=ids[3], digest="[more]")
    await store.save_cut(KEY, more, generation=0, at=START, compaction=TRIMMED)
    (job,) = await store.due_jobs(START, limit=5)
    await store.land_summary(job, _summary(ids[2]), (), cut=more, digest="")

    assert await store.undo(KEY, at=START)

    back = await store.load(KEY)
    assert (back.cut, back.summary) == (landed.cut, landed.summary)
    assert await store.next_due() is None

    await store.clear(KEY, at=START)
    assert (await store.load(KEY)).summary is None
    await store.undo(KEY, at=START)
    assert (await store.load(KEY)).summary == landed.summary
    await store.close()


async def unremembered_turns_are_asked_for_until_they_have_entries(open_store: OpenStore) -> None:
    """By the day, or of one chat; cleared ones too, open ones never."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2)]
    await store.clear(KEY, at=START)
    await begin(store, message(3))

    assert await store.ask_to_remember(START, at=LATER) == 0
    assert await store.ask_to_remember(LATER, at=LATER, session_key="nobody:a:b:") == 0
    assert await store.ask_to_remember(LATER, at=LATER) == 1
    assert await store.ask_to_remember(LATER, at=START, session_key=KEY) == 1
    (job,) = await store.due_jobs(START, limit=5)
    assert (job.kind, job.through) == ("remember", ids[1])
    assert [turn.id for turn in await store.unremembered(job, limit=1)] == ids[:1]

    await store.remember(job, (entry_of(ids[0]),), is_done=False)
    assert [turn.id for turn in await store.unremembered(job, limit=9)] == ids[1:]
    await store.remember(job, (entry_of(ids[1]),), is_done=True)

    assert await store.next_due() is None
    assert await store.ask_to_remember(LATER, at=LATER) == 0
    await store.close()


async def work_that_grew_is_not_done(open_store: OpenStore) -> None:
    """What was added to a job while it was carried out is still to do."""
    store = open_store()
    first = await have_turn(store, 1)
    await store.ask_to_remember(LATER, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    second = await have_turn(store, 2)
    await store.ask_to_remember(LATER, at=START)

    await store.remember(job, (entry_of(first),), is_done=True)

    (rest,) = await store.due_jobs(START, limit=5)
    assert (rest.id, rest.through) == (job.id, second)
    await store.close()


async def both_kinds_wait_beside_each_other(open_store: OpenStore) -> None:
    """Who waits longest is first; of a job that is gone nothing is heard."""
    store = open_store()
    _, summary = await _trimmed(store)
    await begin(store, message(1, address=ELSEWHERE))
    await store.ask_to_remember(LATER, at=START)
    (_, remember) = await store.due_jobs(START, limit=5)
    assert (remember.kind, remember.session_key) == ("remember", KEY)
    await store.postpone(summary.id, due_at=LATER, reason="busy")
    assert await store.due_jobs(LATER, limit=1) == (remember,)
    assert await store.next_due() == START

    for job in (remember, summary):
        await store.drop(job.id)
    await store.drop(summary.id)
    await store.postpone(JobId(99), due_at=START, reason="gone")
    assert await store.next_due() is None
    await store.close()


async def an_entry_waits_until_its_file_has_it(open_store: OpenStore) -> None:
    """Then it is never asked for nor kept again."""
    store = open_store()
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    await store.ask_to_remember(LATER, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    entries = tuple(map(entry_of, ids))
    await store.remember(job, entries[1:], is_done=False)
    await store.remember(job, entries[:1], is_done=True)
    await store.close()
    store = open_store()

    assert await store.unwritten(limit=2) == entries[:2]
    assert await store.unwritten(limit=2, after=ids[0]) == entries[1:]
    await store.mark_written((entries[0], entries[2]))
    assert await store.unwritten(limit=9) == (entries[1],)

    await store.remember(job, (entry_of(ids[0], "again"), entry_of(99)), is_done=True)
    assert await store.unwritten(limit=9) == (entries[1],)
    assert await store.ask_to_remember(LATER, at=START) == 0
    await store.close()


async def a_turn_that_is_tried_again_is_noted_again(open_store: OpenStore) -> None:
    """What was noted of its failure stays, or gives way; what comes late of it is not kept."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.finish_turn(turn.id, "failed", (), at=START)
    await store.ask_to_remember(LATER, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    failed = entry_of(turn.id, "- no answer")
    await store.remember(job, (failed,), is_done=True)

    again = START + timedelta(hours=1)
    claim = await store.reopen(KEY, at=again)
    assert claim is not None
    assert claim.turn.started_at == again
    answered = entry_of(turn.id, "- yes", moment=again)
    await store.remember(job, (answered,), is_done=False)  # it is open still
    assert await store.unwritten(limit=9) == (failed,)
    await store.finish_turn(turn.id, "answered", (), at=again)

    assert await store.ask_to_remember(LATER, at=again) == 1
    (job,) = await store.due_jobs(again, limit=5)
    await store.remember(job, (failed,), is_done=False)
    assert [each.started_at for each in await store.unremembered(job, limit=5)] == [again]
    await store.remember(job, (answered,), is_done=True)
    assert await store.unwritten(limit=9) == (answered,)
    await store.mark_written((failed,))
    assert await store.unwritten(limit=9) == (answered,)
    await store.mark_written((answered,))
    assert await store.unwritten(limit=9) == ()
    await store.close()


async def who_wrote_last_is_asked_for_the_account(open_store: OpenStore) -> None:
    """And the chat is what it was when they wrote."""
    store = open_store()
    await have_turn(store, 1)
    bo = Sender(channel="telegram", user_id="1002", name="Bo")
    await begin(store, replace(message(2), sender=bo, kind="group"))
    await store.ask_to_remember(LATER, at=START)

    (job,) = await store.due_jobs(START, limit=5)

    assert (job.person_key, job.audience) == (bo.person_key, audience_of(KEY, "group"))
    await store.close()


async def _trimmed(store: Store) -> tuple[list[TurnId], MemoryJob]:
    """Have four turns of which two left; gives all their ids and the job of the summary."""
    ids = [await have_turn(store, number) for number in (1, 2, 3, 4)]
    await _trim(store, ids[2])
    (job,) = await store.due_jobs(START, limit=5)
    return ids, job


async def _trim(store: Store, kept_from: TurnId) -> None:
    cut = Cut(kept_from=kept_from, digest="[short]", turns_left=2)
    await store.save_cut(KEY, cut, generation=0, at=START, compaction=TRIMMED)


def _summary(through: int, generation: int = 0) -> Summary:
    points = KeyPoints(
        turn_id=TurnId(through),
        decisions=("yes",),
        information=("n = 3", "你好"),
        actions=("went",),
        open_questions=("when?",),
    )
    return Summary(
        generation=generation,
        through=TurnId(through),
        overview="They said much.",
        key_points=(points,),
        pinned=("ORDER-4711",),
        made_at=START,
    )


REMEMBERING: tuple[Check, ...] = (
    what_left_asks_for_its_summary,
    nothing_left_asks_for_nothing,
    a_summary_lands_on_the_cut_it_was_made_for,
    a_summary_of_a_part_leaves_the_rest_to_do,
    a_summary_of_before_a_clear_never_lands,
    an_undo_brings_the_former_summary_back,
    unremembered_turns_are_asked_for_until_they_have_entries,
    work_that_grew_is_not_done,
    both_kinds_wait_beside_each_other,
    an_entry_waits_until_its_file_has_it,
    a_turn_that_is_tried_again_is_noted_again,
    who_wrote_last_is_asked_for_the_account,
)
