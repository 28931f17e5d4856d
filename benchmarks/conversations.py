"""Conversations of others with questions about them, as pieces of memory.

Read where they lie; what they are is said in `docs/memory.md`. Of pictures in them only what was
said is taken, not their captions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypedDict

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Origin, Viewer
from bot.core.memory.items import ItemId, ItemKind, ItemRef, MemoryItem

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single"}
"""Those of questions that have an answer."""

_SPOKEN = re.compile(r"D\d+:\d+")
_WRITTEN_TIME = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and the pieces that answer it."""

    text: str
    category: str
    right: frozenset[ItemId]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Pieces of one kind of one audience, and what is asked about them."""

    name: str
    kind: ItemKind
    viewer: Viewer
    items: tuple[MemoryItem, ...]
    questions: tuple[Asked, ...]
    asked_on: date


_Answers = tuple[tuple[MemoryItem, set[str]], ...]
"""Pieces, each with the turns that say it."""


class _Spoken(TypedDict):
    speaker: str
    dia_id: str
    text: str


class _Query(TypedDict):
    question: str
    evidence: list[str]
    category: int


class _Sample(TypedDict):
    sample_id: str
    conversation: dict[str, list[_Spoken] | str]
    observation: dict[str, dict[str, list[tuple[str, str | list[str]]]]]
    qa: list[_Query]


class _Document(TypedDict):
    id: str
    text: str


class _DocumentQuery(TypedDict):
    q: str
    lang: str
    kind: str
    gold: list[str]


class _Documents(TypedDict):
    docs: list[_Document]
    qs: list[_DocumentQuery]


def read_corpora(path: Path) -> tuple[Corpus, ...]:
    """Read a file of either shape: conversations, each with turns and facts, or documents."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(found, dict):
        return (_documents(found),)  # type: ignore[arg-type]  # a file of that shape
    return tuple(corpus for sample in found for corpus in _conversation(sample))


def _documents(found: _Documents) -> Corpus:
    viewer = _viewer("documents")
    return Corpus(
        name="documents",
        kind="note",
        viewer=viewer,
        items=tuple(_item(viewer, "note", each["id"], each["text"], "") for each in found["docs"]),
        questions=tuple(
            Asked(
                text=each["q"],
                category=f"{each['lang']} {each['kind']}",
                right=frozenset(ItemId(f"note:{gold}") for gold in each["gold"]),
            )
            for each in found["qs"]
        ),
        asked_on=date(2026, 11, 30),
    )


def _conversation(sample: _Sample) -> Iterator[Corpus]:
    viewer = _viewer(sample["sample_id"])
    turns = tuple(_turns(sample, viewer))
    facts = tuple(_facts(sample, viewer))
    asked_on = max(item.moment for item, _ in turns if item.moment is not None).date()
    of_kind: tuple[tuple[ItemKind, _Answers], ...] = (("turn", turns), ("fact", facts))
    for kind, items in of_kind:
        yield Corpus(
            name=sample["sample_id"],
            kind=kind,
            viewer=viewer,
            items=tuple(item for item, _ in items),
            questions=tuple(_questions(sample, items)),
            asked_on=asked_on,
        )


def _turns(sample: _Sample, viewer: Viewer) -> Iterator[tuple[MemoryItem, set[str]]]:
    for session, moment in _sessions(sample):
        spoken = sample["conversation"][session]
        assert not isinstance(spoken, str)
        for place, each in enumerate(spoken):
            name = f"{sample['sample_id']}:{each['dia_id']}"
            item = replace(
                _item(viewer, "turn", name, each["text"], each["speaker"]),
                moment=moment,
                thread=f"{sample['sample_id']} {session}",
                place=place,
            )
            yield item, {each["dia_id"]}


def _facts(sample: _Sample, viewer: Viewer) -> Iterator[tuple[MemoryItem, set[str]]]:
    """Give what was noted about each person after a session, as facts are kept: by day."""
    for session, moment in _sessions(sample):
        noted = sample["observation"].get(f"{session}_observation", {})
        for person, facts in noted.items():
            for place, (text, said_in) in enumerate(facts):
                name = f"{sample['sample_id']}:{session}:{person}:{place}"
                item = replace(
                    _item(viewer, "fact", name, text, person),
                    moment=moment,
                    thread=f"{sample['sample_id']} {session} {person}",
                    place=place,
                )
                yield item, {said_in} if isinstance(said_in, str) else set(said_in)


def _sessions(sample: _Sample) -> Iterator[tuple[str, datetime]]:
    for name, value in sample["conversation"].items():
        if name.endswith("_date_time") and isinstance(value, str):
            session = name.removesuffix("_date_time")
            if session in sample["conversation"]:
                yield session, datetime.strptime(value, _WRITTEN_TIME).replace(tzinfo=UTC)


def _questions(sample: _Sample, items: tuple[tuple[MemoryItem, set[str]], ...]) -> Iterator[Asked]:
    for each in sample["qa"]:
        evidence = set(_SPOKEN.findall(" ".join(each["evidence"])))
        right = frozenset(item.id for item, said_in in items if said_in & evidence)
        if each["category"] in CATEGORIES and right:
            yield Asked(text=each["question"], category=CATEGORIES[each["category"]], right=right)


def _viewer(name: str) -> Viewer:
    audience = Audience(channel="benchmark", account="", chat=name, kind="private")
    return Viewer(audience=audience, person_key=PersonKey("benchmark::reader"))


def _item(viewer: Viewer, kind: ItemKind, name: str, text: str, speaker: str) -> MemoryItem:
    ref = ItemRef(f"{kind}:{name}")
    return MemoryItem(
        id=ItemId(ref),
        ref=ref,
        kind=kind,
        text=text,
        origin=Origin(audience=viewer.audience, said_by=PersonKey(f"benchmark::{speaker}")),
        speaker=speaker,
    )
