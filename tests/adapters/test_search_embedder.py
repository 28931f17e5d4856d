"""The embedder that comes with the bot."""

from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

from bot.adapters.search import use_embedder
from bot.adapters.search.use_embedder import DIMENSIONS, UseEmbedder, embedder_named
from bot.testing.kept_search import InMemorySearchIndex
from bot.testing.search_index import found, piece, put


@pytest.fixture(scope="module")
def embedder() -> UseEmbedder:
    return UseEmbedder()


def test_directions_are_of_length_one(embedder: UseEmbedder) -> None:
    texts = ("a dog", "", "x" * 100_000, "\ufdfa" * 2_000, "\0", "我的狗", "\ud800")

    directions = [np.frombuffer(row, np.float32) for row in embedder.embed(texts)]

    assert [(DIMENSIONS,)] * len(texts) == [each.shape for each in directions]
    assert np.allclose([np.linalg.norm(each) for each in directions], 1, atol=1e-3)
    assert () == embedder.embed(())


def test_a_text_has_one_direction_alone_and_among_others(embedder: UseEmbedder) -> None:
    alone = np.frombuffer(embedder.embed(("my dog",))[0], np.float32)
    among = np.frombuffer(embedder.embed(("something else", "my dog"))[1], np.float32)

    assert np.allclose(alone, among, atol=1e-4)


async def test_a_question_finds_its_answer_in_another_language(embedder: UseEmbedder) -> None:
    index = InMemorySearchIndex(embedder)
    await put(
        index,
        piece("fact:1", "用户的猫叫豆豆"),
        piece("fact:2", "母の誕生日は五月二十日"),
        piece("fact:3", "보고서는 표로 정리하는 것을 선호한다"),
    )

    assert "fact:1" == (await found(index, "What is my cat called?"))[0]
    assert "fact:2" == (await found(index, "When is the birthday of my mother?"))[0]
    assert "fact:3" == (await found(index, "How should reports be formatted?"))[0]
    await index.close()


def test_it_can_be_switched_off_and_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    assert embedder_named("none") is None
    assert embedder_named("use") is not None
    monkeypatch.setattr(use_embedder, "version", nothing)
    assert embedder_named("use") is None
