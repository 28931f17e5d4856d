"""The index follows the database and the files, whatever happens to it meanwhile."""

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.adapters.redactor import RuleRedactor
from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import audience_of, viewer_of
from bot.core.memory.items import ItemRef, MemoryItem
from bot.runtime.indexing import indexing as follower
from bot.runtime.indexing.indexing import LOOK_AT_FILES_EVERY_S, RETRY_S
from bot.testing.plain_index import PlainIndex
from bot.testing.store import InMemoryStore
from bot.testing.stores.edits import change, deletion_of, edit_of
from bot.testing.stores.given import HOME, begin, have_turn, message
from bot.testing.stores.items import end
from tests.runtime.indexing_given import World, following, settle

FOLDER = audience_of(HOME.session_key, "private").folder


async def test_what_was_there_before_is_read_and_what_comes_is_followed() -> None:
    world = World()
    await have_turn(world.store, 1)
    async with following(world.indexing()) as indexing:
        assert world.index.texts == {"message 1", "answer 1"}
        assert not indexing.is_rebuilding

        await have_turn(world.store, 2)
        await settle()

        assert world.index.texts == {"message 1", "answer 1", "message 2", "answer 2"}
    assert world.index.begun == 1


async def test_edits_and_deletions_are_followed() -> None:
    world = World()
    first = message(1, "The ferry leaves at nine.")
    await end(world.store, await begin(world.store, first))
    async with following(world.indexing()):
        await change(world.store, edit_of(first, "The ferry leaves at ten."))
        await settle()
        assert world.index.texts == {"The ferry leaves at ten.", "Noted."}

        await change(world.store, deletion_of(first))
        await settle()
        assert world.index.texts == {"Noted."}


