"""What somebody wants forgotten goes with all that was made of it, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import ChatAddress, InboundEdit, InboundMessage, PersonKey, Sender
from bot.core.lifecycle import Received
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.blanking import FORGOTTEN
from bot.core.memory.facts import FactId, NewFact
from bot.core.memory.forgetting import (
    VALID_FOR,
    Forgetting,
    Gone,
    Meant,
    NewForgetting,
    ReceiptPlace,
    Removed,
    TurnPart,
    Wish,
)
from bot.core.memory.pieces import turn_ref
from bot.core.messages import assistant_text
from bot.core.tasks import TaskState
from bot.core.turns import Step, Turn, TurnId
from bot.core.window.conversation import Cut
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    HOME,
    TRIMMED,
    Check,
    OpenStore,
    Store,
    begin,
    have_turn,
    message,
    model_call,
    saying,
)

BOB = Sender(channel="telegram", user_id="1002", name="Bob")
GROUP = ChatAddress(channel="telegram", account="77", chat="-5")
HERS = Viewer(audience=audience_of(HOME.session_key, "private"), person_key=ANN.person_key)
IN_GROUP = Viewer(audience=audience_of(GROUP.session_key, "group"), person_key=ANN.person_key)
ALL = Wish(kind="all")
PLACE = ReceiptPlace(address=HOME)
TOKEN = "0a1b"  # noqa: S105 - of a proposal


async def confirmed(store: Store, wish: Wish, viewer: Viewer = HERS) -> tuple[Forgetting, Meant]:
    """Propose a wish and confirm it; gives what is to be done, and all that it means."""
    found = await store.meant_turns(wish, viewer, after=0)
    meant = Meant(
        parts=found.parts,
        facts=await store.meant_facts(wish, viewer, found.parts),
        episodes=await store.meant_episodes(wish, viewer),
    )
    new = NewForgetting(wish=wish, viewer=viewer, token=TOKEN, asked_at=START, meant=meant)
    await store.keep_proposal(new)
    work = await store.confirm_forgetting(TOKEN, viewer, PLACE, at=START)
    assert work is not None
    return work, meant


async def carried_out(store: Store, wish: Wish, viewer: Viewer = HERS) -> Forgetting:
    """Have a wish carried out; gives it with what was removed."""
    work, meant = await confirmed(store, wish, viewer)
    await store.remove_turns(work, meant.parts, at=START)
    await store.remove_rest(work, meant, at=START)
    (work,) = await store.confirmed_forgettings()
    return work


def in_group(number: int, text: str, sender: Sender = ANN) -> InboundMessage:
    """Write a message into the group."""
    told = message(number, text, address=GROUP)
    return replace(told, kind="group", sender=sender)


async def have_group_turn(store: Store, *messages: InboundMessage, reply: str = "Noted.") -> TurnId:
    """Go through a turn of the group."""
    turn = await begin(store, *messages)
    step = Step(answer=assistant_text(reply), stop="end_turn")
    await store.record_step(turn.id, 0, step, model_call(GROUP.session_key))
    await store.finish_turn(turn.id, "answered", (), at=START)
    return turn.id


async def turns_of(store: Store, address: ChatAddress = HOME) -> tuple[Turn, ...]:
    """Give all ended turns of a chat."""
    return await store.turns_between(address.session_key, 0, 2**62)


def told(text: str, turn_id: TurnId | None = None, *, key: str = "city") -> NewFact:
    """Make a statement of Ann's at home."""
    return NewFact(
        person_key=ANN.person_key,
        audience=HERS.audience,
        topic="other",
        key=key,
        text=text,
        origin="extracted" if turn_id else "told",
        confidence=1.0,
        at=START,
        turn_id=turn_id,
    )


