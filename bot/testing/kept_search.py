"""A search index in memory, which a test can have fail."""

from __future__ import annotations

from bot.adapters.search.sqlite_index import SqliteSearchIndex
from bot.core.memory.audience import Viewer
from bot.core.memory.items import Hit, ItemKind
from bot.core.memory.question import Question
from bot.errors import SearchUnavailable
from bot.ports.recall import Embedder


class InMemorySearchIndex(SqliteSearchIndex):
    """The real index without a file: what finds nothing here finds nothing there.

    Attributes:
        is_unavailable: Whether every search fails.
        questions: What was searched for, in its order.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        super().__init__(None, embedder)
        self.is_unavailable = False
        self.questions: list[Question] = []

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]:
        """Search, unless it is to fail."""
        self.questions.append(question)
        if self.is_unavailable:
            raise SearchUnavailable
        return await super().search(question, viewer, limit=limit, kinds=kinds)
