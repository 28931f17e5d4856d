"""Delivery: replies and previews until their fate is known."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Receipt
from bot.core.lifecycle import UNKNOWN_FATE, OutboxItem
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    hear,
    message,
    saying,
)

PROOF = Receipt(message_id="501")


async def replies_wait_until_they_are_delivered(open_store: OpenStore) -> None:
    """In their order, over restarts, and not a moment longer."""
    store = open_store()
    first, second, third = await _replies(store, "a", "b", "c")
    await store.mark_sending(second.id, at=START)
    await store.mark_sent(third.id, PROOF, at=START)
    await store.close()
    store = open_store()

    assert (await store.unfinished()).outbox == (first, replace(second, state="sending"))

    await store.mark_failed(first.id, "blocked by the person", at=START)
    await store.mark_sent(second.id, PROOF, at=START)

    assert (await store.unfinished()).outbox == ()
    await store.close()


async def what_did_not_arrive_is_pending_again(open_store: OpenStore) -> None:
    """But only what was being sent."""
    store = open_store()
    first, second, third = await _replies(store, "a", "b", "c")
    await store.mark_sending(first.id, at=START)
    await store.mark_pending(first.id)
    await store.mark_sent(second.id, PROOF, at=START)
    await store.mark_pending(second.id)
    await store.mark_failed(third.id, "gone", at=START)
    await store.mark_pending(third.id)

    assert (await store.unfinished()).outbox == (first,)
    await store.close()


async def what_was_sent_is_never_sent_again(open_store: OpenStore) -> None:
    """Whatever is said of it afterwards."""
    store = open_store()
    (item,) = await _replies(store, "a")
    await store.mark_sent(item.id, PROOF, at=START)

    await store.mark_sending(item.id, at=START)
    assert (await store.unfinished()).outbox == ()

    await store.mark_pending(item.id)
    assert (await store.unfinished()).outbox == ()

    await store.mark_failed(item.id, "late doubt", at=START)
    assert (await store.unfinished()).outbox == ()
    await store.close()


async def the_reply_replaces_its_preview(open_store: OpenStore) -> None:
    """The first one, when the preview was shown; the preview is closed with its turn."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)

    assert (preview.is_preview, preview.state, preview.receipt) == (True, "pending", None)
    assert (await store.unfinished()).outbox == (preview,)

    await store.mark_sending(preview.id, at=START)
    await store.mark_sent(preview.id, PROOF, at=START)
    items = await store.finish_turn(turn.id, "answered", (saying("a"), saying("b")), at=START)

    assert [item.replaces for item in items] == [PROOF, None]
    assert (await store.unfinished()).outbox == items
    await store.close()


async def a_preview_in_doubt_becomes_the_reply(open_store: OpenStore) -> None:
    """With its identity, so that the platform can be asked for it, and what is found finished."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sending(preview.id, at=START)
    items = await store.finish_turn(turn.id, "answered", (saying("a"), saying("b")), at=START)
    await store.close()
    store = open_store()

    assert items[0] == replace(
        preview,
        reply=replace(saying("a"), key=preview.reply.key),
        state="sending",
        is_preview=False,
    )
    assert (items[1].state, items[1].reply.text) == ("pending", "b")
    assert (await store.unfinished()).outbox == items

    await store.mark_failed(items[0].id, "gone", at=START)
    assert [item.id for item in await store.failed(HOME.session_key)] == [preview.id]
    await store.close()


async def a_preview_in_doubt_ends_with_a_turn_that_says_nothing(open_store: OpenStore) -> None:
    """It is no answer, and is not tried again."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sending(preview.id, at=START)

    assert await store.finish_turn(turn.id, "stopped", (), at=START) == ()
    assert (await store.unfinished()).outbox == ()
    assert await store.failed(HOME.session_key) == ()
    await store.close()


async def a_turn_goes_on_with_the_preview_it_has(open_store: OpenStore) -> None:
    """After a retry or a restart, so that the person sees one message and not two."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)

    assert await store.add_preview(turn.id, saying("I"), at=START) == replace(
        preview, reply=replace(preview.reply, text="I")
    )

    await store.mark_sent(preview.id, PROOF, at=START)
    await store.close()
    store = open_store()

    once_more = replace(preview.reply, text="Once more")
    assert await store.add_preview(turn.id, saying("Once more"), at=START) == replace(
        preview, reply=once_more, state="sent", receipt=PROOF
    )
    await store.close()


async def a_preview_ends_with_its_turn(open_store: OpenStore) -> None:
    """One that surely was not shown is replaced by nothing and never shown later."""
    store = open_store()
    for number, was_tried in ((1, False), (2, True)):
        turn = await begin(store, message(number))
        preview = await store.add_preview(turn.id, saying("I th"), at=START)
        if was_tried:
            await store.mark_sending(preview.id, at=START)
            await store.mark_pending(preview.id)
        (reply,) = await store.finish_turn(turn.id, "answered", (saying("a"),), at=START)
        await store.mark_pending(preview.id)

        assert reply.replaces is None
        assert (await store.unfinished()).outbox == (reply,)

        await store.mark_sent(reply.id, PROOF, at=START)
    await store.close()


async def a_shown_preview_without_reply_is_closed(open_store: OpenStore) -> None:
    """As when a person stops the turn."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sent(preview.id, PROOF, at=START)

    assert await store.finish_turn(turn.id, "stopped", (), at=START) == ()
    assert (await store.unfinished()).outbox == ()
    await store.close()