async def words_go_with_their_turns(open_store: OpenStore) -> None:
    """Ids, times and outcomes stay; another turn stays as it is."""
    store = open_store()
    first, second = await have_turn(store, 1), await have_turn(store, 2)

    work = await carried_out(store, Wish(kind="words", text="MESSAGE  1"))
    await store.close()
    store = open_store()
    blank, kept = await turns_of(store)

    assert (first, second) == (blank.id, kept.id)
    assert FORGOTTEN == blank.request.text
    assert () == blank.steps
    assert ("answered", START) == (blank.outcome, blank.started_at)
    assert "message 2" == kept.request.text
    assert 1 == work.removed.turns
    assert 1 == (await store.kept_in(work.new.viewer)).turns
    await store.close()


async def all_that_was_read_out_of_a_turn_goes(open_store: OpenStore) -> None:
    """Facts with all their versions where they are meant, those of the turn where it is."""
    store = open_store()
    first, second = await have_turn(store, 1), await have_turn(store, 2)
    later = replace(told("Lives in Porto.", second), at=START + timedelta(minutes=1))
    await store.keep_facts((told("Lives in Lisbon.", first), later, told("Is tall.", key="size")))

    await carried_out(store, Wish(kind="turn", text=str(first)))
    kept = await store.facts_for(HERS)
    assert {"Lives in Porto.", "Is tall."} == {fact.text for fact in kept}
    porto = next(fact for fact in kept if fact.text == "Lives in Porto.")
    assert 1 == len(await store.history_of(porto.id, HERS))
    await store.finish_forgetting((await store.confirmed_forgettings())[0].id, (), at=START)

    await carried_out(store, Wish(kind="words", text="porto"))
    assert ("Is tall.",) == tuple(fact.text for fact in await store.facts_for(HERS))
    await store.close()


async def what_stands_for_turns_that_left_says_nothing_of_them(open_store: OpenStore) -> None:
    """Neither what is shown nor what an undo would bring back; a summary is asked for anew."""
    store, key = open_store(), HOME.session_key
    ids = [await have_turn(store, number) for number in (1, 2, 3)]
    cut = Cut(kept_from=ids[2], digest="[Note: message 1 was said.]", turns_left=2)
    await store.save_cut(key, cut, generation=0, at=START, compaction=TRIMMED)
    both = Cut(kept_from=TurnId(ids[2] + 1), digest="[Note: message 1 was said.]", turns_left=3)
    await store.save_cut(key, both, generation=0, at=START, compaction=TRIMMED)
    task = TaskState(goal="answer message 1")
    await store.note_task(key, task, turn_id=ids[2], at=START)

    await carried_out(store, Wish(kind="words", text="message 1"))
    now = await store.load(key)
    assert now.generation > 0
    assert "message 1" not in now.cut.digest
    assert "message 2" in now.cut.digest
    assert now.former is not None
    assert "message 1" not in now.former.digest
    assert await store.task_of(key) is None
    assert ["summary"] == [job.kind for job in await store.due_jobs(START, limit=9)]
    assert await store.undo(key, at=START)
    assert "message 1" not in (await store.load(key)).cut.digest
    await store.close()


async def undelivered_words_go(open_store: OpenStore) -> None:
    """What was kept for another try goes too, and no later edit brings anything back."""
    store = open_store()
    turn = await begin(store, message(1, "my secret garden"))
    (item,) = await store.finish_turn(turn.id, "failed", (saying("no garden"),), at=START)
    await store.mark_failed(item.id, "blocked", at=START)

    await carried_out(store, Wish(kind="words", text="garden"))
    edit = InboundEdit(event_id="edit:1", message=message(1, "my secret garden!"), edited_at=START)
    await store.receive((Received(inbound=edit, route="turn"),), cursor=None, at=START)

    assert () == await store.failed(HOME.session_key)
    assert await store.reopen(HOME.session_key, at=START) is None
    assert (FORGOTTEN,) == tuple(each.request.text for each in await turns_of(store))
    await store.close()


