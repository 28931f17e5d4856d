"""What somebody said in a group goes from its files too; what others said there is noted anew."""

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.chat import ChatAddress
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.blanking import FORGOTTEN
from bot.core.memory.jobs import JobId, MemoryJob
from bot.core.messages import Text
from bot.testing.clock import START
from bot.testing.stores.forgetting import BOB, GROUP, IN_GROUP, have_group_turn, in_group, told
from bot.testing.stores.given import ANN, entry_of
from tests.runtime.forgetting_given import HERS, PLACE, World, asked, counts, killed_everywhere

BEES = "twelve hives of buckfast bees behind the chapel"
CATS = "three tabby cats asleep upon the window ledge"
THERE = audience_of(GROUP.session_key, "group")


async def filled(folder: Path) -> World:
    """Have both speak in one turn, of which the group's daily file has an entry."""
    world = World(folder)
    turn_id = await have_group_turn(
        world.store, in_group(1, f"I keep {BEES}"), in_group(2, f"I keep {CATS}", BOB)
    )
    entry = replace(entry_of(turn_id, f"- known: {BEES}; {CATS}"), audience=THERE)
    job = MemoryJob(
        id=JobId(1),
        kind="remember",
        session_key=GROUP.session_key,
        audience=THERE,
        person_key=ANN.person_key,
        generation=0,
        through=turn_id,
        attempts=0,
        due_at=START,
    )
    await world.store.remember(job, (entry,), is_done=True)
    await world.files.append((entry,))
    await world.store.mark_written((entry,))
    return world


SILVER = "Keeps silver."
"""Short, as many facts are."""


async def filled_with_files(folder: Path) -> World:
    """Know a fact about Ann there too, which the group's MEMORY.md has, and speak of it at home."""
    world = await filled(folder)
    fact = replace(told(SILVER, key="silver"), audience=THERE)
    await world.store.keep_facts((fact,))
    await world.files.write_lasting(THERE, (f"- 2026-01-05 Ann: {SILVER}",))
    await world.files.write_lasting(THERE, (f"- 2026-01-05 Ann: {SILVER}", "- 2026-01-05 Bob: x"))
    return world


@pytest.mark.parametrize("viewer", [HERS, IN_GROUP], ids=["private", "group"])
@pytest.mark.parametrize("is_after", [False, True])
async def test_mem_2_files_of_groups_are_cleaned_whatever_call_the_process_ends_in(
    tmp_path: Path, viewer: Viewer, *, is_after: bool
) -> None:
    """The fact's row says which lines go: it goes after them, and they are gone through again."""

    async def ask(folder: Path) -> World:
        world = await filled_with_files(folder)
        await asked(world, viewer, "all")
        return world

    tries = 0
    async for folder, receipt in killed_everywhere(tmp_path, ask, is_after=is_after):
        assert {} == counts(folder, BEES) | counts(folder, SILVER), folder
        assert "nothing is left" in receipt, folder
        assert "1 turn, 1 fact" in receipt, folder
        assert "Bob: x" in (folder / "memory" / THERE.folder / "MEMORY.md").read_text(), folder
        tries += 1

    assert tries > 10


async def test_of_a_turn_of_before_it_was_noted_who_spoke_only_ones_own_words_go(
    tmp_path: Path,
) -> None:
    """Nor are they missing in what a person is given of what they said."""
    world = World(tmp_path)
    await have_group_turn(
        world.store,
        in_group(1, f"I keep {BEES}"),
        in_group(2, f"I keep {CATS}", BOB),
        in_group(3, "and one dog on the porch", BOB),
    )
    await world.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "daybook.db")) as connection, connection:
        connection.execute("UPDATE turn SET said = NULL")
    world = World(tmp_path)
    for viewer in (HERS, IN_GROUP):
        (own,) = (await world.store.own_turns(viewer, after=0)).turns
        assert BEES in str(own)
        assert CATS not in str(own)

    await asked(world, HERS, "all")
    await world.run()
    (turn,) = await world.store.turns_between(GROUP.session_key, 0, 99)
    await world.close()

    texts = [block.text for block in turn.request.blocks if isinstance(block, Text)]
    assert [FORGOTTEN, f"Bob#1002: I keep {CATS}", "Bob#1002: and one dog on the porch"] == texts
    assert {} == counts(tmp_path, BEES)


async def forgets(world: World, viewer_is_private: bool) -> None:
    viewer = HERS if viewer_is_private else IN_GROUP
    proposal = await world.forgetting.propose(viewer, "all")
    assert proposal is not None
    await world.forgetting.confirm(viewer, proposal.token, PLACE)
    await world.run()


async def test_mem_2_in_private_one_has_ones_own_words_in_groups_forgotten(tmp_path: Path) -> None:
    await _own_words_go(tmp_path, is_private=True)


async def test_mem_2_in_a_group_one_has_ones_own_words_forgotten(tmp_path: Path) -> None:
    await _own_words_go(tmp_path, is_private=False)


async def _own_words_go(folder: Path, *, is_private: bool) -> None:
    world = await filled(folder)
    await forgets(world, is_private)
    waiting = await world.store.unwritten(limit=9)
    await world.files.append(waiting)
    await world.store.mark_written(waiting)
    (turn,) = await world.store.turns_between(GROUP.session_key, 0, 99)
    await world.close()

    assert f"Bob#1002: I keep {CATS}" in turn.request.text
    assert {} == counts(folder, BEES)
    assert any(name.startswith("memory/") for name in counts(folder, CATS))
    assert "nothing is left" in world.told[0].reply.text


async def test_a_chat_that_moved_meanwhile_is_meant_and_told_under_its_new_id(
    tmp_path: Path,
) -> None:
    world = await filled(tmp_path)
    proposal = await world.forgetting.propose(IN_GROUP, "all")
    assert proposal is not None
    place = replace(PLACE, address=GROUP)
    await world.forgetting.confirm(IN_GROUP, proposal.token, place)
    await world.store.move_chat(GROUP, "-1005")
    await world.files.move(THERE, replace(THERE, chat="-1005"))
    await world.run()
    there = ChatAddress(channel="telegram", account="77", chat="-1005")
    (turn,) = await world.store.turns_between(there.session_key, 0, 99)
    await world.close()

    assert BEES not in turn.request.text
    assert there == world.told[0].reply.address
    assert {} == counts(tmp_path, BEES)
