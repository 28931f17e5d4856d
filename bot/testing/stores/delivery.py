"""Delivery: replies and previews until their fate is known."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Receipt
from bot.core.lifecycle import OutboxItem
from bot.testing.clock import START
from bot.testing.stores.given import Check, OpenStore, Store, begin, message, saying

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


async def a_turn_goes_on_with_the_preview_it_has(open_store: OpenStore) -> None:
    """After a retry or a restart, so that the person sees one message and not two."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)

    assert await store.add_preview(turn.id, saying("I"), at=START) == replace(
        preview, reply=saying("I")
    )

    await store.mark_sent(preview.id, PROOF, at=START)
    await store.close()
    store = open_store()

    assert await store.add_preview(turn.id, saying("Once more"), at=START) == replace(
        preview, reply=saying("Once more"), state="sent", receipt=PROOF
    )
    await store.close()


async def a_preview_ends_with_its_turn(open_store: OpenStore) -> None:
    """One that was not known to be shown is replaced by nothing and never shown later."""
    store = open_store()
    for number, is_sending in ((1, False), (2, True)):
        turn = await begin(store, message(number))
        preview = await store.add_preview(turn.id, saying("I th"), at=START)
        if is_sending:
            await store.mark_sending(preview.id, at=START)
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


async def _replies(store: Store, *texts: str) -> tuple[OutboxItem, ...]:
    turn = await begin(store, message(1))
    replies = tuple(saying(text) for text in texts)
    return await store.finish_turn(turn.id, "answered", replies, at=START)


DELIVERY: tuple[Check, ...] = (
    replies_wait_until_they_are_delivered,
    what_did_not_arrive_is_pending_again,
    what_was_sent_is_never_sent_again,
    the_reply_replaces_its_preview,
    a_turn_goes_on_with_the_preview_it_has,
    a_preview_ends_with_its_turn,
    a_shown_preview_without_reply_is_closed,
)