async def of_a_group_only_ones_own_words_go(open_store: OpenStore) -> None:
    """With the reply to them; what others said stays, and a turn without anything of theirs."""
    store = open_store()
    both = await have_group_turn(
        store, in_group(1, "I keep bees"), in_group(2, "I keep cats", BOB), reply="Bees and cats!"
    )
    other = await have_group_turn(store, in_group(3, "Cats are better", BOB))

    work = await carried_out(store, ALL, IN_GROUP)
    mixed, bobs = await turns_of(store, GROUP)

    assert (both, other) == (mixed.id, bobs.id)
    assert "bees" not in mixed.request.text
    assert "Bob#1002: I keep cats" in mixed.request.text
    assert () == mixed.steps
    assert "Noted." == bobs.reply
    assert 1 == work.removed.turns
    await store.close()


async def who_speaks_for_a_group_has_all_of_it_forgotten(open_store: OpenStore) -> None:
    """And in private one has what one said in groups forgotten, but not what others did."""
    store = open_store()
    await have_group_turn(store, in_group(1, "I keep bees"))
    await have_group_turn(store, in_group(2, "I keep cats", BOB))

    found = await store.meant_turns(replace(ALL, of_everyone=True), IN_GROUP, after=0)
    assert 2 == len(found.parts)
    found = await store.meant_turns(ALL, HERS, after=0)
    assert 1 == len(found.parts)
    theirs = replace(HERS, person_key=PersonKey("telegram::9"))
    assert () == (await store.meant_turns(ALL, theirs, after=0)).parts
    await store.close()


async def a_turn_that_runs_is_left_until_it_ended(open_store: OpenStore) -> None:
    """Its chat is named; then it goes like any other, and counts once however often it is done."""
    store = open_store()
    turn = await begin(store, message(1))
    work, meant = await confirmed(store, ALL)
    assert (TurnPart(turn_id=turn.id, head="message 1"),) == meant.parts

    removed = await store.remove_turns(work, meant.parts, at=START)
    assert frozenset({HOME.session_key}) == removed.open_in
    await store.finish_turn(turn.id, "answered", (saying("done"),), at=START)
    for _ in range(2):
        removed = await store.remove_turns(work, meant.parts, at=START)
    (work,) = await store.confirmed_forgettings()

    assert frozenset() == removed.open_in
    assert frozenset({HOME.session_key}) == removed.sessions
    assert (FORGOTTEN,) == tuple(each.request.text for each in await turns_of(store))
    assert 1 == work.removed.turns
    await store.close()


async def only_who_was_asked_may_confirm_and_for_a_day(open_store: OpenStore) -> None:
    """Once confirmed it is done however long that takes, over a restart; then nothing is left."""
    store = open_store()
    new = NewForgetting(wish=ALL, viewer=HERS, token=TOKEN, asked_at=START, meant=Meant())
    await store.keep_proposal(new)
    other = replace(HERS, person_key=PersonKey("telegram::1002"))

    assert await store.confirm_forgetting(TOKEN, other, PLACE, at=START) is None
    assert await store.confirm_forgetting("t2", HERS, PLACE, at=START) is None
    assert await store.confirm_forgetting(TOKEN, HERS, PLACE, at=START + VALID_FOR) is None
    assert () == await store.confirmed_forgettings()
    work = await store.confirm_forgetting(TOKEN, HERS, PLACE, at=START)
    assert work == await store.confirm_forgetting(TOKEN, HERS, PLACE, at=START + VALID_FOR)
    assert not await store.cancel_forgetting(TOKEN, HERS)
    await store.close()
    store = open_store()
    (found,) = await store.confirmed_forgettings()
    assert work == found

    items = await store.finish_forgetting(found.id, (saying("Forgotten."),), at=START)
    assert ["Forgotten."] == [item.reply.text for item in items]
    assert () == await store.finish_forgetting(found.id, (saying("Forgotten."),), at=START)
    assert () == await store.confirmed_forgettings()
    await store.keep_proposal(new)
    assert await store.cancel_forgetting(TOKEN, HERS)
    assert not await store.cancel_forgetting(TOKEN, HERS)
    await store.close()


