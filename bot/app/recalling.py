"""What memory is recalled with, for turns and for tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from bot.app.outside import Outside
from bot.config import Config
from bot.core.memory.audience import Viewer
from bot.core.memory.items import ItemId, ItemKind, ItemRef, MemoryItem
from bot.errors import StoreError, ToolError
from bot.ports import ChatMemories, ForgetProposal, MemoryItems, Recall, ToolContext
from bot.runtime.commands.memory_pages import proposed
from bot.runtime.context.recalling import Recalling, RecallingParts
from bot.runtime.forgetting import Forgetting
from bot.runtime.memory_records import UNREADABLE, Propose, StoredMemoryRecords
from bot.runtime.recall import Found

_TURN = re.compile(r"(?:^turn:|#turn-)([0-9]{1,18})")

SEARCH_TOOL = "memory_search"
"""By this name the model is told how to get what found no room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    """What memory is searched with: the pieces as they are now, and what finds them."""

    items: MemoryItems
    recall: Recall


class NothingToSearch:
    """Stands where there is no index: facts are recalled, and nothing is found."""

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
        asked_by: str = "",
    ) -> Found:
        """Find nothing."""
        return Found()

    async def pieces_of(self, refs: tuple[ItemRef, ...]) -> tuple[MemoryItem, ...]:
        """Give nothing."""
        return ()

    async def recallable(self, ids: tuple[ItemId, ...], viewer: Viewer) -> tuple[MemoryItem, ...]:
        """Give nothing."""
        return ()


def build_recalling(
    config: Config,
    outside: Outside,
    memories: ChatMemories,
    search: MemorySearch,
    tools: Callable[[], Collection[str]],
) -> Recalling:
    """Build what looks memory through for turns; ``tools`` names those there are at a moment."""
    return Recalling(
        RecallingParts(
            facts=outside.store,
            recall=search.recall,
            memories=memories,
            counter=outside.counter,
            clock=outside.clock,
            timezone=ZoneInfo(config.timezone),
            can_search=lambda: SEARCH_TOOL in tools(),
        )
    )


def build_records(
    config: Config,
    outside: Outside,
    memories: ChatMemories,
    search: MemorySearch,
    propose: Propose,
) -> StoredMemoryRecords:
    """Build what tools may recall and note."""
    return StoredMemoryRecords(
        facts=outside.store,
        items=search.items,
        recall=search.recall,
        memories=memories,
        propose=propose,
        redactor=outside.redactor,
        clock=outside.clock,
        timezone=ZoneInfo(config.timezone),
    )


def propose_with(forgetting: Forgetting | None) -> Propose:
    """Let tools propose what is to be forgotten; None where only the operator can have that done.

    A piece is meant by the turn, or the fact, that it is of. The model is told how much would go
    and not its words, which would stand in one more place then.
    """

    async def propose(context: ToolContext, viewer: Viewer, what: str) -> ForgetProposal:
        if forgetting is None:
            raise ToolError("Nothing can be forgotten here at a person's wish. Tell them so.")
        try:
            proposal = await forgetting.propose(viewer, _wish_of(what))
        except StoreError as error:
            raise ToolError(UNREADABLE) from error
        if proposal is None:
            raise ToolError("Say what is meant in some words, or by an id or a day.")
        if proposal.is_empty:
            raise ToolError("Nothing of this person's that is remembered has to do with that.")
        how_much = proposed(proposal).partition("\n")[0]
        return ForgetProposal(token=proposal.token, lines=(how_much,))

    return propose


def _wish_of(what: str) -> str:
    """Write the id of a piece as what it is of: an entry of a daily file is of its turn."""
    found = _TURN.search(what)
    return f"turn {found[1]}" if found is not None else what
