"""Pruning: what is done is forgotten when it is old; what is not done never is."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.core.chat import Receipt
from bot.core.lifecycle import Received, SetAside
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    begin,
    have_turn,
    hear,
    message,
    saying,
)

AFTER = START + timedelta(seconds=1)
MANY = 1200
"""More than a store may remove at once."""


async def what_is_done_is_forgotten_when_it_is_old(open_store: OpenStore) -> None:
    """Identities of events and sent replies; what was said in the turn stays."""
    store = open_store()
    await have_turn(store, 1)
    await hear(store, message(2), route="none")
    odd = SetAside(event_id="update:9", channel="telegram", raw="{}", reason="no chat")
    await store.receive((odd,), cursor=None, at=START)
    await _receive(store, 3, at=AFTER)

    assert await store.prune(START) == 0
    assert await hear(store, message(1), route="none") == (False,)
    assert await store.prune(AFTER) == 4
    assert await store.prune(AFTER) == 0
    assert await hear(store, message(1), message(2), message(3), route="none") == (
        True,
        True,
        False,
    )
    assert await store.receive((odd,), cursor=None, at=START) == (True,)
    assert len((await store.load(HOME.session_key)).turns) == 1
    await store.close()


async def what_is_not_done_is_never_forgotten(open_store: OpenStore) -> None:
    """What waits, is claimed, is to be delivered, or could not be."""
    store = open_store()
    turn = await begin(store, message(1))
    await hear(store, message(2))
    await hear(store, message(3), message(4), route="command")
    replies = (saying("a"), saying("b"), saying("c"))
    command = (HOME.channel, message(4).event_id)
    _, second, third = await store.finish_command(*command, replies, at=START)
    await store.mark_sending(second.id, at=START)
    await store.mark_failed(third.id, "blocked", at=START)
    before = (await store.unfinished(), await store.failed(HOME.session_key))

    assert await store.prune(AFTER) == 1  # the identity of the command that was answered
    assert (await store.unfinished(), await store.failed(HOME.session_key)) == before
    assert [claim.turn for claim in before[0].claims] == [turn]
    assert len(before[0].outbox) == 2
    await store.close()


async def a_preview_is_forgotten_after_its_turn(open_store: OpenStore) -> None:
    """Not before: an open turn goes on with the message that people see."""
    store = open_store()
    shown, unseen = (
        await begin(store, message(1)),
        await begin(store, message(2, address=ELSEWHERE)),
    )
    preview = await store.add_preview(shown.id, saying("I th"), at=START)
    await store.add_preview(unseen.id, saying("I"), at=START)
    await store.mark_sent(preview.id, Receipt(message_id="501"), at=START)

    assert await store.prune(AFTER) == 0
    assert (await store.add_preview(shown.id, saying("I think"), at=START)).id == preview.id

    await store.finish_turn(shown.id, "answered", (), at=START)
    await store.finish_turn(unseen.id, "answered", (), at=START)

    assert await store.prune(AFTER) == 4  # two messages, two previews
    assert await store.prune(AFTER) == 0
    await store.close()


async def an_old_failure_cannot_be_retried(open_store: OpenStore) -> None:
    """Its messages are forgotten like any others, also those of the preview before."""
    store = open_store()
    turn = await begin(store, message(1))
    preview = await store.add_preview(turn.id, saying("I th"), at=START)
    await store.mark_sent(preview.id, Receipt(message_id="501"), at=START)
    await store.finish_turn(turn.id, "failed", (), at=START)
    await store.reopen(HOME.session_key, at=START)

    assert await store.prune(AFTER) == 1  # the former preview

    await store.finish_turn(turn.id, "failed", (), at=START)

    assert await store.prune(AFTER) == 1
    assert await store.reopen(HOME.session_key, at=START) is None
    assert [each.outcome for each in (await store.load(HOME.session_key)).turns] == ["failed"]
    await store.close()


async def many_are_forgotten_in_one_call(open_store: OpenStore) -> None:
    """And those between them that are not done stay."""
    store = open_store()
    await _receive(store, *range(MANY), at=START)
    await hear(store, message(MANY), route="command")
    await _receive(store, *range(MANY + 1, 2 * MANY), at=START)
    replies = tuple(saying("a") for _ in range(MANY))
    items = await store.finish_command(HOME.channel, message(MANY).event_id, replies, at=START)
    for item in items[:-1]:
        await store.mark_sent(item.id, Receipt(message_id="1"), at=START)

    assert await store.prune(AFTER) == 2 * MANY + MANY - 1
    assert (await store.unfinished()).outbox == items[-1:]
    await store.close()


async def _receive(store: Store, *numbers: int, at: datetime) -> None:
    events = tuple(Received(inbound=message(number), route="none") for number in numbers)
    await store.receive(events, cursor=None, at=at)


PRUNING: tuple[Check, ...] = (
    what_is_done_is_forgotten_when_it_is_old,
    what_is_not_done_is_never_forgotten,
    a_preview_is_forgotten_after_its_turn,
    an_old_failure_cannot_be_retried,
    many_are_forgotten_in_one_call,
)
