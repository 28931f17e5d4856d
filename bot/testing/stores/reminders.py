"""Reminders: kept once an origin, a moment passed once with what it brings; zones of people."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import ChatAddress, Reply, Sender
from bot.core.memory.audience import viewer_of
from bot.core.memory.forgetting import Meant, NewForgetting, ReceiptPlace, Wish
from bot.core.reminders import Reminder, ReminderId, Rhythm, ZoneName, slot_message
from bot.core.turns import TurnId
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    ELSEWHERE,
    HOME,
    Check,
    OpenStore,
    Store,
    entry_of,
    have_turn,
    saying,
)

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BOB = Sender(
    channel="telegram",
    user_id="1002",
    name="Bob",
    language="pt",
    timezone="Europe/Lisbon",
    is_guest=True,
)
GROUP = replace(HOME, chat="-4002")
ANYWHERE = frozenset({"telegram", "slack"})
BREAD = Reminder(
    author=ANN,
    address=HOME,
    chat_kind="private",
    kind="words",
    text="take the bread out",
    zone=ZoneName("UTC"),
    due_at=START + HOUR,
    created_at=START,
    origin="turn:1:a",
)
DAILY = replace(
    BREAD,
    kind="prompt",
    text="summarise my open tasks",
    zone=ZoneName("Europe/Berlin"),
    due_at=START + DAY,
    origin="turn:1:b",
    rhythm=Rhythm(words="every day", cron="0 10 * * *"),
)


async def _keep(store: Store, *reminders: Reminder) -> tuple[Reminder, ...]:
    kept = []
    for each in reminders:
        one = await store.add_reminder(each, most=50)
        assert one is not None
        kept.append(one)
    return tuple(kept)


async def a_reminder_comes_back_as_it_was_kept(open_store: OpenStore) -> None:
    """Over a restart, in the order in which they are due, with ids of their own."""
    store = open_store()
    daily, bread = await _keep(store, DAILY, replace(BREAD, author=BOB, chat_kind="group"))
    await store.close()
    store = open_store()

    assert len({daily.id, bread.id, 0}) == 3
    assert replace(DAILY, id=daily.id) == await store.reminder(daily.id)
    assert (bread,) == await store.reminders_of(BOB.person_key)
    assert bread.author == BOB
    assert (daily,) == await store.reminders_of(ANN.person_key)
    assert (bread, daily) == await store.reminders_in("telegram", "77", "1001")
    assert () == await store.reminders_in("telegram", "77", "100")
    await store.close()


async def the_same_origin_makes_one_reminder(open_store: OpenStore) -> None:
    """As long as that is open; and nobody has more than they may."""
    store = open_store()
    (bread,) = await _keep(store, BREAD)

    assert bread == await store.add_reminder(replace(BREAD, text="again"), most=1)
    assert await store.add_reminder(DAILY, most=1) is None
    assert await store.add_reminder(replace(DAILY, author=BOB), most=1) is not None

    assert (bread,) == await store.reminders_of(ANN.person_key)
    await store.close()


async def what_is_due_is_told_by_channel(open_store: OpenStore) -> None:
    """What cannot be delivered in this process keeps nobody waiting."""
    store = open_store()
    there = replace(BREAD, address=ELSEWHERE, origin="turn:2:a")
    daily, bread, slack = await _keep(store, DAILY, BREAD, there)

    assert (bread, slack) == await store.reminders_due(ANYWHERE, START + HOUR, limit=9)
    assert (bread,) == await store.reminders_due(ANYWHERE, START + HOUR, limit=1)
    assert (bread, daily) == await store.reminders_due(
        frozenset({"telegram"}), START + DAY, limit=9
    )
    early = START + HOUR - timedelta(microseconds=1)
    assert () == await store.reminders_due(ANYWHERE, early, limit=9)
    assert START + HOUR == await store.next_reminder_at(ANYWHERE)
    assert START + DAY == await store.next_reminder_at(ANYWHERE, after=START + HOUR)
    assert await store.next_reminder_at(ANYWHERE, after=START + 9 * DAY) is None
    assert await store.next_reminder_at(frozenset()) is None

    assert await store.drop_reminder(bread.id)
    assert not await store.drop_reminder(bread.id)
    assert START + DAY == await store.next_reminder_at(frozenset({"telegram"}))
    await store.close()


async def one_that_is_given_up_is_gone_with_a_word_of_it(open_store: OpenStore) -> None:
    """The word is in the outbox as soon as it is gone, and once."""
    store = open_store()
    (bread,) = await _keep(store, BREAD)
    word = Reply(address=HOME, text="lost", kind="notice")
    items = await store.give_up_reminder(bread.id, at=START, replies=(word,))
    again = await store.give_up_reminder(bread.id, at=START, replies=(word,))

    assert items is not None
    assert (["lost"], None) == ([item.reply.text for item in items], again)
    assert await store.reminder(bread.id) is None
    assert () == await store.damaged_reminders(ANYWHERE, START + DAY)
    await store.close()


async def a_moment_is_passed_once_with_what_it_brings(open_store: OpenStore) -> None:
    """Whoever is second, in another process too, gets None and changes nothing."""
    store = open_store()
    bread, daily = await _keep(store, BREAD, DAILY)

    told = await store.pass_slot(bread, following=None, at=START, replies=(saying("Bread!"),))
    await store.close()
    store = open_store()
    again = await store.pass_slot(bread, following=None, at=START, replies=(saying("Bread!"),))

    assert told is not None
    assert ["Bread!"] == [item.reply.text for item in told]
    assert again is None
    assert ["Bread!"] == [item.reply.text for item in (await store.unfinished()).outbox]
    assert (daily,) == await store.reminders_of(ANN.person_key)

    message = slot_message(daily, daily.due_at, "what is open?", START)
    following = daily.due_at + DAY
    assert () == await store.pass_slot(daily, following=following, at=START, message=message)
    assert None is await store.pass_slot(daily, following=following, at=START, message=message)
    await store.close()
    store = open_store()

    assert (HOME.session_key,) == (await store.unfinished()).waiting
    claim = await store.claim(HOME.session_key, at=START)
    assert claim is not None
    assert (message,) == claim.messages
    passed = replace(daily, due_at=following, passed_at=START)
    assert (passed,) == await store.reminders_of(ANN.person_key)
    await store.close()


async def what_a_clock_ahead_passed_is_found_and_dated_back(open_store: OpenStore) -> None:
    """But nothing whose first moment is far ahead, nor what was claimed or went meanwhile."""
    store = open_store()
    far = replace(DAILY, due_at=START + 900 * DAY, origin="turn:1:c")
    daily, _, bread = await _keep(store, DAILY, far, BREAD)
    ahead = START + 365 * DAY
    assert () == await store.pass_slot(daily, following=ahead + DAY, at=ahead)

    assert () == await store.reminders_passed_after(ahead)
    (passed,) = await store.reminders_passed_after(ahead - HOUR)
    assert replace(daily, due_at=ahead + DAY, passed_at=ahead) == passed

    assert not await store.redate_reminder(daily, due_at=START)
    assert await store.redate_reminder(passed, due_at=START + DAY)
    assert replace(passed, due_at=START + DAY) == await store.reminder(daily.id)
    await store.drop_reminder(bread.id)
    assert not await store.redate_reminder(bread, due_at=START)
    await store.close()


async def ids_are_never_given_twice(open_store: OpenStore) -> None:
    """People cancel by them, and an old button may be pressed late."""
    store = open_store()
    (first,) = await _keep(store, BREAD)
    await store.drop_reminder(first.id)
    (second,) = await _keep(store, BREAD)

    assert second.id > first.id > ReminderId(0)
    await store.close()


async def reminders_follow_a_chat_that_moves(open_store: OpenStore) -> None:
    """With its threads; others stay where they are."""
    store = open_store()
    topic = replace(BREAD, chat_kind="group", address=replace(GROUP, thread="5"))
    (moved, home) = await _keep(store, topic, DAILY)
    await store.move_chat(GROUP, "-1009")

    (after,) = await store.reminders_in("telegram", "77", "-1009")
    assert replace(moved, address=replace(GROUP, chat="-1009", thread="5")) == after
    assert () == await store.reminders_in("telegram", "77", "-4002")
    assert (home,) == await store.reminders_in("telegram", "77", "1001")
    # Read before it moved, it would be told where nobody is any more.
    assert await store.pass_slot(moved, following=None, at=START) is None
    assert await store.pass_slot(after, following=None, at=START) == ()
    await store.close()


async def a_chat_with_a_reminder_is_not_removed(open_store: OpenStore) -> None:
    """However long nothing was said in it."""
    store = open_store()
    await _remember(store, await have_turn(store, 1))
    (bread,) = await _keep(store, BREAD)
    later = START + 60 * DAY

    assert () == await store.silent_since(later)
    assert not await store.remove(HOME.session_key, before=later)
    await store.drop_reminder(bread.id)
    assert [HOME.session_key] == [each.session_key for each in await store.silent_since(later)]
    await store.close()


async def what_is_forgotten_is_not_reminded_of(open_store: OpenStore) -> None:
    """By its words, or all that are somebody's; what others want told stays."""
    store = open_store()
    in_group = replace(BREAD, address=GROUP, chat_kind="group", origin="turn:3:a")
    of_bob = replace(in_group, author=BOB, origin="turn:3:b")
    bread, daily, group, bob = await _keep(store, BREAD, DAILY, in_group, of_bob)

    await _forget(store, Wish(kind="words", text="open TASKS"))
    assert (bread, group) == await store.reminders_of(ANN.person_key)
    assert await store.reminder(daily.id) is None
    await _forget(store, Wish(kind="all"))

    assert () == await store.reminders_of(ANN.person_key)
    assert (bob,) == await store.reminders_of(BOB.person_key)
    await store.close()


