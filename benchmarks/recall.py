#!/usr/bin/env python3
"""How much of what answers a question does the search find, and what is its score worth?

    python3 benchmarks/recall.py --data FILE [--json] [--ablate]

Of conversations the turns and the facts noted about them are searched, of documents the documents,
all through the index that the bot uses, each conversation an audience of its own. R@k is the mean
share of the right pieces among the best k, hit@k the share of questions with one among them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.conversations import Asked, Corpus, read_corpora  # noqa: E402 - see above
from bot.adapters.search.sqlite_index import SqliteSearchIndex  # noqa: E402
from bot.adapters.search.use_embedder import UseEmbedder  # noqa: E402
from bot.core.memory.items import ItemId, MemoryItem  # noqa: E402
from bot.core.memory.question import Question  # noqa: E402
from bot.core.memory.recall import LINE_FROM, SPARE_FROM, VERBATIM_FROM  # noqa: E402
from bot.core.memory.terms import words_of  # noqa: E402
from bot.ports.recall import Embedder  # noqa: E402

DEPTH = 20
RANKS = (5, 10, 20)
BANDS = (VERBATIM_FROM, LINE_FROM, SPARE_FROM, 0.0)

Found = tuple[tuple[ItemId, float], ...]
"""Ids with their scores, best first."""

Change = Callable[[MemoryItem], MemoryItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was found for a question."""

    corpus: Corpus
    asked: Asked
    found: Found

    def share_at(self, rank: int) -> float:
        """Give the share of the right pieces among the best ones."""
        best = {item_id for item_id, _ in self.found[:rank]}
        return len(best & self.asked.right) / len(self.asked.right)

    def hit_at(self, rank: int) -> float:
        """Say whether a right piece is among the best ones."""
        return float(self.share_at(rank) > 0)

    @property
    def reciprocal_rank(self) -> float:
        """Give one by the rank of the first right piece, 0 when it was not found."""
        ranks = (
            rank for rank, (item_id, _) in enumerate(self.found, 1) if item_id in self.asked.right
        )
        return 1 / next(ranks, float("inf"))


async def searched(
    corpora: Iterable[Corpus], embedder: Embedder | None, change: Change = lambda item: item
) -> list[Outcome]:
    """Ask all questions of an index that has all of the corpora."""
    corpora = tuple(corpora)
    with TemporaryDirectory() as folder:
        index = SqliteSearchIndex(Path(folder) / "search.db", embedder)
        for corpus in corpora:
            items = tuple(map(change, corpus.items))
            await index.replace(tuple(item.ref for item in items), items, seq=1)
        outcomes = [
            Outcome(
                corpus=corpus,
                asked=asked,
                found=tuple(
                    (hit.item.id, hit.score)
                    for hit in await index.search(
                        Question(text=asked.text, asked_on=corpus.asked_on),
                        corpus.viewer,
                        limit=DEPTH,
                        kinds=frozenset({corpus.kind}),
                    )
                ),
            )
            for corpus in corpora
            for asked in corpus.questions
        ]
        await index.close()
    return outcomes


def plainly_searched(corpora: Iterable[Corpus]) -> list[Outcome]:
    """Ask all questions of SQLite's full-text search as it comes: any of the words, by bm25."""
    outcomes = []
    for corpus in corpora:
        connection = sqlite3.connect(":memory:")
        connection.execute("CREATE VIRTUAL TABLE plain USING fts5 (text)")
        connection.executemany(
            "INSERT INTO plain (rowid, text) VALUES (?, ?)",
            enumerate((item.text for item in corpus.items), 1),
        )
        for asked in corpus.questions:
            words = " OR ".join(f'"{word}"' for word in words_of(asked.text))
            rows = connection.execute(
                "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?", (words, DEPTH)
            )
            found = tuple((corpus.items[row - 1].id, 0.0) for (row,) in rows)
            outcomes.append(Outcome(corpus=corpus, asked=asked, found=found))
        connection.close()
    return outcomes


