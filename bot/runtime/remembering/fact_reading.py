"""Facts read out of what people said since the last time, a burst of talk in one call.

The law of this file: each turn is read once, and none is read for ever. What the model cannot make
sense of, or declines, is given up; what it could not be asked is asked later. While the chat's
memory is off nothing is read and nothing is kept.
"""

from __future__ import annotations

import logging

from bot.core.chat import PersonKey
from bot.core.memory.audience import NOBODY, Viewer
from bot.core.memory.believing import Extracted, read_extraction
from bot.core.memory.extraction import (
    EXTRACTOR,
    MOST_TURNS_AT_ONCE,
    ExtractionPlan,
    Saying,
    UnreadTurn,
    plan_extraction,
    sayings_of,
)
from bot.core.memory.facts import NewFact
from bot.core.memory.jobs import MemoryJob
from bot.ports import Facts
from bot.runtime.remembering.asking import HOPELESS, TOO_LONG, Asking, Faults, Wish
from bot.runtime.remembering.parts import OFF, Failure, RememberingParts

logger = logging.getLogger(__name__)

GIVEN_UP_AFTER = 12
"""So many failures that waiting does not mend, and the turns are not read."""

_MOST_HALVINGS = 4


class FactReading:
    """Carries out jobs of the kind ``facts``."""

    def __init__(self, parts: RememberingParts, facts: Facts) -> None:
        self._parts = parts
        self._facts = facts
        self._asking = Asking(parts)

    async def carry_out(self, job: MemoryJob) -> Failure | None:
        """Read a chat's turns; gives why the rest has to wait, None when there is no rest.

        Raises:
            StoreError: The store failed; what was read so far is kept.
        """
        halvings = 0
        while True:
            limit = max(1, MOST_TURNS_AT_ONCE >> halvings)
            unread = await self._facts.unread(job, limit=limit)
            found = await self._found_in(unread, job, halvings)
            if unread and not self._parts.is_remembered(job.session_key):
                return OFF
            if isinstance(found, Failure):
                if found.reason == TOO_LONG and halvings < _MOST_HALVINGS:
                    halvings += 1
                    continue
                if not _is_hopeless(found, job):
                    return found
                about = {"session": job.session_key, "turns": len(unread), "why": found.reason}
                logger.warning("memory.facts_given_up", extra=about)
                found = ()
            await self._facts.land_facts(job, unread, found)
            if not unread:
                return None

    async def _found_in(
        self, unread: tuple[UnreadTurn, ...], job: MemoryJob, halvings: int
    ) -> tuple[NewFact, ...] | Failure:
        if not self._parts.is_remembered(job.session_key):
            return OFF
        kind = job.audience.kind
        sayings = tuple(saying for each in unread for saying in sayings_of(each, kind))
        if not sayings:
            return ()
        limits = self._parts.limits(job.session_key)
        plan = plan_extraction(
            sayings,
            job.audience,
            await self._known_keys(sayings, job),
            zone=self._parts.timezone,
            max_tokens=limits.request_tokens(self._parts.counter, EXTRACTOR) >> halvings,
            count=self._parts.counter.count,
        )
        wish = Wish(purpose="facts", system=EXTRACTOR, text=plan.text, judge=_Judge(plan))
        extracted = await self._asking.fulfil(wish, job, limits)
        if isinstance(extracted, Failure):
            return extracted
        facts = tuple(filter(self._is_clean, extracted.facts))
        logger.info(
            "memory.facts_read",
            extra={
                "session": job.session_key,
                "turns": len(unread),
                "facts": len(facts),
                "refused": extracted.refused + len(extracted.facts) - len(facts),
            },
        )
        return facts

    async def _known_keys(
        self, sayings: tuple[Saying, ...], job: MemoryJob
    ) -> dict[PersonKey, tuple[str, ...]]:
        """Give the keys of what holds of each speaker in the chat where they spoke."""
        facts = await self._facts.facts_for(Viewer(audience=job.audience, person_key=NOBODY))
        return {
            person: tuple(fact.key for fact in facts if fact.person_key == person)
            for person in {each.person_key for each in sayings}
        }

    def _is_clean(self, fact: NewFact) -> bool:
        """Say whether no secret is in a fact; one that is made of parts no placeholder can mend."""
        redact = self._parts.redactor.redact
        return redact(fact.text) == fact.text and redact(fact.key) == fact.key


class _Judge:
    """Has an answer corrected once; of the corrected one what can be believed is taken."""

    def __init__(self, plan: ExtractionPlan) -> None:
        self._plan = plan
        self._is_corrected = False

    def __call__(self, answer: str) -> Extracted | Faults:
        extracted = read_extraction(answer, self._plan)
        is_taken = extracted.is_read and (self._is_corrected or not extracted.faults)
        self._is_corrected = True
        return extracted if is_taken else Faults(faults=extracted.faults)


def _is_hopeless(failure: Failure, job: MemoryJob) -> bool:
    """Say whether asking once more would help nothing."""
    is_worn_out = failure.is_lasting and job.attempts + 1 >= GIVEN_UP_AFTER
    return failure.reason in HOPELESS or is_worn_out
