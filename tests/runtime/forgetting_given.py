"""A bot's data on a real disk, a person's words in every layer of it, and forgetting over that."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, date
from pathlib import Path
from typing import Any

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.raw_search import DiskSearch
from bot.adapters.redactor import RuleRedactor
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.chat import Reply, SessionKey
from bot.core.lifecycle import OutboxItem
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.episodes import Account
from bot.core.memory.facts import NewFact
from bot.core.memory.forgetting import ReceiptPlace, Wish
from bot.core.memory.jobs import JobId, MemoryEntry, MemoryJob
from bot.core.messages import assistant_text
from bot.core.tasks import TaskState
from bot.core.turns import Step, Turn
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.ports import MemoryFiles
from bot.ports.forgetting import Forgettings, RawSearch
from bot.runtime.activity import Activity
from bot.runtime.forgetting import Forgetting, ForgettingParts, Proposal
from bot.testing.clock import START, FakeClock, settle
from bot.testing.stores.given import ANN, HOME, TRIMMED, begin, message, model_call, saying

KEY = HOME.session_key
HERS = Viewer(audience=audience_of(KEY, "private"), person_key=ANN.person_key)
PLACE = ReceiptPlace(address=HOME)
MARK = "the violet heron nests by mill pond number seven"
"""What is said, and must be nowhere afterwards."""

OTHER = "the green kettle stands on the second shelf at home"
"""What is said besides, and stays."""


async def say(store: SqliteStore, number: int, text: str, reply: str) -> Turn:
    """Go through a turn."""
    turn = await begin(store, message(number, text))
    step = Step(answer=assistant_text(reply), stop="end_turn")
    await store.record_step(turn.id, 0, step, model_call())
    (item,) = await store.finish_turn(turn.id, "answered", (saying(reply),), at=START)
    await store.mark_failed(item.id, "blocked", at=START)
    return turn


async def fill(store: SqliteStore, files: MarkdownMemoryFiles) -> None:
    """Put the mark into every layer, and something else beside it."""
    first = await say(store, 1, f"Remember: {MARK}.", f"So {MARK}, I see.")
    second = await say(store, 2, f"And {OTHER}.", "Noted.")
    third = await say(store, 3, "What else?", "Nothing.")
    both = tuple(
        NewFact(
            person_key=ANN.person_key,
            audience=HERS.audience,
            topic="other",
            key=key,
            text=text,
            origin="told",
            confidence=1.0,
            at=START,
        )
        for key, text in (("heron", f"Knows that {MARK}."), ("kettle", f"Knows that {OTHER}."))
    )
    await store.keep_facts(both)
    cut = Cut(kept_from=third.id, digest=f"[Note: {MARK}; {OTHER}]", turns_left=2)
    await store.save_cut(KEY, cut, generation=0, at=START, compaction=TRIMMED)
    summary = Summary(
        generation=0,
        through=first.id,
        overview=f"They said that {MARK}.",
        key_points=(KeyPoints(turn_id=first.id, information=(MARK,)),),
        pinned=(MARK,),
        made_at=START,
    )
    job = MemoryJob(
        id=JobId(1),
        kind="summary",
        session_key=KEY,
        audience=HERS.audience,
        person_key=ANN.person_key,
        generation=0,
        through=second.id,
        attempts=0,
        due_at=START,
    )
    entries = tuple(
        MemoryEntry(
            turn_id=turn.id,
            moment=turn.started_at,
            audience=HERS.audience,
            day=date(2026, 1, 5),
            text=f"- known: {text}",
        )
        for turn, text in ((first, MARK), (second, OTHER))
    )
    await store.land_summary(job, summary, entries, cut=cut, digest=cut.digest)
    await store.land_episode(
        replace(job, kind="episode"),
        await store.turns_between(KEY, first.id, second.id),
        Account(summary=f"Learnt that {MARK}."),
    )
    task = TaskState(goal=f"see whether {MARK}")
    await store.note_task(KEY, task, turn_id=third.id, at=START)
    await files.append(entries)
    await store.mark_written(entries)


@dataclass
class World:
    """Forgetting over a data folder; ``around`` wraps its store, files and search."""

    folder: Path
    wrap: Callable[[Any], Any] = lambda part: part  # of whichever port it is
    clock: FakeClock = field(default_factory=FakeClock)
    activity: Activity = field(default_factory=Activity)
    told: list[OutboxItem] = field(default_factory=list)
    dropped: list[SessionKey] = field(default_factory=list)
    overheard: list[Wish] = field(default_factory=list)
    rebuilt: int = 0
    rebuild: Callable[[], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        self.store = SqliteStore.open(self.folder / "daybook.db", inline=True)
        self.files = MarkdownMemoryFiles(self.folder / "memory")
        self.raw = DiskSearch(self.folder)
        self.has_dropped = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        store, files, raw = map(self.wrap, (self.store, self.files, self.raw))
        self.forgetting = Forgetting(self._parts(store, files, raw))

    def _parts(self, store: Forgettings, files: MemoryFiles, raw: RawSearch) -> ForgettingParts:
        return ForgettingParts(
            store=store,
            files=files,
            rebuild_index=self._rebuild,
            raw=raw,
            redactor=RuleRedactor(),
            clock=self.clock,
            zone=UTC,
            activity=self.activity,
            forget_chat=self._drop,
            forget_overheard=lambda wish, viewer: self.overheard.append(wish),
            on_forgotten=lambda: None,
            write=self._write,
            deliver=self.told.extend,
            spawn=self._spawn,
        )

    async def run(self) -> None:
        """Carry out what was confirmed, until nothing is left to do or something failed."""
        runner = asyncio.ensure_future(self.forgetting.run())
        while not self._tasks and not runner.done():
            await settle()
            if not await self.store.confirmed_forgettings():
                break
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        runner.cancel()
        await asyncio.gather(runner, return_exceptions=True)
        for fault in ended:
            if isinstance(fault, Exception):
                raise fault

    async def close(self) -> None:
        await self.store.close()

    def _drop(self, session_key: SessionKey) -> None:
        self.dropped.append(session_key)
        self.has_dropped.set()

    async def _rebuild(self) -> None:
        self.rebuilt += 1
        if self.rebuild is not None:
            await self.rebuild()

    async def _write(self, place: ReceiptPlace, text: str) -> tuple[Reply, ...]:
        return (Reply(address=place.address, text=text, kind="notice"),)

    def _spawn(self, name: str, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._tasks.append(task)
        return task


async def asked(world: World, viewer: Viewer, what: str) -> Proposal:
    """Propose what somebody wants forgotten, and confirm it."""
    proposal = await world.forgetting.propose(viewer, what)
    assert proposal is not None
    assert await world.forgetting.confirm(viewer, proposal.token, PLACE), proposal
    return proposal


class Crash(BaseException):
    """The process ends here."""


class Crashing:
    """Ends the process before, or right after, one of the calls that it passes on."""

    def __init__(self, at: int, *, is_after: bool) -> None:
        self.calls = 0
        self._at = at
        self._is_after = is_after

    def around(self, part: object) -> object:
        crashing = self

        class Part:
            def __getattr__(self, name: str) -> object:
                inner = getattr(part, name)

                async def call(*asked: object, **named: object) -> object:
                    crashing.calls += 1
                    is_now = crashing.calls == crashing._at
                    if is_now and not crashing._is_after:
                        raise Crash
                    result = await inner(*asked, **named)
                    if is_now:
                        raise Crash
                    return result

                return call

        return Part()


async def killed_everywhere(
    place: Path, ask: Callable[[Path], Awaitable[World]], *, is_after: bool
) -> AsyncIterator[tuple[Path, str]]:
    """Carry out what was asked, the process ended in each call once, and another one after it.

    Gives the folder of each try, its database closed, and the one receipt that was written.
    """
    number = 0
    while True:
        number += 1
        folder = place / str(number)
        folder.mkdir()
        await (await ask(folder)).close()
        crashing = Crashing(number, is_after=is_after)
        broken = World(folder, wrap=crashing.around)
        await broken.run()
        await broken.close()
        world = World(folder)
        await world.run()
        (receipt,) = [item.reply.text for item in (await world.store.unfinished()).outbox]
        assert () == await world.store.confirmed_forgettings()
        await world.close()
        yield folder, receipt
        if crashing.calls < number:
            return


def counts(folder: Path, text: str) -> dict[str, int]:
    """Count a text in the bytes of every file that has it; the database must be closed."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {
        str(path.relative_to(folder)): path.read_bytes().count(text.encode()) for path in files
    }
    return {name: count for name, count in found.items() if count}
