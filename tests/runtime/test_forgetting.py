"""What somebody wants forgotten is gone from every layer and from the disk, whatever happens."""

import asyncio
import sys
from pathlib import Path

import pytest

from bot.core.memory.blanking import FORGOTTEN
from bot.core.memory.forgetting import VALID_FOR
from bot.testing.clock import START, settle
from bot.testing.stores.given import begin, message, saying
from tests.runtime.forgetting_given import (
    HERS,
    KEY,
    MARK,
    OTHER,
    PLACE,
    World,
    asked,
    counts,
    fill,
    killed_everywhere,
)


async def filled(folder: Path) -> World:
    world = World(folder)
    await fill(world.store, world.files)
    return world


async def test_mem_2_what_is_forgotten_is_in_no_byte_of_the_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Database, log, files and versions: counted before and after; what was not meant stays."""
    world = await filled(tmp_path)
    in_log = {trace.file for trace in await world.raw.find((MARK,))}
    await world.close()
    before = counts(tmp_path, MARK)
    world = World(tmp_path)

    proposal = await world.forgetting.propose(HERS, "Violet  HERON")
    assert proposal is not None
    assert (1, 1, 1) == (proposal.turns, proposal.facts, proposal.episodes)
    assert await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.run()
    facts = await world.store.facts_for(HERS)
    (blank, kept, _) = await world.store.turns_between(KEY, 0, 99)
    await world.close()
    after = counts(tmp_path, MARK)
    with capsys.disabled():
        sys.stdout.write(f"\n  before {before}, open {sorted(in_log)}\n  after  {after}\n")

    assert "daybook.db-wal" in in_log
    assert before["daybook.db"] >= 8
    assert any(name.startswith("memory/") for name in before)
    assert {} == after
    assert FORGOTTEN == blank.request.text
    assert OTHER in kept.request.text
    assert (f"Knows that {OTHER}.",) == tuple(fact.text for fact in facts)
    assert any(name.startswith("memory/") for name in counts(tmp_path, OTHER))
    assert [KEY] == sorted(set(world.dropped))
    assert 1 == world.rebuilt
    (receipt,) = world.told
    assert "1 turn, 1 fact, 1 record of a session" in receipt.reply.text
    assert "nothing is left" in receipt.reply.text
    assert MARK not in receipt.reply.text


async def test_what_would_go_is_shown_in_the_words_of_people(tmp_path: Path) -> None:
    world = await filled(tmp_path)
    proposal = await world.forgetting.propose(HERS, "2026-01-05")
    await world.close()

    assert proposal is not None
    assert proposal.lines
    assert any(MARK in head for head in proposal.heads)
    assert [] == [head for head in proposal.heads if head.startswith(("#", "<", "[", "- "))]


async def test_prv_2_everything_of_a_person_goes_at_their_wish(tmp_path: Path) -> None:
    world = await filled(tmp_path)
    proposal = await world.forgetting.propose(HERS, "all")
    assert proposal is not None
    await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.run()
    turns = await world.store.turns_between(KEY, 0, 99)
    assert () == await world.store.facts_for(HERS)
    await world.close()

    assert {FORGOTTEN} == {turn.request.text for turn in turns}
    assert 3 == len(turns)
    assert {} == counts(tmp_path, MARK) | counts(tmp_path, OTHER)


async def test_a_fact_goes_with_the_turn_in_which_it_was_said(tmp_path: Path) -> None:
    world = await filled(tmp_path)
    (heron,) = [fact for fact in await world.store.facts_for(HERS) if fact.key == "heron"]

    proposal = await world.forgetting.propose(HERS, f"f{heron.id}")
    nobody = await world.forgetting.propose(HERS, "f99")
    nothing = await world.forgetting.propose(HERS, "of")

    assert proposal is not None
    assert (f"Knows that {MARK}.",) == proposal.heads
    assert nobody is not None
    assert nobody.is_empty
    assert "" == nobody.token
    assert nothing is None
    await world.close()


async def test_a_proposal_is_no_order(tmp_path: Path) -> None:
    """It can be cancelled, it ends by itself after a day, and its words cannot be read on disk."""
    world = await filled(tmp_path)
    proposal = await world.forgetting.propose(HERS, "indigo bicycle")
    assert proposal is not None
    assert proposal.is_empty
    proposal = await world.forgetting.propose(HERS, "violet heron nests")
    assert proposal is not None
    await world.run()
    assert len(await world.store.facts_for(HERS)) == 2
    assert await world.forgetting.cancel(HERS, proposal.token)
    assert not await world.forgetting.confirm(HERS, proposal.token, PLACE)

    proposal = await world.forgetting.propose(HERS, "heron nests by mill")
    assert proposal is not None
    await world.clock.advance(VALID_FOR.total_seconds())
    assert not await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.close()


async def test_a_turn_that_runs_is_forgotten_when_it_ended(tmp_path: Path) -> None:
    """Its answer is delivered; the receipt comes when it is gone too."""
    world = await filled(tmp_path)
    turn = await begin(world.store, message(4, f"Forget that {MARK}!"))
    world.activity.begin(KEY)
    proposal = await world.forgetting.propose(HERS, "violet heron")
    assert proposal is not None
    await world.forgetting.confirm(HERS, proposal.token, PLACE)
    running = asyncio.ensure_future(world.run())
    await world.has_dropped.wait()
    await settle()
    assert [] == world.told

    await world.store.finish_turn(turn.id, "answered", (saying("Gone."),), at=START)
    world.activity.end(KEY)
    await running
    last = (await world.store.turns_between(KEY, 0, 99))[-1]
    await world.close()

    assert (turn.id, FORGOTTEN) == (last.id, last.request.text)
    assert "2 turns" in world.told[0].reply.text
    assert {} == counts(tmp_path, MARK)


async def test_words_of_others_that_stay_are_no_trace(tmp_path: Path) -> None:
    """The receipt says that they stand elsewhere, and by whom that is so."""
    world = await filled(tmp_path)
    proposal = await world.forgetting.propose(HERS, "turn 1")
    assert proposal is not None
    await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.run()
    await world.close()

    assert "stay where others said them" in world.told[0].reply.text
    assert ["daybook.db"] == list(counts(tmp_path, f"Knows that {MARK}"))


@pytest.mark.parametrize("is_after", [False, True])
async def test_mem_2_it_is_finished_whatever_call_the_process_ends_in(
    tmp_path: Path, *, is_after: bool
) -> None:
    """Every call of store, files and search: the next process does the rest, counting once."""

    async def ask(folder: Path) -> World:
        world = await filled(folder)
        await asked(world, HERS, "violet heron")
        return world

    receipts: list[str] = []
    async for folder, receipt in killed_everywhere(tmp_path, ask, is_after=is_after):
        assert {} == counts(folder, MARK), folder
        assert "nothing is left" in receipt, folder
        receipts.append(receipt)

    assert len(receipts) > 10
    gone = "1 turn, 1 fact, 1 record of a session, 2 summaries and notes, 1 undelivered"
    assert [] == [text for text in receipts if gone not in text]
