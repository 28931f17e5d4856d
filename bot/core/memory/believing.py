"""What of the extractor's answer is believed.

The law of this file: a fact is about who said it, stands in their own words, and is of a kind that
is worth remembering (MEM-4) and may be (PRV-3). The model proposes; who said a statement, and
whether they did, is never taken from its answer.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from bot.core.memory.asking import QUESTION_MARKS
from bot.core.memory.extraction import ExtractionPlan, Saying
from bot.core.memory.facts import FactTopic, NewFact
from bot.core.memory.keys import key_of
from bot.core.memory.passing import is_in_passing, is_of_another
from bot.core.memory.sensitive import is_sensitive
from bot.core.quoting import objects_in, one_line, written

MOST_FACTS_AT_ONCE = 12
"""More than these of one call are not kept: lasting things are rarely said so close together."""

MOST_STATEMENT_CHARS = 200
LEAST_STATEMENT_CHARS = 4
LEAST_QUOTE_CHARS = 2
LEAST_CONFIDENCE = 0.6

_MOST_FAULTS = 5

TOPICS: frozenset[FactTopic] = frozenset(
    {"name", "preference", "environment", "accessibility", "style"}
)
"""What is remembered of people without their asking (MEM-4)."""

_FACT_FIELDS = ("topic", "key", "fact", "quote")

_PLACEHOLDER = re.compile(r"\[redacted:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What is believed of an answer.

    Attributes:
        refused: How many proposals were not: of another kind, about others, sensitive, in passing.
        faults: What is wrong with the rest, each a sentence for the model.
        is_read: Whether it is the JSON that was asked for.
    """

    facts: tuple[NewFact, ...] = ()
    refused: int = 0
    faults: tuple[str, ...] = ()
    is_read: bool = True


def read_extraction(answer: str, plan: ExtractionPlan) -> Extracted:
    """Read the JSON that was asked for, and believe what stands in somebody's own words."""
    proposals = next((_proposals(read) for read in objects_in(answer) if "facts" in read), None)
    if proposals is None:
        return Extracted(faults=("It is not the JSON object that was asked for.",), is_read=False)
    facts: list[NewFact] = []
    faults: list[str] = []
    refused = 0
    for proposal in proposals:
        judged = _judged(proposal, plan)
        if isinstance(judged, NewFact):
            facts.append(judged)
        elif judged:
            faults.append(judged)
        else:
            refused += 1
    kept = facts[:MOST_FACTS_AT_ONCE]
    return Extracted(
        facts=tuple(kept),
        refused=refused + len(facts) - len(kept),
        faults=tuple(dict.fromkeys(faults))[:_MOST_FAULTS],
    )


def may_extract(topic: str, key: str, statement: str, quote: str) -> bool:
    """Say whether a statement may be remembered of somebody who did not ask for it.

    Not what is of no lasting kind, in passing, about somebody else, sensitive, or a secret; nor
    what is too short or too long to be one fact.
    """
    if topic not in TOPICS or not key:
        return False
    if not LEAST_STATEMENT_CHARS <= len(statement) <= MOST_STATEMENT_CHARS:
        return False
    if statement.endswith(QUESTION_MARKS) or is_in_passing(statement):
        return False
    if is_of_another(statement) or is_of_another(quote):
        return False
    texts = (key, statement, quote)
    return not any(_PLACEHOLDER.search(each) or is_sensitive(each, topic) for each in texts)


def stands_in(quote: str, text: str) -> bool:
    """Say whether words stand in a text, whatever their case, spacing and form of quotes.

    Not where they are part of a question.
    """
    sought, said = _folded(quote), _folded(text)
    start = said.find(sought)
    while sought and start >= 0:
        end = start + len(sought)
        if _is_at_border(said, start) and _is_at_border(said, end):
            rest = said[end:].lstrip(" \"')")
            if not rest.startswith(QUESTION_MARKS):
                return True
        start = said.find(sought, start + 1)
    return False


def _proposals(read: dict[str, object]) -> list[dict[str, object]] | None:
    listed = read["facts"]
    if not isinstance(listed, list):
        return None
    return [each for each in listed if isinstance(each, dict)]


def _judged(proposal: dict[str, object], plan: ExtractionPlan) -> NewFact | str:
    """Give the fact; else what is wrong with it, empty where it is well formed and not wanted."""
    number = proposal.get("message")
    if isinstance(number, bool) or not isinstance(number, int):
        return '"message" has to be the number of a message.'
    if not 1 <= number <= len(plan.sayings):
        return f"There is no message {number}."
    saying = plan.sayings[number - 1]
    texts = [proposal.get(field) for field in _FACT_FIELDS]
    topic, key, statement, quote = (
        one_line(written(each), MOST_STATEMENT_CHARS + 1) if isinstance(each, str) else ""
        for each in texts
    )
    if not all((topic, key, statement, quote)):
        return f"A fact of message {number} lacks one of: {', '.join(_FACT_FIELDS)}."
    confidence = proposal.get("confidence")
    sure = float(confidence) if isinstance(confidence, int | float) else 0.0
    key = key_of(key)
    if proposal.get("about") != "speaker" or not LEAST_CONFIDENCE <= sure <= 1:
        return ""
    if not may_extract(topic, key, statement, quote) or _names_another(statement, saying, plan):
        return ""
    if len(quote) < LEAST_QUOTE_CHARS or not stands_in(quote, saying.text):
        return f"The quote of a fact of message {number} does not stand there as a statement."
    return NewFact(
        person_key=saying.person_key,
        audience=plan.audience,
        topic=_topic(topic),
        key=key,
        text=statement,
        origin="extracted",
        confidence=sure,
        at=saying.at,
        turn_id=saying.turn_id,
    )


def _topic(topic: str) -> FactTopic:
    return next(each for each in TOPICS if each == topic)


def _names_another(statement: str, saying: Saying, plan: ExtractionPlan) -> bool:
    """Say whether a statement begins with the name of somebody else who speaks here."""
    begin = statement.casefold()
    return any(
        begin.startswith(f"{each.name.casefold()} ")
        for each in plan.sayings
        if each.person_key != saying.person_key and each.name != saying.name
    )


def _is_at_border(text: str, place: int) -> bool:
    """Say whether no Latin word is cut in two there; other scripts have no spaces to go by."""
    around = text[max(0, place - 1) : place + 1]
    return len(around) < 2 or not (around.isascii() and around.isalnum())


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    for curly, straight in (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"')):
        folded = folded.replace(curly, straight)
    return " ".join(folded.split())