async def all_that_is_gone_is_known_until_it_is_proved(open_store: OpenStore) -> None:
    """Over a restart: the words of facts, whose files had them, and what says them again."""
    store = open_store()
    fact = replace(told("Has epilepsy.", key="health"), audience=IN_GROUP.audience)
    await store.keep_facts((fact,))
    await have_group_turn(store, in_group(1, "I keep bees"), in_group(2, "and I cats", BOB))
    work, meant = await confirmed(store, ALL)
    (kept,) = meant.facts
    assert meant.facts == await store.words_of((kept.id, FactId(99)))
    standing = await store.standing(meant)
    turn_ids = frozenset(part.turn_id for part in meant.parts)
    assert (frozenset({IN_GROUP.audience}), turn_ids) == (standing.groups, standing.turn_ids)
    running = await begin(store, in_group(3, "what of it?", BOB))

    await store.remove_turns(work, meant.parts, at=START)
    removed = await store.remove_rest(work, meant, at=START)
    assert frozenset({GROUP.session_key}) == removed.open_in
    step = Step(answer=assistant_text("She HAS epilepsy, I hear."), stop="end_turn")
    await store.record_step(running.id, 0, step, model_call(GROUP.session_key))
    await store.close()
    store = open_store()
    gone = await store.gone_by(work.id)

    assert ("Has epilepsy.",) == gone.lines
    assert "Has epilepsy." in gone.needles
    assert frozenset({IN_GROUP.audience}) == gone.groups
    assert frozenset({running.id}) == gone.watched
    assert gone.watched == await store.repeating(work.id, gone.watched | turn_ids)
    assert () == await store.words_of((kept.id,))
    assert frozenset() == (await store.standing(meant)).turn_ids
    await store.add_removed(work.id, Removed(entries=2), Gone(needles=("a line of a file",)))
    assert "a line of a file" in (await store.gone_by(work.id)).needles
    (work,) = await store.confirmed_forgettings()
    assert (1, 1, 2) == (work.removed.turns, work.removed.facts, work.removed.entries)
    await store.finish_forgetting(work.id, (), at=START)
    assert Gone() == await store.gone_by(work.id)
    await store.close()


async def only_who_speaks_for_all_confirms_for_all(open_store: OpenStore) -> None:
    """At the moment in which they confirm."""
    store = open_store()
    wish = replace(ALL, of_everyone=True)
    new = NewForgetting(wish=wish, viewer=IN_GROUP, token=TOKEN, asked_at=START, meant=Meant())
    await store.keep_proposal(new)

    assert await store.confirm_forgetting(TOKEN, IN_GROUP, PLACE, at=START) is None
    assert await store.confirm_forgetting(TOKEN, IN_GROUP, PLACE, at=START, may_speak_for_all=True)
    await store.close()


async def off_the_record_nothing_is_made_of_a_turn(open_store: OpenStore) -> None:
    """No daily entry, no facts, no record; it can be tried again and stays so."""
    store = open_store()
    await store.receive((Received(inbound=message(1), route="turn"),), cursor=None, at=START)
    claim = await store.claim(HOME.session_key, at=START, is_off_record=True)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "failed", (), at=START)
    again = await store.reopen(HOME.session_key, at=START)
    assert again is not None
    await store.finish_turn(again.turn.id, "answered", (), at=START)
    later = START + timedelta(days=1)

    assert 0 == await store.ask_to_remember(later, at=START)
    assert 0 == await store.ask_to_read()
    assert () == (await store.unrecorded(HOME.session_key, through=2**62, limit=9)).turns
    assert () == await store.pieces_of((turn_ref(again.turn.id),))
    await store.close()


FORGETTING: tuple[Check, ...] = (
    words_go_with_their_turns,
    all_that_was_read_out_of_a_turn_goes,
    what_stands_for_turns_that_left_says_nothing_of_them,
    undelivered_words_go,
    of_a_group_only_ones_own_words_go,
    who_speaks_for_a_group_has_all_of_it_forgotten,
    a_turn_that_runs_is_left_until_it_ended,
    only_who_was_asked_may_confirm_and_for_a_day,
    all_that_is_gone_is_known_until_it_is_proved,
    only_who_speaks_for_all_confirms_for_all,
    off_the_record_nothing_is_made_of_a_turn,
)
