"""Whoever says whatever wherever: the store and the index give it to those who may recall it."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta
from pathlib import Path
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.recall_files import RecallFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import InboundMessage, PersonKey
from bot.core.lifecycle import Received
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.episodes import Account
from bot.core.memory.facts import NewFact
from bot.core.memory.items import ItemId
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import assistant_text
from bot.core.turns import Step, TurnId
from bot.runtime.indexing import CurrentItems, CurrentParts
from bot.runtime.recall import Recall, RecallParts
from bot.testing.clock import START, FakeClock
from bot.testing.planted import (
    NOBODY,
    PlaceKind,
    Planted,
    Room,
    Seen,
    marked_words,
    may_be_seen,
    words_in,
)
from bot.testing.privacy_world import quickly_opened
from bot.testing.stores.given import model_call

Act = Literal["message", "reply", "told fact", "episode", "daily", "note"]
ACTS: tuple[Act, ...] = ("message", "reply", "told fact", "episode", "daily", "note")
PEOPLE = ("1", "2")
EVERYTHING = 1_000
DAY = date(2026, 1, 5)

ROOMS = tuple(
    Room(
        channel=channel,
        account=account,
        chat=chat,
        kind="group" if chat.startswith("-") else "private",
        thread=thread,
        realm=account if channel == "slack" else "",
    )
    for channel in ("slack", "telegram")
    for account in ("T1", "T2")
    for chat in (*PEOPLE, "-5", "-6")
    for thread in ("", "7")
)


@st.composite
def told(draw: st.DrawFn) -> tuple[Room, str, Act]:
    """Draw who does what where; a private chat is that of who speaks there."""
    room = draw(st.sampled_from(ROOMS))
    user = room.chat if room.kind == "private" else draw(st.sampled_from(PEOPLE))
    return room, user, draw(st.sampled_from(ACTS))


@dataclass(slots=True)
class Told:
    """A store in which something was said, with its files."""

    store: SqliteStore
    files: MarkdownMemoryFiles
    folder: Path
    planted: list[Planted] = field(default_factory=list)
    count: int = 0

    async def say(self, room: Room, user: str, act: Act, word: str) -> None:
        """Do something in a room that leaves a word behind."""
        person = room.person(user).person_key
        is_own = act in ("message", "told fact")
        kind: PlaceKind = act
        self.planted.append(
            Planted(
                word=word,
                kind=kind,
                audience=room.audience,
                said_by=person if is_own else NOBODY,
                owner=person if room.kind == "private" else NOBODY,
            )
        )
        text = f"The heron nests at {word}."
        if act == "told fact":
            await self.store.keep_facts((_fact(room, person, f"heron {self.count}", text),))
        elif act == "note":
            await self._turn(room, user, "hello")  # else nobody knows whose folder it is
            note = self.folder / room.audience.folder / "MEMORY.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            with note.open("a", encoding="utf-8") as file:
                file.write(f"\n## Heron {self.count}\n\n{text}\n")
        elif act == "daily":
            turn_id = await self._turn(room, user, "hello")
            await self.files.append((_entry(room, turn_id, text),))
        elif act == "episode":
            await self._session(room, user, text)
        else:
            said, reply = (text, "Hm.") if act == "message" else ("Where?", text)
            await self._turn(room, user, said, reply)

    async def _session(self, room: Room, user: str, text: str) -> None:
        for _ in range(2):
            await self._turn(room, user, "hello")
        at = START + timedelta(days=1)
        await self.store.ask_for_episodes(at, at=at, session_key=room.address.session_key)
        for job in await self.store.due_jobs(at, limit=99):
            if job.kind == "episode" and job.session_key == room.address.session_key:
                run = await self.store.unrecorded(job.session_key, through=job.through, limit=99)
                await self.store.land_episode(job, run.turns, Account(summary=text))

    async def _turn(self, room: Room, user: str, said: str, reply: str = "Hm.") -> TurnId:
        self.count += 1
        address = room.address
        message = InboundMessage(
            event_id=f"{self.count}",
            address=address,
            kind=room.kind,
            sender=room.person(user),
            message_id=f"{self.count}",
            text=said,
            is_addressed=True,
            sent_at=START,
        )
        heard = (Received(inbound=message, route="turn"),)
        await self.store.receive(heard, cursor=None, at=START)
        claim = await self.store.claim(address.session_key, at=START)
        assert claim is not None
        step = Step(answer=assistant_text(reply), stop="end_turn")
        await self.store.record_step(claim.turn.id, 0, step, model_call(address.session_key))
        await self.store.finish_turn(claim.turn.id, "answered", (), at=START)
        return claim.turn.id


class Looking:
    """All that can be recalled, by every read there is."""

    def __init__(self, told: Told, index: SqliteSearchIndex) -> None:
        clock = FakeClock()
        files = RecallFiles(told.folder, told.folder / "knowledge")
        self._told = told
        self._index = index
        self._files = files
        self._items = CurrentItems(
            CurrentParts(
                kept=told.store,
                files=files,
                redactor=RuleRedactor(),
                clock=clock,
                timezone=UTC,
            )
        )
        self._recall = Recall(
            RecallParts(
                index=index, items=self._items, clock=clock, timezone=UTC, on_trouble=lambda: None
            )
        )
        self._ids: tuple[ItemId, ...] = ()

    async def follow(self) -> None:
        """Bring the index to where the store is."""
        await self._items.learn_audiences()
        refs = (
            *await self._told.store.all_refs("", limit=EVERYTHING),
            *await self._files.marks({}),
        )
        pieces = await self._items.pieces_of(refs)
        await self._index.replace(refs, pieces, seq=1)
        self._ids = tuple(piece.id for piece in pieces)

    async def recalled(self, viewer: Viewer) -> dict[str, frozenset[str]]:
        """Give the words that a viewer gets, by the read that gives all of them."""
        found = await self._recall.search("heron nests", viewer, limit=EVERYTHING)
        pieces = await self._items.recallable(self._ids, viewer)
        return {
            "search": words_in(repr([hit.item for hit in found.hits])),
            "recallable": words_in(repr(pieces)),
        }

    async def read(self, viewer: Viewer) -> frozenset[str]:
        """Give the words that a viewer gets by the reads that give some of them."""
        store = self._told.store
        facts = await store.facts_for(viewer)
        own = await store.own_turns(viewer, after=0)
        histories = [
            await store.history_of(fact.id, viewer)
            for each in _viewers()
            for fact in await store.facts_for(each)
        ]
        return words_in(
            repr(
                (
                    facts,
                    own,
                    histories,
                    await store.versions_for(viewer),
                    await store.last_episodes(viewer, limit=EVERYTHING),
                    await store.episodes_for(viewer),
                    await self._told.files.files_of(viewer),
                )
            )
        )


@settings(max_examples=25, deadline=None)
@given(st.lists(told(), min_size=1, max_size=12))
def test_mem_9_each_viewer_gets_what_they_may_recall_and_nothing_else(
    acts: list[tuple[Room, str, Act]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_check(acts, Path(folder)))


async def _check(acts: list[tuple[Room, str, Act]], folder: Path) -> None:
    told = Told(
        store=quickly_opened(folder / "daybook.db"),
        files=MarkdownMemoryFiles(folder / "memory", fsync=lambda descriptor: None),
        folder=folder / "memory",
    )
    index = SqliteSearchIndex(None)
    for (room, user, act), word in zip(acts, marked_words(), strict=False):
        await told.say(room, user, act, word)
    looking = Looking(told, index)
    await looking.follow()
    for viewer in _viewers():
        seen = Seen(path="", audience=viewer.audience, person=_reader(viewer), text="")
        allowed = {each.word for each in told.planted if may_be_seen(each, seen)}
        assert dict.fromkeys(("search", "recallable"), allowed) == await looking.recalled(viewer)
        assert set() == await looking.read(viewer) - allowed
    await index.close()
    await told.store.close()


def _viewers() -> Iterator[Viewer]:
    """Give everybody who can ask, where they can."""
    for room, user in itertools.product(ROOMS, PEOPLE):
        if not room.thread and (room.kind == "group" or room.chat == user):
            yield viewer_of(room.address.session_key, room.kind, room.person(user).person_key)


def _reader(viewer: Viewer) -> PersonKey:
    return viewer.person_key if viewer.audience.kind == "private" else NOBODY


def _fact(room: Room, person: PersonKey, key: str, text: str) -> NewFact:
    return NewFact(
        person_key=person,
        audience=room.audience,
        topic="other",
        key=key,
        text=text,
        origin="told",
        confidence=1.0,
        at=START,
    )


def _entry(room: Room, turn_id: TurnId, text: str) -> MemoryEntry:
    return MemoryEntry(
        turn_id=turn_id, moment=START, audience=room.audience, day=DAY, text=f"- 09:00 {text}"
    )
