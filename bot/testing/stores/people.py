"""People who ask to be let in and are decided on, groups likewise, and where admins are reached."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import PersonKey
from bot.ports import Granted, Pairing, Place
from bot.testing.clock import START
from bot.testing.stores.given import ANN, ELSEWHERE, HOME, Check, OpenStore, saying

BOB = PersonKey("telegram::1002")
ADMIN = str(ANN.person_key)
BOB_IS_IN = Granted(person_key=BOB, grant="allowed", name="Bob")
BOB_ASKS = Pairing(person_key=BOB, code="7F3K-Q2MX", name="Bob", address=HOME, asked_at=START)
GROUP = replace(ELSEWHERE, thread="")


async def who_asks_is_kept_and_told_once_a_code(open_store: OpenStore) -> None:
    """The notices lie in the outbox together with the row, over a restart."""
    store = open_store()
    assert await store.pairings() == ()

    told = await store.ask_for(BOB_ASKS, since=START, told=(saying("Bob asks"),))
    again = await store.ask_for(BOB_ASKS, since=START, told=(saying("Bob asks"),))
    await store.close()
    store = open_store()

    assert ["Bob asks"] == [item.reply.text for item in told]
    assert () == again
    assert (BOB_ASKS,) == await store.pairings()
    assert ["Bob asks"] == [item.reply.text for item in (await store.unfinished()).outbox]
    await store.close()


async def who_asks_anew_has_a_new_code(open_store: OpenStore) -> None:
    """Those who asked too long ago are forgotten by it."""
    store = open_store()
    old = replace(BOB_ASKS, person_key=PersonKey("telegram::1003"), code="AAAA-AAAA")
    await store.ask_for(old, since=START)
    await store.ask_for(BOB_ASKS, since=START)
    later = START + timedelta(hours=1)
    anew = replace(BOB_ASKS, code="BBBB-BBBB", name="Robert", asked_at=later)

    (item,) = await store.ask_for(anew, since=START, told=(saying("Bob asks"),))

    assert "Bob asks" == item.reply.text
    assert (old, anew) == await store.pairings()
    assert () == await store.ask_for(anew, since=later)
    assert (anew,) == await store.pairings()
    await store.close()


async def who_is_decided_on_waits_no_more(open_store: OpenStore) -> None:
    """They are told in the same transaction; the same decision once more tells nothing."""
    store = open_store()
    await store.ask_for(BOB_ASKS, since=START)

    (item,) = await store.decide_on(BOB_IS_IN, by=ADMIN, at=START, told=(saying("Welcome."),))

    assert "Welcome." == item.reply.text
    assert () == await store.pairings()
    assert (BOB_IS_IN,) == await store.grants()
    assert () == await store.decide_on(BOB_IS_IN, by=ADMIN, at=START, told=(saying("Welcome."),))

    refused = replace(BOB_IS_IN, grant="refused")
    await store.decide_on(refused, by=ADMIN, at=START)
    await store.close()
    store = open_store()

    assert (refused,) == await store.grants()
    assert await store.claim_ownership(ANN, at=START)
    await store.close()


async def groups_are_kept_as_a_whole(open_store: OpenStore) -> None:
    """A title stays known when a later decision has none; only a change is told."""
    store = open_store()
    asked = Place(address=GROUP, state="asked", title="Family")
    (item,) = await store.set_place(asked, by="1003", at=START, told=(saying("May they?"),))
    assert () == await store.set_place(asked, by="1003", at=START, told=(saying("May they?"),))
    allowed = Place(address=GROUP, state="allowed", title="")
    await store.set_place(allowed, by=ADMIN, at=START)
    await store.close()
    store = open_store()

    assert "May they?" == item.reply.text
    assert (replace(allowed, title="Family"),) == await store.places()

    await store.set_place(replace(allowed, title="Clan"), by=ADMIN, at=START)
    assert (replace(allowed, title="Clan"),) == await store.places()
    await store.close()


async def admins_are_reached_where_they_wrote_last(open_store: OpenStore) -> None:
    """And nowhere once they cannot be."""
    store = open_store()
    assert {} == await store.homes()
    await store.note_home(BOB, ELSEWHERE)
    await store.note_home(BOB, HOME)
    await store.note_home(ANN.person_key, ELSEWHERE)
    await store.note_home(ANN.person_key, None)
    await store.close()
    store = open_store()

    assert {BOB: HOME} == await store.homes()
    await store.close()


PEOPLE: tuple[Check, ...] = (
    who_asks_is_kept_and_told_once_a_code,
    who_asks_anew_has_a_new_code,
    who_is_decided_on_waits_no_more,
    groups_are_kept_as_a_whole,
    admins_are_reached_where_they_wrote_last,
)
