#!/usr/bin/env python3
"""What do a search, a new piece and a new index cost, with how many pieces there are?

    python3 benchmarks/search_speed.py [--million]

Pieces are made up: a dozen to thirty words each, frequent and rare as in languages. Their
directions are drawn at random, as what the embedder takes for a text does not depend on how many
there are; it is shown by itself. Next to it SQLite's own full-text search is asked for any of the
same words, by bm25, in a table of one audience: the machine is as busy for both. All times are the
median and the 99th percentile; *of processor* is what a search takes of it, whoever else is busy.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bot.adapters.search.sqlite_index import SqliteSearchIndex  # noqa: E402 - see above
from bot.adapters.search.use_embedder import DIMENSIONS, UseEmbedder  # noqa: E402
from bot.core.chat import PersonKey  # noqa: E402
from bot.core.memory.audience import Audience, Origin, Viewer  # noqa: E402
from bot.core.memory.items import ItemId, ItemRef, MemoryItem  # noqa: E402
from bot.core.memory.question import Question  # noqa: E402

SEED = 7
WORDS = 30_000
THREAD = 40
BATCH = 256
ASKED = 300
ADDED = 200
LIMIT = 10
START = datetime(2026, 1, 1, tzinfo=UTC)


class RandomDirections:
    """An embedder that knows nothing and costs nothing."""

    name = "random"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._random = np.random.default_rng(SEED)

    def embed(self, texts: tuple[str, ...]) -> tuple[bytes, ...]:
        """Give a direction for each text."""
        rows = self._random.standard_normal((len(texts), DIMENSIONS), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return tuple(row.tobytes() for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long something took, in milliseconds, each time."""

    taken: tuple[float, ...]

    def __str__(self) -> str:
        ordered = sorted(self.taken)
        middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
        return f"{middle:.1f} / {late:.1f}"


class Texts:
    """Texts of made-up words; the n-th most frequent one is 1/n as frequent as the first."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        syllables = ["".join(pair) for pair in itertools.product("bdfgklmnprtvz", "aeiou")]
        self._words = ["".join(self._random.choices(syllables, k=3)) for _ in range(WORDS)]
        self._sums = list(itertools.accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def text(self) -> str:
        """Make a text up."""
        many = self._random.randint(12, 30)
        return " ".join(self._random.choices(self._words, cum_weights=self._sums, k=many))

    def question(self, text: str) -> str:
        """Ask for four words of a text, the most frequent fifty left out as stop words are."""
        words = [word for word in text.split() if word not in set(self._words[:50])]
        return " ".join(self._random.sample(words, min(4, len(words))))


def _audience(number: int) -> Audience:
    return Audience(channel="benchmark", account="", chat=str(number), kind="private")


def _items(texts: Texts, many: int, audiences: int) -> Iterator[MemoryItem]:
    for number in range(many):
        ref = ItemRef(f"turn:{number}")
        audience = number % audiences
        place = number // audiences
        yield MemoryItem(
            id=ItemId(ref),
            ref=ref,
            kind="turn",
            text=texts.text(),
            origin=Origin(audience=_audience(audience), said_by=PersonKey("benchmark::1")),
            speaker=("Ann", "Bob")[place % 2],
            moment=START + timedelta(minutes=place),
            thread=f"{audience} {place // THREAD}",
            place=place,
        )


async def _measure(folder: Path, many: int, audiences: int) -> str:
    texts = Texts()
    items = tuple(_items(texts, many, audiences))
    path = folder / f"{many}-{audiences}.db"
    index = SqliteSearchIndex(path, RandomDirections())
    began = time.perf_counter()
    for first in range(0, many, BATCH):
        some = items[first : first + BATCH]
        await index.replace(tuple(item.ref for item in some), some, seq=first)
    built_s = time.perf_counter() - began
    viewer = Viewer(audience=_audience(0), person_key=PersonKey("benchmark::1"))
    mine = [item for item in items if item.origin.audience == viewer.audience]
    questions = [texts.question(random.Random(n).choice(mine).text) for n in range(ASKED)]
    await index.search(_question(questions[0]), viewer, limit=LIMIT)  # reads the signs
    plain = _plain_index(mine)
    searched, worked, plainly, added = [], [], [], []
    for number, text in enumerate(questions):
        began, begun_cpu = time.perf_counter(), time.process_time()
        await index.search(_question(text), viewer, limit=LIMIT)
        searched.append(_ms_since(began))
        worked.append((time.process_time() - begun_cpu) * 1000)
        plainly.append(_timed(partial(_plain_search, plain, text)))
        if number < ADDED:
            item = next(_items(texts, 1, 1))
            fresh = ItemRef(f"turn:{many + number}")
            began = time.perf_counter()
            item = replace(item, id=ItemId(fresh), ref=fresh, thread="new")
            await index.replace((fresh,), (item,), seq=many + number)
            added.append(_ms_since(began))
    await index.close()
    megabytes = path.stat().st_size / 1e6
    return (
        f"| {many:,} | {audiences:,} | {Times(taken=tuple(searched))} | "
        f"{Times(taken=tuple(worked))} | "
        f"{Times(taken=tuple(plainly))} | {Times(taken=tuple(added))} | {megabytes:.1f} | "
        f"{built_s:.1f} |"
    )


def _question(text: str) -> Question:
    return Question(text=text, asked_on=date(2026, 11, 30))


def _plain_index(items: list[MemoryItem]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE plain USING fts5 (text)")
    connection.executemany("INSERT INTO plain VALUES (?)", ((item.text,) for item in items))
    return connection


def _plain_search(connection: sqlite3.Connection, text: str) -> None:
    connection.execute(
        "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?",
        (" OR ".join(text.split()), LIMIT),
    ).fetchall()


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return _ms_since(began)


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def _rss_mib() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _show_embedder() -> None:
    texts, embedder, before = Texts(), UseEmbedder(), _rss_mib()
    loaded = _timed(lambda: embedder.embed(("hello",)))
    after = _rss_mib()
    questions = [texts.question(texts.text()) for _ in range(200)]
    asked = Times(taken=tuple(_timed(partial(embedder.embed, (q,))) for q in questions))
    many = tuple(texts.text() for _ in range(400))
    each = _timed(lambda: embedder.embed(many)) / len(many)
    print(
        f"embedder: loads in {loaded:.0f} ms and takes {after - before:.0f} MiB; a question "
        f"{asked} ms (p50 / p99), a piece among many {each:.1f} ms\n"
    )


async def main() -> None:
    """Measure all sizes and print a row for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--million", action="store_true", help="also a million pieces")
    sizes = [(1_000, 1), (10_000, 1), (100_000, 1), (100_000, 1_000)]
    if parser.parse_args().million:
        sizes.append((1_000_000, 10))
    _show_embedder()
    print("| pieces | audiences | search, ms | of processor | plain FTS5 | adding | MB | anew, s |")
    print("|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        for many, audiences in sizes:
            print(await _measure(Path(folder), many, audiences), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
