"""What can be recalled: pieces of what is kept, whose they are, and that each change is noted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from functools import partial

from bot.core.chat import InboundMessage, Reply, Sender
from bot.core.files import Attachment
from bot.core.memory.audience import Audience, Viewer, audience_of
from bot.core.memory.facts import NewFact
from bot.core.memory.items import ItemId, ItemRef, MemoryItem
from bot.core.memory.pieces import day_ref, folder_ref
from bot.core.messages import Text, assistant_text
from bot.core.turns import Outcome, Step, Turn, TurnId
from bot.testing.clock import START
from bot.testing.stores.edits import change, deletion_of, edit_of
from bot.testing.stores.given import (
    ANN,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    entry_of,
    hear,
    message,
    model_call,
    take,
)
from bot.testing.stores.moving import NEW, OLD, have_answer

BOB = Sender(channel="telegram", user_id="1002", name="Bob")
GROUP = audience_of(OLD.session_key, "group")
HERS = Viewer(audience=audience_of(HOME.session_key, "private"), person_key=ANN.person_key)
HIS = Viewer(
    audience=audience_of(replace(HOME, chat="1002").session_key, "private"),
    person_key=BOB.person_key,
)
THEIRS = Viewer(audience=GROUP, person_key=BOB.person_key)
MUCH = 10_000


def said_by(sender: Sender, number: int, text: str) -> InboundMessage:
    """Write a message in a group."""
    return replace(message(number, text, address=OLD), kind="group", sender=sender)


async def end(
    store: Store, turn: Turn, reply: str = "Noted.", outcome: Outcome = "answered"
) -> TurnId:
    """Answer an open turn."""
    answer = Step(answer=assistant_text(reply), stop="end_turn")
    await store.record_step(turn.id, len(turn.steps), answer, model_call(turn.session_key))
    await store.finish_turn(turn.id, outcome, (Reply(address=HOME, text=reply),), at=START)
    return turn.id


async def texts_of(store: Store, *refs: str) -> dict[str, str]:
    """Give what the pieces of refs say, by the end of their ids."""
    pieces = await store.pieces_of(tuple(map(ItemRef, refs)))
    return {piece.id.partition("#")[2]: piece.text for piece in pieces}


async def changed_since(store: Store, seq: int) -> set[str]:
    """Say what changed behind a number, but for files."""
    changes = await store.changes_after(seq, limit=MUCH)
    numbers = [each.seq for each in changes]
    assert numbers == sorted(set(numbers))
    assert not numbers or numbers[-1] <= await store.newest_seq()
    return {str(each.ref) for each in changes if not each.ref.startswith("file:")}


def ids_of(items: Iterable[MemoryItem]) -> list[str]:
    """Name pieces in the order given."""
    return [str(item.id) for item in items]


async def a_turn_is_pieces_of_what_was_said(open_store: OpenStore) -> None:
    """Each block with its speaker and their own words; the answer names nobody. None while open."""
    store = open_store()
    quoting = replace(said_by(BOB, 2, "See you there.\nBring maps."), quoted="The ferry at nine?")
    turn = await begin(store, said_by(ANN, 1, "The ferry leaves at nine."), quoting)
    assert () == await store.pieces_of((ItemRef(f"turn:{turn.id}"),))

    await end(store, turn, "Nine it is.")
    await store.close()
    store = open_store()
    first, second, reply = await store.pieces_of((ItemRef(f"turn:{turn.id}"),))

    assert (first.text, first.speaker) == ("The ferry leaves at nine.", "Ann")
    assert first.origin.said_by == ANN.person_key
    assert (second.text, second.speaker) == ("See you there.\nBring maps.", "Bob")
    assert second.origin.said_by == BOB.person_key
    assert (reply.text, reply.speaker, reply.origin.said_by) == ("Nine it is.", "", "")
    assert {each.origin.audience for each in (first, second, reply)} == {GROUP}
    assert {each.moment for each in (first, second, reply)} == {START}
    assert [first.place, second.place] == sorted({first.place, second.place})
    assert ids_of((first, second, reply)) == [
        f"turn:{turn.id}#{end}" for end in ("0", "1", "reply")
    ]
    await store.close()


async def what_files_brought_is_nobodys_words(open_store: OpenStore) -> None:
    """The places of what was said are kept also behind them."""
    store = open_store()
    plan = Attachment(kind="document", name="plan.pdf", media_type="", handle="h")
    turn = await begin(
        store, replace(message(1, "Look."), attachments=(plan,)), message(2, "Well?")
    )
    await store.record_request(turn.id, ((Text(text="[document: plan.pdf: empty]"),), ()))
    await end(store, turn)

    said = await texts_of(store, f"turn:{turn.id}")

    assert said == {"0": "Look.", "2": "Well?", "reply": "Noted."}
    await store.close()


async def of_a_failed_turn_only_the_request_is_said(open_store: OpenStore) -> None:
    """Until it is tried again and answered."""
    store = open_store()
    turn = await begin(store, message(1, "What is up?"))
    await end(store, turn, "half of", "failed")
    ref, seq = f"turn:{turn.id}", await store.newest_seq()
    assert await texts_of(store, ref) == {"0": "What is up?"}

    claim = await store.reopen(HOME.session_key, at=START)
    assert claim is not None
    assert await texts_of(store, ref) == {}
    assert await changed_since(store, seq) == {ref}

    seq = await store.newest_seq()
    await end(store, claim.turn, "All of it.")
    assert await texts_of(store, ref) == {"0": "What is up?", "reply": "All of it."}
    assert await changed_since(store, seq) == {ref}
    await store.close()


async def off_the_record_nothing_can_be_recalled(open_store: OpenStore) -> None:
    """Neither the words nor the answer."""
    store = open_store()
    await hear(store, message(1, "Between us."))
    claim = await store.claim(HOME.session_key, at=START, is_off_record=True)
    assert claim is not None
    await end(store, claim.turn)

    assert await texts_of(store, f"turn:{claim.turn.id}") == {}
    await store.close()


async def pieces_follow_edits(open_store: OpenStore) -> None:
    """And of a message that was taken back there is none; the others keep their places."""
    store = open_store()
    messages = said_by(ANN, 1, "The ferry leaves at nine."), said_by(BOB, 2, "Fine.")
    turn = await begin(store, *messages)
    await end(store, turn)
    ref, seq = f"turn:{turn.id}", await store.newest_seq()
    renamed = replace(messages[0], sender=replace(ANN, name="Anna"))

    assert await change(store, edit_of(renamed, "At ten, sorry."))
    assert await texts_of(store, ref) == {"0": "At ten, sorry.", "1": "Fine.", "reply": "Noted."}
    assert "Anna" in {piece.speaker for piece in await store.pieces_of((ItemRef(ref),))}
    assert ref in await changed_since(store, seq)

    seq = await store.newest_seq()
    assert await change(store, deletion_of(messages[0]))
    assert await texts_of(store, ref) == {"1": "Fine.", "reply": "Noted."}
    assert ref in await changed_since(store, seq)
    await store.close()


async def only_who_may_recall_is_given_pieces(open_store: OpenStore) -> None:
    """In the order asked for, once each; what is gone, or never was, is left out."""
    store = open_store()
    turn = await begin(store, said_by(ANN, 1, "By ferry."), said_by(BOB, 2, "By train."))
    await end(store, turn)
    hers = await begin(store, message(3, "I am afraid of ferries."))
    await end(store, hers)
    a, b, r, h, gone = (
        ItemId(each)
        for each in (
            f"turn:{turn.id}#0",
            f"turn:{turn.id}#1",
            f"turn:{turn.id}#reply",
            f"turn:{hers.id}#0",
            "turn:999999999999999999#0",
        )
    )
    asked = (r, h, b, a, gone, b, ItemId("turn:x#0"), ItemId(""))

    assert ids_of(await store.recallable(asked, HERS)) == [h, a]
    assert ids_of(await store.recallable(asked, HIS)) == [b]
    assert ids_of(await store.recallable(asked, THEIRS)) == [r, b, a]
    await store.close()


async def facts_are_pieces_while_they_hold(open_store: OpenStore) -> None:
    """Of their person, under their key, of the moment when they were confirmed."""
    store = open_store()
    new = _fact("Lives in Lisbon.")
    ((old, _),) = await store.keep_facts((new,))
    seq = await store.newest_seq()
    (piece,) = await store.pieces_of((ItemRef(f"fact:{old.id}"),))
    assert (piece.text, piece.title, piece.moment) == ("Lives in Lisbon.", "home city", START)
    assert piece.origin.said_by == ANN.person_key

    later = START + timedelta(days=1)
    ((now, ended),) = await store.keep_facts((replace(new, text="Lives in Porto.", at=later),))

    assert ended is not None
    assert await changed_since(store, seq) == {f"fact:{old.id}", f"fact:{now.id}"}
    assert () == await store.pieces_of((ItemRef(f"fact:{old.id}"),))
    assert ids_of(await store.recallable((ItemId(f"fact:{now.id}"),), HERS)) == [f"fact:{now.id}"]
    assert () == await store.recallable((ItemId(f"fact:{now.id}"),), HIS)
    await store.close()


async def all_there_is_can_be_walked_through(open_store: OpenStore) -> None:
    """In pages, each ref once, whatever the page's size."""
    store = open_store()
    expected = set()
    for number in range(5):
        expected.add(f"turn:{await end(store, await begin(store, message(number)))}")
    for key in ("home city", "tea"):
        ((fact, _),) = await store.keep_facts((_fact(f"Says {key}.", key),))
        expected.add(f"fact:{fact.id}")

    for limit in (1, 3, 50):
        walked: list[str] = []
        while refs := await store.all_refs(walked[-1] if walked else "", limit=limit):
            assert len(refs) <= limit
            walked += refs
        assert sorted(walked) == sorted(expected)
    await store.close()


