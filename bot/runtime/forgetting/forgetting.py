"""The service: a wish is understood, proposed, confirmed, and then carried out for sure."""

from __future__ import annotations

import asyncio
import logging
import secrets
from dataclasses import replace

from bot.core.memory import forgetting as values
from bot.core.memory.audience import Viewer
from bot.core.memory.daily import written_lines
from bot.core.memory.forgetting import Meant, NewForgetting, ReceiptPlace, Wish, read_wishes
from bot.core.quoting import one_line
from bot.errors import StoreError
from bot.runtime.forgetting.parts import ForgettingParts, Proposal
from bot.runtime.forgetting.searching import joined, lines_meant, meant_by
from bot.runtime.forgetting.work import ForgettingWork
from bot.runtime.redaction import redact_text
from bot.runtime.waiting import either

logger = logging.getLogger(__name__)

STORE_RETRY_S = 60.0

_TOKEN_BYTES = 4
_MOST_HEADS = 8
_HEAD_CHARS = 80


class Forgetting:
    """Has things forgotten at the wish of those who said them.

    Who may speak for a whole group is for the caller to say.
    """

    def __init__(self, parts: ForgettingParts) -> None:
        self._parts = parts
        self._work = ForgettingWork(parts)
        self._woken = asyncio.Event()
        self._running: set[values.ForgettingId] = set()

    async def propose(
        self, viewer: Viewer, what: str, *, of_everyone: bool = False
    ) -> Proposal | None:
        """Say what would go, and keep that for a day to be confirmed; nothing is removed.

        Args:
            viewer: Whose wish it is, and where.
            what: ``f12``, ``turn 34`` or several of them, ``2026-11-30``, ``all``, or words.
            of_everyone: In a group, what anybody said there.

        Returns:
            None where that names nothing: no words, or so few letters that all would be meant.

        Raises:
            StoreError: It could not be read or kept.
        """
        of_everyone = of_everyone and viewer.audience.kind == "group"
        wishes = read_wishes(what, of_everyone=of_everyone)
        if not wishes:
            return None
        wish = wishes[0]  # several name facts and turns, and what these are is kept beside it
        meant = joined([await meant_by(self._parts, each, viewer) for each in wishes])
        lines: tuple[str, ...] = ()
        if self._parts.files is not None:
            found, _ = await lines_meant(self._parts.files, wish, viewer)
            told = await redact_text("\n".join(found), self._parts.redactor)
            lines = written_lines(told.splitlines())
        reminders = await self._parts.store.meant_reminders(wish, viewer)
        proposal = _proposal(wish, meant, lines, reminders)
        if proposal.is_empty:
            return proposal
        new = NewForgetting(
            wish=wish,
            viewer=viewer,
            token=proposal.token,
            asked_at=self._parts.clock.now(),
            meant=meant,
        )
        await self._parts.store.keep_proposal(new)
        return proposal

    async def confirm(
        self, viewer: Viewer, token: str, place: ReceiptPlace, *, may_speak_for_all: bool = False
    ) -> bool:
        """Have what was proposed forgotten; a receipt comes to ``place`` when it is proved.

        False when nothing of that token was proposed to this person here within a day, or it is
        about all that a group said and they do not speak for all of it now.

        Raises:
            StoreError: It could not be kept.
        """
        work = await self._parts.store.confirm_forgetting(
            token,
            viewer,
            place,
            at=self._parts.clock.now(),
            may_speak_for_all=may_speak_for_all,
        )
        if work is None:
            return False
        self._parts.forget_overheard(work.new.wish, viewer)
        logger.info(
            "forgetting.confirmed", extra={"forgetting": work.id, "kind": work.new.wish.kind}
        )
        self._woken.set()
        return True

    async def cancel(self, viewer: Viewer, token: str) -> bool:
        """Drop a proposal; False when there is none, or it was confirmed."""
        return await self._parts.store.cancel_forgetting(token, viewer)

    async def run(self) -> None:
        """Carry out what was confirmed, first what an earlier process left, for ever."""
        while True:
            self._woken.clear()
            pause_s = await self._start_all()
            if pause_s is None:
                await self._woken.wait()
            else:
                await either(self._woken.wait(), self._parts.clock.sleep(pause_s))

    async def _start_all(self) -> float | None:
        try:
            found = await self._parts.store.confirmed_forgettings()
        except StoreError as error:
            logger.warning("forgetting.store_failed", extra={"why": str(error)})
            return STORE_RETRY_S
        for work in found:
            if work.id not in self._running:
                self._running.add(work.id)
                self._parts.spawn(f"forgetting {work.id}", self._carry_out(work))
        return None

    async def _carry_out(self, work: values.Forgetting) -> None:
        try:
            await self._work.carry_out(work)
        except StoreError as error:
            logger.warning(
                "forgetting.store_failed", extra={"forgetting": work.id, "why": str(error)}
            )
            await self._parts.clock.sleep(STORE_RETRY_S)
        self._running.discard(work.id)  # after a fault of ours the next start tries it again
        self._woken.set()


def _proposal(
    wish: Wish, meant: Meant, lines: tuple[str, ...], reminders: tuple[str, ...]
) -> Proposal:
    facts = tuple(fact.text for fact in meant.facts)
    heads = (*facts, *(part.head for part in meant.parts), *reminders, *lines)
    shown = dict.fromkeys(one_line(head, _HEAD_CHARS) for head in heads if head.strip())
    proposal = Proposal(
        wish=wish,
        token="",
        turns=len(meant.parts),
        facts=len(facts),
        episodes=len(meant.episodes),
        lines=len([line for line in lines if line not in facts]),
        reminders=len(reminders),
        heads=tuple(shown)[:_MOST_HEADS],
    )
    if proposal.is_empty:
        return proposal
    return replace(proposal, token=secrets.token_hex(_TOKEN_BYTES))