def measures(outcomes: list[Outcome]) -> dict[str, float]:
    """Give R@k and MRR of conversations, hit@k and MRR of documents."""
    is_documents = outcomes[0].corpus.kind == "note"
    kept = (
        {f"hit@{rank}": fmean(each.hit_at(rank) for each in outcomes) for rank in (1, *RANKS)}
        if is_documents
        else {f"R@{rank}": fmean(each.share_at(rank) for each in outcomes) for rank in RANKS}
    )
    return {
        name: round(value, 4)
        for name, value in (
            kept | {"MRR": fmean(each.reciprocal_rank for each in outcomes)}
        ).items()
    }


def _row(name: str, outcomes: list[Outcome]) -> str:
    values = (f"{value:.3f}" for value in measures(outcomes).values())
    return f"| {name} | {len(outcomes)} | {' | '.join(values)} |"


def _table(rows: list[tuple[str, list[Outcome]]]) -> None:
    names = measures(rows[0][1])
    print(f"| | questions | {' | '.join(names)} |\n|{'---|' * (2 + len(names))}")
    for name, outcomes in rows:
        print(_row(name, outcomes))
    print()


def _by_category(outcomes: list[Outcome]) -> list[tuple[str, list[Outcome]]]:
    found = defaultdict(list)
    for each in outcomes:
        found[each.asked.category].append(each)
    return [(f"… {name}", found[name]) for name in sorted(found)]


def _bands(outcomes: list[Outcome]) -> None:
    """Print what a score is worth: of the pieces in a band, how many are right."""
    wanted = sum(len(each.asked.right) for each in outcomes)
    print("| score | pieces | right ones | of all right ones |\n|---|---|---|---|")
    above = float("inf")
    for least in BANDS:
        right = [
            item_id in each.asked.right
            for each in outcomes
            for item_id, score in each.found
            if least <= score < above
        ]
        share = f"{fmean(right):.3f}" if right else "none"
        print(f"| {least:.1f} or more | {len(right)} | {share} | {sum(right) / wanted:.3f} |")
        above = least
    print()


def _kinds(corpora: tuple[Corpus, ...]) -> dict[str, tuple[Corpus, ...]]:
    names = {"turn": "turns", "fact": "facts", "note": "documents"}
    return {
        name: of_kind
        for kind, name in names.items()
        if (of_kind := tuple(corpus for corpus in corpora if corpus.kind == kind))
    }


_WITHOUT: tuple[tuple[str, Change], ...] = (
    ("what was said around", lambda item: replace(item, thread="")),
    ("persons", lambda item: replace(item, speaker="")),
    ("dates", lambda item: replace(item, moment=None)),
    ("telling questions from answers", lambda item: replace(item, text=item.text.rstrip(" ?"))),
)


async def _show(corpora: tuple[Corpus, ...], *, ablate: bool) -> None:
    for name, of_kind in _kinds(corpora).items():
        print(f"## {name}: {sum(len(corpus.items) for corpus in of_kind)} pieces\n")
        embedder = UseEmbedder()
        whole = await searched(of_kind, embedder)
        rows = [
            ("plain FTS5", plainly_searched(of_kind)),
            ("words alone", await searched(of_kind, None)),
            ("words and meaning", whole),
            *_by_category(whole),
        ]
        if ablate:
            for left_out, change in _WITHOUT:
                rows.append((f"without {left_out}", await searched(of_kind, embedder, change)))
        _table(rows)
        _bands(whole)


async def _show_json(corpora: tuple[Corpus, ...]) -> None:
    kept = {
        name: measures(await searched(of_kind, UseEmbedder()))
        for name, of_kind in _kinds(corpora).items()
    }
    print(json.dumps(kept.get("documents", kept)))


def main() -> None:
    """Measure, and print tables or one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--data", type=Path, required=True, help="a file of conversations or documents"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )
    parser.add_argument("--ablate", action="store_true", help="also leave out one signal at a time")
    options = parser.parse_args()
    corpora = read_corpora(options.data)
    asyncio.run(_show_json(corpora) if options.json else _show(corpora, ablate=options.ablate))


if __name__ == "__main__":
    main()
