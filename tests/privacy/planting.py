"""Plants something in every place in which the bot keeps things, in many conversations at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from bot.core.chat import InboundEdit, SessionKey
from bot.core.files import Attachment
from bot.core.llm import ModelRequest
from bot.core.memory.extract import extracted_answer
from bot.core.memory.versions import LASTING
from bot.core.window.summary.extract import extractive_answer, extractive_record
from bot.errors import DeliveryError, ModelUnavailable
from bot.testing.model import Answer, calling
from bot.testing.planted import NOBODY, SAID, PlaceKind, Planted, Room, marked_words
from bot.testing.privacy_world import PrivacyWorld

ANN, BOB = "1001", "2002"
DAY_S = 24 * 3_600.0
_MOST_MINUTES = 30

LONG = 60_000
"""So many characters of a tool's result that the whole of it is kept apart."""

_HERE = Room(channel="loopback", account="bot", chat=ANN, kind="private")
_GROUP = replace(_HERE, chat="-5", kind="group", thread="7")

PLACES: tuple[tuple[Room, str], ...] = (
    (_HERE, ANN),
    (replace(_HERE, chat=BOB), BOB),
    (_GROUP, ANN),
    (replace(_GROUP, thread="9"), BOB),
    (replace(_GROUP, chat="-6"), BOB),
    (replace(_HERE, channel="second"), ANN),
    (replace(_GROUP, channel="second"), ANN),
    (replace(_HERE, account="other"), ANN),
    (replace(_HERE, account="T2", realm="T2"), ANN),
    (replace(_GROUP, account="T2", realm="T2"), ANN),
)
"""Conversations, each with who speaks there.

Two private chats; a group's two topics, each with another speaker; another group; another platform,
another bot, and another team, in all of which ids are the same.
"""

LIVELY = (PLACES[0], PLACES[2], PLACES[3], PLACES[8])
"""Those in which every kind of thing is planted; the others have talk, facts and notes."""


