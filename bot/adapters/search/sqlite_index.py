"""The search index on SQLite, in a file of its own.

The law of this file: the connection is touched on its own thread alone, and the embedder on
another one, so that a search waits neither on the event loop nor for many texts being embedded.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np

from bot.adapters.search.contents import Contents, Look, Piece
from bot.adapters.search.directions import Numbers
from bot.adapters.search.file import BUSY_S, is_damage, open_file, remove_file, replace_file
from bot.core.memory.audience import Viewer
from bot.core.memory.items import Hit, ItemKind, ItemRef, MemoryItem
from bot.core.memory.question import Question, read_question, without_names
from bot.core.memory.relevance import Evidence
from bot.errors import SearchUnavailable
from bot.ports.recall import Embedder

logger = logging.getLogger(__name__)

_EMBEDDED_AT_ONCE = 16
"""Texts for which the embedder is held, some 30 ms: a question waits no longer for its turn."""

_EMBEDDER_FAULTS = (ImportError, OSError, MemoryError, ValueError, LookupError, RuntimeError)
"""What loading or asking it may come to; words alone do then."""

MEANING_WITHIN_S = 0.5
"""A question waits no longer for its direction; loading the embedder takes longer."""

_Value = TypeVar("_Value")


class SqliteSearchIndex:
    """A :class:`~bot.ports.recall.SearchIndex` at ``path``, or in memory for None.

    Opened when it is first asked, and again after it failed. Without an embedder, or while that
    fails, pieces are found by their words alone.
    """

    def __init__(
        self, path: Path | None, embedder: Embedder | None = None, *, busy_s: float = BUSY_S
    ) -> None:
        self._path = path
        self._busy_s = busy_s
        self._embedder = embedder
        self._contents: Contents | None = None
        self._thread = ThreadPoolExecutor(1, "daybook-search")
        self._embedding = ThreadPoolExecutor(1, "daybook-embedder")
        self._is_closed = False
        self._is_lost = False

    async def search(
        self,
        question: Question,
        viewer: Viewer,
        *,
        limit: int,
        kinds: frozenset[ItemKind] = frozenset(),
    ) -> tuple[Hit, ...]:
        """Give at most ``limit`` hits that the viewer may recall, best first."""
        look, meant = await self._look(question, viewer, kinds)
        return await self._call(lambda contents: contents.hits(look, viewer, meant, limit))

    async def weighed(
        self, question: Question, viewer: Viewer, kinds: frozenset[ItemKind]
    ) -> tuple[tuple[MemoryItem, Evidence], ...]:
        """Give all pieces that were weighed, in no order, and what spoke for each."""
        look, meant = await self._look(question, viewer, kinds)
        return await self._call(lambda contents: contents.weighed(look, meant))

    async def applied_seq(self) -> int:
        """Say through which change it is, 0 for a new one."""
        return await self._call(lambda contents: contents.applied_seq())

    async def replace(
        self,
        refs: tuple[ItemRef, ...],
        items: tuple[MemoryItem, ...],
        *,
        seq: int,
        marks: tuple[str, ...] = (),
    ) -> None:
        """Put pieces in the place of all that it has of the refs; ``seq`` applies from then on."""
        pieces = await self._with_directions(items)
        while await self._call(lambda contents: self._kept(contents).shrink(refs)):
            pass  # whoever searches has a turn now
        await self._call(lambda contents: self._kept(contents).replace(refs, pieces, seq, marks))

    async def add(self, ref: ItemRef, items: tuple[MemoryItem, ...], *, mark: str) -> None:
        """Put pieces beside those that it has of a ref, and give the ref a mark."""
        pieces = await self._with_directions(items)
        await self._call(lambda contents: self._kept(contents).add(ref, pieces, mark))

    async def refs(self, beginning: str) -> dict[ItemRef, str]:
        """Give the refs that begin with a text, each with its mark."""
        return await self._call(lambda contents: contents.refs(beginning))

    async def wipe(self) -> bool:
        """Go on to leave no bytes of what was removed; False once there are none."""
        return await self._call(lambda contents: contents.wipe())

    async def begin_anew(self) -> None:
        """Empty it, by a new file in the place of the old one."""

        def anew() -> None:
            self._let_go()
            if self._path is not None:
                remove_file(self._path)
            self._is_lost = False
            self._opened()

        await self._run(anew)

    async def close(self) -> None:
        """Let the file and the threads go; later calls are refused."""
        if self._is_closed:
            return
        self._is_closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
        self._thread.shutdown(wait=False)
        self._embedding.shutdown(wait=False)

    async def _look(
        self, question: Question, viewer: Viewer, kinds: frozenset[ItemKind]
    ) -> tuple[Look, Numbers | None]:
        sought = read_question(question)
        look = await self._call(lambda contents: self._kept(contents).ask(sought, viewer, kinds))
        return look, await self._meant(without_names(question.text, look.asked.persons))

    async def _call(self, work: Callable[[Contents], _Value]) -> _Value:
        return await self._run(lambda: work(self._opened()))

    async def _run(self, work: Callable[[], _Value]) -> _Value:
        """Do something on the thread of the connection.

        Raises:
            SearchUnavailable: It failed; the next call opens the file anew.
        """
        if self._is_closed:
            raise SearchUnavailable("The search index is closed.")

        def attempt() -> _Value:
            try:
                return work()
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                raise SearchUnavailable(f"The search index failed: {error}.") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, attempt)

    def _opened(self) -> Contents:
        if self._contents is not None and self._path is not None and not self._path.exists():
            self._let_go()  # SQLite writes on into a file that was removed
            self._is_lost = True
        if self._contents is not None:
            return self._contents
        embedder = "" if self._embedder is None else self._embedder.name
        contents = Contents(open_file(self._path, self._busy_s))
        if contents.embedder not in (None, embedder):
            contents.close()
            contents = Contents(replace_file(self._path, "another embedder", self._busy_s))
        contents.keep_to(embedder)
        self._contents = contents
        return contents

    def _kept(self, contents: Contents) -> Contents:
        """Refuse contents that took the place of others which were lost: they have to be made anew.

        Raises:
            SearchUnavailable: They were, and nobody began them anew since.
        """
        if self._is_lost:
            raise SearchUnavailable("The search index was lost, and is being made anew.")
        return contents

    def _let_go(self) -> None:
        contents, self._contents = self._contents, None
        if contents is not None:
            contents.close()

    def _give_up(self, error: Exception) -> None:
        """Close the file after a failure, and remove it where it is to blame."""
        try:
            self._let_go()
            if self._path is not None and is_damage(error):
                logger.warning(
                    "search.file_replaced", extra={"path": str(self._path), "reason": str(error)}
                )
                self._is_lost = True
                remove_file(self._path)
        except (sqlite3.Error, OSError):
            logger.exception("search.file_not_replaced", extra={"path": str(self._path)})

    async def _meant(self, text: str) -> Numbers | None:
        """Give the direction of a question, None for what is not there in time.

        It goes on being embedded; so the first question has the embedder loaded for the next one.
        """
        if self._embedder is None:
            return None
        loop = asyncio.get_running_loop()
        embedding = loop.run_in_executor(self._embedding, self._embed, (text,))
        done, _ = await asyncio.wait({embedding}, timeout=MEANING_WITHIN_S)
        return done.pop().result()[0] if done else None

    async def _with_directions(self, items: tuple[MemoryItem, ...]) -> tuple[Piece, ...]:
        directions = await self._embedded(tuple(f"{item.title} {item.text}" for item in items))
        return tuple(zip(items, directions, strict=True))

    async def _embedded(self, texts: tuple[str, ...]) -> tuple[Numbers | None, ...]:
        """Give the directions of texts, None for all of them without an embedder."""
        loop, found = asyncio.get_running_loop(), list[Numbers | None]()
        for first in range(0, len(texts), _EMBEDDED_AT_ONCE):
            some = texts[first : first + _EMBEDDED_AT_ONCE]
            found += await loop.run_in_executor(self._embedding, self._embed, some)
        return tuple(found)

    def _embed(self, texts: tuple[str, ...]) -> tuple[Numbers | None, ...]:
        if self._embedder is not None:
            try:
                rows = self._embedder.embed(texts)
                return tuple(np.frombuffer(row, np.float32) for row in rows)
            except _EMBEDDER_FAULTS:
                logger.exception("search.embedder_failed")
        return (None,) * len(texts)
