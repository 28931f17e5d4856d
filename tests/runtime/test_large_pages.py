"""Large pages are taken into the index bit by bit; what was removed is wiped at leisure."""

import pytest

from bot.core.memory.items import ItemRef, MemoryItem
from bot.errors import SearchUnavailable
from bot.runtime.indexing import indexing as follower
from bot.runtime.indexing.indexing import LOOK_AT_FILES_EVERY_S, WIPE_EVERY_S
from bot.testing.stores.given import have_turn
from tests.runtime.indexing_given import World, following, settle

PAGE, OTHER = ItemRef("knowledge:a.md"), ItemRef("knowledge:b.md")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "PIECES_A_STEP", 10)


def _page(sections: int, word: str = "Section") -> str:
    return "\n\n".join(f"## {word} {number}\n\nHerons nest." for number in range(sections))


async def test_what_is_said_meanwhile_comes_before_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And the mark, by which the page is known to be there, comes last."""
    world, added = World(), list[tuple[int, str]]()
    world.files.texts = {PAGE: _page(25), OTHER: "Storks nest."}
    add = world.index.add

    async def and_say_something(ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str) -> None:
        await add(ref, items, mark=mark)
        added.append((len(items), mark))
        await have_turn(world.store, len(added))

    monkeypatch.setattr(world.index, "add", and_say_something)
    async with following(world.indexing()):
        assert [(10, ""), (5, world.files.mark_of(PAGE))] == added
        assert 25 == sum(item.ref == PAGE for item in world.index.items)
        steps = [refs for refs in world.index.replaced if "turn:1" in refs or OTHER in refs]
        assert [("turn:1",), (OTHER,)] == steps[:2]


async def test_a_page_that_was_left_halfway_is_taken_in_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, left = World(), [SearchUnavailable("the process ended")]
    world.files.texts = {PAGE: _page(25)}
    add = world.index.add

    async def fails_once(ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str) -> None:
        if left:
            raise left.pop()
        await add(ref, items, mark=mark)

    monkeypatch.setattr(world.index, "add", fails_once)
    async with following(world.indexing()):
        assert 10 == len(world.index.items)
    async with following(world.indexing()):
        assert 25 == len(world.index.items)


async def test_a_page_that_changes_while_it_is_read_is_read_as_it_is_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And one that takes longer than until the next look is not begun again."""
    world, changes = World(), [_page(35), _page(15, "Chapter")]
    world.files.texts = {PAGE: _page(35)}
    add = world.index.add

    async def and_the_page_changes(
        ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str
    ) -> None:
        await add(ref, items, mark=mark)
        if changes:
            world.files.texts[PAGE] = changes.pop(0)
            await world.clock.advance(LOOK_AT_FILES_EVERY_S)

    monkeypatch.setattr(world.index, "add", and_the_page_changes)
    async with following(world.indexing()):
        assert {f"Chapter {n}" for n in range(15)} == {item.title for item in world.index.items}
        assert 15 == len(world.index.items)
    assert 2 == sum(PAGE in refs for refs in world.index.replaced)


async def test_prv_what_was_removed_is_wiped_once_in_a_while() -> None:
    world = World()
    async with following(world.indexing()):
        before = world.index.wiped
        await have_turn(world.store, 1)
        await settle()
        assert before == world.index.wiped

        await world.clock.advance(WIPE_EVERY_S)
        await settle()
        assert before + 1 == world.index.wiped
