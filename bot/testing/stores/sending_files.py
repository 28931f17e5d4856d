"""Files that tools of a turn want sent: kept with the turn, then with its replies."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Receipt, Reply
from bot.core.files import MOST_FILES_A_TURN, OutgoingFile
from bot.core.turns import TurnId
from bot.testing.clock import START
from bot.testing.stores.given import (
    HOME,
    Check,
    OpenStore,
    begin,
    hear,
    message,
    saying,
    take,
)


def file(name: str, content: bytes = b"\x00\xff") -> OutgoingFile:
    """Make a file."""
    return OutgoingFile(name=name, media_type="text/plain", content=content)


def bringing(outgoing: OutgoingFile) -> Reply:
    """Make the reply that brings a file."""
    return replace(saying(""), file=outgoing)


async def files_wait_for_the_end_of_their_turn(open_store: OpenStore) -> None:
    """In their order, over restarts; the same name from the same call takes the other's place."""
    store = open_store()
    turn = await begin(store, message(1))
    for call_id, name, content in (
        ("a", "one", b"1"),
        ("a", "two", b"2"),
        ("b", "one", b"3"),
        ("a", "one", b"4"),
    ):
        assert await store.add_file(turn.id, call_id, file(name, content))
    await store.close()
    store = open_store()

    kept = (file("one", b"4"), file("two", b"2"), file("one", b"3"))
    assert await store.files_of(turn.id) == kept

    await store.finish_turn(turn.id, "answered", (saying("here"), *map(bringing, kept)), at=START)

    assert await store.files_of(turn.id) == ()
    assert not await store.add_file(turn.id, "c", file("three"))
    assert not await store.add_file(TurnId(99), "c", file("three"))
    await store.close()


async def a_turn_has_so_many_files(open_store: OpenStore) -> None:
    """One of those there are may still be written anew."""
    store = open_store()
    turn = await begin(store, message(1))
    for number in range(MOST_FILES_A_TURN):
        assert await store.add_file(turn.id, "a", file(str(number)))

    assert not await store.add_file(turn.id, "a", file("one too many"))
    assert await store.add_file(turn.id, "a", file("0", b"new"))
    assert (await store.files_of(turn.id))[0] == file("0", b"new")
    await store.close()


async def a_file_is_delivered_whole(open_store: OpenStore) -> None:
    """By the next process, and once more after a failure."""
    store = open_store()
    turn = await begin(store, message(1))
    replies = (saying("here"), bringing(file("one")))
    _, item = await store.finish_turn(turn.id, "answered", replies, at=START)
    await store.close()
    store = open_store()

    assert item.reply.file == file("one")
    assert (await store.unfinished()).outbox[1] == item

    await store.mark_failed(item.id, "down", at=START)
    assert await store.send_again(HOME.session_key, at=START) == (item,)
    await store.close()


async def a_file_takes_the_place_of_no_preview(open_store: OpenStore) -> None:
    """No message becomes a file, neither one that was shown nor one that may have been."""
    store = open_store()
    for number, is_shown in ((1, True), (2, False)):
        turn = await begin(store, message(number))
        preview = await store.add_preview(turn.id, saying("I th"), at=START)
        await store.mark_sending(preview.id, at=START)
        if is_shown:
            await store.mark_sent(preview.id, Receipt(message_id="m1"), at=START)
        (item,) = await store.finish_turn(turn.id, "stopped", (bringing(file("one")),), at=START)

        assert item.id != preview.id
        assert (item.state, item.replaces) == ("pending", None)
    await store.close()


async def what_can_be_tried_again_keeps_its_files(open_store: OpenStore) -> None:
    """Its tools do not run again: what it ends with at last brings them."""
    store = open_store()
    turn = await begin(store, message(1))
    await store.add_file(turn.id, "a", file("one"))
    await store.finish_turn(turn.id, "failed", (saying("failed"),), at=START)
    await store.close()
    store = open_store()

    assert await store.reopen(HOME.session_key, at=START) is not None
    assert await store.files_of(turn.id) == (file("one"),)

    await store.finish_turn(turn.id, "answered", (), at=START)
    assert await store.files_of(turn.id) == ()
    await store.close()


async def what_cannot_be_tried_again_keeps_nothing(open_store: OpenStore) -> None:
    """Since something else came, or the chat was cleared, before its end or after it."""
    store = open_store()
    gone = []
    for number in (1, 2, 3):
        turn = await begin(store, message(number))
        await store.add_file(turn.id, "a", file("one"))
        if number == 3:
            await store.clear(HOME.session_key, at=START)
        await store.finish_turn(turn.id, "failed", (saying("failed"),), at=START)
        gone.append(turn.id)
        if number == 2:
            await store.clear(HOME.session_key, at=START)
    await hear(store, message(4))
    claim = await take(store)
    await store.add_file(claim.turn.id, "a", file("mine"))

    assert [await store.files_of(turn_id) for turn_id in gone] == [(), (), ()]
    assert await store.files_of(claim.turn.id) == (file("mine"),)
    await store.close()


SENDING_FILES: tuple[Check, ...] = (
    files_wait_for_the_end_of_their_turn,
    a_turn_has_so_many_files,
    a_file_is_delivered_whole,
    a_file_takes_the_place_of_no_preview,
    what_can_be_tried_again_keeps_its_files,
    what_cannot_be_tried_again_keeps_nothing,
)
