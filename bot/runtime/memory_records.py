"""What a tool may recall and note, for those who see the chat it runs in."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from bot.core.chat import Sender
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.believing import may_extract
from bot.core.memory.facts import Fact, FactId, NewFact
from bot.core.memory.items import (
    OF_FOLDERS,
    Hit,
    ItemId,
    ItemKind,
    ItemRef,
    MemoryItem,
    read_id,
    told_id,
)
from bot.core.memory.keys import key_of, told_fact
from bot.core.memory.pieces import fact_ref
from bot.core.memory.recall import recalled_of, search_words
from bot.core.memory.recalled import Recalled, dated
from bot.core.names import speaker
from bot.core.quoting import one_line, written
from bot.errors import StoreError, StoreLost, ToolError
from bot.ports import (
    ChatMemories,
    Clock,
    Facts,
    ForgetProposal,
    FoundPieces,
    MemoryItems,
    Recall,
    Redactor,
    Remembered,
    Statement,
    ToolContext,
)
from bot.runtime.redaction import redact_text

MOST_FOUND = 12
MOST_OF_PERSON = 60
"""So many are looked through for what one person said."""

MOST_STATEMENT_CHARS = 300

OFF = (
    "Memory is switched off in this chat: nothing is recalled or kept. Tell the person so; an "
    "admin, or in a private chat they themselves, can switch it on with `/memory on`."
)
BEING_MADE = "the search index is being made anew"
UNREADABLE = "Memory cannot be read at this moment. Go on without it, and say so."
NEVER_KEPT = (
    "This holds a secret, and secrets are never remembered. Tell the person so, and ask for "
    "nothing in its place."
)
TOO_LONG = (
    "That has {chars} characters, and what is remembered has at most {most}. Say it shorter, or "
    "remember it as several facts."
)
NOT_UNASKED = (
    "This is not kept unless the person asks for it: only a name, a lasting preference, technical "
    "environment, accessibility need or style of theirs is, and nothing sensitive or of the "
    "moment. Do not offer it; if they do ask, say was_asked=true."
)

_PIECE = re.compile(r"\.[0-9]+$")

Propose = Callable[[ToolContext, Viewer, str], Awaitable[ForgetProposal]]
"""Makes a proposal of what somebody wants forgotten; raises ToolError where nothing is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemoryRecords:
    """A :class:`~bot.ports.MemoryRecords`: who sees what, the tool's context alone says.

    Attributes:
        timezone: In which dates are told.
    """

    facts: Facts
    items: MemoryItems
    recall: Recall
    memories: ChatMemories
    propose: Propose
    redactor: Redactor
    clock: Clock
    timezone: tzinfo

    async def search(
        self,
        context: ToolContext,
        words: str,
        *,
        kinds: frozenset[ItemKind] = frozenset(),
        person: str = "",
    ) -> FoundPieces:
        """Give what words find, also what is hardly relevant."""
        viewer = self._viewer(context, context.sender)
        asked = search_words(f"{words} {person}")
        if not asked:
            raise ToolError("There is no word to search for. Give some.")
        limit = MOST_OF_PERSON if person else MOST_FOUND
        found = await self.recall.search(
            asked, viewer, limit=limit, kinds=kinds, asked_by=context.sender.name
        )
        hits = (hit for hit in found.hits if _is_of(hit.item, person))
        pieces = tuple(recalled_of(hit, viewer, self._now()) for hit in hits)
        trouble = found.trouble or BEING_MADE * found.is_being_made
        return FoundPieces(pieces=pieces[:MOST_FOUND], trouble=trouble)

    async def get(self, context: ToolContext, item_id: str) -> tuple[Recalled, ...]:
        """Give a whole turn, fact with its former values, or section of a file."""
        viewer = self._viewer(context, context.sender)
        ref, section = _ref_and_section(read_id(item_id.strip()))
        try:
            pieces = await self.items.pieces_of((ref,))
            ids = tuple(each.id for each in pieces if _is_in(each.id, section))
            allowed = await self.items.recallable(ids, viewer)
            now = self._now()
            whole = [
                recalled_of(Hit(item=each, score=1.0, why="asked for by its id"), viewer, now)
                for each in allowed
            ]
            return (*whole, *await self._former(allowed, viewer, now))
        except StoreLost:
            raise
        except StoreError as error:
            raise ToolError(UNREADABLE) from error

    async def remember(self, context: ToolContext, statement: Statement) -> Remembered:
        """Keep a statement of a person about themselves."""
        who = _who(context, statement.said_by)
        viewer, now = self._viewer(context, who), self.clock.now()
        words = await self._without_secret(statement.words, MOST_STATEMENT_CHARS)
        key = key_of(await self._without_secret(statement.key, MOST_STATEMENT_CHARS))
        if not words or not key:
            raise ToolError("Say in one sentence what to remember, and give a key of some words.")
        if not statement.was_asked and not may_extract(statement.topic, key, words, words):
            raise ToolError(NOT_UNASKED)
        try:
            new = NewFact(
                person_key=who.person_key,
                audience=viewer.audience,
                topic=statement.topic,
                key=key,
                text=words,
                origin="told",
                confidence=1.0,
                at=now,
                turn_id=context.turn_id,
            )
            ((fact, ended),) = await self.facts.keep_facts((new,))
        except StoreLost:
            raise
        except StoreError as error:
            raise ToolError("It could not be kept at this moment. Tell the person so.") from error
        return Remembered(
            id=told_id(fact_ref(fact.id)),
            words=told_fact(fact.key, fact.text),
            is_new=fact.valid_from == now,
            replaced="" if ended is None else told_fact(ended.key, ended.text),
            replaced_on=None if ended is None else self._day(ended.confirmed_at),
        )

    async def propose_forgetting(self, context: ToolContext, what: str) -> ForgetProposal:
        """Say what would be forgotten; nothing is, before the person confirms it."""
        viewer = viewer_of(context.session_key, context.kind, context.sender.person_key)
        return await self.propose(context, viewer, what)

    async def _former(
        self, items: tuple[MemoryItem, ...], viewer: Viewer, now: datetime
    ) -> tuple[Recalled, ...]:
        """Give what facts said before, to whom they are about."""
        former: list[Recalled] = []
        for item in items:
            if item.kind != "fact":
                continue
            number = FactId(int(item.ref.removeprefix("fact:")))
            versions = await self.facts.history_of(number, viewer)
            former += (self._ended(each, now) for each in versions if each.valid_to is not None)
        return tuple(former)

    def _ended(self, fact: Fact, now: datetime) -> Recalled:
        until = f"{fact.valid_to.astimezone(now.tzinfo):%Y-%m-%d}" if fact.valid_to else ""
        return Recalled(
            id=ItemId(fact_ref(fact.id)),
            band="below",
            score=1.0,
            why="a former value",
            about=dated(f"a fact that held until {until}", fact.valid_from, None, now),
            text=told_fact(fact.key, fact.text),
        )

    async def _without_secret(self, text: str, most_chars: int) -> str:
        line = " ".join(written(text).split())
        if len(line) > most_chars:
            raise ToolError(TOO_LONG.format(chars=len(line), most=most_chars))
        line = one_line(line, most_chars)
        for each in (text, line):  # on one line some secrets can be told no more
            if "[redacted:" in await redact_text(each, self.redactor):
                raise ToolError(NEVER_KEPT)
        return line

    def _viewer(self, context: ToolContext, who: Sender) -> Viewer:
        """Say who asks, where memory is on."""
        if not self.memories.is_remembered(context.session_key):
            raise ToolError(OFF)
        return viewer_of(context.session_key, context.kind, who.person_key)

    def _now(self) -> datetime:
        return self.clock.now().astimezone(self.timezone)

    def _day(self, moment: datetime) -> date:
        return moment.astimezone(self.timezone).date()


def _who(context: ToolContext, said_by: str) -> Sender:
    """Say who made a statement: of several who wrote in the turn, the one that is named."""
    people = context.speakers or (context.sender,)
    if len(people) == 1:
        return people[0]
    labels = {speaker(each.name, each.user_id): each for each in people}
    if said_by in labels:
        return labels[said_by]
    raise ToolError(f"Several people wrote. Name who said it, as one of: {', '.join(labels)}.")


def _ref_and_section(item_id: str) -> tuple[ItemRef, str]:
    """Say what an id is a piece of, and which section of a file is meant; empty for all of it.

    ``…#turn-12.1`` is the second piece of the section ``…#turn-12``.
    """
    ref, _, section = item_id.partition("#")
    if not section or not ref.startswith(OF_FOLDERS):
        return ItemRef(ref), ""
    return ItemRef(ref), f"{ref}#{_PIECE.sub('', section)}"


def _is_in(item_id: ItemId, section: str) -> bool:
    return not section or item_id == section or item_id.startswith(f"{section}.")


def _is_of(item: MemoryItem, person: str) -> bool:
    """Tell whether a person said a piece, or it speaks of them by their name."""
    name = person.casefold().strip()
    return not name or name in item.speaker.casefold() or name in item.text.casefold()
