"""The work of forgetting: all layers, what is being answered meanwhile, the disk, then a receipt.

The law of this file: every step may be done twice. What was confirmed is done again from the start
after whatever broke it off, and counts nothing twice. Files are cleaned before the rows go by which
their lines are known, and once more behind them.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from bot.core.chat import SessionKey
from bot.core.memory.audience import Audience
from bot.core.memory.forgetting import Forgetting, Gone, Meant, Removed
from bot.core.memory.needles import needles_of
from bot.core.turns import TurnId
from bot.errors import SearchUnavailable
from bot.languages import speaking
from bot.ports import Standing
from bot.runtime.forgetting.parts import ForgettingParts
from bot.runtime.forgetting.proving import Proving
from bot.runtime.forgetting.searching import joined, lines_meant, meant_again, meant_now
from bot.runtime.forgetting.wording import receipt_text

logger = logging.getLogger(__name__)

TURNS_AT_ONCE = 50
"""So many turns are blanked in one transaction: nobody waits for more."""

LOOKED_AT_ONCE = 500
"""So many are looked at in one."""

MOST_ROUNDS = 8
"""So often the end of what is being answered is waited for: who goes on about it is told so."""

OPEN_RETRY_S = 5.0
"""How long a turn is waited for that is open and that nobody works on, as after a start."""


class ForgettingWork:
    """Carries out what was confirmed."""

    def __init__(self, parts: ForgettingParts) -> None:
        self._parts = parts
        self._proving = Proving(parts)

    async def carry_out(self, work: Forgetting) -> None:
        """Forget, prove it, and tell of it.

        Raises:
            StoreError: It is not done; doing it again goes on with it.
        """
        is_quiet = await self._forget(work)

        async def clean() -> bool:
            await self._clean_all(work, Meant(), Standing())
            return await self._begin_index_anew()

        is_index_new = await self._begin_index_anew()
        verified = await self._proving.prove(
            work, clean, is_index_new=is_index_new, is_quiet=is_quiet
        )
        done = await self._as_kept(work)
        with speaking(work.place.language):
            receipt = receipt_text(done.removed, verified)
        replies = await self._parts.write(work.place, receipt)
        items = await self._parts.store.finish_forgetting(
            work.id, replies, at=self._parts.clock.now()
        )
        await self._parts.store.wipe(is_whole=False)  # of the order itself, too
        self._parts.deliver(items)
        logger.info(
            "forgetting.done",
            extra={
                "forgetting": work.id,
                "turns": done.removed.turns,
                "facts": done.removed.facts,
                "searched": verified.is_searched,
                "needles": verified.needles,
                "found": len(verified.traces),
            },
        )

    async def _forget(self, work: Forgetting) -> bool:
        """Forget what is meant, and what is answered meanwhile; False where that does not end."""
        waits_for = await self._forget_once(work, is_first=True)
        activity = self._parts.activity
        for number in range(MOST_ROUNDS):
            if not waits_for:
                return True
            busy = [each for each in sorted(waits_for) if activity.is_busy(each)]
            for session_key in busy:
                # What is being answered belongs to before, and goes with it.
                await activity.idle(session_key)
            if number and not busy:
                await self._parts.clock.sleep(OPEN_RETRY_S)
            waits_for = await self._forget_once(work)
        return not waits_for

    async def _forget_once(
        self, work: Forgetting, *, is_first: bool = False
    ) -> frozenset[SessionKey]:
        """Forget what has ended; give the chats in which something meant is being answered.

        At first these are all that may know it: what is begun later is not shown it any more.
        """
        meant = await self._meant(work)
        standing = await self._standing(meant)
        await self._clean_all(work, meant, standing)
        open_in = await self._remove(work, meant, is_first=is_first)
        await self._clean_all(work, meant, standing)  # of what was being written meanwhile
        self._parts.on_forgotten()
        return open_in

    async def _standing(self, meant: Meant) -> Standing:
        """Say whose files have what is meant, a stretch at a time: nobody waits for more."""
        first = await self._parts.store.standing(replace(meant, parts=()))
        groups, turn_ids = set(first.groups), set(first.turn_ids)
        for start in range(0, len(meant.parts), LOOKED_AT_ONCE):
            parts = meant.parts[start : start + LOOKED_AT_ONCE]
            found = await self._parts.store.standing(Meant(parts=parts))
            groups |= found.groups
            turn_ids |= found.turn_ids
        return Standing(groups=frozenset(groups), turn_ids=frozenset(turn_ids))

    async def _meant(self, work: Forgetting) -> Meant:
        """Say what is meant by now, and what of the turns that were watched says it again."""
        store, new = self._parts.store, work.new
        meant = await meant_now(self._parts, new)
        watched = (await store.gone_by(work.id)).watched
        if not watched or new.wish.kind == "all":
            return meant
        again = await store.repeating(work.id, watched)
        found = await meant_again(self._parts, sorted(again), new.viewer)
        return joined((meant, Meant(parts=found)))

    async def _remove(
        self, work: Forgetting, meant: Meant, *, is_first: bool
    ) -> frozenset[SessionKey]:
        """Remove rows; give the chats in which something is left that is being answered."""
        sessions: set[SessionKey] = set()
        open_in: set[SessionKey] = set()
        for start in range(0, len(meant.parts), TURNS_AT_ONCE):
            parts = meant.parts[start : start + TURNS_AT_ONCE]
            removed = await self._parts.store.remove_turns(work, parts, at=self._parts.clock.now())
            sessions |= removed.sessions
            open_in |= removed.open_in
        removed = await self._parts.store.remove_rest(work, meant, at=self._parts.clock.now())
        for session_key in sessions | removed.sessions:
            self._parts.forget_chat(session_key)
        return frozenset(open_in | removed.open_in if is_first else open_in)

    async def _clean_all(self, work: Forgetting, meant: Meant, standing: Standing) -> None:
        """Clean the files of the audience in which it was asked, and of all groups it is of.

        What a daily file had of a turn goes whole; what others said in it is noted anew from then
        on, which the store has asked for.
        """
        files, home = self._parts.files, work.new.viewer.audience
        if files is None:
            return
        gone = await self._parts.store.gone_by(work.id)
        found, found_in = await lines_meant(files, work.new.wish, work.new.viewer)
        of_facts = (fact.text for fact in meant.facts if fact.text)
        lines = tuple(dict.fromkeys((*of_facts, *gone.lines)))
        turn_ids = standing.turn_ids | gone.turn_ids
        await self._clean(work, home, turn_ids | found_in, (*lines, *found))
        groups = (standing.groups | gone.groups) - {home}
        for audience in sorted(groups, key=lambda each: each.folder):
            await self._clean(work, audience, turn_ids, lines)

    async def _clean(
        self,
        work: Forgetting,
        audience: Audience,
        turn_ids: frozenset[TurnId],
        lines: tuple[str, ...],
    ) -> None:
        if self._parts.files is None:
            return
        found = await self._parts.files.forget_in_files(audience, turn_ids, lines)
        removed = Removed(entries=len(found.lines), files=len(found.files))
        if found.lines or found.files:
            gone = Gone(needles=needles_of(found.lines))
            await self._parts.store.add_removed(work.id, removed, gone)

    async def _begin_index_anew(self) -> bool:
        """Empty the index, which keeps bytes of what was taken out of it; it is made again."""
        if self._parts.rebuild_index is None:
            return True
        try:
            await self._parts.rebuild_index()
        except SearchUnavailable as error:
            logger.warning("forgetting.index_failed", extra={"why": str(error)})
            return False
        return True

    async def _as_kept(self, work: Forgetting) -> Forgetting:
        """Give the piece of work with all that was noted of it."""
        found = await self._parts.store.confirmed_forgettings()
        return next((each for each in found if each.id == work.id), work)
