"""The whole application on a real folder, and all that people and models are shown of it.

Store, search index, memory files and redactor are the real ones; the clock, the platforms and the
model are pretended.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Annotated

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.recall_files import RecallFiles
from bot.adapters.redactor import RuleRedactor
from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.adapters.store.database import DatabaseThread
from bot.adapters.store.opening import open_database
from bot.adapters.store.schema import make_tables
from bot.adapters.store.sqlite_store import SqliteStore
from bot.config import Config
from bot.core.chat import Capabilities, Inbound, InboundMessage, PersonKey, Sender, SessionKey
from bot.core.lifecycle import address_of
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Audience, audience_of
from bot.core.screens import HomePage
from bot.ports import PluginAPI, Redactor
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel, Post
from bot.testing.model import Answer, ScriptedModel
from bot.testing.planted import NOBODY, Room, Seen

CHANNELS = ("loopback", "second")
ADMINS = ("loopback:1001", "loopback:2002", "second:1001")
PLUGINS = ("memory_tools", "tasks", "tool_results", "reminders", "drawers")
ABLE = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True, sends_files=True)
IDLE_ANSWER = "I see."

_DRAWERS = "plugins.drawers"
_MOST_ROUNDS = 400
_STILL_ROUNDS = 3
_STEP_S = 1_800.0

MakeUp = Callable[[ModelRequest], Answer]
"""What a model makes of the talk of a conversation: a summary, a record, facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What had been shown at a moment: how many posts on each platform, and requests."""

    posts: tuple[int, ...]
    requests: int


class PrivacyWorld:
    """An ``async with`` block in which the bot runs.

    Attributes:
        script: What the model answers people next; when it is empty, :data:`IDLE_ANSWER`.
        make_up: What it makes of conversations.
        drawers: What the tool ``open_drawer`` finds, by name.
        seen: All that was shown so far under the paths that were walked.
        log: All log records of the bot from INFO on, one text each.
    """

    def __init__(
        self,
        folder: Path,
        make_up: MakeUp,
        *,
        redactor: Redactor | None = None,
        log_level: int = logging.INFO,
    ) -> None:
        self.folder = folder
        self.clock = FakeClock()
        self.platforms = {name: LoopbackChannel(name, ABLE) for name in CHANNELS}
        self.script: deque[Answer] = deque()
        self.make_up = make_up
        self.drawers: dict[str, str] = {}
        self.seen: list[Seen] = []
        self.log: list[str] = []
        self._log_level = log_level
        self.memory = folder / "memory"
        self.knowledge = folder / "knowledge"
        self.knowledge.mkdir(parents=True)
        self.model = ScriptedModel(self._answer)
        self.store = quickly_opened(folder / "daybook.db")
        self.redactor = redactor or RuleRedactor()
        self.index = SqliteSearchIndex(folder / "search.db")
        self.files = MarkdownMemoryFiles(
            self.memory,
            fsync=lambda descriptor: None,
            now=self.clock.now,
            redact=self.redactor.redact,
        )
        self._handler = _Listening(self.log)
        self.dialogue: Dialogue

    async def __aenter__(self) -> PrivacyWorld:
        module = ModuleType(_DRAWERS)
        vars(module)["register"] = _registering(self.drawers)
        sys.modules[_DRAWERS] = module
        logger = logging.getLogger("bot")
        self._former_level = logger.level
        logger.setLevel(self._log_level)
        logger.addHandler(self._handler)
        first, second = self.platforms.values()
        self.dialogue = Dialogue(
            self.model,
            config=Config(access="open", admins=ADMINS, plugins=PLUGINS),
            store=self.store,
            channel=first,
            others={second.name: second},
            clock=self.clock,
            memory_files=self.files,
            search_index=self.index,
            recalled_files=RecallFiles(self.memory, self.knowledge),
            redactor=self.redactor,
        )
        await self.dialogue.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.dialogue.__aexit__(kind, error, traceback)
        await self.store.close()
        sys.modules.pop(_DRAWERS, None)
        logger = logging.getLogger("bot")
        logger.removeHandler(self._handler)
        logger.setLevel(self._former_level)

    def message(self, room: Room, user: str, text: str) -> InboundMessage:
        """Make the event of somebody writing in a room; it is not received yet."""
        message = self.platforms[room.channel].message(
            text, user=user, chat=room.chat, thread=room.thread, kind=room.kind
        )
        return replace(
            message,
            event_id=f"{room.account}:{message.event_id}",
            address=room.address,
            sender=room.person(user),
            sent_at=self.clock.now(),
        )

    async def happens(self, event: Inbound) -> None:
        """Let something happen, and all that follows from it at once."""
        address = address_of(event)
        self.platforms[address.channel].push(event)
        await settle()
        await self.dialogue.app.settled(address)
        if isinstance(event, InboundMessage) and event.kind == "group":
            private = replace(address, chat=event.sender.user_id, thread="")
            await self.dialogue.app.settled(private)

    async def says(self, room: Room, user: str, text: str, *answers: Answer) -> InboundMessage:
        """Have somebody say something, and the model answer so."""
        self.script.extend(answers)
        message = self.message(room, user, text)
        await self.happens(message)
        return message

    async def passes(self, seconds: float) -> None:
        """Let time pass, with all that is due by then."""
        await self.rest()
        while seconds > 0:
            step = min(seconds, _STEP_S)
            await self.clock.advance(step)
            await self.rest()
            seconds -= step

    async def rest(self) -> None:
        """Wait until nothing happens any more, in threads neither."""
        before, still = None, 0
        for _ in range(_MOST_ROUNDS):
            await settle()
            await self.files.notes_of(_NOWHERE)
            state = (
                await self.index.applied_seq(),
                await self.store.newest_seq(),
                len(self.model.requests),
                len(await self.index.refs("")),
                *(len(each.posts) for each in self.platforms.values()),
            )
            still = still + 1 if state == before else 0
            if still >= _STILL_ROUNDS and state[0] == state[1]:
                return
            before = state
        raise AssertionError(f"it does not come to rest: {before}")

    async def home(self, room: Room, person: Sender) -> HomePage:
        """Give the page that a person is shown of themselves."""
        inbox = self.platforms[room.channel].inbox
        assert inbox is not None
        return await inbox.screens.home(room.address, person)

    @contextmanager
    def path(self, name: str) -> Iterator[None]:
        """Note what is shown meanwhile as found by a way of asking."""
        before = self.shown()
        yield
        for platform, first in zip(self.platforms.values(), before.posts, strict=True):
            self.seen += (_of_post(name, post) for post in platform.posts[first:])
        for request in self.model.requests[before.requests :]:
            self.seen.append(_of_request(f"{name}: request", request))

    def note(self, path: str, audience: Audience | None, person: PersonKey, text: str) -> None:
        """Note something else that was shown."""
        self.seen.append(Seen(path=path, audience=audience, person=person, text=text))

    def shown(self) -> Shown:
        """Say how much was shown so far."""
        posts = tuple(len(each.posts) for each in self.platforms.values())
        return Shown(posts=posts, requests=len(self.model.requests))

    def note_all_posts(self, path: str) -> None:
        """Note all that ever stood in the chats."""
        for platform in self.platforms.values():
            self.seen += (_of_post(path, post) for post in platform.posts)

    def folder_of(self, room: Room) -> Path:
        """Give the folder of a room's memory files."""
        return self.memory / room.audience.folder

    def _answer(self, request: ModelRequest) -> Answer:
        if request.payer is not None and request.payer.purpose != "answer":
            return self.make_up(request)
        return self.script.popleft() if self.script else IDLE_ANSWER


