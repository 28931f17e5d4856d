"""One plan put to the model: what comes of it is a draft without faults and without secrets."""

from __future__ import annotations

from dataclasses import replace

from bot.core.memory.jobs import MemoryJob
from bot.core.window.conversation import KeyPoints
from bot.core.window.summary.audit import Draft, audit, read_draft
from bot.core.window.summary.plan import SUMMARISER, SummaryPlan
from bot.ports import Redactor
from bot.runtime.remembering.asking import Asking, Faults, Wish
from bot.runtime.remembering.parts import Failure, RememberingParts, SummaryLimits


class Summariser:
    """Asks the model for drafts."""

    def __init__(self, parts: RememberingParts) -> None:
        self._parts = parts
        self._asking = Asking(parts)

    async def draft(
        self, plan: SummaryPlan, job: MemoryJob, limits: SummaryLimits
    ) -> Draft | Failure:
        """Give a draft without faults and without secrets.

        Raises:
            StoreError: The call could not be accounted for.
        """

        def judge(answer: str) -> Draft | Faults:
            draft = read_draft(answer)
            faults = audit(draft, plan, self._parts.counter.count)
            return Faults(faults=faults) if draft is None or faults else draft

        wish = Wish(purpose="summary", system=SUMMARISER, text=plan.text, judge=judge)
        draft = await self._asking.fulfil(wish, job, limits)
        return draft if isinstance(draft, Failure) else _redacted(draft, self._parts.redactor)


def redacted_points(points: KeyPoints, redactor: Redactor) -> KeyPoints:
    """Take secrets out of what is noted of a turn."""
    redact = redactor.redact
    return replace(
        points,
        decisions=tuple(map(redact, points.decisions)),
        information=tuple(map(redact, points.information)),
        actions=tuple(map(redact, points.actions)),
        open_questions=tuple(map(redact, points.open_questions)),
    )


def _redacted(draft: Draft, redactor: Redactor) -> Draft:
    return Draft(
        overview=redactor.redact(draft.overview),
        turns=tuple(redacted_points(points, redactor) for points in draft.turns),
    )
