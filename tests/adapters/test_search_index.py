"""The search index does what every one must do, and what is its own affair: its file."""

import asyncio
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.core.memory.items import ItemRef
from bot.core.memory.question import Question
from bot.errors import SearchUnavailable
from bot.testing.kept_search import InMemorySearchIndex
from bot.testing.patience import PATIENCE_S
from bot.testing.search_index import (
    ANN_ALONE,
    BOB,
    BOB_ALONE,
    BOBS_CHAT,
    CONTRACT,
    TODAY,
    Check,
    found,
    piece,
    put,
)

MARK = "zanzibar"


def raw(folder: Path) -> str:
    return "".join(path.read_bytes().decode("latin-1") for path in folder.iterdir())


class Topics:
    """An embedder that knows what some words are about, and can be broken."""

    dimensions = 64

    def __init__(self, name: str = "topics 1") -> None:
        self.name = name
        self.is_broken = False
        self.is_ready = Event()
        self.is_ready.set()
        self._topics = {"puppy": 0, "dog": 0, "cottage": 1, "house": 1}

    def embed(self, texts: tuple[str, ...]) -> tuple[bytes, ...]:
        self.is_ready.wait(PATIENCE_S)
        if self.is_broken:
            raise ValueError("no weights")
        return tuple(self._direction(text).tobytes() for text in texts)

    def _direction(self, text: str) -> np.ndarray:
        direction = np.full(self.dimensions, -0.01, np.float32)
        for word in text.lower().split():
            if (topic := self._topics.get(word)) is not None:
                direction[32 * topic : 32 * topic + 32] = 1
        length: np.ndarray = direction / np.linalg.norm(direction)
        return length


def _name(check: Check) -> str:
    return getattr(check, "__name__", repr(check))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_search_index(check: Check, tmp_path: Path) -> None:
    await check(partial(SqliteSearchIndex, tmp_path / "search.db"))


@pytest.mark.parametrize("check", CONTRACT, ids=_name)
async def test_search_index_in_memory(check: Check) -> None:
    await check(InMemorySearchIndex)


async def test_what_it_has_outlasts_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    await _with_the_mark(path, seq=9)
    index = SqliteSearchIndex(path)

    assert ["fact:1"] == await found(index, MARK)
    assert 9 == await index.applied_seq()
    assert {"fact:1": ""} == await index.refs("fact:")
    await index.close()


def _damage(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)


def _shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _overwrite_the_middle(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4_096:] = b"\xaa" * (len(content) - 4_096)
    path.write_bytes(content)


def _put_something_else(path: Path) -> None:
    path.write_text("no database at all " * 500)


def _put_another_database(path: Path) -> None:
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE item (id INTEGER)")
    other.commit()
    other.close()


