"""Buttons: pressed once, by whom they are for, within a day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import Button, ButtonPress, ChatAddress, InboundMessage, Receipt, Sender
from bot.core.lifecycle import OutboxItem, Received
from bot.core.presses import LASTS, KeptButton
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    hear,
    is_refused,
    message,
    saying,
)

BO = replace(ANN, user_id="1002", name="Bo")
TOKENS = ("t1", "t2", "t3")
YES = Button(label="Yes", command="wipe --yes", token=TOKENS[0], person=ANN.person_key)
NO = Button(label="No", command="wipe no", token=TOKENS[1], person=ANN.person_key)
ANYONE = Button(label="Me", command="join", token=TOKENS[2])


def press(
    number: int, button: Button, *, sender: Sender = ANN, address: ChatAddress = HOME
) -> ButtonPress:
    """Press a button below the message ``m1`` for the ``number``-th time."""
    return ButtonPress(
        event_id=f"press:{number}",
        address=address,
        kind="private",
        sender=sender,
        message_id="m1",
        token=button.token,
        pressed_at=START,
    )


async def offer(store: Store, *buttons: Button) -> OutboxItem:
    """Have a reply with buttons delivered as ``m1``."""
    await hear(store, message(100, "/wipe"), route="command")
    reply = replace(saying("Wipe all?"), buttons=buttons)
    (item,) = await store.finish_command(HOME.channel, message(100).event_id, (reply,), at=START)
    await store.mark_sent(item.id, Receipt(message_id="m1"), at=START)
    return item


async def take_in(store: Store, *presses: ButtonPress) -> tuple[bool, ...]:
    """Have the store receive presses."""
    events = tuple(Received(inbound=each, route="press") for each in presses)
    return await store.receive(events, cursor=None, at=START)


async def a_press_becomes_its_command(open_store: OpenStore) -> None:
    """At every point there is something that waits, also for the next process."""
    store = open_store()
    await offer(store, YES, NO)
    pressed = press(1, YES)

    assert await take_in(store, pressed, pressed) == (True, False)
    await store.close()
    store = open_store()
    assert (await store.unfinished()).presses == (pressed,)

    command = await store.redeem(pressed, at=START)

    assert command == InboundMessage(
        event_id=pressed.event_id,
        address=HOME,
        kind="private",
        sender=ANN,
        message_id="m1",
        text="/wipe --yes",
        is_addressed=True,
        sent_at=START,
    )
    await store.close()
    store = open_store()
    assert (await store.unfinished()).presses == ()
    assert (await store.unfinished()).commands == (command,)
    assert (await store.unfinished()).waiting == ()
    await store.close()


async def the_answer_takes_the_place_of_what_was_pressed(open_store: OpenStore) -> None:
    """The first reply does; that of a command which was written takes nobody's place."""
    store = open_store()
    await offer(store, YES, NO)
    await take_in(store, press(1, YES))
    await store.redeem(press(1, YES), at=START)
    await store.close()
    store = open_store()

    items = await store.finish_command(
        HOME.channel, "press:1", (saying("Wiped."), saying("All of it.")), at=START
    )

    assert [item.replaces for item in items] == [Receipt(message_id="m1"), None]
    assert (await store.unfinished()).outbox == items
    assert await store.finish_command(HOME.channel, "press:1", (saying("?"),), at=START) == ()

    await hear(store, message(2, "/wipe"), route="command")
    (item,) = await store.finish_command(
        HOME.channel, message(2).event_id, (saying("Wipe all?"),), at=START
    )
    assert item.replaces is None
    await store.close()


async def one_press_takes_all_buttons_of_a_reply(open_store: OpenStore) -> None:
    """Whoever presses next, and whichever; the press that took them gets its command again."""
    store = open_store()
    await offer(store, YES, NO, ANYONE)
    first = press(1, YES)
    await take_in(store, first, press(2, NO), press(3, ANYONE, sender=BO), press(4, YES))
    command = await store.redeem(first, at=START)
    await store.close()
    store = open_store()

    assert await store.redeem(press(2, NO), at=START) == "taken"
    assert await store.redeem(press(3, ANYONE, sender=BO), at=START) == "taken"
    assert await store.redeem(press(4, YES), at=START) == "taken"
    assert await store.redeem(first, at=START + 2 * LASTS) == command
    await store.close()