async def pieces_follow_a_chat_to_its_new_id(open_store: OpenStore) -> None:
    """Turns, facts and the folder of its files; nobody finds them under the old one."""
    store = open_store()
    turn_id = await have_answer(store, 1, OLD)
    ((fact, _),) = await store.keep_facts((_fact("Rows.", audience=GROUP),))
    seq = await store.newest_seq()
    await store.move_chat(OLD, NEW.chat)

    assert {f"turn:{turn_id}", f"fact:{fact.id}"} <= await changed_since(store, seq)
    files = {each.ref for each in await store.changes_after(seq, limit=MUCH)}
    moved = replace(GROUP, chat=NEW.chat)
    assert {folder_ref(GROUP), folder_ref(moved)} <= files
    assert moved in await store.audiences()
    assert GROUP not in await store.audiences()
    ids = (ItemId(f"turn:{turn_id}#0"), ItemId(f"fact:{fact.id}"))
    assert () == await store.recallable(ids, THEIRS)
    assert ids_of(await store.recallable(ids, replace(THEIRS, audience=moved))) == list(ids)
    await store.close()


async def a_removed_chat_leaves_no_pieces(open_store: OpenStore) -> None:
    """Yet it stays known whose its memory files are."""
    store = open_store()
    turn_id = await end(store, await begin(store, message(1)))
    for item in (await store.unfinished()).outbox:
        await store.mark_failed(item.id, "blocked", at=START)
    await store.ask_to_remember(START + timedelta(days=1), at=START, session_key=HOME.session_key)
    (job,) = await store.due_jobs(START, limit=5)
    entry = entry_of(turn_id)
    await store.remember(job, (entry,), is_done=True)
    seq = await store.newest_seq()
    await store.mark_written((entry,))
    written = {each.ref for each in await store.changes_after(seq, limit=MUCH)}
    assert day_ref(entry.audience, entry.day) in written

    seq = await store.newest_seq()
    assert await store.remove(HOME.session_key, before=START + timedelta(days=1))

    assert await changed_since(store, seq) == {f"turn:{turn_id}"}
    assert await texts_of(store, f"turn:{turn_id}") == {}
    assert await store.audiences() == (HERS.audience,)
    await store.close()


