"""MEMORY.md follows what the database has of facts and sessions."""

import logging
from collections.abc import AsyncIterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest

from bot.adapters.redactor import RuleRedactor
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.episodes import Episode
from bot.core.memory.facts import Fact, NewFact
from bot.core.memory.items import ItemChange
from bot.core.memory.marks import block_lines
from bot.errors import StoreError
from bot.runtime.remembering.distilling import RETRY_S, SETTLES_AFTER_S, Distilling, DistillingParts
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.memory_files import ADA, GROUP, InMemoryFiles
from tests.core.memory.test_lasting import episode

ADA_SAYS, BOB_SAYS = PersonKey("telegram:1001"), PersonKey("telegram:1002")


class Rows(SqliteStore):
    """A real store that can fail, and knows of two chats.

    Attributes:
        failures: So often the changes cannot be read from now on.
        episodes: The records of Ada's private chat.
        gone_through: The audiences whose facts were asked for.
    """

    failures = 0
    episodes: tuple[Episode, ...] = ()
    gone_through: tuple[Audience, ...] = ()

    async def facts_for(self, viewer: Viewer) -> tuple[Fact, ...]:
        self.gone_through += (viewer.audience,)
        return await super().facts_for(viewer)

    async def audiences(self) -> tuple[Audience, ...]:
        return (ADA, GROUP)

    async def last_episodes(self, viewer: Viewer, *, limit: int) -> tuple[Episode, ...]:
        return tuple(each for each in self.episodes if each.audience == viewer.audience)[:limit]

    async def changes_after(self, seq: int, *, limit: int) -> tuple[ItemChange, ...]:
        if self.failures:
            self.failures -= 1
            raise StoreError("the database is locked")
        return await super().changes_after(seq, limit=limit)

    async def says(
        self, text: str, *, key: str = "drink", audience: Audience = ADA, by: PersonKey = ADA_SAYS
    ) -> None:
        """Keep a fact that somebody told."""
        new = NewFact(
            person_key=by,
            audience=audience,
            topic="preference",
            key=key,
            text=text,
            origin="told",
            confidence=1.0,
            at=START,
        )
        await self.keep_facts((new,))


class World:
    """A store, memory files, and the worker between them."""

    def __init__(self, store: Rows) -> None:
        self.store, self.files, self.clock = store, InMemoryFiles(), FakeClock()
        self.distilling = Distilling(
            DistillingParts(
                store=store,
                files=self.files,
                redactor=RuleRedactor(),
                clock=self.clock,
                zone=UTC,
            )
        )

    def lines(self, audience: Audience = ADA) -> tuple[str, ...]:
        return block_lines(self.files.lasting.get(audience.folder, ""))

    async def settles(self) -> None:
        """Let pass what it waits for more changes."""
        await self.clock.advance(SETTLES_AFTER_S)
        await settle()


def _open(folder: Path) -> Rows:
    store = Rows.open(folder / "daybook.db", inline=True)
    assert isinstance(store, Rows)
    return store


@pytest.fixture
async def world(tmp_path: Path, supervisor: Supervisor) -> AsyncIterator[World]:
    store = _open(tmp_path)
    world = World(store)
    supervisor.spawn("distilling", world.distilling.run())
    await settle()
    yield world
    supervisor.cancel_all()
    await store.close()


async def test_mem_3_facts_are_written_soon_after_they_changed(world: World) -> None:
    await world.store.says("Likes tea.")
    await settle()
    assert world.lines() == ()
    await world.clock.advance(SETTLES_AFTER_S / 2)
    await world.store.says("Lives in Lisbon.", key="home city")
    await world.settles()

    assert set(world.lines()) == {
        "## Preferences",
        "- 2026-01-05 drink: Likes tea.",
        "- 2026-01-05 home city: Lives in Lisbon.",
    }


async def test_mem_3_the_newest_statement_stands_alone(world: World) -> None:
    await world.store.says("Likes tea.")
    await world.settles()
    await world.store.says("Likes coffee.")
    await world.settles()

    assert world.lines() == ("## Preferences", "- 2026-01-05 drink: Likes coffee.")


