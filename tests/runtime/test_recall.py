"""A search gives what is so at this moment, to whom it may be given, and never holds a turn up."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.facts import NewFact
from bot.core.memory.items import Hit, ItemId, ItemKind
from bot.core.memory.question import Question
from bot.runtime.recall import WITHIN_S
from bot.testing.clock import START
from bot.testing.plain_index import PlainIndex
from bot.testing.stores.edits import change, deletion_of
from bot.testing.stores.given import ANN, HOME, begin, message
from bot.testing.stores.items import BOB, GROUP, HERS, HIS, THEIRS, end, said_by
from tests.runtime.indexing_given import World, following, settle


class Stuck(PlainIndex):
    """An index that never answers."""

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]:
        await asyncio.Event().wait()
        return ()


class Careless(PlainIndex):
    """An index that knows nothing of audiences."""

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]:
        return tuple(Hit(item=item, score=1.0, why="all") for item in self.items)[:limit]


async def test_what_changed_since_it_was_indexed_is_given_as_it_is() -> None:
    world = World()
    first, second = message(1, "The ferry at nine."), message(2, "The ferry is late.")
    await end(world.store, await begin(world.store, first, second))
    async with following(world.indexing()):
        pass
    assert {"The ferry at nine.", "The ferry is late."} <= world.index.texts

    await change(world.store, deletion_of(first))

    found = await world.recall().search("ferry", HERS, limit=5)
    assert [hit.item.text for hit in found.hits] == ["The ferry is late."]
    assert found.trouble == ""


async def test_whatever_the_index_says_nobody_is_given_what_is_not_theirs() -> None:
    world = World(index=Careless())
    both = said_by(ANN, 1, "By ferry."), said_by(BOB, 2, "By train.")
    await end(world.store, await begin(world.store, *both))
    await end(world.store, await begin(world.store, message(3, "Afraid of ferries.")), "Oh.")
    folder = GROUP.folder
    world.files.texts = {
        f"file:{folder}/2026-01-05.md": "Written in their file.",
        f"file:{HERS.audience.folder}/MEMORY.md": "Written in hers.",
        "knowledge:a.md": "Known to all.",
    }
    async with following(world.indexing()):
        pass
    recall = world.recall()

    async def told(viewer: Viewer) -> set[str]:
        found = await recall.search("anything", viewer, limit=50)
        return {hit.item.text for hit in found.hits}

    everybody = {"Known to all."}
    assert await told(HERS) == everybody | {
        "Afraid of ferries.",
        "Oh.",
        "By ferry.",
        "Written in hers.",
    }
    assert await told(HIS) == everybody | {"By train."}
    assert await told(THEIRS) == everybody | {
        "By ferry.",
        "By train.",
        "Noted.",
        "Written in their file.",
    }
    elsewhere = replace(HOME, chat="-77")
    stranger = Viewer(
        audience=audience_of(elsewhere.session_key, "group"), person_key=ANN.person_key
    )
    assert await told(stranger) == everybody


@pytest.mark.parametrize("days", [29, 30, 31])
async def test_a_fact_is_unverified_after_thirty_days(days: int) -> None:
    world = World()
    new = NewFact(
        person_key=ANN.person_key,
        audience=HERS.audience,
        topic="other",
        key="home city",
        text="Lives in Lisbon.",
        origin="told",
        confidence=1.0,
        at=START,
    )
    await world.store.keep_facts((new,))
    async with following(world.indexing()):
        pass
    await world.clock.advance(timedelta(days=days).total_seconds())

    (hit,) = (await world.recall().search("Lisbon", HERS, limit=5)).hits

    assert hit.item.unverified_since == (START if days > 30 else None)


async def test_a_failing_index_costs_what_it_would_have_found() -> None:
    """It is looked after at once, and when it answers again the trouble is over."""
    world = World()
    await end(world.store, await begin(world.store, message(1, "The ferry.")))
    async with following(world.indexing()) as indexing:
        recall = world.recall(indexing)
        world.index.trouble = "damaged"
        found = await recall.search("ferry", HERS, limit=5)
        assert (found.hits, found.trouble, recall.trouble) == ((), "damaged", "damaged")
        await settle()
        assert indexing.trouble == "damaged"

        world.index.trouble = ""
        world.index.remove()
        indexing.wake()
        await settle()
        found = await recall.search("ferry", HERS, limit=5)
        assert [hit.item.text for hit in found.hits] == ["The ferry."]
        assert (found.trouble, recall.trouble, indexing.trouble) == ("", "", "")


async def test_a_search_that_takes_too_long_is_given_up() -> None:
    world = World()
    search = asyncio.ensure_future(world.recall(index=Stuck()).search("a", HERS, limit=5))
    await world.clock.advance(WITHIN_S)

    found = await search
    assert (found.hits, found.trouble) == ((), "no answer in time")


async def test_a_file_that_cannot_be_read_costs_what_stands_in_files() -> None:
    world = World()
    await end(world.store, await begin(world.store, message(1, "Herons!")))
    world.files.texts["knowledge:a.md"] = "Herons nest."
    async with following(world.indexing()):
        pass
    world.files.trouble = "no permission"

    found = await world.recall().search("herons", HERS, limit=5)
    assert [hit.item.text for hit in found.hits] == ["Herons!"]
    assert found.trouble == "no permission"


async def test_entries_of_a_daily_file_are_of_the_threads_that_they_were_said_in() -> None:
    world, thread = World(), replace(HOME, thread="5")
    first = await end(world.store, await begin(world.store, message(1, "Herons!")))
    other = await end(world.store, await begin(world.store, message(2, "Terns!", address=thread)))
    world.files.texts[f"file:{HERS.audience.folder}/2026-01-05.md"] = "\n\n".join(
        (
            *(f"<!-- turn {turn_id} -->\n- birds {turn_id}" for turn_id in (first, other, 99)),
            "Birds by hand.",
        )
    )
    async with following(world.indexing()):
        pass

    found = await world.recall().search("birds", HERS, limit=9)

    assert {
        (first, HOME.session_key),
        (other, thread.session_key),
        (99, ""),
        (0, ""),
    } == {(hit.item.first, hit.item.session_key) for hit in found.hits}


async def test_only_so_many_of_the_kinds_asked_for_are_given() -> None:
    world = World()
    for number in range(4):
        await end(world.store, await begin(world.store, message(number, f"ferry {number}")))
    world.files.texts["knowledge:a.md"] = "A ferry floats."
    async with following(world.indexing()):
        pass
    recall = world.recall()

    pages = await recall.search("ferry", HERS, limit=5, kinds=frozenset({"knowledge"}))
    assert [hit.item.text for hit in pages.hits] == ["A ferry floats."]
    assert len((await recall.search("ferry", HERS, limit=3)).hits) == 3
    assert () == await world.items().recallable((ItemId("file:x/../a.md#0"),), HERS)
