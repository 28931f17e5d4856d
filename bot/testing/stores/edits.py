"""Changed messages: what waits, what runs, what was asked, and what was made of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from bot.core.chat import InboundDeletion, InboundEdit, InboundMessage
from bot.core.edits import EXCHANGED, Correction, note_of
from bot.core.files import Attachment
from bot.core.lifecycle import Received, Route, worded
from bot.core.messages import Image, Text
from bot.core.turns import TurnId
from bot.core.window.notes import DELETED
from bot.testing.clock import START
from bot.testing.stores.given import (
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    hear,
    message,
    take,
)

LATER = START + timedelta(minutes=5)


def edit_of(message: InboundMessage, text: str, at: datetime = LATER) -> InboundEdit:
    """Change what a message says."""
    event_id = f"edit:{message.event_id}:{text}:{at:%S}"
    return InboundEdit(event_id=event_id, message=replace(message, text=text), edited_at=at)


def deletion_of(message: InboundMessage) -> InboundDeletion:
    """Take a message back."""
    return InboundDeletion(
        event_id=f"deletion:{message.event_id}",
        address=message.address,
        message_id=message.message_id,
        message_event_id=message.event_id,
    )


async def change(
    store: Store, change: InboundEdit | InboundDeletion, route: Route = "none"
) -> bool:
    """Have the store receive a change."""
    (is_new,) = await store.receive((Received(inbound=change, route=route),), cursor=None, at=LATER)
    return is_new


async def asked(store: Store, turn_id: TurnId) -> list[str]:
    """Give the texts that an ended turn was asked."""
    (turn,) = await store.turns_between(HOME.session_key, turn_id, turn_id)
    return [block.text for block in turn.request.blocks if isinstance(block, Text)]


async def what_waits_is_replaced(open_store: OpenStore) -> None:
    """In its place, by the newest version, whichever is heard last; once for each change."""
    store = open_store()
    first, second = message(1), message(2)
    await hear(store, first, second)
    newest, older = edit_of(first, "newest"), edit_of(first, "older", START)

    assert [await change(store, each) for each in (newest, newest, older)] == [True, False, False]

    await store.close()
    store = open_store()
    claim = await take(store)

    assert [each.text for each in claim.messages] == ["newest", "message 2"]
    assert claim.messages[0].event_id == first.event_id
    await store.close()


async def what_was_taken_back_does_not_wait(open_store: OpenStore) -> None:
    """Nor is it there again when it is delivered or edited afterwards."""
    store = open_store()
    first, second = message(1), message(2)
    await hear(store, first, second)

    assert await change(store, deletion_of(first))
    assert not await change(store, deletion_of(first))
    assert not await change(store, edit_of(first, "again"), "turn")
    assert await hear(store, first) == (False,)
    assert [each.text for each in (await take(store)).messages] == ["message 2"]
    await store.close()


async def nothing_is_left_to_run(open_store: OpenStore) -> None:
    """A chat whose only message was taken back waits for nothing."""
    store = open_store()
    await hear(store, message(1))
    await change(store, deletion_of(message(1)))

    assert (await store.unfinished()).waiting == ()
    assert await store.claim(HOME.session_key, at=START) is None
    await store.close()


async def an_edit_may_be_the_first_that_is_heard(open_store: OpenStore) -> None:
    """It counts as the message if it is for the bot, and leaves no trace if not."""
    store = open_store()

    assert not await change(store, edit_of(message(1), "to others"))
    assert not await change(store, deletion_of(message(1)))
    assert await change(store, edit_of(message(1), "to the bot"), "turn")
    assert not await change(store, edit_of(message(1), "to the bot"), "turn")
    assert await hear(store, message(1)) == (False,)
    assert not await change(store, edit_of(message(1), "before that", START))

    (heard,) = (await take(store)).messages
    assert heard == replace(message(1), text="to the bot")
    await store.close()


async def a_command_stays_as_it_was_given(open_store: OpenStore) -> None:
    """Whether it waits or was answered."""
    store = open_store()
    await hear(store, message(1, "/status"), message(2, "/help"), route="command")
    await store.settle(HOME.channel, message(2).event_id, at=START)

    for number in (1, 2):
        assert not await change(store, edit_of(message(number), "/new"), "turn")
        assert not await change(store, deletion_of(message(number)))

    assert (await store.unfinished()).commands == (message(1, "/status"),)
    assert (await store.unfinished()).waiting == ()
    await store.close()


async def a_running_turn_is_told_of_afterwards(open_store: OpenStore) -> None:
    """The next request begins with a note, once; a resumed turn is asked the newest version."""
    store = open_store()
    first, second = message(1, "at three"), message(2, "a secret")
    turn = await begin(store, first, second)

    for each in (
        edit_of(first, "at four"),
        edit_of(first, "at five", LATER + timedelta(minutes=1)),
    ):
        assert await change(store, each)
    assert await change(store, deletion_of(second))
    assert await store.claim(HOME.session_key, at=START) is None
    await store.close()
    store = open_store()

    (claim,) = (await store.unfinished()).claims
    assert [each.text for each in claim.messages] == ["at five", DELETED]
    assert claim.turn.request.blocks == (Text(text="at five"), Text(text=DELETED))

    await store.finish_turn(turn.id, "answered", (), at=START)
    assert await asked(store, turn.id) == ["at five", DELETED]
    assert (await store.unfinished()).waiting == ()

    note = note_of(
        (Correction(before="at three", after="at five"), Correction(before="", after=""))
    )
    assert "a secret" not in note[0].text
    third = await begin(store, message(3))
    assert third.request.blocks == (*note, Text(text="message 3"))
    await store.finish_turn(third.id, "answered", (), at=START)
    assert (await begin(store, message(4))).request.blocks == (Text(text="message 4"),)
    await store.close()


async def what_was_changed_back_is_not_told(open_store: OpenStore) -> None:
    """Nor what a clear has put away."""
    store = open_store()
    turn = await begin(store, message(1, "yes"))
    await change(store, edit_of(message(1), "no"))
    await change(store, edit_of(message(1), "yes"))
    await store.finish_turn(turn.id, "answered", (), at=START)
    second = await begin(store, message(2))
    assert second.request.blocks == (Text(text="message 2"),)

    await change(store, edit_of(message(2), "changed"))
    await store.clear(HOME.session_key, at=START)
    await change(store, edit_of(message(2), "changed again"))
    await store.finish_turn(second.id, "answered", (), at=START)

    assert (await begin(store, message(3))).request.blocks == (Text(text="message 3"),)
    await store.close()


async def files_that_were_exchanged_leave_no_content(open_store: OpenStore) -> None:
    """Known long after the message itself is gone; other words for the same files change none."""
    store = open_store()
    photo = Attachment(kind="picture", name="", media_type="", handle="h", size_bytes=7)
    shown = replace(message(1), attachments=(photo,))
    turn = await begin(store, shown)
    picture = Image(media_type="image/png", data="QUJD")
    await store.record_request(turn.id, ((picture,),))
    await store.finish_turn(turn.id, "answered", (), at=START)
    again = replace(shown, attachments=(replace(photo, handle="of the same file"),))
    other = replace(shown, attachments=(replace(photo, size_bytes=8),))

    assert await change(store, edit_of(again, "look"))
    (before,) = await store.turns_between(HOME.session_key, turn.id, turn.id)
    assert await change(store, edit_of(other, "look", LATER + timedelta(seconds=1)))
    (after,) = await store.turns_between(HOME.session_key, turn.id, turn.id)

    assert before.request.blocks == (Text(text="[picture]\nlook"), picture)
    remark = Text(text=f"[picture, 8 bytes: {EXCHANGED}]")
    assert after.request.blocks == (Text(text="[picture]\nlook"), remark)
    await store.close()


async def what_an_ended_turn_was_asked_is_replaced(open_store: OpenStore) -> None:
    """One message among others, its files kept, behind a note; a deletion takes the files too."""
    store = open_store()
    running = await begin(store, message(1))
    await change(store, edit_of(message(1), "first"))
    await store.finish_turn(running.id, "answered", (), at=START)
    turn = await begin(store, message(2), message(3), message(4))
    picture = Image(media_type="image/png", data="QUJD")
    await store.record_request(turn.id, ((picture,), (picture, picture), ()))
    await store.finish_turn(turn.id, "answered", (), at=START)
    generation = (await store.load(HOME.session_key)).generation

    assert await change(store, edit_of(message(3), "changed"))
    assert await change(store, deletion_of(message(2)))
    assert await change(store, edit_of(message(4), "the last"))

    await store.close()
    store = open_store()
    conversation = await store.load(HOME.session_key)
    assert conversation.turns[-1].request.blocks[1:] == (
        Text(text=DELETED),
        Text(text="changed"),
        picture,
        picture,
        Text(text="the last"),
    )
    assert conversation.turns[-1].revision == 3
    assert conversation.generation > generation
    await store.close()


async def what_is_taken_back_brings_no_files(open_store: OpenStore) -> None:
    """They were being fetched when it was deleted."""
    store = open_store()
    turn = await begin(store, message(1), message(2))
    picture = Image(media_type="image/png", data="QUJD")
    await change(store, deletion_of(message(1)))

    request = await store.record_request(turn.id, ((picture,), (picture,)))

    assert request.blocks == (Text(text=DELETED), Text(text="message 2"), picture)
    await change(store, edit_of(message(2), "changed"))
    await store.finish_turn(turn.id, "answered", (), at=START)
    assert await asked(store, turn.id) == [DELETED, "changed"]
    await store.close()


async def a_failed_turn_is_tried_again_with_what_is_left(open_store: OpenStore) -> None:
    """The newest version of what was edited; nothing of what was deleted."""
    store = open_store()
    turn = await begin(store, message(1), message(2))
    await store.finish_turn(turn.id, "failed", (), at=START)
    await change(store, edit_of(message(1), "once more"))
    await change(store, deletion_of(message(2)))

    claim = await store.reopen(HOME.session_key, at=LATER)

    assert claim is not None
    assert claim.messages == (replace(message(1), text="once more"),)
    assert claim.turn.request.blocks == (Text(text="once more"), Text(text=DELETED))

    await change(store, deletion_of(message(1)))
    await store.finish_turn(turn.id, "failed", (), at=START)
    assert await store.reopen(HOME.session_key, at=LATER) is None
    await store.close()


async def a_message_in_a_group_keeps_its_speaker(open_store: OpenStore) -> None:
    """What is changed reads as it would have, had it been written so."""
    store = open_store()
    spoken = replace(message(1), kind="group")
    turn = await begin(store, spoken)
    await store.finish_turn(turn.id, "answered", (), at=START)

    await change(store, edit_of(spoken, "two\nlines"))

    assert await asked(store, turn.id) == [worded(replace(spoken, text="two\nlines"))]
    await store.close()


EDITS: tuple[Check, ...] = (
    what_waits_is_replaced,
    what_was_taken_back_does_not_wait,
    nothing_is_left_to_run,
    an_edit_may_be_the_first_that_is_heard,
    a_command_stays_as_it_was_given,
    a_running_turn_is_told_of_afterwards,
    what_was_changed_back_is_not_told,
    what_an_ended_turn_was_asked_is_replaced,
    files_that_were_exchanged_leave_no_content,
    what_is_taken_back_brings_no_files,
    a_failed_turn_is_tried_again_with_what_is_left,
    a_message_in_a_group_keeps_its_speaker,
)
