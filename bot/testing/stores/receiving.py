"""Receiving: stored once, waiting in order, answered once."""

from __future__ import annotations

from dataclasses import replace

from bot.core.chat import Receipt, StopRequest
from bot.core.lifecycle import (
    MAX_CHARS_TOGETHER,
    MAX_MESSAGES_TOGETHER,
    Cursor,
    Received,
    SetAside,
    Unfinished,
    compose_request,
)
from bot.core.turns import TurnId
from bot.testing.clock import START
from bot.testing.stores.given import (
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    asking,
    begin,
    have_turn,
    hear,
    is_refused,
    message,
    model_call,
    saying,
    take,
)


async def an_event_is_new_once(open_store: OpenStore) -> None:
    """Its identity is channel and event id, over restarts too."""
    store = open_store()
    twin = replace(message(1), address=replace(HOME, channel="slack"))

    assert await hear(store, message(1), message(1), twin) == (True, False, True)

    await store.close()
    store = open_store()

    assert await hear(store, message(1), message(2)) == (False, True)
    await store.close()


async def a_known_event_stays_known(open_store: OpenStore) -> None:
    """What was answered, settled or not even wanted leaves its identity behind."""
    store = open_store()
    await have_turn(store, 1)
    await hear(store, message(2), route="command")
    await store.settle(HOME.channel, message(2).event_id, at=START)
    await hear(store, message(3), route="none")

    assert await hear(store, message(1), message(2), message(3)) == (False, False, False)
    assert await store.unfinished() == Unfinished()
    await store.close()


async def the_cursor_lands_with_its_events(open_store: OpenStore) -> None:
    """It is kept for each channel, also when nothing was in the batch."""
    store = open_store()

    assert await store.cursor("telegram") is None

    await store.receive((), cursor=Cursor(channel="telegram", value="7"), at=START)
    events = (Received(inbound=message(1), route="turn"),)
    await store.receive(events, cursor=Cursor(channel="telegram", value="8"), at=START)
    await store.close()
    store = open_store()

    assert await store.cursor("telegram") == "8"
    assert await store.cursor("slack") is None
    assert (await store.unfinished()).waiting == (HOME.session_key,)
    await store.close()


async def what_waits_is_taken_together(open_store: OpenStore) -> None:
    """In the order of arrival, of that chat only; then nothing waits there."""
    store = open_store()
    await hear(store, message(2), message(1), message(3, address=ELSEWHERE))

    claim = await store.claim(HOME.session_key, at=START)

    assert claim is not None
    assert claim.messages == (message(2), message(1))
    assert claim.turn.request == compose_request(claim.messages)
    assert (claim.turn.steps, claim.turn.outcome, claim.turn.generation) == ((), None, 0)
    assert await store.claim(HOME.session_key, at=START) is None
    assert (await store.unfinished()).waiting == (ELSEWHERE.session_key,)
    await store.close()


async def a_chat_has_one_open_turn(open_store: OpenStore) -> None:
    """What comes meanwhile waits for the next."""
    store = open_store()
    turn = await begin(store, message(1))
    await hear(store, message(2))

    assert await store.claim(HOME.session_key, at=START) is None

    await store.finish_turn(turn.id, "stopped", (), at=START)
    claim = await store.claim(HOME.session_key, at=START)

    assert claim is not None
    assert claim.messages == (message(2),)
    assert claim.turn.id > turn.id
    await store.close()


async def what_was_not_understood_is_set_aside(open_store: OpenStore) -> None:
    """It waits for nothing and is known when it comes again."""
    store = open_store()
    odd = SetAside(event_id="update:9", channel="telegram", raw='{"\ud800": 1}', reason="no\udfff")

    first = await store.receive((odd,), cursor=None, at=START)
    second = await store.receive((odd,), cursor=None, at=START)

    assert (first, second) == ((True,), (False,))
    assert await store.unfinished() == Unfinished()
    await store.close()


async def only_messages_wait(open_store: OpenStore) -> None:
    """What else happens has done its work at once, whatever it was received for."""
    store = open_store()
    stop = StopRequest(event_id="stop:1", address=HOME, sender=message(1).sender)

    assert await store.receive(
        (Received(inbound=stop, route="command"),), cursor=None, at=START
    ) == (True,)
    assert await store.unfinished() == Unfinished()

    await store.settle(HOME.channel, stop.event_id, at=START)

    assert await store.unfinished() == Unfinished()
    await store.close()


async def a_command_is_answered_once(open_store: OpenStore) -> None:
    """Beside a running turn, and a second answer changes nothing."""
    store = open_store()
    await begin(store, message(1))
    await hear(store, message(2, "/status"), route="command")
    command = (HOME.channel, message(2).event_id)

    assert (await store.unfinished()).commands == (message(2, "/status"),)

    items = await store.finish_command(*command, (saying("a"), saying("b")), at=START)

    assert [item.reply.text for item in items] == ["a", "b"]
    assert await store.finish_command(*command, (saying("c"),), at=START) == ()
    assert (await store.unfinished()).commands == ()
    assert (await store.unfinished()).outbox == items
    await store.close()


