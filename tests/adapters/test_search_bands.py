"""What is recalled of a small memory, by its scores: with and without meaning."""

from dataclasses import replace

import pytest

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.search.use_embedder import UseEmbedder
from bot.core.chat import PersonKey
from bot.core.memory.items import Hit
from bot.core.memory.question import Question
from bot.core.memory.recall import SPARE_FROM, VERBATIM_FROM
from bot.ports.recall import Embedder
from bot.testing.search_index import ANN_ALONE, ANN_IN_GROUP, GROUP, TODAY, piece, put

SUBJECTS = ("budget", "garden", "printer", "novel", "marathon", "soup", "guitar", "passport")
EMBEDDER = UseEmbedder()
EMBEDDER.embed(("A first question goes by words, while it is loaded.",))

with_and_without_meaning = pytest.mark.parametrize(
    "embedder", [None, EMBEDDER], ids=["words", "meaning"]
)
of_any_size = pytest.mark.parametrize("size", [1, 3, 60])


async def _filled(embedder: Embedder | None, size: int, text: str) -> SqliteSearchIndex:
    """Give an index of so many pieces, each said on a day of its own, one of them the text."""
    index = SqliteSearchIndex(None, embedder)
    others = (
        f"I was thinking about the {SUBJECTS[number % 8]} again, number {number}."
        for number in range(size - 1)
    )
    await put(
        index,
        *(
            replace(piece(f"turn:{number}", words, kind="turn"), thread=f"day {number}")
            for number, words in enumerate((text, *others))
        ),
    )
    return index


async def _best(index: SqliteSearchIndex, text: str) -> Hit | None:
    hits = await index.search(Question(text=text, asked_on=TODAY), ANN_ALONE, limit=5)
    return next(iter(hits), None)


@with_and_without_meaning
@of_any_size
@pytest.mark.parametrize(
    "request_",
    [
        "Could you book a table for dinner tomorrow?",
        "Translate this song into French please: broken wings",
        "Hello",
    ],
)
async def test_asm_3_what_answers_nothing_is_not_recalled(
    request_: str, size: int, embedder: Embedder | None
) -> None:
    """Sharing a word with the request, or being all there is, is no relevance."""
    index = await _filled(embedder, size, "The table of contents of my thesis is broken.")

    hit = await _best(index, request_)

    assert hit is None or hit.score < SPARE_FROM
    await index.close()


@with_and_without_meaning
@of_any_size
async def test_asm_3_what_was_asked_for_is_recalled(size: int, embedder: Embedder | None) -> None:
    index = await _filled(embedder, size, "The table of contents of my thesis is broken.")

    hit = await _best(index, "What is broken in my thesis?")

    assert hit is not None
    assert "thesis" in hit.item.text
    assert hit.score >= VERBATIM_FROM
    await index.close()


@with_and_without_meaning
async def test_asm_3_a_fact_and_its_turn_are_both_recalled(embedder: Embedder | None) -> None:
    index = await _filled(embedder, 20, "My sister's parrot is called Caruso.")
    await put(index, piece("fact:1", "Their sister's parrot is called Caruso."), seq=2)

    hits = await index.search(
        Question(text="What is the sister's parrot called?", asked_on=TODAY), ANN_ALONE, limit=2
    )

    assert {"turn:0", "fact:1"} == {hit.item.id for hit in hits}
    assert all(hit.score >= VERBATIM_FROM for hit in hits)
    await index.close()


@with_and_without_meaning
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Ben", "turn:1"),
        ("rose", "turn:4"),
        ("rose gate", "turn:4"),
        ("Where did Ben move?", "turn:1"),
    ],
)
async def test_mem_8_a_word_is_found_that_is_also_a_name(
    question: str, expected: str, embedder: Embedder | None
) -> None:
    """Of somebody who spoke: it may be what is asked about, and not who."""
    index = SqliteSearchIndex(None, embedder)
    said = (
        ("Ann", "Ben moved to Oslo in spring."),
        ("Ben", "Hello everybody."),
        ("Rose Hill", "Good morning."),
        ("Ann", "The new rose by the gate is called Gloria."),
        *(("Cid", f"We talked about the budget of quarter {number}.") for number in range(20)),
    )
    await put(
        index,
        *(
            replace(
                piece(
                    f"turn:{number}", text, audience=GROUP, said_by=PersonKey(f"telegram::{who}")
                ),
                speaker=who,
                thread=f"day {number}",
            )
            for number, (who, text) in enumerate(said, 1)
        ),
    )

    hits = await index.search(Question(text=question, asked_on=TODAY), ANN_IN_GROUP, limit=5)

    assert expected == hits[0].item.id
    await index.close()