def _registering(drawers: dict[str, str]) -> Callable[[PluginAPI], None]:
    def register(api: PluginAPI) -> None:
        @api.tool(safe_to_repeat=True)
        async def open_drawer(name: Annotated[str, "Which one."]) -> str:
            """Say what lies in a drawer."""
            return drawers[name]

    return register


def quickly_opened(path: Path) -> SqliteStore:
    """Open a database that does not wait for the disk: no power is cut here."""
    db = open_database(path)
    db.execute_sql("PRAGMA synchronous = off")  # type: ignore[no-untyped-call]  # bare in stubs
    return SqliteStore(make_tables(db), DatabaseThread(db, inline=True), lambda error: None)


class _Listening(logging.Handler):
    """Keeps log records as text: the message and all that was said beside it."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.append(f"{record.getMessage()} {vars(record)!r}")


_NOWHERE = Audience(channel="nowhere", account="", chat="", kind="private")


def _of_post(path: str, post: Post) -> Seen:
    is_group = post.address.chat.startswith("-")
    audience = audience_of(post.address.session_key, "group" if is_group else "private")
    texts = [post.text, *post.history, *(f"{b.label} {b.command}" for b in post.buttons)]
    if post.file is not None:
        texts.append(post.file.name + post.file.content.decode("utf-8", "replace"))
    person = NOBODY if is_group else _person_at(audience)
    return Seen(path=path, audience=audience, person=person, text="\n".join(texts))


def _of_request(path: str, request: ModelRequest) -> Seen:
    assert request.payer is not None
    key: SessionKey = request.payer.session_key
    chat = audience_of(key, "private").chat
    is_group = chat.startswith("-")
    audience = audience_of(key, "group" if is_group else "private")
    person = NOBODY if is_group else _person_at(audience)
    return Seen(path=path, audience=audience, person=person, text=repr(request))


def _person_at(audience: Audience) -> PersonKey:
    """Name whose private chat it is: chat and user have one id, realms are named as accounts."""
    realm = audience.account if audience.account.startswith("T") else ""
    sender = Sender(channel=audience.channel, realm=realm, user_id=audience.chat, name="")
    return sender.person_key