async def two_channels_may_use_one_event_id(open_store: OpenStore) -> None:
    """The one that is meant is closed, whichever came first and however often it is said."""
    store = open_store()
    twin = replace(message(1), address=replace(HOME, channel="slack"))
    await hear(store, message(1), twin, route="command")

    await store.settle("slack", twin.event_id, at=START)
    await store.settle("slack", twin.event_id, at=START)

    assert (await store.unfinished()).commands == (message(1),)

    (item,) = await store.finish_command(
        HOME.channel, message(1).event_id, (saying("a"),), at=START
    )

    assert (await store.unfinished()).commands == ()
    assert (await store.unfinished()).outbox == (item,)
    await store.close()


async def a_flood_is_taken_bit_by_bit(open_store: OpenStore) -> None:
    """In the order of arrival, so many messages and so much text a turn, and all in the end."""
    store = open_store()
    many = [message(number) for number in range(MAX_MESSAGES_TOGETHER + 1)]
    long = [
        message(100 + number, letter * (MAX_CHARS_TOGETHER // 2 + number))
        for number, letter in enumerate("abc")
    ]
    await hear(store, *many, *long)

    taken = []
    while (await store.unfinished()).waiting:
        claim = await take(store)
        taken.append(list(claim.messages))
        assert claim.has_more == bool((await store.unfinished()).waiting)
        assert (await store.unfinished()).claims == (replace(claim, has_more=False),)
        await store.finish_turn(claim.turn.id, "answered", (), at=START)

    assert taken == [many[:-1], [many[-1], long[0]], [long[1]], [long[2]]]
    await store.close()


async def parts_of_albums_that_wait_are_known(open_store: OpenStore) -> None:
    """So that the rest of them, brought after a start, is waited for."""
    store = open_store()
    album, lookalike = replace(message(1), album="7"), message(2, 'no "album": "7"')
    await hear(store, album, lookalike, replace(message(3), album="7"))

    unfinished = await store.unfinished()
    assert unfinished.albums == (album, replace(message(3), album="7"))
    await take(store)
    assert (await store.unfinished()).albums == ()
    await store.close()


async def which_of_two_events_came_first_is_known(open_store: OpenStore) -> None:
    """Also of what is done; what is not known came after everything."""
    store = open_store()
    await hear(store, message(1), message(2))
    await hear(store, message(3), route="command")
    await store.settle(HOME.channel, message(3).event_id, at=START)
    first, second, third = (message(number).event_id for number in (1, 2, 3))

    async def is_before(event_id: str, other: str) -> bool:
        return await store.is_before(HOME.session_key, event_id, other)

    assert await is_before(first, second)
    assert await is_before(second, third)
    assert not await is_before(third, second)
    assert not await is_before(second, second)
    assert await is_before(first, "nothing")
    await store.close()


async def what_never_was_is_refused(open_store: OpenStore) -> None:
    """An event, a turn, an item that nobody made."""
    store = open_store()
    await hear(store, message(1), route="command")
    (item,) = await store.finish_command(
        HOME.channel, message(1).event_id, (saying("x"),), at=START
    )
    nowhere = type(item.id)(item.id + 1)
    receipt = Receipt(message_id="1")

    assert await is_refused(store.settle(HOME.channel, "nothing", at=START))
    assert await is_refused(store.settle("slack", message(1).event_id, at=START))
    assert await is_refused(store.finish_command(HOME.channel, "nothing", (saying("x"),), at=START))
    assert await is_refused(store.finish_turn(TurnId(99), "answered", (), at=START))
    assert await is_refused(store.record_step(TurnId(99), 0, asking(), model_call()))
    assert await is_refused(store.record_start(TurnId(99), 0, ("a",)))
    assert await is_refused(store.record_resume(TurnId(99)))
    assert await is_refused(store.add_preview(TurnId(99), saying("x"), at=START))
    assert await is_refused(store.mark_sending(nowhere, at=START))
    assert await is_refused(store.mark_pending(nowhere))
    assert await is_refused(store.mark_sent(nowhere, receipt, at=START))
    assert await is_refused(store.mark_failed(nowhere, "gone", at=START))
    assert await store.reopen(HOME.session_key, at=START) is None
    assert await store.failed(HOME.session_key) == ()
    assert await store.send_again(HOME.session_key, at=START) == ()
    await store.close()


RECEIVING: tuple[Check, ...] = (
    an_event_is_new_once,
    a_known_event_stays_known,
    the_cursor_lands_with_its_events,
    what_waits_is_taken_together,
    a_chat_has_one_open_turn,
    what_was_not_understood_is_set_aside,
    only_messages_wait,
    a_command_is_answered_once,
    two_channels_may_use_one_event_id,
    a_flood_is_taken_bit_by_bit,
    parts_of_albums_that_wait_are_known,
    which_of_two_events_came_first_is_known,
    what_never_was_is_refused,
)
