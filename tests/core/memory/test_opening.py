"""What a session opens with: of its viewer, and nothing that was forgotten."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.episodes import Account
from bot.core.memory.facts import Fact, FactId, FactTopic
from bot.core.memory.opening import (
    KnownFact,
    LastSession,
    Opening,
    make_opening,
    opening_facts,
    with_session,
    without_facts,
    without_turns,
)
from bot.core.turns import TurnId

NOW = datetime(2026, 1, 5, tzinfo=UTC)
ANN = PersonKey("telegram::1001")
HERS = Viewer(audience=audience_of(SessionKey("telegram:77:1001:"), "private"), person_key=ANN)
LAST = LastSession(
    account=Account(summary="Herons."), first=TurnId(3), through=TurnId(6), ended_at=NOW
)
TEA = KnownFact(id=FactId(7), text="Prefers tea.")
OPENING = Opening(last=LAST, facts=(TEA, KnownFact(id=FactId(8), text="Is Ann.")), name="Ann")


def fact(number: int, topic: FactTopic, person: PersonKey = ANN) -> Fact:
    return Fact(
        id=FactId(number),
        person_key=person,
        audience=HERS.audience,
        topic=topic,
        key=f"key {number}",
        text=f"Text {number}.",
        origin="told",
        confidence=1.0,
        turn_id=None,
        valid_from=NOW,
        valid_to=None,
        confirmed_at=NOW,
    )


def test_mem_7_a_session_opens_with_how_to_talk_to_the_person_and_no_more() -> None:
    topics: tuple[FactTopic, ...] = ("name", "preference", "environment", "style", "other")
    facts = tuple(fact(number, topic) for number, topic in enumerate(topics))
    others = fact(9, "preference", PersonKey("telegram::1002"))

    chosen = opening_facts((*facts, others), HERS)

    assert ["name", "preference", "style"] == [each.topic for each in chosen]


def test_mem_7_with_nothing_to_open_there_is_no_opening() -> None:
    assert make_opening(None, ()) is None
    assert make_opening(LAST, ()) == Opening(last=LAST)
    assert make_opening(None, (TEA,), name="Ann") == Opening(facts=(TEA,), name="Ann")


def test_what_is_forgotten_leaves_an_opening() -> None:
    for turn_id in (3, 5, 6):
        assert replace(OPENING, last=None) == without_turns(OPENING, frozenset({turn_id}))
    for turn_id in (2, 7):
        assert without_turns(OPENING, frozenset({turn_id})) is OPENING
    assert without_turns(Opening(last=LAST), frozenset({4})) is None

    assert without_facts(OPENING, frozenset({8, 9})) == replace(OPENING, facts=(TEA,))
    assert without_facts(OPENING, frozenset({9})) is OPENING
    assert without_facts(Opening(facts=(TEA,)), frozenset({7})) is None


def test_a_record_of_an_older_session_takes_no_newer_ones_place() -> None:
    older = replace(LAST, first=TurnId(1), through=TurnId(2))
    newer = replace(LAST, account=Account(summary="By a model."))

    assert OPENING == with_session(OPENING, older)
    assert replace(OPENING, last=newer) == with_session(OPENING, newer)
    assert Opening(last=older) == with_session(Opening(), older)
