"""Memory to be recalled from, pretended: some pieces, found by the words they share with a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC

from bot.core.memory.audience import Viewer, may_recall
from bot.core.memory.items import Hit, ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.terms import terms_of
from bot.errors import ToolError
from bot.ports import Clock, ForgetProposal, Redactor, TokenCounter, ToolContext
from bot.runtime.context.recalling import Recalling, RecallingParts
from bot.runtime.memory_records import StoredMemoryRecords
from bot.runtime.recall import Found
from bot.testing.store import InMemoryStore

PROPOSED = "k7"
"""By which what :func:`propose` proposes would be confirmed."""


@dataclass(slots=True)
class KeptPieces:
    """A :class:`~bot.ports.Recall` and :class:`~bot.ports.MemoryItems` of the pieces it was given.

    Attributes:
        trouble: Set by a test: searching fails so from then on.
        is_being_made: Set by a test: not all is found from then on.
        asked: The texts that were searched for.
        score: Says how relevant a piece is to a text; as given, by the share of the text's words
            that it has.
    """

    pieces: tuple[MemoryItem, ...] = ()
    trouble: str = ""
    is_being_made: bool = False
    asked: list[str] = field(default_factory=list)
    score: Callable[[str, MemoryItem], float] = field(default_factory=lambda: shared)

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
        asked_by: str = "",
    ) -> Found:
        """Give the pieces that score at all, best first."""
        self.asked.append(text)
        if self.trouble:
            return Found(trouble=self.trouble)
        hits = (
            Hit(item=each, score=self.score(text, each), why="words in common")
            for each in self.pieces
            if may_recall(viewer, each.origin) and (not kinds or each.kind in kinds)
        )
        found = sorted((hit for hit in hits if hit.score), key=lambda hit: -hit.score)
        return Found(hits=tuple(found[:limit]), is_being_made=self.is_being_made)

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]:
        """Give the pieces of refs."""
        return tuple(each for each in self.pieces if each.ref in refs)

    async def recallable(self, ids: tuple[ItemId, ...], viewer: Viewer) -> tuple[MemoryItem, ...]:
        """Give those of the pieces that a viewer may recall."""
        return tuple(
            each for each in self.pieces if each.id in ids and may_recall(viewer, each.origin)
        )


@dataclass(slots=True)
class MemorySwitch:
    """A :class:`~bot.ports.ChatMemories` that a test switches, for every chat at once."""

    is_on: bool = True

    def is_remembered(self, session_key: str) -> bool:
        """Say what the test says."""
        return self.is_on


def shared(text: str, item: MemoryItem) -> float:
    """Say which share of a text's words stand in a piece."""
    words = set(terms_of(text))
    return len(words & set(terms_of(item.text))) / len(words) if words else 0.0


async def propose(context: ToolContext, viewer: Viewer, what: str) -> ForgetProposal:
    """Propose to forget just that."""
    if not what.strip():
        raise ToolError("Say what is to be forgotten.")
    return ForgetProposal(token=PROPOSED, lines=(f"1 turn: {what}",))


@dataclass(slots=True)
class MemoryGiven:
    """What there is to be recalled: facts of a store, pieces, and a switch."""

    store: InMemoryStore
    clock: Clock
    pieces: KeptPieces = field(default_factory=KeptPieces)
    switch: MemorySwitch = field(default_factory=MemorySwitch)

    def recalling(self, counter: TokenCounter) -> Recalling:
        """Give what looks memory through for turns."""
        return Recalling(
            RecallingParts(
                facts=self.store,
                recall=self.pieces,
                memories=self.switch,
                counter=counter,
                clock=self.clock,
                timezone=UTC,
                can_search=lambda: True,
            )
        )

    def records(self, redactor: Redactor) -> StoredMemoryRecords:
        """Give what tools may recall and note."""
        return StoredMemoryRecords(
            facts=self.store,
            items=self.pieces,
            recall=self.pieces,
            memories=self.switch,
            propose=propose,
            redactor=redactor,
            clock=self.clock,
            timezone=UTC,
        )
