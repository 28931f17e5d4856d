"""Every way by which words come to be written down, and a search for them in all bytes there are.

The law of this file: a way is one that words really take, from a platform, a tool or a model to the
disk; with a redactor that finds nothing, the search finds the words of each way.
"""

from __future__ import annotations

import json
import logging
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from bot.core.chat import InboundEdit, SessionKey
from bot.core.files import Attachment
from bot.core.lifecycle import SetAside
from bot.core.llm import ModelRequest
from bot.core.memory.extract import extracted_answer
from bot.core.messages import Text, Thinking, ToolCall
from bot.core.window.summary.extract import extractive_answer, extractive_record
from bot.ports import Redactor
from bot.testing.clock import settle
from bot.testing.model import Answer, answer, calling
from bot.testing.planted import Room
from bot.testing.privacy_world import PrivacyWorld

HOME = Room(channel="loopback", account="bot", chat="1001", kind="private")
USER = "1001"
DAY_S = 24 * 3_600.0

MUCH, SOME, ONE = 4_000, 900, 0
"""How many characters of texts a way takes at once; with 0 each text goes alone."""

_BETWEEN = "\n\nSo much for that.\n\n"

_LEAST_NEEDLE = 8
_PARTS = re.compile(r"[^\s]{8,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A text, and what of it must not stay."""

    text: str
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A secret that can be read somewhere.

    Attributes:
        form: How it is written there.
        place: The file, or what else was looked through.
    """

    secret: str
    form: str
    place: str


class SecretPaths:
    """Sends texts down all ways, one conversation for each.

    Attributes:
        exports: What was handed out as a file.
    """

    def __init__(self, folder: Path, redactor: Redactor | None = None) -> None:
        self.world = PrivacyWorld(folder, self._make_up, redactor=redactor, log_level=logging.DEBUG)
        self.exports: list[bytes] = []
        self._made: dict[SessionKey, str] = {}
        self._count = 0
        self.ways: dict[str, tuple[Callable[[str], Awaitable[None]], int]] = {
            "message": (self._message, MUCH),
            "edit": (self._edit, MUCH),
            "quotation": (self._quotation, MUCH),
            "passed on": (self._passed_on, MUCH),
            "caption": (self._caption, MUCH),
            "file text": (self._file, MUCH),
            "set aside": (self._set_aside, MUCH),
            "overheard": (self._overheard, MUCH),
            "tool arguments": (self._arguments, MUCH),
            "tool result": (self._result, MUCH),
            "long tool result": (self._long_result, MUCH),
            "model output": (self._output, MUCH),
            "thinking": (self._thinking, MUCH),
            "task": (self._task, ONE),
            "told fact": (self._fact, ONE),
            "/memory remember": (self._remember, ONE),
            "extracted fact": (self._extracted, ONE),
            "reminder": (self._reminder, SOME),
            "summary": (self._summary, SOME),
            "episode": (self._episode, SOME),
            "daily file": (self._daily, SOME),
            "command": (self._command, ONE),
        }

    async def walk(self, way: str, texts: Iterable[str]) -> None:
        """Send texts down one way, as many at once as it takes."""
        send, most_chars = self.ways[way]
        for text in _together(texts, most_chars):
            self._count += 1
            await send(text)
        await self.world.passes(240)

    async def finish(self) -> None:
        """Let a night pass, in which all is written that is to be, and take everything out."""
        await self.world.passes(DAY_S)
        await self.world.says(HOME, USER, "/memory export")
        await self.world.says(HOME, USER, "/context json")
        self.exports += (
            post.file.content
            for platform in self.world.platforms.values()
            for post in platform.posts
            if post.file is not None
        )

    def _make_up(self, request: ModelRequest) -> Answer:
        assert request.payer is not None
        text, made = request.messages[0].text, self._made.get(request.payer.session_key, "")
        match request.payer.purpose:
            case "episode":
                record = json.loads(extractive_record(text))
                return json.dumps({**record, "summary": made or "Nothing."})
            case "facts":
                found = json.loads(extracted_answer(text))
                return json.dumps({"facts": [*found["facts"], *_claims(made)]})
            case _:
                draft = json.loads(extractive_answer(text))
                if made:
                    draft["turns"][-1]["information"] = [made]
                return json.dumps(draft)

    def _room(self) -> Room:
        return replace(HOME, thread=f"t{self._count}")

    async def _message(self, text: str) -> None:
        await self.world.says(self._room(), USER, text)

    async def _edit(self, text: str) -> None:
        message = await self.world.says(self._room(), USER, "Wait.")
        await self.world.happens(
            InboundEdit(
                event_id=f"edit:{self._count}",
                message=replace(message, text=text),
                edited_at=message.sent_at + timedelta(seconds=1),
            )
        )

    async def _quotation(self, text: str) -> None:
        message = self.world.message(self._room(), USER, "What is that?")
        await self.world.happens(replace(message, quoted=text))

    async def _passed_on(self, text: str) -> None:
        message = self.world.message(self._room(), USER, text)
        await self.world.happens(replace(message, forwarded_from="Cleo"))

    async def _caption(self, text: str) -> None:
        await self._with_file(text, "Nothing of note.")

    async def _file(self, text: str) -> None:
        await self._with_file("Read it.", text)

    async def _with_file(self, caption: str, content: str) -> None:
        handle = f"file{self._count}"
        self.world.platforms[HOME.channel].files[handle] = content.encode()
        file = Attachment(kind="document", name="a.txt", media_type="text/plain", handle=handle)
        message = self.world.message(self._room(), USER, caption)
        await self.world.happens(replace(message, attachments=(file,)))

    async def _set_aside(self, text: str) -> None:
        raw = json.dumps({"text": text})
        aside = SetAside(
            event_id=f"aside:{self._count}", channel=HOME.channel, raw=raw, reason="odd"
        )
        self.world.platforms[HOME.channel].push(aside)
        await settle()

    async def _overheard(self, text: str) -> None:
        group = replace(HOME, chat="-5", kind="group", thread=f"{self._count}")
        heard = self.world.message(group, USER, text)
        await self.world.happens(replace(heard, is_addressed=False, is_named=False))
        await self.world.says(group, "2002", "What do you say?")

    async def _arguments(self, text: str) -> None:
        self.world.drawers[text] = "Nothing."
        call = calling("open_drawer", name=text)
        await self.world.says(self._room(), USER, "Open it.", call, "Done.")

    async def _result(self, text: str) -> None:
        await self._with_result(text)

    async def _long_result(self, text: str) -> None:
        await self._with_result(f"{'x ' * 30_000}\n{text}")

    async def _with_result(self, text: str) -> None:
        name = f"drawer{self._count}"
        self.world.drawers[name] = text
        await self.world.says(
            self._room(), USER, "Open it.", calling("open_drawer", name=name), "Done."
        )

    async def _output(self, text: str) -> None:
        await self.world.says(self._room(), USER, "Tell me.", text)

    async def _thinking(self, text: str) -> None:
        call = ToolCall(id=f"think{self._count}", name="open_drawer", arguments='{"name": "none"}')
        self.world.drawers["none"] = "Nothing."
        thought = Thinking(text=text, signature="none")
        await self.world.says(
            self._room(), USER, "Think.", answer(thought, call), answer(thought, Text(text="Hm."))
        )

    async def _task(self, text: str) -> None:
        call = calling("task_update", goal=text)
        await self.world.says(self._room(), USER, "Note it.", call, "Noted.")

    async def _fact(self, text: str) -> None:
        call = calling(
            "remember",
            statement=text,
            key=f"habit {self._count}",
            topic="preference",
            was_asked=True,
        )
        await self.world.says(self._room(), USER, "Remember it.", call, "Noted.")

    async def _remember(self, text: str) -> None:
        line = _one_line(text)
        await self.world.says(self._room(), USER, f"/memory remember habit{self._count}: {line}")

    async def _extracted(self, text: str) -> None:
        await self._with_made(text, "I am used to it.")

    async def _reminder(self, text: str) -> None:
        call = calling("remind", text=text, at_local="2026-03-01T09:00")
        await self.world.says(self._room(), USER, "Remind me.", call, "I will.")

    async def _summary(self, text: str) -> None:
        await self._with_made(text, *["About boats."] * 4, "/compact")

    async def _episode(self, text: str) -> None:
        await self._with_made(text, *["About kites."] * 2, "/new")

    async def _daily(self, text: str) -> None:
        await self._with_made(text, "About oars.")

    async def _with_made(self, made: str, *said: str) -> None:
        """Have a model make a text of a conversation, whenever it is asked about it."""
        room = self._room()
        self._made[room.address.session_key] = made
        for text in said:
            await self.world.says(room, USER, text)

    async def _command(self, text: str) -> None:
        await self.world.says(self._room(), USER, f"/memory search {_one_line(text)}")


def readable_in(folder: Path, told: Iterable[Told], beside: Iterable[bytes] = ()) -> list[Left]:
    """Search all files below a folder, and what was handed out beside, for secrets in any form."""
    contents = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    contents |= {f"handed out {number}": content for number, content in enumerate(beside)}
    return [
        Left(secret=each.secret, form=form, place=place)
        for each in told
        for form, needle in forms_of(each.secret)
        for place, content in contents.items()
        if needle in content
    ]


def forms_of(secret: str) -> Iterator[tuple[str, bytes]]:
    """Give the bytes by which a secret can be known: of one in parts that of its longest part."""
    part = max(_PARTS.findall(secret), key=len, default=secret)
    yield "UTF-8", part.encode()
    yield "UTF-16", part.encode("utf-16-le")
    yield "UTF-16, big-endian", part.encode("utf-16-be")
    for name, escaped in (
        ("JSON", json.dumps(part)[1:-1]),
        ("JSON in JSON", json.dumps(json.dumps(part))[3:-3]),
    ):
        if escaped != part:
            yield name, escaped.encode()
    if len(part) >= _LEAST_NEEDLE:
        for offset in range(3):
            # What stands before and behind it changes the first and the last signs.
            whole = b64encode(b"\0" * offset + part.encode()).rstrip(b"=")
            yield f"base64, offset {offset}", whole[4 if offset else 0 : -2]


def _claims(made: str) -> Iterator[dict[str, object]]:
    """Give what a careless extractor proposes to remember."""
    if made:
        yield {
            "message": 1,
            "topic": "preference",
            "key": "habit",
            "fact": made,
            "quote": "I am used to it",
            "about": "speaker",
            "confidence": 0.9,
        }


def _together(texts: Iterable[str], most_chars: int) -> Iterator[str]:
    """Join texts until they have so many characters; a longer one stands alone."""
    held = ""
    for text in texts:
        joined = f"{held}{_BETWEEN}{text}" if held else text
        if held and len(joined) > most_chars:
            yield held
            joined = text
        held = joined
    if held:
        yield held


def _one_line(text: str) -> str:
    return " ".join(text.split())
