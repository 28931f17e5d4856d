"""``/memory``: what is remembered of whoever asks, and what they can do about it.

The law of this file: whoever reads an answer asked for it about themselves. Given in a group, all
but the switch and what is about the group as a whole is answered to the asker alone.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import tzinfo

from bot.core.files import OutgoingFile
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.facts import FactTopic, NewFact
from bot.core.memory.keys import key_of, told_fact
from bot.core.memory.recall import search_words
from bot.core.quoting import one_line, written
from bot.errors import StoreError, StoreLost, StoreUnreadable
from bot.languages import gettext, gettext_noop
from bot.ports import (
    Choice,
    Clock,
    CommandAnswer,
    CommandContext,
    Facts,
    PersonalRecords,
    Recall,
    Redactor,
)
from bot.runtime.commands.context import ONLY_ADMINS, may_change
from bot.runtime.commands.memory_files import FileHistory
from bot.runtime.commands.memory_forgetting import ForgettingTalk, is_of_everyone
from bot.runtime.commands.memory_pages import (
    OFF,
    Scene,
    TitleOf,
    as_words,
    found,
    overview,
    pages_of,
)
from bot.runtime.commands.table import Command, Readers
from bot.runtime.exporting import Exporter
from bot.runtime.forgetting import MemorySwitch
from bot.runtime.redaction import redact_text

MOST_FOUND = 10
MOST_PAGE_DIGITS = 6
MOST_STATEMENT_CHARS = 300

USAGE = gettext_noop(
    "`/memory` shows what I remember about you; `/memory show 2` its second page; `/memory search "
    "WORDS`, `/memory forget WORDS`, `/memory remember KEY: TEXT`, `/memory export`, `/memory off` "
    "and `on`, `/memory history` and `restore` do more with it."
)
UNREADABLE = gettext_noop("What I remember cannot be read at this moment; the bot's log says why.")
NOT_SEARCHABLE = gettext_noop(
    "I cannot search what I remember at this moment; the bot mends that by itself."
)
ON = gettext_noop("Memory is on here: what is worth it is remembered from now on.")
ON_ALREADY = gettext_noop("Memory is on here already.")
OFF_ALREADY = gettext_noop("Memory is off here already.")
NO_WORDS = gettext_noop("Say what to look for: `/memory search WORDS`.")
HOW_TO_REMEMBER = gettext_noop(
    "Say it as `/memory remember KEY: TEXT`: `/memory remember city: Lives in Rome.`"
)
TOO_LONG = gettext_noop(
    "That has {chars} characters, and a fact has at most {most}. Say it shorter, or as several "
    "facts."
)
NEVER_KEPT = gettext_noop("There is a secret in that, and I never keep secrets.")

_COLON = re.compile("[:\N{FULLWIDTH COLON}]")

_Answer = str | CommandAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts:
    """What ``/memory`` works with.

    Attributes:
        title_of: Names groups.
        zone: In which dates are told.
    """

    facts: Facts
    records: PersonalRecords
    recall: Recall
    forgetting: ForgettingTalk
    switch: MemorySwitch
    exporter: Exporter
    history: FileHistory
    title_of: TitleOf
    redactor: Redactor
    clock: Clock
    zone: tzinfo


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What somebody wants: the words behind the one that says what, and who reads the answer."""

    words: str
    context: CommandContext
    viewer: Viewer


