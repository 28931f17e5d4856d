"""Answers are told from what merely has the words of a question."""

import gc
from dataclasses import replace

import pytest

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.core.memory.items import MemoryItem
from bot.core.memory.question import Question
from bot.core.memory.relevance import Evidence
from bot.testing.search_index import ANN_ALONE, TODAY, found, piece, put


def said(*texts: str) -> tuple[MemoryItem, ...]:
    """Give turns that follow each other."""
    return tuple(
        replace(piece(f"turn:{place}", text, kind="turn"), thread="a day", place=place)
        for place, text in enumerate(texts)
    )


async def evidence(index: SqliteSearchIndex, text: str) -> dict[str, Evidence]:
    question = Question(text=text, asked_on=TODAY)
    weighed = await index.weighed(question, ANN_ALONE, frozenset())
    return {item.id: each for item, each in weighed}


async def test_mem_8_words_that_a_piece_only_asks_for_are_known() -> None:
    index = SqliteSearchIndex(None)
    await put(
        index,
        *said("Which colour is the boat? Tell me!", "The boat is green.", "A boat? A boat!"),
    )

    seen = await evidence(index, "colour of the boat")

    assert seen["turn:0"].own == pytest.approx(seen["turn:0"].only_asked)
    assert 0 == seen["turn:1"].only_asked == seen["turn:2"].only_asked
    await index.close()


async def test_mem_8_what_follows_its_question_is_found_before_it() -> None:
    index = SqliteSearchIndex(None)
    await put(
        index,
        *said("Nice weather.", "Which colour is the boat now?", "Green, at last.", "Good for you."),
    )

    seen = await evidence(index, "colour of the boat")

    assert seen["turn:1"].own == pytest.approx(seen["turn:2"].was_asked)
    assert 0 == seen["turn:1"].was_asked == seen["turn:3"].was_asked
    assert "turn:2" == (await found(index, "Which colour is the boat?"))[0]
    await index.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did the boat sink?", "turn:0"),
        ("How many people saw the boat sink?", "turn:1"),
        ("Why did the boat sink?", "turn:2"),
    ],
)
async def test_mem_8_what_tells_what_is_asked_for_comes_first(question: str, expected: str) -> None:
    """Of pieces that have the same words of the question; otherwise the newest."""
    index = SqliteSearchIndex(None)
    texts = ("The boat did sink last week.", "The two on the boat saw it sink.", "Boat, sink!")
    await put(index, *(replace(each, thread=each.id) for each in said(*texts)))

    assert expected == (await found(index, question))[0]
    await index.close()


async def test_a_search_leaves_little_for_the_garbage_collector() -> None:
    """Hundreds of objects held at once would have Python look through all of its heap for garbage.

    That takes 30 ms and more where the heap is large: the slowest searches were these.
    """
    index = SqliteSearchIndex(None)
    texts = ("Nice weather." if place % 7 else f"Green boat {place}." for place in range(700))
    await put(index, *said(*texts))
    await found(index, "green boat")  # what is made once is made
    gc.collect()
    collections: list[int] = []

    def count(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            collections.append(told["generation"])

    gc.callbacks.append(count)
    try:
        for _ in range(20):
            await found(index, "green boat")
    finally:
        gc.callbacks.remove(count)

    assert len(collections) < 5  # one or two for each search, where each piece was an object
    await index.close()
