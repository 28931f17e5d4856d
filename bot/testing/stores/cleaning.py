"""The clean-up of chats that have been silent for long: all of them, and no other."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.core.chat import Receipt
from bot.core.lifecycle import Received
from bot.core.schedule import SilentChat
from bot.core.turns import TurnId
from bot.core.window.conversation import Cut
from bot.ports import EVERYWHERE
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
    hear,
    message,
    saying,
)

KEY = HOME.session_key
AFTER = START + timedelta(days=31)


async def a_silent_chat_is_removed_and_no_other(open_store: OpenStore) -> None:
    """With its turns, what was set in it and what could not be delivered to it."""
    store = open_store()
    assert await store.silent_since(AFTER) == ()
    ids = await _silent_chat(store)
    await begin(store, message(1, address=ELSEWHERE))
    await store.override("agent_max_steps", "5", scope=KEY, by="ann", at=START)
    await store.override("agent_max_steps", "6", scope=EVERYWHERE, by="ann", at=START)

    assert await store.silent_since(START) == ()
    assert not await store.remove(KEY, before=START)
    assert await store.silent_since(AFTER) == (_silent(2),)
    assert await store.remove(KEY, before=AFTER)
    assert not await store.remove(KEY, before=AFTER)
    assert not await store.remove(ELSEWHERE.session_key, before=AFTER)
    await store.close()
    store = open_store()

    gone = await store.load(KEY)
    assert (gone.turns, gone.cut, gone.former, gone.generation) == ((), Cut(), None, 0)
    assert await store.turns_between(KEY, 0, 99) == ()
    assert await store.failed(KEY) == ()
    assert await store.next_due() is None
    assert [each.scope for each in await store.overrides()] == [EVERYWHERE]
    assert await store.undo_override(scope=KEY, by="ann", at=START) is None
    assert len((await store.unfinished()).claims) == 1
    assert await hear(store, message(1)) == (False,)  # it was answered once
    assert (await begin(store, message(9))).id > max(ids)
    await store.close()


async def what_is_open_keeps_a_chat(open_store: OpenStore) -> None:
    """A turn, a message or a command that waits, a reply on its way."""
    store = open_store()
    await _silent_chat(store)
    await hear(store, message(5))
    assert await store.silent_since(AFTER) == ()

    claim = await store.claim(KEY, at=START)
    assert claim is not None
    assert await store.silent_since(AFTER) == ()

    (item,) = await store.finish_turn(claim.turn.id, "answered", (saying("yes"),), at=START)
    await _remember(store, claim.turn.id)
    assert await store.silent_since(AFTER) == ()
    await store.mark_sent(item.id, Receipt(message_id="7"), at=START)
    assert await store.silent_since(AFTER) == (_silent(3),)

    await hear(store, message(6, "/status"), route="command")
    assert not await store.remove(KEY, before=AFTER)
    await store.settle(HOME.channel, message(6).event_id, at=START)
    assert await store.remove(KEY, before=AFTER)
    await store.close()


async def whoever_writes_keeps_a_chat(open_store: OpenStore) -> None:
    """Also by a command alone; what is only overheard does not count."""
    store = open_store()
    await _silent_chat(store)
    await _hear_late(store, Received(inbound=message(5), route="none"))
    assert await store.silent_since(AFTER) == (_silent(2),)

    await _hear_late(store, Received(inbound=message(6, "/status"), route="command"))
    await store.settle(HOME.channel, message(6).event_id, at=AFTER)
    assert await store.silent_since(AFTER) == ()
    assert await store.silent_since(AFTER + timedelta(seconds=1)) == (_silent(2, heard_at=AFTER),)
    await store.close()


async def what_no_file_has_keeps_a_chat(open_store: OpenStore) -> None:
    """Nothing is forgotten silently: first it is remembered, and written down."""
    store = open_store()
    turn = await have_turn(store, 1)
    assert await store.silent_since(AFTER) == ()
    assert await store.quiet_since(AFTER) == 1
    assert await store.quiet_since(START) == 0

    await store.ask_to_remember(AFTER, at=START)
    (job,) = await store.due_jobs(START, limit=1)
    await store.remember(job, (entry_of(turn),), is_done=True)
    assert not await store.remove(KEY, before=AFTER)

    await store.mark_written((entry_of(turn),))
    assert await store.remove(KEY, before=AFTER)
    await store.close()


async def late_work_on_a_removed_chat_is_lost(open_store: OpenStore) -> None:
    """Its entries had been written before."""
    store = open_store()
    ids = await _silent_chat(store)
    await store.save_cut(
        KEY, Cut(kept_from=ids[1], digest="[x]"), generation=0, at=START, compaction=TRIMMED
    )
    (job,) = await store.due_jobs(START, limit=1)
    assert await store.remove(KEY, before=AFTER)

    await store.remember(job, (entry_of(ids[0]),), is_done=True)

    assert await store.unwritten(limit=9) == ()
    assert await store.silent_since(AFTER) == ()
    await store.close()


def _silent(turns: int, *, heard_at: datetime = START) -> SilentChat:
    return SilentChat(session_key=KEY, turns=turns, heard_at=heard_at)


async def _silent_chat(store: Store) -> tuple[TurnId, TurnId]:
    """Have a chat of two turns, the second a failure that could not even be told."""
    first = await have_turn(store, 1)
    turn = await begin(store, message(2))
    (item,) = await store.finish_turn(turn.id, "failed", (saying("sorry"),), at=START)
    await store.mark_failed(item.id, "blocked", at=START)
    await _remember(store, first, turn.id)
    return first, turn.id


async def _remember(store: Store, *turn_ids: TurnId) -> None:
    await store.ask_to_remember(AFTER, at=START)
    (job,) = await store.due_jobs(START, limit=1)
    entries = tuple(map(entry_of, turn_ids))
    await store.remember(job, entries, is_done=True)
    await store.mark_written(entries)


async def _hear_late(store: Store, event: Received) -> None:
    await store.receive((event,), cursor=None, at=AFTER)


CLEANING: tuple[Check, ...] = (
    a_silent_chat_is_removed_and_no_other,
    what_is_open_keeps_a_chat,
    whoever_writes_keeps_a_chat,
    what_no_file_has_keeps_a_chat,
    late_work_on_a_removed_chat_is_lost,
)