async def zones_are_chosen_by_people(open_store: OpenStore) -> None:
    """The newest holds, over a restart, until it is given up."""
    store = open_store()
    assert {} == await store.chosen_zones()
    await store.choose_zone(ANN.person_key, ZoneName("Asia/Tokyo"))
    await store.choose_zone(ANN.person_key, ZoneName("Europe/Lisbon"))
    await store.choose_zone(BOB.person_key, ZoneName("UTC"))
    await store.choose_zone(BOB.person_key, None)
    await store.close()
    store = open_store()

    assert {ANN.person_key: "Europe/Lisbon"} == await store.chosen_zones()
    await store.close()


async def _remember(store: Store, turn_id: TurnId) -> None:
    """Let the daily file have what was said, as it must before a chat goes."""
    await store.ask_to_remember(START + DAY, at=START)
    (job,) = await store.due_jobs(START, limit=1)
    entries = (entry_of(turn_id),)
    await store.remember(job, entries, is_done=True)
    await store.mark_written(entries)


async def _forget(store: Store, wish: Wish) -> None:
    viewer = viewer_of(HOME.session_key, "private", ANN.person_key)
    new = NewForgetting(wish=wish, viewer=viewer, token=wish.kind, asked_at=START, meant=Meant())
    await store.keep_proposal(new)
    place = ReceiptPlace(address=ChatAddress.from_session_key(HOME.session_key))
    work = await store.confirm_forgetting(new.token, viewer, place, at=START)
    assert work is not None
    await store.remove_rest(work, Meant(), at=START)


REMINDERS: tuple[Check, ...] = (
    a_reminder_comes_back_as_it_was_kept,
    the_same_origin_makes_one_reminder,
    what_is_due_is_told_by_channel,
    one_that_is_given_up_is_gone_with_a_word_of_it,
    a_moment_is_passed_once_with_what_it_brings,
    what_a_clock_ahead_passed_is_found_and_dated_back,
    ids_are_never_given_twice,
    reminders_follow_a_chat_that_moves,
    a_chat_with_a_reminder_is_not_removed,
    what_is_forgotten_is_not_reminded_of,
    zones_are_chosen_by_people,
)