async def a_button_is_for_whom_it_is_for(open_store: OpenStore) -> None:
    """For a day, on its channel; what is refused takes nothing."""
    store = open_store()
    await offer(store, YES, ANYONE)
    await take_in(store, press(1, YES, sender=BO), press(2, ANYONE, address=ELSEWHERE))
    late = START + LASTS + timedelta(seconds=1)

    assert await store.redeem(press(1, YES, sender=BO), at=START) == "foreign"
    assert await store.redeem(press(2, ANYONE, address=ELSEWHERE), at=START) == "unknown"
    assert await store.redeem(press(3, NO), at=START) == "unknown"
    assert await store.redeem(press(4, YES), at=late) == "old"
    assert isinstance(await store.redeem(press(5, YES), at=START + LASTS), InboundMessage)
    await store.close()


async def what_is_kept_of_a_button_can_be_looked_at(open_store: OpenStore) -> None:
    """Nothing is taken by that."""
    store = open_store()
    await offer(store, YES, ANYONE)
    kept = await store.button_of(press(1, YES))
    assert kept == KeptButton(command=YES.command, person=YES.person, address=HOME, made_at=START)
    assert await store.button_of(press(2, NO)) is None

    await take_in(store, press(1, YES))
    await store.redeem(press(1, YES), at=START)
    await store.close()
    store = open_store()

    taken = await store.button_of(press(2, ANYONE))
    assert taken is not None
    assert taken.taken_by
    await store.close()


async def a_refused_press_waits_for_its_answer(open_store: OpenStore) -> None:
    """As long as nobody was told; it is no command meanwhile."""
    store = open_store()
    await offer(store, YES)
    foreign = (press(1, YES, sender=BO), press(2, YES, sender=BO))
    await take_in(store, *foreign)
    for each in foreign:
        await store.redeem(each, at=START)
    assert (await store.unfinished()).presses == foreign
    assert (await store.unfinished()).commands == ()

    (item,) = await store.finish_command(HOME.channel, "press:1", (saying("Not you."),), at=START)
    await store.settle(HOME.channel, "press:2", at=START)

    assert item.replaces is None
    assert (await store.unfinished()).presses == ()
    assert await take_in(store, *foreign) == (False, False)
    await store.close()


async def buttons_go_with_their_reply(open_store: OpenStore) -> None:
    """When it is pruned, they are unknown."""
    store = open_store()
    await offer(store, YES)
    assert await store.prune(START + timedelta(seconds=1)) > 0

    assert await store.redeem(press(1, YES), at=START) == "unknown"
    assert await is_refused(store.settle(HOME.channel, "press:1", at=START))
    await store.close()


async def buttons_are_sent_with_their_reply(open_store: OpenStore) -> None:
    """Also by the next process."""
    store = open_store()
    await hear(store, message(100, "/wipe"), route="command")
    reply = replace(saying("Wipe all?"), buttons=(YES, NO))
    (item,) = await store.finish_command(HOME.channel, message(100).event_id, (reply,), at=START)
    await store.close()
    store = open_store()

    assert item.reply.buttons == (YES, NO)
    assert (await store.unfinished()).outbox == (item,)
    await store.close()


PRESSING: tuple[Check, ...] = (
    a_press_becomes_its_command,
    the_answer_takes_the_place_of_what_was_pressed,
    one_press_takes_all_buttons_of_a_reply,
    a_button_is_for_whom_it_is_for,
    what_is_kept_of_a_button_can_be_looked_at,
    a_refused_press_waits_for_its_answer,
    buttons_go_with_their_reply,
    buttons_are_sent_with_their_reply,
)
