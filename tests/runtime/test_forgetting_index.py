"""What is forgotten is in no byte of the search index either."""

from pathlib import Path

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.core.memory.audience import Origin
from bot.core.memory.items import ItemId, ItemRef, MemoryItem
from bot.testing.stores.given import ANN
from tests.runtime.forgetting_given import HERS, MARK, PLACE, World, counts, fill


async def test_mem_2_the_index_is_thrown_away_with_what_it_knew(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db")
    items = tuple(
        MemoryItem(
            id=ItemId(f"turn:{number}#0"),
            ref=ItemRef(f"turn:{number}"),
            kind="turn",
            text=f"{MARK} {number}",
            origin=Origin(audience=HERS.audience, said_by=ANN.person_key),
        )
        for number in range(1, 50)
    )
    await index.replace(tuple(item.ref for item in items), items, seq=1)
    world = World(tmp_path, rebuild=index.begin_anew)
    await fill(world.store, world.files)
    before = [name for name in counts(tmp_path, "heron") if name.startswith("search.db")]

    proposal = await world.forgetting.propose(HERS, "all")
    assert proposal is not None
    await world.forgetting.confirm(HERS, proposal.token, PLACE)
    await world.run()
    await world.close()
    await index.close()

    assert before  # as a word of its vocabulary
    assert {} == counts(tmp_path, "heron")