async def test_a_changed_value_is_written_where_it_belongs_and_nowhere_else(world: World) -> None:
    """Though what it ended has no pieces any more."""
    await world.store.says("Likes tea.")
    await world.store.says("Likes milk.", audience=GROUP)
    await world.settles()
    before = len(world.store.gone_through)
    await world.store.says("Likes coffee.")
    await world.settles()

    assert (ADA,) == world.store.gone_through[before:]


async def test_mem_9_each_audience_has_its_own_facts(world: World) -> None:
    """Ada may recall in private what she said in the group; her private file does not say it."""
    await world.store.says("Likes tea.")
    await world.store.says("Likes milk.", audience=GROUP)
    await world.store.says("Likes water.", audience=GROUP, by=BOB_SAYS)
    await world.settles()

    assert world.lines() == ("## Preferences", "- 2026-01-05 drink: Likes tea.")
    assert set(world.lines(GROUP)) == {
        "## Preferences",
        "- 2026-01-05 telegram:1001: drink: Likes milk.",
        "- 2026-01-05 telegram:1002: drink: Likes water.",
    }


async def test_mem_3_every_night_all_files_are_looked_at(world: World) -> None:
    await world.store.says("Likes tea.")
    await world.settles()
    world.store.episodes = (episode(99, "Planned a trip."),)
    await world.clock.advance(timedelta(days=31).total_seconds())
    await world.distilling.distil_all()
    await settle()

    assert world.lines() == (
        "## Preferences",
        "- 2026-01-05 drink: Likes tea. (unverified since 2026-01-05)",
        "## Sessions",
        "- 2026-11-29 Planned a trip.",
    )
    assert world.lines(GROUP) == ()


async def test_mem_3_what_was_there_before_waits_for_the_night(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    store = _open(tmp_path)
    await store.says("Likes tea.")
    world = World(store)
    supervisor.spawn("distilling", world.distilling.run())
    await world.settles()
    before = world.lines()
    await world.distilling.distil_all()
    await settle()

    assert (before, len(world.lines())) == ((), 2)
    supervisor.cancel_all()
    await store.close()


async def test_a_file_that_cannot_be_written_is_tried_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.files.failures = 1
    await world.store.says("Likes tea.")
    await world.store.says("Likes milk.", audience=GROUP)
    with caplog.at_level(logging.WARNING):
        await world.settles()

    assert sorted(map(len, (world.lines(), world.lines(GROUP)))) == [0, 2]
    assert world.distilling.trouble == "A memory file cannot be written: no space is left"
    await world.clock.advance(RETRY_S)
    await settle()
    assert list(map(len, (world.lines(), world.lines(GROUP)))) == [2, 2]
    assert world.distilling.trouble == ""
    assert [record.message for record in caplog.records] == ["memory.store_failed"]
    assert "tea" not in caplog.text


async def test_a_store_that_fails_is_asked_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.store.failures = 1
    await world.store.says("Likes tea.")
    with caplog.at_level(logging.WARNING):
        await world.settles()
    assert world.lines() == ()
    await world.settles()

    assert world.lines() == ("## Preferences", "- 2026-01-05 drink: Likes tea.")


async def test_prv_1_no_secret_is_written(world: World) -> None:
    secret = "xoxb-" + "1" * 12 + "-" + "2" * 12 + "-" + "aBcDeFgHiJkLmNoPqRsTuVwX"
    await world.store.says(f"Uses {secret}.")
    await world.settles()

    assert world.lines()[1].startswith("- 2026-01-05 drink: Uses [redacted:")
    assert secret not in str(world.files.lasting)


async def test_it_sleeps_until_something_changes(world: World) -> None:
    await world.store.says("Likes tea.")
    await world.settles()
    asleep = world.clock.sleepers
    await world.settles()

    assert asleep == world.clock.sleepers == 0
