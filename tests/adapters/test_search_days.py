"""A day that is asked for is the asker's: where it begins at another moment than in Greenwich."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.memory.items import ItemRef
from bot.core.memory.pieces import day_pieces, fact_ref, turn_ref
from bot.core.memory.question import Question
from bot.testing.clock import START
from bot.testing.store import InMemoryStore
from bot.testing.stores.facts import stated
from bot.testing.stores.given import begin, message
from bot.testing.stores.items import HERS, end

TOKYO = ZoneInfo("Asia/Tokyo")
DAY = timedelta(days=1)
NIGHT = timedelta(hours=16) - timedelta(hours=START.hour, minutes=START.minute)
"""From the start until 16 o'clock in Greenwich, which is past midnight in Tokyo."""


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> SqliteStore | InMemoryStore:
    made = (
        SqliteStore.open(tmp_path / "daybook.db", inline=True)
        if request.param == "sqlite"
        else InMemoryStore()
    )
    made.zone = TOKYO
    return made


async def test_mem_8_pieces_are_dated_as_people_date_them(
    store: SqliteStore | InMemoryStore,
) -> None:
    ((fact, _),) = await store.keep_facts((stated("The ferry is late.", day=NIGHT / DAY),))
    turn_id = await end(store, await begin(store, message(1, "The ferry.")))

    pieces = await store.pieces_of((fact_ref(fact.id), turn_ref(turn_id)))

    assert {"fact", "turn"} == {piece.kind for piece in pieces}
    assert {TOKYO} == {piece.moment.tzinfo for piece in pieces if piece.moment is not None}
    (told,) = (piece for piece in pieces if piece.kind == "fact")
    tomorrow = START.date() + DAY
    assert told.moment is not None
    assert tomorrow == told.moment.date()
    assert told.thread.endswith(tomorrow.isoformat())
    await store.close()


async def test_mem_8_a_day_finds_what_was_said_on_it(store: SqliteStore | InMemoryStore) -> None:
    """The day in Tokyo, as the question counts it."""
    early, late = (
        fact
        for fact, _ in await store.keep_facts(
            (
                stated("The ferry left early.", key="early"),
                stated("The ferry left late.", key="late", day=NIGHT / DAY),
            )
        )
    )
    refs = (fact_ref(early.id), fact_ref(late.id))
    index = SqliteSearchIndex(None)
    await index.replace(refs, await store.pieces_of(refs), seq=1)

    async def best_on(day: date) -> str:
        question = Question(text=f"ferry on {day}", asked_on=START.date() + 5 * DAY)
        return (await index.search(question, HERS, limit=2))[0].item.text

    assert "The ferry left early." == await best_on(START.date())
    assert "The ferry left late." == await best_on(START.date() + DAY)
    await index.close()
    await store.close()


def test_mem_8_entries_of_daily_files_are_dated_by_their_chat() -> None:
    marked = datetime(2026, 5, 7, 16, tzinfo=UTC)
    text = (
        f"<!-- turn 7 {marked.isoformat(timespec='microseconds')} -->\n- 01:00 The ferry is late.\n"
    )
    noon = datetime(2026, 5, 8, 12, tzinfo=TOKYO)

    (piece,) = day_pieces(ItemRef("file:a/2026-05-08.md"), text, HERS.audience, noon)

    assert marked == piece.moment
    assert piece.moment is not None
    assert date(2026, 5, 8) == piece.moment.date()
