"""Facts: one value holds under a key, no version is lost, what is old is doubted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import ChatKind, PersonKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.facts import (
    NOT_KEPT,
    Fact,
    FactId,
    FactOrigin,
    NewFact,
    contradictions,
    is_own,
    placed,
    rechained,
    settle,
    shown_to,
    stale_since,
)
from bot.core.memory.keys import key_of, matching_key, same_statement, told_fact
from bot.core.memory.taking_back import without_turn
from bot.core.turns import TurnId
from bot.testing.clock import START

ANN, BO = PersonKey("telegram::1001"), PersonKey("telegram::1002")
DAY = timedelta(days=1)


def audience(chat: str = "1001", kind: ChatKind = "private") -> Audience:
    return Audience(channel="telegram", account="77", chat=chat, kind=kind)


GROUP = audience("-5", "group")


def new(
    text: str = "Lives in Lisbon.",
    day: float = 0,
    *,
    turn: int = 1,
    origin: FactOrigin = "extracted",
) -> NewFact:
    return NewFact(
        person_key=ANN,
        audience=audience(),
        topic="environment",
        key="home city",
        text=text,
        origin=origin,
        confidence=0.9,
        at=START + day * DAY,
        turn_id=TurnId(turn) if turn else None,
    )


class Chain:
    """The versions under one key, as a store would keep them."""

    def __init__(self) -> None:
        self.versions: tuple[Fact, ...] = ()
        self.moments: dict[TurnId, datetime] = {}
        self._ids = count(1)

    def say(self, statement: NewFact) -> tuple[Fact, Fact | None]:
        if statement.turn_id is not None:
            self.moments[statement.turn_id] = statement.at
        settled = settle(self.versions, statement)
        fact = settled.fact
        kept = {each.id: each for each in self.versions}
        for each in settled.changed:
            if each.id == NOT_KEPT:
                each = fact = replace(each, id=FactId(next(self._ids)))
            kept[each.id] = each
        self._keep(kept.values())
        return fact, settled.ended

    def drop(self, turn: int, *, told_too: bool = False) -> None:
        changed, gone = without_turn(self.versions, TurnId(turn), self.moments, told_too=told_too)
        kept = {each.id: each for each in self.versions if each.id not in gone}
        self._keep((kept | {each.id: each for each in changed}).values())

    def _keep(self, facts: Iterable[Fact]) -> None:
        self.versions = tuple(sorted(facts, key=lambda each: (each.valid_from, each.id)))

    @property
    def holding(self) -> list[str]:
        return [each.text for each in self.versions if each.holds]


def test_mem_5_a_new_value_takes_the_place_of_the_old_one_which_stays_with_its_dates() -> None:
    chain = Chain()
    old, nothing = chain.say(new("Lives in Lisbon."))
    fact, ended = chain.say(new("Lives in Porto.", 3))

    assert nothing is None
    assert ended is not None
    assert (ended.id, ended.text, ended.valid_to) == (old.id, "Lives in Lisbon.", START + 3 * DAY)
    assert (fact.text, fact.valid_from, fact.holds) == ("Lives in Porto.", START + 3 * DAY, True)


def test_mem_5_what_is_said_again_is_confirmed_and_holds_since_it_did() -> None:
    chain = Chain()
    first, _ = chain.say(new("Lives in Lisbon."))
    again, ended = chain.say(new("I live in Lisbon", 9, turn=2))

    assert ended is None
    assert again == replace(first, confirmed_at=START + 9 * DAY, said_again=(TurnId(2),))
    assert len(chain.versions) == 1


def test_mem_5_the_newest_statement_counts_not_the_one_read_last() -> None:
    chain = Chain()
    chain.say(new("Lives in Porto.", 5, turn=0, origin="told"))
    late, ended = chain.say(new("Lives in Lisbon.", 2))

    assert ended is None
    assert late.valid_to == START + 5 * DAY
    assert chain.holding == ["Lives in Porto."]

    between, ended = chain.say(new("Lives in Faro.", 3))
    assert ended is None
    assert [each.text for each in chain.versions][1] == between.text
    same, _ = chain.say(new("Lives in Porto.", 4, turn=9))
    assert (same.valid_from, same.confirmed_at) == (START + 5 * DAY, START + 5 * DAY)
    assert len(chain.versions) == 3


def test_mem_5_two_values_that_contradict_each_other_are_asked_about_until_one_is_said_again() -> (
    None
):
    chain = Chain()
    private, _ = chain.say(new("Lives in Lisbon."))
    group = replace(private, id=FactId(7), audience=GROUP, text="Lives in Porto.")
    group = replace(group, valid_from=START + DAY, confirmed_at=START + DAY)

    assert contradictions((private, group)) == ((group, private),)
    assert contradictions((private, replace(group, text="I live in Lisbon"))) == ()
    assert contradictions((private, replace(group, valid_to=START + 2 * DAY))) == ()
    assert contradictions((private, replace(group, person_key=BO))) == ()
    assert contradictions((private, replace(group, key="work city"))) == ()

    answered = replace(private, confirmed_at=START + 2 * DAY)
    assert contradictions((answered, group)) == ()


@pytest.mark.parametrize(("days", "is_stale"), [(29, False), (30, False), (31, True)])
def test_mem_6_a_fact_is_unverified_once_it_was_not_confirmed_for_more_than_30_days(
    days: int, is_stale: bool
) -> None:
    fact, _ = Chain().say(new())
    confirmed = replace(fact, confirmed_at=START + DAY)

    now = START + (1 + days) * DAY

    assert stale_since(confirmed, now) == (START + DAY if is_stale else None)


def test_mem_6_a_second_more_than_30_days_is_more() -> None:
    fact, _ = Chain().say(new())

    assert stale_since(fact, START + 30 * DAY) is None
    assert stale_since(fact, START + 30 * DAY + timedelta(seconds=1)) == START


def test_a_fact_that_was_said_twice_stays_when_one_turn_is_taken_back() -> None:
    chain = Chain()
    chain.say(new("Lives in Lisbon.", turn=1))
    chain.say(new("Lives in Lisbon.", 1, turn=2))

    chain.drop(1)
    assert [each.turn_id for each in chain.versions] == [TurnId(2)]
    chain.drop(2)
    assert chain.versions == ()


def test_a_fact_is_as_old_as_what_is_left_of_it() -> None:
    chain = Chain()
    chain.say(new(day=0, turn=1))
    chain.say(new(day=9, turn=2))
    chain.say(new(day=40, turn=3))

    chain.drop(3)
    (fact,) = chain.versions
    assert (START, START + 9 * DAY) == (fact.valid_from, fact.confirmed_at)
    assert stale_since(fact, START + 45 * DAY) is not None
    chain.drop(1)
    (fact,) = chain.versions
    assert (START + 9 * DAY, START + 9 * DAY) == (fact.valid_from, fact.confirmed_at)


def test_a_turn_that_was_not_the_newest_had_confirmed_nothing() -> None:
    chain = Chain()
    for number, day in enumerate((0, 9, 40), 1):
        chain.say(new(day=day, turn=number))

    chain.drop(2)

    (fact,) = chain.versions
    assert (START, START + 40 * DAY) == (fact.valid_from, fact.confirmed_at)


def test_what_a_command_confirmed_last_stays_confirmed_and_its_beginning_stays() -> None:
    chain = Chain()
    chain.say(new(day=0, turn=0, origin="told"))
    chain.say(new(day=9, turn=2))
    chain.drop(2)
    assert [(START, START)] == [(each.valid_from, each.confirmed_at) for each in chain.versions]

    chain.say(new(day=9, turn=2))
    chain.say(new(day=20, turn=0, origin="told"))
    chain.drop(2)

    (fact,) = chain.versions
    assert (START, START + 20 * DAY) == (fact.valid_from, fact.confirmed_at)


def test_turns_that_are_gone_from_the_chat_leave_the_dates_that_are_known() -> None:
    chain = Chain()
    for number, day in enumerate((0, 9, 40), 1):
        chain.say(new(day=day, turn=number))
    chain.moments.clear()

    chain.drop(1)
    chain.drop(3)

    (fact,) = chain.versions
    assert (TurnId(2), START, START) == (fact.turn_id, fact.valid_from, fact.confirmed_at)


def test_what_was_ended_by_words_that_were_taken_back_holds_on() -> None:
    chain = Chain()
    chain.say(new("Lives in Lisbon.", turn=1))
    chain.say(new("Lives in Porto.", 1, turn=2))
    chain.say(new("Lives in Faro.", 2, turn=3))

    chain.drop(2)
    assert [each.valid_to for each in chain.versions] == [START + 2 * DAY, None]
    chain.drop(3)
    assert chain.holding == ["Lives in Lisbon."]


def test_what_a_command_told_needs_no_turn() -> None:
    chain = Chain()
    chain.say(new("Lives in Lisbon.", turn=1))
    told, _ = chain.say(new("Lives in Lisbon.", 1, turn=0, origin="told"))
    assert (told.origin, told.turn_id, told.said_again) == ("told", None, (TurnId(1),))

    chain.drop(1)

    assert chain.holding == ["Lives in Lisbon."]


def test_what_was_told_in_a_turn_goes_when_its_author_took_that_back_alone() -> None:
    chain = Chain()
    chain.say(new("Lives in Lisbon.", turn=1, origin="told"))

    chain.drop(1)
    assert chain.holding == ["Lives in Lisbon."]
    chain.drop(1, told_too=True)
    assert chain.versions == ()


_SAYINGS = st.tuples(
    st.sampled_from(["Lives in Lisbon.", "Lives in Porto.", "Lives in Faro."]),
    st.integers(0, 6),
    st.integers(0, 4),
)


@settings(max_examples=100)
@given(st.lists(st.one_of(_SAYINGS, st.integers(1, 4)), max_size=12))
def test_one_value_holds_and_no_moment_is_without_one(
    steps: list[tuple[str, int, int] | int],
) -> None:
    chain = Chain()
    for step in steps:
        if isinstance(step, int):
            chain.drop(step)
            continue
        text, day, turn = step
        before = {each.id: each.valid_from for each in chain.versions}
        fact, _ = chain.say(new(text, day, turn=turn, origin="extracted" if turn else "told"))
        assert same_statement(fact.text, text)
        assert before.items() <= {each.id: each.valid_from for each in chain.versions}.items()

    assert len(chain.holding) == (1 if chain.versions else 0)
    for earlier, later in zip(chain.versions, chain.versions[1:], strict=False):
        assert earlier.valid_to == later.valid_from
    assert all(each.confirmed_at >= each.valid_from for each in chain.versions)
    assert rechained(chain.versions) == chain.versions


def test_chains_of_two_chats_that_become_one_are_one() -> None:
    one, other = Chain(), Chain()
    for day, text in enumerate(("Lives in Lisbon.", "Lives in Faro.")):
        one.say(new(text, 2 * day))
    other.say(new("Lives in Porto.", 1))
    there = tuple(replace(each, id=FactId(each.id + 50)) for each in other.versions)

    merged = rechained((*one.versions, *there))

    assert [each.text for each in merged if each.holds] == ["Lives in Faro."]
    assert [each.valid_to for each in merged] == [START + DAY, START + 2 * DAY, None]


def test_facts_are_shown_where_they_may_be_recalled_ones_own_in_front() -> None:
    base, _ = Chain().say(new())
    mine = replace(base, id=FactId(1), audience=GROUP)
    name = replace(base, id=FactId(2), audience=GROUP, topic="name")
    newer = replace(base, id=FactId(3), audience=GROUP, confirmed_at=START + DAY)
    of_bo = replace(base, id=FactId(4), audience=GROUP, topic="name", person_key=BO)
    private = replace(base, id=FactId(5))
    over = replace(base, id=FactId(6), audience=GROUP, valid_to=START)
    facts = (of_bo, mine, private, over, newer, name)

    in_group = shown_to(Viewer(audience=GROUP, person_key=ANN), facts)
    at_home = shown_to(Viewer(audience=audience(), person_key=ANN), facts)
    of_another = shown_to(Viewer(audience=audience("1002"), person_key=BO), facts)

    assert in_group == (name, newer, mine, of_bo)
    assert at_home == (name, newer, private, mine)
    assert of_another == (of_bo,)
    assert not is_own(Viewer(audience=GROUP, person_key=ANN), of_bo)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("My favourite colours", "favorite color"),
        ("Favorite  Color:", "favorite color"),
        ("the user's home city", "home city"),
        ("HOME—CITY", "home city"),
        ("Preferred drinks", "favorite drink"),
        ("好きな色", "好きな色"),
        ("C++ version", "c++ version"),
        ("my", ""),
        ("one two three four five six", "one two three four five"),
        ("x" * 60, "x" * 40),
    ],
)
def test_spellings_of_a_key_meet(words: str, key: str) -> None:
    assert key_of(words) == key


@settings(max_examples=100)
@given(st.text(max_size=80))
def test_a_key_that_is_kept_is_its_own_key(words: str) -> None:
    assert key_of(key_of(words)) == key_of(words)


def test_a_key_of_the_same_words_is_the_one_that_is_known_and_of_more_words_another() -> None:
    assert matching_key("city home", ("home city",)) == "home city"
    assert matching_key("dog name", ("name",)) == "dog name"
    statement = replace(new(), key="The City of my Home")
    fact, _ = Chain().say(new())
    assert placed(statement, (fact.key,)).key == "home city"


@pytest.mark.parametrize(
    ("old", "other"),
    [
        ("Does not eat meat.", "Eats meat."),
        ("Doesn't like tea.", "Likes tea."),
        ("Uses Python 3.11.", "Uses Python 3.12."),
        ("Lives in Lisbon.", "Lives in Lisbon, Portugal."),
        ("他喜欢绿茶", "他喜欢红茶"),
    ],
)
def test_statements_that_differ_in_a_word_that_counts_are_not_the_same(
    old: str, other: str
) -> None:
    assert not same_statement(old, other)
    assert same_statement(old, old.upper())


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("editor", "emacs", "editor: emacs"),
        ("editor", "Uses the Editor Emacs.", "Uses the Editor Emacs."),
        ("favorite color", "Their favourite colours are red ones.", None),
        ("home city", "Lives in the city of Lisbon.", "home city: Lives in the city of Lisbon."),
        ("\u4f4f\u6240", "\u6771\u4eac", "\u4f4f\u6240: \u6771\u4eac"),
        ("", "Likes tea.", "Likes tea."),
    ],
)
def test_a_fact_says_what_it_is_about(key: str, text: str, told: str | None) -> None:
    assert (told or text) == told_fact(key, text)