def _put_another_version(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("PRAGMA user_version = 999")
    other.close()


@pytest.mark.parametrize(
    "spoil",
    [
        _damage,
        _shorten,
        _overwrite_the_middle,
        _put_something_else,
        _put_another_database,
        _put_another_version,
    ],
)
async def test_mem_8_a_file_of_no_use_is_made_anew(tmp_path: Path, spoil: partial[None]) -> None:
    """It begins before every change, so that whoever fills it begins from the start."""
    path = tmp_path / "search.db"
    await _with_the_mark(path)
    spoil(path)
    index = SqliteSearchIndex(path)

    assert 0 == await index.applied_seq()
    assert [] == await found(index, MARK)
    await put(index, piece("fact:2", MARK))
    assert ["fact:2"] == await found(index, MARK)
    await index.close()


async def test_mem_8_damage_under_its_feet_is_told_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    index = SqliteSearchIndex(path)
    await put(index, *(piece(f"fact:{number}", f"{MARK} {number}") for number in range(500)))
    other = sqlite3.connect(path)
    other.execute("UPDATE item SET body = 'no piece'")
    other.commit()
    other.close()

    with pytest.raises(SearchUnavailable, match="malformed"):
        await found(index, MARK)

    with pytest.raises(SearchUnavailable, match="being made anew"):
        await found(index, MARK)
    assert 0 == await index.applied_seq()
    await index.begin_anew()
    assert [] == await found(index, MARK)
    await index.close()


async def test_mem_8_an_index_that_is_removed_under_its_feet_says_so_until_it_is_begun_anew(
    tmp_path: Path,
) -> None:
    path = tmp_path / "search.db"
    index = SqliteSearchIndex(path)
    await put(index, piece("fact:1", MARK))
    path.unlink()

    for _ in range(2):
        with pytest.raises(SearchUnavailable, match="being made anew"):
            await found(index, MARK)
    with pytest.raises(SearchUnavailable, match="being made anew"):
        await put(index, piece("fact:2", MARK))

    assert 0 == await index.applied_seq()
    await index.begin_anew()
    await put(index, piece("fact:3", MARK))
    assert ["fact:3"] == await found(index, MARK)
    await index.close()


async def test_mem_8_a_locked_file_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    await _with_the_mark(path)
    index = SqliteSearchIndex(path, busy_s=0.01)
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(SearchUnavailable, match="locked"):
        await put(index, piece("fact:2", MARK))

    other.rollback()
    other.close()
    assert ["fact:1"] == await found(index, MARK)
    await index.close()


async def test_mem_8_a_file_that_was_removed_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "search.db"
    index = SqliteSearchIndex(path)
    await put(index, piece("fact:1", MARK), seq=5)
    path.unlink()

    assert 0 == await index.applied_seq()
    assert path.exists()
    await index.close()


async def test_a_folder_in_its_place_is_told(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path)

    with pytest.raises(SearchUnavailable):
        await found(index, MARK)
    await index.close()


async def test_what_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    await put(index, piece("fact:1", "my dog"))
    impossible = replace(piece("fact:2", "a puppy"), place=2**70)

    with pytest.raises(OverflowError):
        await index.replace((ItemRef("fact:1"), ItemRef("fact:2")), (impossible,), seq=2)
    with pytest.raises(ValueError, match="fact:2"):
        await index.replace((ItemRef("fact:1"),), (piece("fact:2", "a puppy"),), seq=2)

    assert 1 == await index.applied_seq()
    assert ["fact:1"] == await found(index, "puppy")
    await index.close()


async def test_a_new_beginning_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db")
    await put(index, piece("fact:1", f"the {MARK} plan"))
    assert MARK in raw(tmp_path)

    await index.begin_anew()

    assert MARK not in raw(tmp_path)
    assert {"search.db"} == _names(tmp_path)
    await index.close()


async def test_a_closed_index_refuses(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db")
    await index.close()
    await index.close()

    with pytest.raises(SearchUnavailable, match="closed"):
        await found(index, MARK)


async def test_many_ask_at_once(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    await put(index, *(piece(f"fact:{number}", f"dog number{number}") for number in range(50)))

    answers = await asyncio.gather(*(found(index, f"number{number}") for number in range(50)))

    assert [f"fact:{number}" for number in range(50)] == [answer[0] for answer in answers]
    await index.close()


async def test_meaning_finds_what_no_word_does(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    await put(index, piece("fact:1", "a cottage"), piece("fact:2", "a puppy"))

    assert "fact:2" == (await found(index, "dog"))[0]
    assert "fact:1" == (await found(index, "house"))[0]
    await index.close()


async def test_meaning_follows_what_is_added_replaced_and_removed(tmp_path: Path) -> None:
    """Also what is held in memory of a scope, which the first search reads."""
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    cottages = tuple(piece(f"fact:{number}", "a cottage") for number in range(100))
    await put(index, *cottages, piece("fact:900", "a puppy"))
    assert "fact:900" == (await found(index, "dog"))[0]

    await put(index, piece("fact:900", "a cottage"), piece("fact:50", "a puppy"), seq=2)
    assert "fact:50" == (await found(index, "dog"))[0]

    await put(index, *(piece(f"fact:{number}", "a cottage") for number in range(200, 400)), seq=3)
    await index.replace((ItemRef("fact:50"),), (), seq=4)
    await put(index, piece("fact:901", "a puppy"), seq=5)
    assert "fact:901" == (await found(index, "dog"))[0]
    await index.close()


async def test_meaning_of_others_is_not_found(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    await put(index, piece("fact:1", "a puppy", audience=BOBS_CHAT, said_by=BOB))

    assert [] == await found(index, "dog", ANN_ALONE)
    assert ["fact:1"] == await found(index, "dog", BOB_ALONE)
    await index.close()


async def test_without_meaning_words_are_enough(tmp_path: Path) -> None:
    """A broken embedder costs nothing but meaning, for pieces and for questions."""
    embedder = Topics()
    index = SqliteSearchIndex(tmp_path / "search.db", embedder)
    await put(index, piece("fact:1", "a puppy"))
    embedder.is_broken = True
    await put(index, piece("fact:2", "a puppy and a cottage"))

    assert {"fact:1", "fact:2"} == set(await found(index, "puppy"))
    assert [] == await found(index, "dog")
    embedder.is_broken = False
    assert ["fact:1"] == await found(index, "dog")
    await index.close()


async def test_a_slow_embedder_holds_no_search_up(tmp_path: Path) -> None:
    """As while it is being loaded: words are enough, and the next question finds it ready."""
    embedder = Topics()
    index = SqliteSearchIndex(tmp_path / "search.db", embedder)
    await put(index, piece("fact:1", "a puppy"))
    embedder.is_ready.clear()

    assert ["fact:1"] == await found(index, "puppy")
    assert [] == await found(index, "dog")
    embedder.is_ready.set()
    assert ["fact:1"] == await found(index, "dog")
    await index.close()


async def test_another_embedder_begins_anew(tmp_path: Path) -> None:
    """Directions of one mean nothing to another, and pieces without any would never be found."""
    path = tmp_path / "search.db"
    for embedder in (Topics(), Topics("topics 2"), None, Topics("topics 2")):
        index = SqliteSearchIndex(path, embedder)
        assert 0 == await index.applied_seq()
        await put(index, piece("fact:1", "a puppy"), seq=3)
        await index.close()

    index = SqliteSearchIndex(path, Topics("topics 2"))
    assert 3 == await index.applied_seq()
    await index.close()


async def test_a_hit_says_why_without_its_text(tmp_path: Path) -> None:
    index = SqliteSearchIndex(tmp_path / "search.db", Topics())
    await put(index, replace(piece("fact:1", f"my dog is called {MARK}"), speaker="Ann"))

    (hit,) = await index.search(
        Question(text="What is Ann's dog called?", asked_on=TODAY), ANN_ALONE, limit=1
    )

    assert "words: dog, call; meaning; who said it" == hit.why
    await index.close()


async def _with_the_mark(path: Path, seq: int = 1) -> None:
    index = SqliteSearchIndex(path)
    await put(index, piece("fact:1", f"the {MARK} plan"), seq=seq)
    await index.close()


def _names(folder: Path) -> set[str]:
    """Name the files, but for what SQLite puts beside them."""
    return {path.name.partition("-")[0] for path in folder.iterdir()}
