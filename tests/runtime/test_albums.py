"""An album is one turn, and all of it is for the bot if any part of it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.chat import Inbound, InboundMessage
from bot.core.files import Attachment
from bot.core.lifecycle import Received, SetAside
from bot.runtime.albums import HELD_S, MOST_ALBUMS, MOST_HELD, Albums
from bot.runtime.lanes import ALBUM_WAIT_S
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore
from tests.runtime.test_lanes import Hall

PICTURE = Attachment(kind="picture", name="", media_type="image/jpeg", handle="h")


def part(channel: LoopbackChannel, text: str = "", *, album: str = "7") -> InboundMessage:
    return replace(channel.message(text), album=album, attachments=(PICTURE,))


@pytest.fixture
def hall(supervisor: Supervisor) -> Hall:
    return Hall(supervisor, most_turns=2, store=InMemoryStore())


async def comes(hall: Hall, message: InboundMessage) -> None:
    received = (Received(inbound=message, route="turn"),)
    await hall.store.receive(received, cursor=None, at=START)
    (hall.lanes.gather if message.album else hall.lanes.wake)(message.address.session_key)
    await settle()


async def test_an_album_is_waited_for_and_answered_once(hall: Hall) -> None:
    await comes(hall, part(hall.channel, "Which one?"))
    await hall.clock.advance(ALBUM_WAIT_S * 0.7)
    await comes(hall, part(hall.channel))
    await hall.clock.advance(ALBUM_WAIT_S * 0.7)
    await comes(hall, part(hall.channel))
    assert hall.store.turns == ()
    await hall.clock.advance(ALBUM_WAIT_S)

    assert hall.channel.texts() == ["re: [picture]\nWhich one? [picture] [picture]"]


async def test_what_is_said_meanwhile_waits_with_it(hall: Hall) -> None:
    await comes(hall, part(hall.channel))
    await comes(hall, hall.channel.message("Which one?"))
    assert hall.store.turns == ()
    await hall.clock.advance(ALBUM_WAIT_S)

    assert hall.channel.texts() == ["re: [picture] Which one?"]


async def test_nobody_else_waits(hall: Hall) -> None:
    await comes(hall, part(hall.channel))
    await comes(hall, hall.channel.message("Hello", chat="2"))
    assert hall.channel.texts("2") == ["re: Hello"]
    await hall.clock.advance(ALBUM_WAIT_S)
    await comes(hall, hall.channel.message("And now?"))

    assert hall.channel.texts() == ["re: [picture]", "re: And now?"]


async def test_an_album_that_comes_during_a_turn_is_gathered_behind_it(hall: Hall) -> None:
    hall.model.hold()
    await comes(hall, hall.channel.message("Hello"))
    await comes(hall, part(hall.channel))
    hall.model.release()
    await settle()
    await comes(hall, part(hall.channel))
    await hall.clock.advance(ALBUM_WAIT_S)

    assert hall.channel.texts() == ["re: Hello", "re: [picture] [picture]"]


async def test_stop_ends_an_album_before_it_is_answered(hall: Hall) -> None:
    album, stop = part(hall.channel), hall.channel.message("/stop")
    await comes(hall, album)
    await hall.store.receive((Received(inbound=stop, route="command"),), cursor=None, at=START)
    assert hall.lanes.stop(stop.address.session_key, stop.event_id)
    await hall.clock.advance(ALBUM_WAIT_S)
    await hall.activity.idle()

    assert hall.outcomes == ["stopped"]
    assert hall.model.requests == []


async def test_a_shutdown_while_it_is_gathered_loses_nothing(
    hall: Hall, supervisor: Supervisor
) -> None:
    await comes(hall, part(hall.channel))
    hall.lanes.close()
    await hall.clock.advance(ALBUM_WAIT_S)
    assert hall.store.turns == ()

    next_hall = Hall(supervisor, most_turns=2, store=hall.store)
    (waiting,) = (await hall.store.unfinished()).waiting
    next_hall.lanes.wake(waiting)
    await next_hall.activity.idle()
    await settle()

    assert next_hall.channel.texts() == ["re: [picture]"]


def remembering(clock: FakeClock | None = None) -> Albums:
    return Albums(clock or FakeClock(), lambda message: message.text.startswith("/"))


def in_group(channel: LoopbackChannel, text: str, *, is_named: bool) -> InboundMessage:
    message = channel.message(text, kind="group", chat="-9", is_addressed=is_named)
    return replace(message, album="7", is_named=is_named)


def test_all_of_an_album_is_addressed_if_one_part_is() -> None:
    channel, albums = LoopbackChannel(), remembering()
    first, named, last = (
        in_group(channel, "", is_named=False),
        in_group(channel, "what is this?", is_named=True),
        in_group(channel, "", is_named=False),
    )
    aside = SetAside(event_id="e", channel="loopback", raw="", reason="odd")

    joined = albums.joined((first, aside, named))
    later = albums.joined((last,))

    assert joined == (replace(first, is_addressed=True, is_named=True), aside, named)
    assert later == (replace(last, is_addressed=True, is_named=True),)


async def test_parts_that_came_before_the_name_are_held_for_a_moment() -> None:
    channel, clock = LoopbackChannel(), FakeClock()
    albums = remembering(clock)
    first, named = in_group(channel, "", is_named=False), in_group(channel, "what?", is_named=True)
    called = replace(first, is_addressed=True, is_named=True)
    albums.hold(first)

    assert albums.joined((named,)) == (called, named)
    await clock.advance(HELD_S)
    assert albums.joined((named,)) == (called, named)  # the store had failed
    albums.stored((called, named))
    assert albums.joined((named,)) == (named,)

    late = replace(first, event_id="late", album="8")
    albums.hold(late)
    await clock.advance(HELD_S)
    assert albums.joined((replace(named, album="8"),)) == (replace(named, album="8"),)


def test_no_more_than_so_many_parts_are_held() -> None:
    channel, albums = LoopbackChannel(), remembering()
    for _ in range(MOST_HELD + 5):
        albums.hold(in_group(channel, "", is_named=False))

    assert len(albums.joined((in_group(channel, "what?", is_named=True),))) == MOST_HELD + 1


def test_the_parts_of_an_album_under_a_command_are_no_commands() -> None:
    channel, albums = LoopbackChannel(), remembering()
    events = in_group(channel, "/help", is_named=True), in_group(channel, "", is_named=False)

    assert albums.joined(events) == events


def test_other_albums_and_other_people_are_left_alone() -> None:
    channel, albums = LoopbackChannel(), remembering()
    named = in_group(channel, "what is this?", is_named=True)
    plain = in_group(channel, "", is_named=False)
    others: tuple[Inbound, ...] = (
        replace(plain, album="8"),
        replace(plain, album=""),
        replace(plain, sender=replace(plain.sender, user_id="2")),
        replace(plain, address=replace(plain.address, chat="-8")),
    )

    assert albums.joined((named, *others)) == (named, *others)


def test_only_the_newest_albums_are_remembered() -> None:
    channel, albums = LoopbackChannel(), remembering()
    for number in range(3 * MOST_ALBUMS):
        albums.joined((replace(in_group(channel, "x", is_named=True), album=str(number)),))

    assert len(albums._addressed) == MOST_ALBUMS
