"""Forgetting, wired together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from bot.app.indexing import SearchedMemory
from bot.app.outside import Outside
from bot.config import Config
from bot.core.chat import Reply, SessionKey
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import ReceiptPlace
from bot.core.memory.items import Hit, ItemKind
from bot.runtime.activity import Activity
from bot.runtime.forgetting import Forgetting, ForgettingParts
from bot.runtime.overheard import Overheard
from bot.runtime.supervisor import Spawn
from bot.runtime.telling import Telling

SURE_SCORE = 0.9
"""What is so surely about some words is proposed to be forgotten with them: see the bands of
:mod:`bot.core.memory.relevance`."""

MOST_HITS = 20

_OWN: frozenset[ItemKind] = frozenset({"fact", "turn"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What goes on around forgetting.

    Attributes:
        telling: Brings the receipts.
        forget_chat: Drops what is held of a chat in memory.
        overheard: Holds what groups said beside the bot.
        wake_memory: Lets memory files follow.
    """

    searched: SearchedMemory
    telling: Telling
    activity: Activity
    spawn: Spawn
    forget_chat: Callable[[SessionKey], None]
    overheard: Overheard
    wake_memory: Callable[[], None]


def build_forgetting(config: Config, outside: Outside, around: Around) -> Forgetting:
    """Build what forgets at people's wish."""
    recall, indexing = around.searched.search.recall, around.searched.indexing

    async def write(place: ReceiptPlace, text: str) -> tuple[Reply, ...]:
        return await around.telling.to(place.address, lambda: text, for_person=place.for_person)

    async def search(text: str, viewer: Viewer) -> tuple[Hit, ...]:
        found = await recall.search(text, viewer, limit=MOST_HITS, kinds=_OWN)
        return tuple(hit for hit in found.hits if hit.score >= SURE_SCORE)

    return Forgetting(
        ForgettingParts(
            store=outside.store,
            files=outside.memory_files,
            rebuild_index=None if indexing is None else indexing.rebuild,
            raw=outside.raw_search,
            redactor=outside.redactor,
            clock=outside.clock,
            zone=ZoneInfo(config.timezone),
            activity=around.activity,
            forget_chat=around.forget_chat,
            forget_overheard=around.overheard.forget,
            on_forgotten=around.wake_memory,
            write=write,
            deliver=around.telling.deliver,
            spawn=around.spawn,
            search=search,
        )
    )
