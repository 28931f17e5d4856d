#!/usr/bin/env python3
"""What should evidence weigh, and what is then a score worth?

    python3 benchmarks/recall_fit.py --data FILE

Fits the constants of `bot/core/memory/relevance.py` on a file of conversations. Each conversation
is shown with weights that were fitted on the others, so that what is printed holds for ones that
nobody has seen; what is to be written down is fitted on all. No signal is fitted but by its weight.

Asked are whole conversations and parts of them, from a single piece on; for each question that has
an answer there, another one that has none: of the same conversation, answered elsewhere in it, or
of another one. Every other question names nobody. Weights make the right pieces likely among all
that were found, or that there is none (a softmax over them). Scores are a logistic regression on
right and wrong pieces, moved up a little: a band is worth what all pieces in it are together.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.conversations import Asked, Corpus, read_corpora  # noqa: E402 - see above
from benchmarks.recall_fitting import WHOLE, Case, Fitted, fitted, judged  # noqa: E402
from bot.adapters.search.sqlite_index import SqliteSearchIndex  # noqa: E402
from bot.adapters.search.use_embedder import UseEmbedder  # noqa: E402
from bot.core.memory.audience import Origin  # noqa: E402
from bot.core.memory.items import ItemId, ItemRef  # noqa: E402
from bot.core.memory.question import Question, without_names  # noqa: E402
from bot.core.memory.terms import words_of  # noqa: E402
from bot.ports.recall import Embedder  # noqa: E402

SEED = 5
PARTS = {1: 60, 3: 60, 10: 30, 60: 10, 300: 3}
"""Of each conversation so many parts of so many pieces."""

MOST_ASKED = 12
"""Questions of a part that has their answers, and as many that it does not."""


class Remembered:
    """An embedder that reads each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._known = embedder, dict[str, bytes]()
        self.name, self.dimensions = embedder.name, embedder.dimensions

    def embed(self, texts: tuple[str, ...]) -> tuple[bytes, ...]:
        """Give the directions of texts."""
        new = tuple(dict.fromkeys(text for text in texts if text not in self._known))
        self._known |= zip(new, self._embedder.embed(new), strict=True)
        return tuple(self._known[text] for text in texts)


async def cases_of(corpora: Sequence[Corpus], embedder: Embedder | None) -> list[Case]:
    """Ask all questions of the whole conversations of a kind, and some of their parts."""
    index, chance = SqliteSearchIndex(None, embedder), random.Random(SEED)
    cases: list[Case] = []
    for corpus, other in zip(corpora, [*corpora[1:], corpora[0]], strict=True):
        await index.replace(tuple(item.ref for item in corpus.items), corpus.items, seq=1)
        strangers = [_renamed(each, other, corpus) for each in other.questions[::2]]
        for number, asked in enumerate((*corpus.questions, *strangers)):
            cases.append(await _case(index, corpus, asked, WHOLE, names=bool(number % 2)))
        for size, many in PARTS.items():
            for number in range(many if 2 * size <= len(corpus.items) else 0):
                part = _part(corpus, size, number, chance)
                await index.replace(tuple(item.ref for item in part.items), part.items, seq=1)
                for place, asked in enumerate(_asked_of(part, strangers, chance)):
                    cases.append(await _case(index, part, asked, size, names=bool(place % 2)))
    await index.close()
    return cases


def _part(corpus: Corpus, size: int, number: int, chance: random.Random) -> Corpus:
    """Give pieces that follow each other, an answer among them, as an audience of their own."""
    where = {item.id: place for place, item in enumerate(corpus.items)}
    place = where[chance.choice(sorted(chance.choice(corpus.questions).right))]
    first = max(0, min(place - chance.randrange(size), len(corpus.items) - size))
    name = f"{corpus.name} {corpus.kind} {size} {number}"
    audience = replace(corpus.viewer.audience, chat=name)
    items = tuple(
        replace(
            item,
            id=ItemId(f"{item.id} {name}"),
            ref=ItemRef(f"{item.ref} {name}"),
            origin=Origin(audience=audience, said_by=item.origin.said_by),
            thread=f"{item.thread} {name}",
        )
        for item in corpus.items[first : first + size]
    )
    there = {item.id for item in items}
    renamed = (
        replace(each, right=frozenset(ItemId(f"{right} {name}") for right in each.right))
        for each in corpus.questions
    )
    questions = tuple(replace(each, right=each.right & there) for each in renamed)
    viewer = replace(corpus.viewer, audience=audience)
    return replace(corpus, viewer=viewer, items=items, questions=questions)


