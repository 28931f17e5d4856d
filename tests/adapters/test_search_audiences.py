"""Whoever asks, a search finds what they may recall and nothing else, however audiences look."""

import asyncio
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import PersonKey
from bot.core.memory.audience import GLOBAL, Audience, Origin, Viewer, may_recall
from bot.core.memory.items import ItemId, ItemRef, MemoryItem
from bot.core.memory.question import Question
from bot.testing.kept_search import InMemorySearchIndex
from bot.testing.search_index import TODAY

_ids = st.sampled_from(("", "1", "2", "1]", '1", "', "a", "A", "everybody", "_"))

audiences = st.builds(
    Audience,
    channel=st.sampled_from(("telegram", "slack")),
    account=_ids,
    chat=_ids,
    kind=st.sampled_from(("private", "group")),
)
people = _ids.map(PersonKey)
origins = st.builds(Origin, audience=audiences, said_by=people) | st.just(GLOBAL)
viewers = st.builds(Viewer, audience=audiences, person_key=people)


@settings(max_examples=60, deadline=None)
@given(st.lists(origins, min_size=1, max_size=20), st.lists(viewers, min_size=1, max_size=8))
def test_mem_9_the_rule_holds_for_any_audiences(said: list[Origin], asking: list[Viewer]) -> None:
    """One piece each of all these origins, in one thread, asked for by its word and its place."""
    items = tuple(
        MemoryItem(
            id=ItemId(f"turn:{number}"),
            ref=ItemRef(f"turn:{number}"),
            kind="turn",
            text="the marked secret" if number % 2 else "nothing of it",
            origin=origin,
            thread="all of them",
            place=number,
        )
        for number, origin in enumerate(said)
    )

    async def search() -> None:
        index = InMemorySearchIndex()
        await index.replace(tuple(item.ref for item in items), items, seq=1)
        for viewer in asking:
            question = Question(text="marked secret", asked_on=TODAY)
            hits = await index.search(question, viewer, limit=100)
            shown = {hit.item.id for hit in hits}
            may = {item.id for item in items if may_recall(viewer, item.origin)}
            having = {item.id for item in items if "secret" in item.text}
            assert shown <= may
            assert may & having <= shown
        await index.close()

    asyncio.run(search())


@settings(max_examples=30, deadline=None)
@given(st.lists(origins, min_size=1, max_size=10), viewers)
def test_mem_9_what_is_hidden_changes_no_score(said: list[Origin], viewer: Viewer) -> None:
    """A viewer's hits are the same with and without what they may not recall."""
    items = tuple(
        MemoryItem(
            id=ItemId(f"turn:{number}"),
            ref=ItemRef(f"turn:{number}"),
            kind="turn",
            text="the marked secret",
            origin=origin,
            thread="all of them",
            place=number,
        )
        for number, origin in enumerate(said)
    )

    async def hits(of: tuple[MemoryItem, ...]) -> set[tuple[str, float]]:
        index = InMemorySearchIndex()
        await index.replace(tuple(item.ref for item in of), of, seq=1)
        question = Question(text="marked secret", asked_on=TODAY)
        found = await index.search(question, viewer, limit=100)
        await index.close()
        return {(hit.item.id, round(hit.score, 9)) for hit in found}

    seen = tuple(item for item in items if may_recall(viewer, item.origin))
    hidden = tuple(
        replace(item, text="marked marked secret") if item not in seen else item for item in items
    )

    assert asyncio.run(hits(seen)) == asyncio.run(hits(hidden))
