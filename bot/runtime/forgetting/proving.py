"""The proof that something is gone: the disk is searched, mended, and searched again.

The law of this file: a search that was not made is no proof, and the receipt says so.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.core.memory.audience import Audience
from bot.core.memory.forgetting import Forgetting, Trace
from bot.errors import StoreError
from bot.ports.forgetting import RawSearch
from bot.runtime.forgetting.parts import ForgettingParts
from bot.runtime.forgetting.wording import Verified

logger = logging.getLogger(__name__)

MOST_SEARCHES = 3
"""So often the disk is searched: what is found is mended in between."""

_ASKED_AT_ONCE = 20
"""So many needles are looked for in rows before others have their turn with the database."""

_FILES = "memory/"


class Proving:
    """Searches the disk for what is gone."""

    def __init__(self, parts: ForgettingParts) -> None:
        self._parts = parts

    async def prove(
        self,
        work: Forgetting,
        clean: Callable[[], Awaitable[bool]],
        *,
        is_index_new: bool,
        is_quiet: bool,
    ) -> Verified:
        """Search the disk, mend what is found, and search it again.

        ``clean`` mends, and says whether the index was emptied.

        Raises:
            StoreError: Rows or files could not be read or mended.
        """
        before = Verified(is_searched=False, is_index_new=is_index_new, is_quiet=is_quiet)
        if self._parts.raw is None:
            return before
        for number in range(MOST_SEARCHES):
            await self._parts.store.wipe(is_whole=number > 0)
            verified = await self._searched(work, self._parts.raw, before)
            if verified.is_searched and not verified.traces:
                return verified
            if number + 1 < MOST_SEARCHES:
                before = replace(before, is_index_new=await clean())
        if verified.traces:
            files = sorted({trace.file for trace in verified.traces})
            logger.warning("forgetting.traces_left", extra={"forgetting": work.id, "files": files})
        return verified

    async def _searched(self, work: Forgetting, raw: RawSearch, before: Verified) -> Verified:
        """Search once; what stands where it may is no trace."""
        gone = await self._parts.store.gone_by(work.id)
        try:
            traces = await raw.find(gone.needles)
        except StoreError as error:
            logger.warning("forgetting.search_failed", extra={"why": str(error)})
            return before
        said = await self._still_said(dict.fromkeys(each.needle for each in traces if each.needle))
        mine = {work.new.viewer.audience, *gone.groups}
        elsewhere = {each.needle for each in traces if _is_of_others(each, mine)} - {""}
        return replace(
            before,
            is_searched=True,
            needles=len(gone.needles),
            too_short=gone.too_short,
            said=len(said | elsewhere),
            traces=tuple(
                each for each in traces if each.needle not in said and not _is_of_others(each, mine)
            ),
        )

    async def _still_said(self, needles: dict[str, None]) -> frozenset[str]:
        asked, said = tuple(needles), frozenset[str]()
        for start in range(0, len(asked), _ASKED_AT_ONCE):
            said |= await self._parts.store.still_said(asked[start : start + _ASKED_AT_ONCE])
        return said


def _is_of_others(trace: Trace, mine: set[Audience]) -> bool:
    """Say whether a trace is in files of chats that nothing was to be forgotten of."""
    folder, _, name = trace.file.removeprefix(_FILES).partition("/")
    is_of_a_chat = trace.file.startswith(_FILES) and name != ""
    return is_of_a_chat and trace.needle != "" and folder not in {each.folder for each in mine}