async def a_reply_has_one_key(open_store: OpenStore) -> None:
    """No two have the same, it is there at every attempt, and nobody else can choose it."""
    store = open_store()
    chosen = replace(saying("a"), key="chosen")
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, chosen, at=START)
    again = await store.add_preview(turn.id, chosen, at=START)
    first, second = await store.finish_turn(turn.id, "answered", (chosen, chosen), at=START)
    await store.mark_failed(second.id, "blocked", at=START)
    keys = [item.reply.key for item in (preview, first, second)]
    await store.close()
    store = open_store()

    installations, numbers = zip(*(key.rsplit("-", 1) for key in keys), strict=True)
    assert numbers == tuple(str(item.id) for item in (preview, first, second))
    assert len(set(installations)) == 1
    assert installations[0]
    assert again == preview
    assert (await store.unfinished()).outbox == (first,)
    assert [item.reply.key for item in await store.failed(HOME.session_key)] == keys[2:]
    assert [item.reply.key for item in await store.send_again(HOME.session_key, at=START)] == (
        keys[2:]
    )
    await store.close()


async def what_failed_is_kept_and_can_be_sent_again(open_store: OpenStore) -> None:
    """Of that chat, in its order, with the reason, and as often as it fails."""
    store = open_store()
    first, second, third = await _replies(store, "a", "b", "c")
    await hear(store, message(2), route="command")
    elsewhere = (replace(saying("d"), address=ELSEWHERE),)
    (other,) = await store.finish_command(HOME.channel, message(2).event_id, elsewhere, at=START)
    await store.mark_failed(other.id, "gone", at=START)
    await store.mark_sending(second.id, at=START)
    await store.mark_failed(second.id, "blocked", at=START)
    await store.mark_failed(first.id, "", at=START)
    await store.close()
    store = open_store()

    both = (
        replace(first, state="failed", failed_at=START),
        replace(second, state="failed", reason="blocked", failed_at=START),
    )
    assert await store.failed(HOME.session_key) == both
    assert await store.send_again(HOME.session_key, at=START) == (first, second)
    assert await store.failed(HOME.session_key) == ()
    assert (await store.unfinished()).outbox == (first, second, third)
    assert await store.send_again(HOME.session_key, at=START) == ()

    await store.mark_failed(second.id, "blocked for good", at=START)

    assert await store.failed(HOME.session_key) == (
        replace(second, state="failed", reason="blocked for good", failed_at=START),
    )
    assert [item.id for item in await store.failed(ELSEWHERE.session_key)] == [other.id]

    await store.mark_sent(second.id, PROOF, at=START)

    assert await store.failed(HOME.session_key) == ()
    await store.close()


async def what_may_have_arrived_is_sent_again_in_doubt(open_store: OpenStore) -> None:
    """At once with the wish, so that a crash behind it leads to no copy without a mark."""
    store = open_store()
    first, second = await _replies(store, "a", "b")
    await store.mark_failed(first.id, f"{UNKNOWN_FATE} (cut)", at=START)
    await store.mark_failed(second.id, "blocked", at=START)

    again = (replace(first, state="sending"), second)
    assert await store.send_again(HOME.session_key, at=START) == again
    await store.close()
    store = open_store()

    assert (await store.unfinished()).outbox == again
    await store.close()


async def a_failure_and_the_notice_about_it_are_one(open_store: OpenStore) -> None:
    """It waits like a reply, and is itself neither listed nor sent again."""
    store = open_store()
    (item,) = await _replies(store, "a")
    notice = replace(saying("It failed."), kind="failure")
    told = await store.mark_failed(item.id, "blocked", at=START, notice=notice)
    assert await store.mark_failed(item.id, "blocked", at=START, notice=notice) is None
    await store.close()
    store = open_store()

    assert told is not None
    assert (told.state, told.reply.text) == ("pending", "It failed.")
    assert (await store.unfinished()).outbox == (told,)

    assert await store.mark_failed(told.id, "blocked", at=START) is None

    assert [each.id for each in await store.failed(HOME.session_key)] == [item.id]
    assert await store.send_again(HOME.session_key, at=START) == (item,)
    await store.close()