class Planting:
    """Puts pieces into places, and has the pretended model make things up of them.

    Attributes:
        planted: What was planted so far.
    """

    def __init__(self) -> None:
        self.planted: list[Planted] = []
        self.world: PrivacyWorld
        self._words = marked_words()
        self._made: dict[tuple[str, SessionKey], str] = {}

    def word(self, kind: PlaceKind, room: Room, user: str) -> str:
        """Take a word, and note where it is going to be planted."""
        word = next(self._words)
        person = room.person(user).person_key
        self.planted.append(
            Planted(
                word=word,
                kind=kind,
                audience=room.audience,
                said_by=person if kind in SAID else NOBODY,
                owner=person if room.kind == "private" else NOBODY,
            )
        )
        return word

    def make_up(self, request: ModelRequest) -> Answer:
        """Summarise, record and extract like a model that adds a word of its own."""
        assert request.payer is not None
        text, key = request.messages[0].text, request.payer.session_key
        if request.payer.purpose == "facts":
            return extracted_answer(text)
        word = self._made.get((request.payer.purpose, key), "")
        if request.payer.purpose == "episode":
            record = json.loads(extractive_record(text))
            return json.dumps({**record, "open_tasks": [f"Oil the {word}"] if word else []})
        if (("digest", key)) in self._made:
            return ModelUnavailable("It is away.")
        draft = json.loads(extractive_answer(text))
        if word:
            draft["turns"][-1]["decisions"] = [f"The boat is called {word}."]
        return json.dumps(draft)

    async def plant_all(self, world: PrivacyWorld) -> None:
        """Plant in all places, and let days pass until it is where it belongs."""
        self.world = world
        word = next(self._words)
        self.planted.append(Planted(word=word, kind="knowledge", audience=None))
        world.knowledge.joinpath("guide.md").write_text(f"# Guide\n\nThe guide says {word}.\n")
        for room, user in PLACES:
            await self._plant_talk(room, user)
            await self._plant_facts(room, user)
            if (room, user) in LIVELY:
                await self._plant_results(room, user)
                await self._plant_made_up(room, user)
        await world.passes(DAY_S)
        await self._plant_notes()

    async def _plant_talk(self, room: Room, user: str) -> None:
        world, own = self.world, (room, user)
        reply = self.word("reply", *own)
        asked = f"My umbrella brand is {self.word('message', *own)}."
        await world.says(*own, asked, f"I note the umbrella stand {reply}.")
        wrong = await world.says(*own, "My lamp is dull.")
        right = f"My lamp shade is {self.word('edit', *own)}."
        await world.happens(
            InboundEdit(
                event_id=f"edit:{wrong.event_id}",
                message=replace(wrong, text=right),
                edited_at=wrong.sent_at + timedelta(seconds=1),
            )
        )
        asking = world.message(*own, "What is the gate code?")
        quoted = f"The gate code is {self.word('quotation', *own)}."
        await world.happens(replace(asking, quoted=quoted))
        passed_on = world.message(*own, f"The ferry pier is {self.word('forwarded', *own)}.")
        await world.happens(replace(passed_on, forwarded_from="Cleo"))
        if room.kind == "group":
            beside = f"The picnic spot is {self.word('overheard', *own)}."
            heard = world.message(*own, beside)
            await world.happens(replace(heard, is_addressed=False, is_named=False))
        lost = f"The parcel shelf is {self.word('undelivered', *own)}."
        platform = world.platforms[room.channel]
        platform.failures.append(DeliveryError("no such chat", can_retry=False))
        await world.says(replace(room, thread=f"{room.thread}5"), user, "Where is it?", lost)
        platform.failures.clear()

    async def _plant_results(self, room: Room, user: str) -> None:
        world, own = self.world, (room, user)
        name = f"drawer{len(self.planted)}"
        world.drawers[name] = f"In the drawer lies a {self.word('tool result', *own)}."
        await world.says(*own, "Open it.", calling("open_drawer", name=name), "Done.")
        world.drawers[name] = f"{'x ' * (LONG // 2)}and a {self.word('long result', *own)}."
        call = calling("open_drawer", name=name, call_id=f"call_{name}")
        await world.says(*own, "Open it all.", call, "Done.")
        goal = f"Paint the {self.word('task', *own)}"
        await world.says(*own, "Paint.", calling("task_update", goal=goal), "Noted.")
        text = f"Feed the {self.word('reminder', *own)}."
        call = calling("remind", text=text, at_local="2026-03-01T09:00")
        await world.says(*own, "Remind me.", call, "I will.")
        handle = f"file{len(self.planted)}"
        text = f"The recipe needs {self.word('file', *own)}."
        world.platforms[room.channel].files[handle] = text.encode()
        file = Attachment(
            kind="document", name="recipe.txt", media_type="text/plain", handle=handle
        )
        await world.happens(replace(world.message(*own, "Read it."), attachments=(file,)))

    async def _plant_facts(self, room: Room, user: str) -> None:
        world, own = self.world, (room, user)
        for kind in ("former fact", "told fact"):
            await self._told(room, user, "favorite tea", f"Drinks {self.word(kind, *own)} tea.")
        if room.kind == "private":  # in a group it would be told of the private chat
            pet = self.word("commanded fact", *own)
            await world.says(*own, f"/memory remember pet: Has a dog called {pet}.")
        bird = self.word("extracted fact", *own)
        await world.says(*own, f"My favourite bird is {bird}.")

    async def _plant_made_up(self, room: Room, user: str) -> None:
        """Have a summary, a digest, a record and an entry made, each in a thread of its own."""
        world = self.world
        summed, digested, recorded, noted = (
            replace(room, thread=f"{room.thread}{number}") for number in range(1, 5)
        )
        self._made["summary", summed.address.session_key] = self.word("summary", room, user)
        self._made["digest", digested.address.session_key] = ""
        self._made["episode", recorded.address.session_key] = self.word("episode", room, user)
        self._made["summary", noted.address.session_key] = self.word("daily", room, user)
        for number in range(4):
            await world.says(summed, user, f"About boats, part {number}.")
        await world.says(summed, user, "/compact")
        word = self.word("digest", room, user)
        await world.says(digested, user, "About kites.", f"The kite is a {word}.")
        for number in range(3):
            await world.says(digested, user, f"About kites, part {number}.")
        await world.says(digested, user, "/compact")
        for number in range(2):
            await world.says(recorded, user, f"About hinges, part {number}.")
        await world.says(recorded, user, "/new")
        for number in range(2):
            await world.says(noted, user, f"About boats and oars, part {number}.")

    async def _plant_notes(self) -> None:
        """Have a note written into each ``MEMORY.md``, and another one in its place."""
        notes: list[tuple[Room, str]] = []
        for room, user in self.rooms():
            notes.append((room, f"Note: the shed key is {self.word('former note', room, user)}.\n"))
        await self._write(notes)
        notes.clear()
        for room, user in self.rooms():
            notes.append((room, f"Note: the barn key is {self.word('note', room, user)}.\n"))
        await self._write(notes)

    async def _write(self, notes: list[tuple[Room, str]]) -> None:
        for room, note in notes:
            (self.world.folder_of(room) / LASTING).write_text(note, encoding="utf-8")
        size = f"Has shoes of size {len(self.planted)}."
        for room, user in self.rooms():
            await self._told(room, user, "shoe size", size)
        for _ in range(_MOST_MINUTES):
            await self.world.passes(60)
            if all(size in self._lasting(room) for room, _ in notes):
                return
        raise AssertionError("the bot does not write its files")

    def _lasting(self, room: Room) -> str:
        return (self.world.folder_of(room) / LASTING).read_text(encoding="utf-8")

    async def _told(self, room: Room, user: str, key: str, statement: str) -> None:
        call = calling("remember", statement=statement, key=key, topic="preference", was_asked=True)
        await self.world.says(room, user, "Remember it.", call, "Noted.")

    def rooms(self) -> Iterator[tuple[Room, str]]:
        """Give one conversation of each audience."""
        seen = set()
        for room, user in PLACES:
            if room.audience not in seen:
                seen.add(room.audience)
                yield room, user