@pytest.mark.parametrize("crash_at", range(8))
async def test_a_process_that_ends_between_two_steps_loses_nothing(
    crash_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And does not begin anew: the steps that were done stay done."""
    monkeypatch.setattr(follower, "REFS_A_STEP", 2)
    world = World()
    for number in range(9):
        await have_turn(world.store, number)
    world.index.crash_at = crash_at
    async with following(world.indexing()) as first:
        assert bool(first.trouble) == (crash_at < 7)
        await have_turn(world.store, 9)
    done = len(world.index.replaced)
    world.index.crash_at = None
    begun = world.index.begun

    async with following(world.indexing()) as second:
        assert second.trouble == ""

    expected = {f"{kind} {number}" for kind in ("message", "answer") for number in range(10)}
    assert world.index.texts == expected
    assert world.index.begun == begun + (crash_at == 0)
    walked = [ref for refs in world.index.replaced[:done] for ref in refs if "turn:" in ref]
    again = [ref for refs in world.index.replaced[done:] for ref in refs if ref in walked]
    assert len(again) <= 2


async def test_an_index_of_another_database_is_worth_nothing() -> None:
    world = World()
    await have_turn(world.store, 1)
    async with following(world.indexing()):
        pass
    other = InMemoryStore("restored")
    await end(other, await begin(other, message(7)))
    async with following(world.indexing(other)):
        assert world.index.texts == {"message 7", "Noted."}
    async with following(world.indexing(other)):
        assert world.index.begun == 2


async def test_an_index_that_is_ahead_of_its_database_begins_anew() -> None:
    """As when an older copy of the database was put back under its name."""
    world = World()
    for number in range(3):
        await have_turn(world.store, number)
    async with following(world.indexing()):
        pass
    older = InMemoryStore()
    await end(older, await begin(older, message(7)))
    async with following(world.indexing(older)):
        assert world.index.texts == {"message 7", "Noted."}


async def test_another_time_zone_begins_anew() -> None:
    """Which turns are of one day depends on it."""
    world = World()
    await have_turn(world.store, 1)
    async with following(world.indexing()):
        pass
    async with following(world.indexing(zone="Asia/Tokyo")):
        pass
    assert world.index.begun == 2


async def test_a_removed_index_is_made_again_by_itself() -> None:
    world = World()
    world.files.texts["knowledge:a.md"] = "Herons nest."
    await have_turn(world.store, 1)
    async with following(world.indexing()) as indexing:
        world.index.remove()
        indexing.wake()
        await settle()
        assert world.index.texts == {"message 1", "answer 1", "Herons nest."}


async def test_an_index_that_fails_is_tried_again_and_told_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    world = World()
    await have_turn(world.store, 1)
    world.index.trouble = "locked"
    async with following(world.indexing()) as indexing:
        assert indexing.trouble == "locked"
        await world.clock.advance(RETRY_S)
        await settle()
        world.index.trouble = ""
        await world.clock.advance(RETRY_S * 2)
        await settle()

        assert indexing.trouble == ""
        assert world.index.texts == {"message 1", "answer 1"}
    events = [record.message for record in caplog.records if "recall." in record.message]
    assert events.count("recall.index_failed") == events.count("recall.index_mended") == 1


async def test_files_are_followed_by_a_slow_look() -> None:
    """What is new, changed, or gone; of a folder that is nobody's nothing is read."""
    world = World()
    day = f"file:{FOLDER}/2026-01-05.md"
    world.files.texts = {"knowledge:a.md": "Herons nest.", day: "Mine.", "file:x/a.md": "Whose?"}
    await have_turn(world.store, 1)
    async with following(world.indexing()):
        assert {"Herons nest.", "Mine."} <= world.index.texts
        assert "Whose?" not in world.index.texts
        before = len(world.index.replaced)

        world.files.texts["knowledge:a.md"] = "Storks nest."
        del world.files.texts[day]
        await world.clock.advance(LOOK_AT_FILES_EVERY_S)
        await settle()

        assert world.index.texts == {"message 1", "answer 1", "Storks nest."}
        assert len(world.index.replaced) == before + 2
        await world.clock.advance(LOOK_AT_FILES_EVERY_S)
        await settle()
        assert len(world.index.replaced) == before + 2


async def test_the_files_of_a_chat_that_comes_back_are_read_at_once() -> None:
    world = World()
    elsewhere = ChatAddress(channel="telegram", account="77", chat="1009")
    folder = audience_of(elsewhere.session_key, "private").folder
    world.files.texts[f"file:{folder}/2025-01-05.md"] = "Long ago."
    async with following(world.indexing()):
        assert world.index.texts == set()
        await begin(world.store, replace(message(1), address=elsewhere))
        await settle()
        assert world.index.texts == {"Long ago."}


async def test_a_file_that_cannot_be_read_keeps_nothing_else_back() -> None:
    world = World()
    world.files.texts["knowledge:a.md"] = "Herons nest."
    world.files.trouble = "no permission"
    await have_turn(world.store, 0)
    async with following(world.indexing()) as indexing:
        assert indexing.trouble == "no permission"
        assert not indexing.is_rebuilding
        await have_turn(world.store, 1)
        await settle()
        assert world.index.texts == {"message 0", "answer 0", "message 1", "answer 1"}

        world.files.trouble = ""
        await world.clock.advance(LOOK_AT_FILES_EVERY_S)
        await settle()
        assert "Herons nest." in world.index.texts
        assert indexing.trouble == ""


async def test_thrown_away_it_is_made_anew() -> None:
    world = World()
    await have_turn(world.store, 1)
    async with following(world.indexing()) as indexing:
        await indexing.rebuild()
        assert world.index.texts == set()
        await settle()
        assert world.index.texts == {"message 1", "answer 1"}


async def test_only_own_notes_of_the_lasting_file_are_read() -> None:
    world = World()
    await have_turn(world.store, 1)
    text = "My notes.\n\n<!-- daybook:begin -->\n- a fact\n<!-- daybook:end -->\nMore of mine.\n"
    world.files.texts[f"file:{FOLDER}/MEMORY.md"] = text
    async with following(world.indexing()):
        notes = [item for item in world.index.items if item.kind == "note"]
    assert "a fact" not in " ".join(item.text for item in notes)
    assert "My notes." in notes[0].text
    assert {item.ref for item in notes} == {ItemRef(f"file:{FOLDER}/MEMORY.md")}


async def test_prv_1_no_secret_of_a_file_is_indexed_or_recalled() -> None:
    """The file keeps it, for it is a person's own; so it is looked for at every reading."""
    RuleRedactor().load()  # the first text waits for it
    world = World()
    word = "Kr4ken" + "Wald99"
    ref = "knowledge:door.md"
    world.files.texts[ref] = f"# Door\n\nThe door password: {word}\n"
    async with following(world.indexing()):
        (text,) = world.index.texts
    items = world.items()
    (piece,) = await items.pieces_of((ItemRef(ref),))
    viewer = viewer_of(HOME.session_key, "private", PersonKey("x"))

    recalled = [await items.recallable((piece.id,), viewer) for _ in range(2)]

    assert {"The door password: [redacted:password]"} == {text, piece.text}
    assert [(piece,), (piece,)] == recalled
    world.files.texts[ref] = "# Door\n\nIt is open.\n"
    assert ["It is open."] == [each.text for each in await items.pieces_of((ItemRef(ref),))]


class Watched(PlainIndex):
    """An index that says when something is put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.on_replace: Callable[[], None] = lambda: None

    async def replace(
        self,
        refs: tuple[ItemRef, ...],
        items: tuple[MemoryItem, ...],
        *,
        seq: int,
        marks: tuple[str, ...] = (),
    ) -> None:
        self.on_replace()
        await super().replace(refs, items, seq=seq, marks=marks)


async def test_an_index_that_is_being_made_has_gaps_where_something_was_there_before() -> None:
    """What a new bot has is read before anybody could miss it."""
    index = Watched()
    world = World(index=index)
    await have_turn(world.store, 1)
    indexing = world.indexing()
    seen: list[bool] = []
    index.on_replace = lambda: seen.append(indexing.has_gaps)
    async with following(indexing):
        assert {False} == set(seen)
        seen.clear()

        await indexing.rebuild()
        assert indexing.has_gaps
        await settle()

        assert seen
        assert all(seen)
        assert not indexing.has_gaps


async def test_what_was_written_by_the_bot_is_looked_at_at_once() -> None:
    world = World()
    async with following(world.indexing()) as indexing:
        world.files.texts["knowledge:a.md"] = "Herons nest."
        indexing.look_at_files()
        await settle()

        assert world.index.texts == {"Herons nest."}
