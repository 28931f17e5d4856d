"""Asks a bot through every path there is, as everybody, and notes who is shown what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.core.memory.audience import Audience
from bot.core.memory.versions import LASTING
from bot.core.messages import Message, ToolCall
from bot.runtime.exporting import Exporter
from bot.testing.model import answer
from bot.testing.planted import Room
from bot.testing.privacy_world import PrivacyWorld
from tests.privacy.planting import LIVELY, LONG, PLACES

WORDS = (
    "umbrella brand stand lamp shade gate code ferry pier picnic spot parcel shelf drawer lies "
    "paint recipe needs drinks tea dog pet favourite bird boat kite oil shed barn key guide shoes"
)
"""What stands beside the planted words, of every kind of place."""

KINDS = ("fact", "episode", "day", "note", "turn", "knowledge")
DAYS = ("2026-01-05", "2026-01-06")
SOME_WORDS = ("umbrella", "gate", "tea", "barn", "boat", "hinge", "guide", "bird")

THREADS = "12345"

_AT_ONCE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """Ids of everything that is kept, as somebody could guess them."""

    memories: tuple[str, ...]
    facts: tuple[str, ...]
    calls: tuple[str, ...]
    versions: tuple[tuple[Audience, str], ...]


class Asking:
    """Walks all paths, the harmless ones first."""

    def __init__(self, world: PrivacyWorld) -> None:
        self._world = world

    async def ask_all(self) -> None:
        """Ask in every conversation as who speaks there."""
        ids = await self._ids()
        for room, user in PLACES:
            await self._ask_in_turns(replace(room, thread=f"{room.thread}0"), user, ids)
            await self._ask_by_commands(room, user, ids)
            await self._ask_beside_the_chat(room, user)
        for room, user in PLACES:
            await self._change(room, user, ids)
        for room, user in PLACES:
            with self._world.path("memory_get"):
                call = _call("memory_get", id=_file_of(room, LASTING))
                await self._world.says(room, user, "What does it say now?", answer(call))
        self._world.note_all_posts("all that was posted")

    async def _ask_in_turns(self, room: Room, user: str, ids: Ids) -> None:
        """Ask by talking, and by all that a model can call."""
        world = self._world
        with world.path("a turn"):
            await world.says(room, user, f"What do you know of my {WORDS}?")
        calls = {
            "memory_search": [
                *(_call("memory_search", query=each) for each in (WORDS, *SOME_WORDS)),
                *(_call("memory_search", query=WORDS, person=each) for each in ("1001", "2002")),
                *(_call("memory_search", query=WORDS, kinds=[kind]) for kind in KINDS),
            ],
            "reminders": [_call("reminders")],
            "memory_get": [_call("memory_get", id=each) for each in ids.memories],
            "forget": [
                _call("forget", what=each) for each in (*SOME_WORDS[:3], "all", *ids.facts[::6])
            ],
        }
        for path, asked in calls.items():
            for first in range(0, len(asked), _AT_ONCE):
                with world.path(path):
                    step = asked[first : first + _AT_ONCE]
                    await world.says(room, user, "And?", answer(*_numbered(step, f"{path}{first}")))
        shown = replace(room, thread=room.thread[:-1])
        whole = tuple(_call("tool_result_get", call_id=c, offset=LONG - 1_000) for c in ids.calls)
        with world.path("tool_result_get"):
            await world.says(shown, user, "And?", answer(*_numbered(whole, "tool_result_get")))
        for thread in ("", *(THREADS if (shown, user) in LIVELY else ())):
            with world.path("a turn where it was said"):
                await world.says(replace(shown, thread=shown.thread + thread), user, "Go on.")

    async def _ask_by_commands(self, room: Room, user: str, ids: Ids) -> None:
        """Give all commands that only show, where it was said and beside."""
        wishes = (SOME_WORDS[1], *ids.facts[:: len(PLACES)], "turn 3", DAYS[0])
        for text in (
            "/memory",
            "/memory show 2",
            f"/memory search {WORDS}",
            *(f"/memory search {word}" for word in SOME_WORDS),
            "/memory export",
            *(f"/memory history {name}" for name in (LASTING, *DAYS)),
            *(f"/memory forget {each}" for each in wishes),
            *(f"/memory forget everyone {word}" for word in SOME_WORDS[:1]),
            "/reminders",
            "/usage",
            "/usage me",
            "/status",
            "/help",
            "/config",
            "/in",
            *(f"/in {thread or '-'} context json" for thread in ("", "7", "9")),
        ):
            await self._says(room, user, text)
        for thread in ("", *("25" if (room, user) in LIVELY else ())):
            for text in ("/context", "/context detail", "/context json", "/failed"):
                await self._says(replace(room, thread=room.thread + thread), user, text)

    async def _ask_beside_the_chat(self, room: Room, user: str) -> None:
        """Look at a person's own page, and at what an operator may take of them."""
        world, person = self._world, room.person(user)
        if room.kind == "private":
            page = await world.home(room, person)
            world.note("home", room.audience, person.person_key, repr(page))
        exporter = Exporter(
            records=world.store,
            people=world.store,
            usage=world.store,
            reminders=world.store,
            zones=world.store,
            files=world.files,
            is_on=lambda _: True,
            redactor=world.redactor,
            clock=world.clock,
        )
        text = await exporter.export_person(person.person_key)
        world.note("operator's export", None, person.person_key, text)

    async def _change(self, room: Room, user: str, ids: Ids) -> None:
        """Do what changes something: what was there before is told of by the way."""
        world = self._world
        call = _call(
            "remember",
            statement="Drinks water.",
            key="favorite tea",
            topic="preference",
            was_asked=True,
        )
        with world.path("remember"):
            await world.says(replace(room, thread="0"), user, "Remember it.", answer(call), "Yes.")
        for _, stamp in sorted(ids.versions, key=lambda each: each[0] == room.audience):
            await self._says(room, user, f"/memory restore {LASTING} {stamp}")
        for text in ("/memory remember pet: Has a cat.", "/compact", "/context undo", "/retry"):
            await self._says(room, user, text)
        for number in range(1, len(LIVELY) + 2):
            await self._says(room, user, f"/reminders cancel {number}")
        await self._says(room, user, "/new")
        with world.path("an opening"):
            await world.says(room, user, "Good morning.")
        await self._says(room, user, "/context clear --yes")
        with world.path("after a clear"):
            await world.says(room, user, "Good morning.")

    async def _says(self, room: Room, user: str, text: str) -> None:
        name, _, rest = text.partition(" ")
        verb = rest.partition(" ")[0] if name in ("/memory", "/context", "/in") else ""
        with self._world.path(f"{name} {verb}".rstrip()):
            await self._world.says(room, user, text)

    async def _ids(self) -> Ids:
        """Give all ids there are, with those of files."""
        world = self._world
        files = (_file_of(room, name) for room, _ in PLACES for name in (LASTING, *DAYS))
        refs = tuple(dict.fromkeys((*await world.index.refs(""), *files)))
        facts = tuple(f"f{ref.removeprefix('fact:')}" for ref in refs if ref.startswith("fact:"))
        kept = {
            str(call.id)
            for request in world.model.requests
            for message in request.messages
            for call in _calls_of(message)
            if call.name == "open_drawer"
        }
        versions = tuple(
            (room.audience, stamp)
            for room in dict.fromkeys(room for room, _ in PLACES)
            for stamp in _stamps_with("shed", world.folder_of(room) / "versions" / LASTING)[-1:]
        )
        return Ids(memories=refs, facts=facts, calls=tuple(sorted(kept)), versions=versions)


def _file_of(room: Room, name: str) -> str:
    return f"file:{room.audience.folder}/{name}{'' if name == LASTING else '.md'}"


def _stamps_with(word: str, folder: Path) -> list[str]:
    """Give the versions of a file that have a word, oldest first."""
    paths = sorted(folder.glob("2*.md"))
    return [path.stem for path in paths if word in path.read_text(encoding="utf-8")]


def _call(name: str, /, **arguments: object) -> ToolCall:
    return ToolCall(id="call", name=name, arguments=json.dumps(arguments))


def _numbered(calls: Sequence[ToolCall], name: str) -> Iterator[ToolCall]:
    return (replace(each, id=f"{name}_{number}") for number, each in enumerate(calls))


def _calls_of(message: Message) -> Iterator[ToolCall]:
    return (block for block in message.blocks if isinstance(block, ToolCall))