async def who_watches_is_told_of_changes(open_store: OpenStore) -> None:
    """After the commit: what they read then is there. A turn in the making is no change."""
    store = open_store()
    await begin(store, message(1))
    told: list[str] = []
    store.watch_changes(lambda: told.append("a"))
    append_b = partial(told.append, "b")
    store.watch_changes(append_b)
    store.watch_changes(append_b)
    turn = (await store.unfinished()).claims[0].turn
    await store.record_resume(turn.id)
    assert told == []

    await end(store, turn)
    assert {"a", "b"} == set(told)
    assert told.count("a") == told.count("b"), "who watches twice is told once"
    assert await store.installation()
    await store.close()


async def a_chat_heard_anew_brings_its_files_back(open_store: OpenStore) -> None:
    """With the first turn in a chat its folder is known, and to be read."""
    store = open_store()
    await hear(store, message(1))
    seq = await store.newest_seq()
    await take(store)

    assert folder_ref(HERS.audience) in {
        each.ref for each in await store.changes_after(seq, limit=MUCH)
    }
    await store.close()


def _fact(text: str, key: str = "home city", audience: Audience = HERS.audience) -> NewFact:
    return NewFact(
        person_key=ANN.person_key,
        audience=audience,
        topic="other",
        key=key,
        text=text,
        origin="told",
        confidence=1.0,
        at=START,
    )


ITEMS: tuple[Check, ...] = (
    a_turn_is_pieces_of_what_was_said,
    what_files_brought_is_nobodys_words,
    of_a_failed_turn_only_the_request_is_said,
    off_the_record_nothing_can_be_recalled,
    pieces_follow_edits,
    only_who_may_recall_is_given_pieces,
    facts_are_pieces_while_they_hold,
    all_there_is_can_be_walked_through,
    pieces_follow_a_chat_to_its_new_id,
    a_removed_chat_leaves_no_pieces,
    who_watches_is_told_of_changes,
    a_chat_heard_anew_brings_its_files_back,
)