class MemoryDesk:
    """Answers ``/memory``."""

    def __init__(self, parts: MemoryParts) -> None:
        self._parts = parts
        self._verbs: dict[str, Callable[[_Asked], Awaitable[_Answer]]] = {
            "show": self._show,
            "search": self._search,
            "remember": self._remember,
            "forget": self._forget,
            "keep": self._keep,
            "export": self._export,
            "on": self._switch_on,
            "off": self._switch_off,
            "history": self._history,
            "restore": self._restore,
        }

    async def answer(self, context: CommandContext) -> _Answer:
        """Answer; what cannot be read costs the answer and nothing else."""
        verb, words = _read(context.arguments)
        if verb not in self._verbs:
            return gettext(USAGE)
        message = context.message
        who = message.sender.person_key
        viewer = viewer_of(message.address.session_key, message.kind, who)
        try:
            return await self._verbs[verb](_Asked(words=words, context=context, viewer=viewer))
        except StoreUnreadable:
            return gettext(UNREADABLE)

    async def _show(self, asked: _Asked) -> _Answer:
        parts, viewer = self._parts, asked.viewer
        facts = await parts.facts.facts_for(viewer)
        kept = await parts.records.kept_in(viewer)
        is_on = parts.switch.is_on(viewer.audience)
        pages = pages_of(sum(fact.person_key == viewer.person_key for fact in facts))
        number = asked.words[:MOST_PAGE_DIGITS]
        page = min(max(int(number), 1), pages) if number.isdecimal() else 1
        text = overview(self._scene(viewer), facts, kept, page=page, is_on=is_on)
        return CommandAnswer(text=text, choices=_ways(asked, page, pages, is_on=is_on))

    async def _search(self, asked: _Asked) -> str:
        words = search_words(asked.words)
        if not words:
            return gettext(NO_WORDS)
        given = await self._parts.recall.search(words, asked.viewer, limit=MOST_FOUND)
        if given.trouble:
            return gettext(NOT_SEARCHABLE)
        return found(self._scene(asked.viewer), given.hits, is_all=not given.is_being_made)

    async def _remember(self, asked: _Asked) -> str:
        head, *rest = _COLON.split(asked.words, maxsplit=1)
        key, statement = key_of(head), " ".join(written(" ".join(rest)).split())
        if not (key and statement):
            return gettext(HOW_TO_REMEMBER)
        if len(statement) > MOST_STATEMENT_CHARS:
            return gettext(TOO_LONG, chars=len(statement), most=MOST_STATEMENT_CHARS)
        statement = one_line(statement, MOST_STATEMENT_CHARS)
        if "[redacted:" in await redact_text(f"{key}: {statement}", self._parts.redactor):
            return gettext(NEVER_KEPT)
        viewer, facts = asked.viewer, self._parts.facts
        if not self._parts.switch.is_on(viewer.audience):
            return gettext(OFF)
        topic: FactTopic = "name" if key == "name" else "other"
        new = NewFact(
            person_key=viewer.person_key,
            audience=viewer.audience,
            topic=topic,
            key=key,
            text=statement,
            origin="told",
            confidence=1.0,
            at=self._parts.clock.now(),
        )
        ((fact, ended),) = await facts.keep_facts((new,))
        words = as_words(told_fact(fact.key, fact.text))
        told = gettext("I remember that as `f{number}`: {fact}", number=fact.id, fact=words)
        if ended is None:
            return told
        before = as_words(told_fact(ended.key, ended.text))
        return "\n".join((told, gettext("Before it was: {fact}", fact=before)))

    async def _forget(self, asked: _Asked) -> _Answer:
        return await self._parts.forgetting.forget(asked.words, asked.viewer, asked.context)

    async def _keep(self, asked: _Asked) -> str:
        return await self._parts.forgetting.keep(asked.words, asked.viewer)

    async def _export(self, asked: _Asked) -> _Answer:
        now = self._parts.clock.now().astimezone(self._parts.zone)
        try:
            text = await self._parts.exporter.export(asked.viewer)
        except StoreLost:
            raise
        except StoreError:
            return gettext(UNREADABLE)
        file = OutgoingFile(
            name=f"memory-{now:%Y-%m-%d}.json",
            media_type="application/json",
            content=text.encode(),
        )
        return CommandAnswer(text="", file=file)

    async def _history(self, asked: _Asked) -> _Answer:
        return await self._parts.history.history(asked.words, asked.viewer, asked.context)

    async def _restore(self, asked: _Asked) -> str:
        return await self._parts.history.restore(asked.words, asked.viewer, asked.context)

    async def _switch_on(self, asked: _Asked) -> str:
        return await self._switch(asked, is_on=True)

    async def _switch_off(self, asked: _Asked) -> str:
        return await self._switch(asked, is_on=False)

    async def _switch(self, asked: _Asked, *, is_on: bool) -> str:
        if not may_change(asked.context):
            return gettext(ONLY_ADMINS)
        audience, by = asked.viewer.audience, asked.viewer.person_key
        is_changed = await self._parts.switch.switch(audience, is_on=is_on, by=by)
        if not is_changed:
            return gettext(ON_ALREADY) if is_on else gettext(OFF_ALREADY)
        return gettext(ON) if is_on else gettext(OFF)

    def _scene(self, viewer: Viewer) -> Scene:
        now = self._parts.clock.now().astimezone(self._parts.zone)
        return Scene(viewer=viewer, now=now, title_of=self._parts.title_of)


def memory_command(parts: MemoryParts) -> Command:
    """Show what is remembered of a person; search, correct, forget, export it, or switch it off."""
    return Command(
        name="memory",
        description=gettext_noop(
            "Show what I remember about you, search it, or have it forgotten."
        ),
        handler=MemoryDesk(parts).answer,
        heeds_chat_admins=True,
        read_by=readers_of,
    )


def readers_of(arguments: str) -> Readers:
    """Say who may read the answer in a group.

    What is told to be remembered by a command that others may not have seen was not said in the
    group: it is kept of the private chat. A file cannot be shown to one person of a group.
    """
    verb, words = _read(arguments)
    if verb in ("on", "off", "history", "restore") or (verb == "forget" and is_of_everyone(words)):
        return "chat"
    return "asker_in_private" if verb in ("export", "remember") else "asker"


def _read(arguments: str) -> tuple[str, str]:
    """Read the word that says what is wanted, and those behind it; a mere number is a page."""
    verb, *words = arguments.split(maxsplit=1) or [""]
    if not verb or verb.isdecimal():
        return "show", verb
    return verb.lower(), " ".join(words).strip()


def _ways(asked: _Asked, page: int, pages: int, *, is_on: bool) -> tuple[Choice, ...]:
    """Offer what is asked for most where it is one press away; elsewhere the text says it all."""
    if not asked.context.has_buttons:
        return ()
    ways = []
    if page < pages:
        ways.append(Choice(label=gettext("More"), command=f"memory show {page + 1}"))
    ways.append(Choice(label=gettext("Export"), command="memory export"))
    if may_change(asked.context):
        off = Choice(label=gettext("Switch off"), command="memory off")
        on = Choice(label=gettext("Switch on"), command="memory on")
        ways.append(off if is_on else on)
    return tuple(ways)
