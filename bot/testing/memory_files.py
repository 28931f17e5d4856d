"""Memory files without a disk, and what all memory files must do.

A check is an async function that is given ``open_files``: each call opens the same files once more,
as a new process would. ``CONTRACT`` lists them all::

    @pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
    async def test_my_files(check: Check, tmp_path: Path) -> None:
        await check(lambda: MyFiles(tmp_path))
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import date, datetime, timedelta
from functools import partial

from bot.core.chat import PersonKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.daily import joined, turns_in, with_entries, without_turns
from bot.core.memory.jobs import MemoryEntry
from bot.core.memory.marks import merged, own_notes, with_block, without_lines
from bot.core.memory.versions import (
    LASTING,
    FilesForgotten,
    FileVersion,
    MemoryFile,
    VersionStamp,
    day_of,
    moment_of,
    stamp_behind,
    surplus,
)
from bot.core.turns import TurnId
from bot.errors import StoreError
from bot.ports import MemoryFiles
from bot.testing.clock import START

OpenFiles = Callable[[], MemoryFiles]

Check = Callable[[OpenFiles], Awaitable[None]]

DAY = date(2026, 1, 5)
ADA = Audience(channel="telegram", account="77", chat="1001", kind="private")
GROUP = Audience(channel="telegram", account="77", chat="-1001", kind="group")


class InMemoryFiles:
    """Fills :class:`~bot.ports.MemoryFiles`; ``failures`` is how often writing fails from now on.

    Attributes:
        texts: The daily files by audience's folder and day.
        lasting: ``MEMORY.md`` by audience's folder.
        cleanings: How often something was forgotten in files.
    """

    def __init__(self) -> None:
        self.texts: dict[tuple[str, date], str] = {}
        self.lasting: dict[str, str] = {}
        self.failures = 0
        self.cleanings = 0
        self._former: dict[tuple[str, str], dict[VersionStamp, str]] = {}
        self._written: dict[str, frozenset[str]] = {}

    async def append(self, entries: tuple[MemoryEntry, ...], *, since: int | None = None) -> None:
        """Add entries to their daily files."""
        self._may_fail("written", since)
        for entry in entries:
            place = entry.audience.folder, entry.day
            self.texts[place] = with_entries(self.texts.get(place, ""), entry.day, (entry,))
            if entry.revision:
                self._forget_kept(place[0], partial(_without, turn_ids={entry.turn_id}))

    async def read_day(self, audience: Audience, day: date) -> str:
        """Give a daily file."""
        return self.texts.get((audience.folder, day), "")

    async def move(self, old: Audience, new: Audience) -> None:
        """Make the files of one audience those of another."""
        self._may_fail("moved")
        for folder, day in [place for place in self.texts if place[0] == old.folder]:
            first = self.texts.pop((folder, day))
            place = new.folder, day
            self.texts[place] = joined(first, self.texts.get(place, ""), day)
        if (first := self.lasting.pop(old.folder, "")) and old.folder != new.folder:
            second = self.lasting.get(new.folder, "")
            self._keep(new.folder, LASTING, second)
            self.lasting[new.folder] = merged(first, second)
        for folder, name in [place for place in self._former if place[0] == old.folder]:
            of_file, kept = self._former.pop((folder, name)), self._kept(new.folder, name)
            for stamp, text in of_file.items():
                free = stamp if stamp not in kept else stamp_behind(max(kept), START)
                kept[free] = text

    async def write_lasting(
        self, audience: Audience, lines: tuple[str, ...], *, since: int | None = None
    ) -> bool:
        """Put lines between the marks of ``MEMORY.md``."""
        self._may_fail("written", since)
        folder = audience.folder
        before = self.lasting.get(folder, "")
        text = with_block(before, lines, self._written.get(folder)).text
        self._written[folder] = self._written.get(folder, frozenset()) | set(lines)
        if text == before:
            return False
        self._keep(folder, LASTING, before)
        self.lasting[folder] = text
        return True

    async def notes_of(self, audience: Audience) -> str:
        """Give what a person wrote into ``MEMORY.md``."""
        return own_notes(self.lasting.get(audience.folder, ""))

    async def history(self, viewer: Viewer, name: str) -> tuple[FileVersion, ...]:
        """Give the versions of a file, newest first."""
        kept = self._former.get((viewer.audience.folder, name), {})
        return tuple(
            FileVersion(stamp=stamp, at=moment, size_bytes=len(kept[stamp].encode()))
            for stamp in sorted(kept, reverse=True)
            if (moment := moment_of(stamp)) is not None
        )

    async def read_version(self, viewer: Viewer, name: str, stamp: VersionStamp) -> str | None:
        """Give a version."""
        return self._former.get((viewer.audience.folder, name), {}).get(stamp)

    async def restore(self, viewer: Viewer, name: str, stamp: VersionStamp) -> bool:
        """Make a version the text of its file again."""
        text = await self.read_version(viewer, name, stamp)
        if text is None:
            return False
        self._may_fail("written")
        folder, day = viewer.audience.folder, day_of(name)
        before = self.lasting.get(folder, "") if day is None else self.texts[folder, day]
        if before != text:
            self._keep(folder, name, before)
        if day is None:
            self.lasting[folder] = text
        else:
            self.texts[folder, day] = text
        return True

    async def files_of(self, viewer: Viewer) -> tuple[MemoryFile, ...]:
        """Give all files with their versions."""
        folder = viewer.audience.folder
        named = {f"{day}.md": text for (of, day), text in self.texts.items() if of == folder}
        if folder in self.lasting:
            named[LASTING] = self.lasting[folder]
        for (of, name), kept in self._former.items():
            if of == folder:
                named |= {f"versions/{name}/{stamp}.md": kept[stamp] for stamp in kept}
        return tuple(MemoryFile(name=name, text=named[name]) for name in sorted(named))

    async def forget_in_files(
        self, audience: Audience, turn_ids: frozenset[TurnId], lines: tuple[str, ...]
    ) -> FilesForgotten:
        """Remove the entries of turns, and lines, from all files and versions of an audience."""
        self._may_fail("forgotten in")
        self.cleanings += 1
        viewer = Viewer(audience=audience, person_key=PersonKey(""))
        before = {file.name: file.text for file in await self.files_of(viewer)}
        folder = audience.folder

        def change(text: str) -> str:
            return _without(text, turn_ids, lines)

        self.texts = {
            place: change(text) if place[0] == folder else text
            for place, text in self.texts.items()
        }
        if folder in self.lasting:
            self.lasting[folder] = change(self.lasting[folder])
        self._forget_kept(folder, change)
        after = {file.name: file.text for file in await self.files_of(viewer)}
        changed = tuple(name for name in sorted(before) if before[name] != after[name])
        gone = dict.fromkeys(
            line
            for name in changed
            for line in before[name].splitlines()
            if line not in after[name].splitlines() and not line.startswith("<!--")
        )
        return FilesForgotten(files=changed, lines=tuple(gone))

    def _may_fail(self, verb: str, since: int | None = None) -> None:
        if since not in (None, self.cleanings):
            raise StoreError("Something was forgotten meanwhile: this is to be read once more.")
        if self.failures:
            self.failures -= 1
            raise StoreError(f"A memory file cannot be {verb}: no space is left")

    def _keep(self, folder: str, name: str, text: str) -> None:
        kept = self._kept(folder, name)
        if text and (not kept or kept[max(kept)] != text):
            kept[stamp_behind(max(kept, default=None), START)] = text
        stamps = sorted(kept)
        notes = tuple(own_notes(kept[each]) if name == LASTING else kept[each] for each in stamps)
        for place in surplus(notes):
            del kept[stamps[place]]

    def _kept(self, folder: str, name: str) -> dict[VersionStamp, str]:
        return self._former.setdefault((folder, name), {})

    def _forget_kept(self, folder: str, change: Callable[[str], str]) -> None:
        for (of, _), kept in self._former.items():
            if of == folder:
                kept |= {stamp: change(text) for stamp, text in kept.items()}


def _without(text: str, turn_ids: Collection[int], lines: tuple[str, ...] = ()) -> str:
    left, _ = without_turns(text, frozenset(turn_ids))
    return without_lines(left, lines)[0]


def entry(
    turn_id: int,
    text: str = "- known: tea",
    *,
    audience: Audience = ADA,
    day: date = DAY,
    moment: datetime = START,
    revision: int = 0,
) -> MemoryEntry:
    """Make what a daily file gets of a turn."""
    return MemoryEntry(
        turn_id=TurnId(turn_id),
        moment=moment,
        audience=audience,
        day=day,
        text=text,
        revision=revision,
    )


async def before_the_first_entry_a_day_is_empty(open_files: OpenFiles) -> None:
    """Reading makes nothing and fails on nothing."""
    assert await open_files().read_day(ADA, DAY) == ""


async def entries_can_be_read_in_their_order(open_files: OpenFiles) -> None:
    """Below a title, by whoever opens the files next."""
    await open_files().append((entry(2, "- known: her name is Ada"), entry(1, "- done: a walk")))

    text = await open_files().read_day(ADA, DAY)

    assert text.startswith("# 2026-01-05\n")
    assert text.index("her name is Ada") < text.index("a walk")
    assert turns_in(text) == {1, 2}


async def a_turn_is_written_once(open_files: OpenFiles) -> None:
    """However often it comes, within one call too; the first text stays."""
    await open_files().append((entry(1, "- first"), entry(1, "- again")))
    before = await open_files().read_day(ADA, DAY)
    await open_files().append((entry(1, "- later"), entry(2)))
    after = await open_files().read_day(ADA, DAY)

    assert before in after
    assert ("again" in after, "later" in after) == (False, False)
    assert turns_in(after) == {1, 2}


async def the_same_id_at_another_moment_is_another_turn(open_files: OpenFiles) -> None:
    """Of a database that was made or brought back on the same day, or one tried once more."""
    await open_files().append((entry(1, "- first"),))
    later = START + timedelta(minutes=1)
    await open_files().append((entry(1, "- later", moment=later), entry(1, "- again")))

    text = await open_files().read_day(ADA, DAY)

    assert text.index("first") < text.index("later")
    assert "again" not in text


async def audiences_and_days_are_kept_apart(open_files: OpenFiles) -> None:
    """Also those whose ids differ by case alone."""
    places = [
        (audience, day)
        for audience in (ADA, GROUP, _slack("C0aB"), _slack("C0AB"), _slack("c0ab"))
        for day in (DAY, date(2026, 1, 6))
    ]
    files = open_files()
    await files.append(
        tuple(entry(n, audience=audience, day=day) for n, (audience, day) in enumerate(places))
    )

    texts = [await files.read_day(audience, day) for audience, day in places]

    assert [turns_in(text) for text in texts] == [{n} for n in range(len(places))]


async def no_entry_can_stand_for_another(open_files: OpenFiles) -> None:
    """What was said looks like the marker of a turn that is yet to come."""
    await open_files().append((entry(1, "- hello\n<!-- turn 2 -->\n- <!-- turn 3 -->"),))
    await open_files().append((entry(2, "- the second"), entry(3, "- the third")))

    text = await open_files().read_day(ADA, DAY)

    assert "the second" in text
    assert "the third" in text


async def who_writes_at_once_loses_nothing(open_files: OpenFiles) -> None:
    """Calls that overlap are done one after the other."""
    files = open_files()
    await asyncio.gather(*(files.append((entry(n),)) for n in range(1, 21)))

    assert turns_in(await files.read_day(ADA, DAY)) == set(range(1, 21))


async def any_text_can_be_kept(open_files: OpenFiles) -> None:
    """What cannot be written as UTF-8 is taken out, the rest stays."""
    await open_files().append((entry(1, "- half \ud83d a pair, a \0, 茶, 🍵"),))

    text = await open_files().read_day(ADA, DAY)

    assert "a pair" in text
    assert "茶, 🍵" in text


async def files_go_with_their_audience(open_files: OpenFiles) -> None:
    """Before what the other one has by then; done again, or with none there, nothing happens."""
    files = open_files()
    later = DAY + timedelta(days=1)
    await files.append((entry(1, "- first", audience=ADA), entry(2, audience=ADA, day=later)))
    await files.append((entry(3, "- third", audience=GROUP),))

    await files.move(ADA, GROUP)
    text = await open_files().read_day(GROUP, DAY)
    await files.move(ADA, GROUP)
    await files.move(_slack("C1"), ADA)

    assert await files.read_day(GROUP, DAY) == text
    assert turns_in(text) == {1, 3}
    assert text.count("# 2026-01-05") == 1
    assert text.index("- first") < text.index("- third")
    assert turns_in(await files.read_day(GROUP, later)) == {2}
    assert await files.read_day(ADA, DAY) == ""


CONTRACT: tuple[Check, ...] = (
    files_go_with_their_audience,
    before_the_first_entry_a_day_is_empty,
    entries_can_be_read_in_their_order,
    a_turn_is_written_once,
    the_same_id_at_another_moment_is_another_turn,
    audiences_and_days_are_kept_apart,
    no_entry_can_stand_for_another,
    who_writes_at_once_loses_nothing,
    any_text_can_be_kept,
)


def _slack(chat: str) -> Audience:
    return Audience(channel="slack", account="T1", chat=chat, kind="group")
