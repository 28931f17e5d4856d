"""Where the bot takes part, and what it knows of what was said there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import HeardChat
from bot.core.lifecycle import Received
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    begin,
    have_turn,
    hear,
    message,
)


async def a_chat_is_taken_part_in_from_its_first_message_on(open_store: OpenStore) -> None:
    """Waiting, running, answered or cleared; a command or a setting is no conversation."""
    store = open_store()
    key = ELSEWHERE.session_key
    assert not await store.takes_part(key)

    await hear(store, message(1, address=ELSEWHERE), route="command")
    await store.settle(ELSEWHERE.channel, message(1, address=ELSEWHERE).event_id, at=START)
    assert not await store.takes_part(key)

    await hear(store, message(2, address=ELSEWHERE))
    assert await store.takes_part(key)
    assert not await store.takes_part(replace(ELSEWHERE, thread="2.5").session_key)

    claim = await store.claim(key, at=START)
    assert claim is not None
    await store.finish_turn(claim.turn.id, "answered", (), at=START)
    await store.clear(key, at=START)
    assert await store.takes_part(key)
    await store.close()


async def chats_are_named_by_when_they_were_heard(open_store: OpenStore) -> None:
    """Of one channel, the newest first, no more than asked for."""
    store = open_store()
    other = replace(ELSEWHERE, thread="2.5")
    await have_turn(store, 1)
    for number, address in enumerate((ELSEWHERE, other), start=2):
        await begin(store, message(number, address=address))
    later = START + timedelta(minutes=5)
    newer = Received(inbound=message(4, address=ELSEWHERE), route="turn")
    await store.receive((newer,), cursor=None, at=later)

    newest = HeardChat(address=ELSEWHERE, heard_at=later)
    both = (newest, HeardChat(address=other, heard_at=START))
    assert both == await store.heard_since("slack", START, limit=9)
    assert (newest,) == await store.heard_since("slack", START, limit=1)
    assert (newest,) == await store.heard_since("slack", later, limit=9)
    assert () == await store.heard_since("slack", later + timedelta(seconds=1), limit=9)
    await store.close()


async def what_came_in_at_an_address_is_known_there(open_store: OpenStore) -> None:
    """Whatever became of it; not what came in elsewhere, in another channel, or was not wanted."""
    store = open_store()
    thread = replace(ELSEWHERE, thread="2.5")
    said = [message(number, address=ELSEWHERE) for number in range(6)]
    await begin(store, said[0])
    await hear(store, said[1], replace(said[2], address=thread))
    await hear(store, said[3], route="command")
    await store.settle("slack", said[3].event_id, at=START)
    await hear(store, said[4], route="none")
    await hear(store, replace(said[5], address=HOME))
    asked = tuple(each.event_id for each in said)

    assert {asked[0], asked[1], asked[3]} == await store.received(ELSEWHERE, asked)
    assert {asked[2]} == await store.received(thread, asked)
    await store.close()


async def conversations_of_a_chat_are_named(open_store: OpenStore) -> None:
    """The newest first; not of another chat whose id begins alike, and none that never began."""
    store = open_store()
    threads = [replace(ELSEWHERE, thread=thread) for thread in ("1.5", "2.5", "")]
    longer = replace(ELSEWHERE, chat=f"{ELSEWHERE.chat}1", thread="1.5")
    for number, address in enumerate((*threads, longer, HOME)):
        at = START + timedelta(minutes=number)
        said = Received(inbound=message(number, address=address), route="turn")
        await store.receive((said,), cursor=None, at=at)
        await store.claim(address.session_key, at=at)
    await hear(store, message(8, address=replace(ELSEWHERE, thread="3.5")), route="command")

    heard = await store.heard_in(ELSEWHERE, limit=9)
    assert threads[::-1] == [each.address for each in heard]
    assert heard[:1] == await store.heard_in(threads[0], limit=1)
    await store.close()


PRESENCE: tuple[Check, ...] = (
    a_chat_is_taken_part_in_from_its_first_message_on,
    chats_are_named_by_when_they_were_heard,
    what_came_in_at_an_address_is_known_there,
    conversations_of_a_chat_are_named,
)