async def what_is_sent_again_still_finishes_its_preview(open_store: OpenStore) -> None:
    """By editing what people saw of it."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sent(preview.id, PROOF, at=START)
    (item,) = await store.finish_turn(turn.id, "answered", (saying("a"),), at=START)
    await store.mark_failed(item.id, "down", at=START)

    assert await store.send_again(HOME.session_key, at=START) == (item,)
    assert item.replaces == PROOF
    await store.close()


async def a_preview_is_no_failed_reply(open_store: OpenStore) -> None:
    """Neither while its turn is open nor when that ended without its being shown."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_failed(preview.id, "blocked", at=START)

    assert await store.failed(HOME.session_key) == ()
    assert await store.add_preview(turn.id, saying("I th"), at=START) == replace(
        preview, state="failed", reason="blocked", failed_at=START
    )

    await store.finish_turn(turn.id, "answered", (), at=START)

    assert await store.failed(HOME.session_key) == ()
    assert await store.send_again(HOME.session_key, at=START) == ()
    await store.close()


async def a_preview_may_be_several_messages(open_store: OpenStore) -> None:
    """Each is gone on with, and finished by the reply of its number."""
    store = open_store()
    turn = await begin(store, message(1))
    shown = []
    for number in range(2):
        preview = await store.add_preview(turn.id, saying("I"), at=START, number=number)
        await store.mark_sending(preview.id, at=START)
        await store.mark_sent(preview.id, Receipt(message_id=f"m{number}"), at=START)
        shown.append(preview)
    third = await store.add_preview(turn.id, saying("I"), at=START, number=2)
    await store.mark_sending(third.id, at=START)
    await store.close()
    store = open_store()

    again = await store.add_preview(turn.id, saying("I"), at=START, number=1)
    assert (again.id, again.receipt) == (shown[1].id, Receipt(message_id="m1"))
    texts = tuple(map(saying, "abcd"))
    items = await store.finish_turn(turn.id, "answered", texts, at=START)
    assert [item.replaces and item.replaces.message_id for item in items] == [
        "m0",
        "m1",
        None,
        None,
    ]
    assert [item.state for item in items] == ["pending", "pending", "sending", "pending"]
    assert items[2].id == third.id
    assert [item.reply.text for item in items] == ["a", "b", "c", "d"]
    assert set((await store.unfinished()).outbox) == set(items)
    await store.close()


async def what_a_preview_showed_too_much_is_taken_back(open_store: OpenStore) -> None:
    """By a reply that brings nothing; nobody is told if it fails, and it is not sent again."""
    store = open_store()
    turn = await begin(store, message(1))
    for number in range(3):
        preview = await store.add_preview(turn.id, saying("I"), at=START, number=number)
        await store.mark_sending(preview.id, at=START)
        if number < 2:
            await store.mark_sent(preview.id, Receipt(message_id=f"m{number}"), at=START)
    items = await store.finish_turn(turn.id, "failed", (saying("Sorry."),), at=START)
    await store.close()
    store = open_store()

    assert [(item.reply.text, item.replaces) for item in items] == [
        ("Sorry.", Receipt(message_id="m0")),
        ("", Receipt(message_id="m1")),
        ("", None),
    ]
    assert (items[2].id, items[2].state) == (preview.id, "sending")
    assert set((await store.unfinished()).outbox) == set(items)
    assert items[1].reply.takes_back
    assert items[2].reply.takes_back
    await store.mark_failed(items[1].id, "no such message", at=START)
    await store.mark_failed(items[2].id, "no such message", at=START)
    assert await store.failed(HOME.session_key) == ()
    assert await store.send_again(HOME.session_key, at=START) == ()
    await store.close()


async def _replies(store: Store, *texts: str) -> tuple[OutboxItem, ...]:
    turn = await begin(store, message(1))
    replies = tuple(saying(text) for text in texts)
    return await store.finish_turn(turn.id, "answered", replies, at=START)


DELIVERY: tuple[Check, ...] = (
    replies_wait_until_they_are_delivered,
    what_did_not_arrive_is_pending_again,
    what_was_sent_is_never_sent_again,
    the_reply_replaces_its_preview,
    a_preview_in_doubt_becomes_the_reply,
    a_preview_in_doubt_ends_with_a_turn_that_says_nothing,
    a_preview_may_be_several_messages,
    what_a_preview_showed_too_much_is_taken_back,
    a_turn_goes_on_with_the_preview_it_has,
    a_preview_ends_with_its_turn,
    a_shown_preview_without_reply_is_closed,
    a_reply_has_one_key,
    what_failed_is_kept_and_can_be_sent_again,
    what_may_have_arrived_is_sent_again_in_doubt,
    a_failure_and_the_notice_about_it_are_one,
    what_is_sent_again_still_finishes_its_preview,
    a_preview_is_no_failed_reply,
)