def _asked_of(part: Corpus, strangers: list[Asked], chance: random.Random) -> Iterator[Asked]:
    """Give questions that a part answers, and others; partly answered ones are neither."""
    inside = [each for each in part.questions if each.right]
    outside = [each for each in part.questions if not each.right]
    asked = chance.sample(inside, min(len(inside), MOST_ASKED))
    yield from asked
    yield from chance.sample(outside, min(len(outside), len(asked)))
    yield from chance.sample(strangers, (len(asked) + 1) // 2)


def _renamed(asked: Asked, corpus: Corpus, other: Corpus) -> Asked:
    """Ask about the people of another conversation, which has no answer to it."""
    text = asked.text
    names = (sorted({item.speaker for item in each.items}) for each in (corpus, other))
    for old, new in zip(*names, strict=False):
        text = text.replace(old, new)
    return replace(asked, text=text, right=frozenset())


async def _case(
    index: SqliteSearchIndex, corpus: Corpus, asked: Asked, size: int, *, names: bool
) -> Case:
    people = frozenset(word for item in corpus.items for word in words_of(item.speaker))
    text = asked.text if names else without_names(asked.text, people)
    question = Question(text=text, asked_on=corpus.asked_on)
    found = await index.weighed(question, corpus.viewer, frozenset({corpus.kind}))
    return Case(
        corpus=corpus.name,
        size=size,
        found=tuple((item.kind, evidence, item.id in asked.right) for item, evidence in found),
        right=len(asked.right),
        is_about_somebody=bool(people.intersection(words_of(text))),
    )


def _recall_at_10(cases: Iterable[tuple[Case, Fitted]]) -> float:
    shares = [
        sum(right for *_, right in judged(case, by.weights, by.calibration)[:10]) / case.right
        for case, by in cases
        if case.right
    ]
    return sum(shares) / len(shares)


def _bands(cases: Sequence[tuple[Case, Fitted]]) -> str:
    """Give pieces, share of right ones, and share of all right ones, of each band."""
    best = [each for case, by in cases for each in judged(case, by.weights, by.calibration)]
    wanted, above, columns = sum(case.right for case, _ in cases), 2.0, list[str]()
    for least in (0.9, 0.7, 0.5):
        right = [is_right for score_, _, is_right in best if least <= score_ < above]
        share = f"{sum(right) / len(right):.3f}" if right else "-"
        columns.append(f"{len(right)} | {share} | {sum(right) / wanted:.3f}")
        above = least
    return " | ".join(columns)


def _show(cases: dict[str, list[Case]]) -> None:
    """Show each conversation with what was fitted on the others, then what was fitted on all."""
    everything = [case for of_kind in cases.values() for case in of_kind]
    names = dict.fromkeys(case.corpus for case in everything)
    others = {name: fitted([case for case in everything if case.corpus != name]) for name in names}
    for kind, of_kind in cases.items():
        shown = [(case, others[case.corpus]) for case in of_kind]
        for name in names:
            whole = [each for each in shown if each[0].corpus == name and each[0].size == WHOLE]
            print(f"{name} {kind}: R@10 {_recall_at_10(whole):.3f}")
        print(f"\n| {kind}s of | questions |{' pieces | right | of all right ones |' * 3}")
        print(f"|{'---|' * 11}")
        for size, group in groupby(sorted(shown, key=lambda each: each[0].size), _size_of):
            of_size = list(group)
            print(f"| {size or 'a whole one'} | {len(of_size)} | {_bands(of_size)} |")
        print()
    print("fitted on all:", fitted(everything), sep="\n", end="\n\n")


def _size_of(each: tuple[Case, Fitted]) -> int:
    return each[0].size


async def main() -> None:
    """Fit, with meaning and without."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a file of conversations")
    corpora = read_corpora(parser.parse_args().data)
    for title, embedder in (("words and meaning", Remembered(UseEmbedder())), ("words", None)):
        print(f"## {title}\n", flush=True)
        cases = {
            kind: await cases_of([each for each in corpora if each.kind == kind], embedder)
            for kind in ("turn", "fact")
        }
        _show(cases)


if __name__ == "__main__":
    asyncio.run(main())
