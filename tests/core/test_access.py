"""Who is let in."""

import itertools
import string
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.access import (
    AccessMode,
    AccessPolicy,
    Attempts,
    Decision,
    Grant,
    GroupMode,
    Hearing,
    PlaceState,
    Utterance,
    after_move,
    decide,
    for_guests,
    format_code,
    hearing,
    same_code,
)
from bot.core.addresses import read_name, sender_of, short_name
from bot.core.chat import ChatKind, PersonKey, Sender
from bot.testing.clock import START

MODES: tuple[AccessMode, ...] = ("pairing", "list", "open")
KINDS: tuple[ChatKind, ...] = ("private", "group")
GRANTS: tuple[Grant | None, ...] = ("owner", "admin", "allowed", "refused", None)
PLACES: tuple[PlaceState | None, ...] = (None, "asked", "allowed", "refused")
GROUP_MODES: tuple[GroupMode, ...] = ("mention", "all", "off")
DECISIONS: tuple[Decision, ...] = ("admin", "allowed", "stranger", "silent")
ADMIN, NAMED, OTHER = "telegram:1", "telegram:2", "telegram:3"
ANN = PersonKey("telegram::1001")
BOB = PersonKey("telegram::1002")


def decision(
    *,
    mode: AccessMode = "pairing",
    name: str = "telegram:3",
    grant: Grant | None = None,
    kind: ChatKind = "private",
    is_local: bool = False,
    place: PlaceState | None = None,
) -> Decision:
    policy = AccessPolicy(
        mode=mode, admins=frozenset({"telegram:1"}), allowed=frozenset({"telegram:2"})
    )
    return decide(policy, frozenset({name}), grant, kind, is_local=is_local, place=place)


@pytest.mark.parametrize(("mode", "kind", "place"), list(itertools.product(MODES, KINDS, PLACES)))
def test_guests_are_let_in_by_name_alone(
    mode: AccessMode, kind: ChatKind, place: PlaceState | None
) -> None:
    policy = AccessPolicy(mode=mode, admins=frozenset({ADMIN}), allowed=frozenset({NAMED}))
    theirs, there = for_guests(policy, place)

    def decision_of(name: str, grant: Grant | None = None) -> Decision:
        return decide(theirs, frozenset({name}), grant, kind, place=there)

    assert "silent" == decision_of(OTHER)
    assert "silent" == decision_of(OTHER, "refused")
    assert "admin" == decision_of(ADMIN)
    named: tuple[tuple[str, Grant | None], ...] = ((NAMED, None), (OTHER, "allowed"))
    for name, grant in named:
        expected = decide(policy, frozenset({name}), grant, kind, place=place)
        assert expected == decision_of(name, grant)


@pytest.mark.parametrize(("mode", "kind"), list(itertools.product(MODES, KINDS)))
def test_the_named_and_the_granted_are_let_in_everywhere(mode: AccessMode, kind: ChatKind) -> None:
    assert "admin" == decision(mode=mode, kind=kind, name="telegram:1")
    assert "admin" == decision(mode=mode, kind=kind, name="telegram:1", grant="allowed")
    assert "admin" == decision(mode=mode, kind=kind, grant="owner")
    assert "admin" == decision(mode=mode, kind=kind, grant="admin")
    assert "admin" == decision(mode=mode, kind=kind, is_local=True)
    assert "allowed" == decision(mode=mode, kind=kind, name="telegram:2")
    assert "allowed" == decision(mode=mode, kind=kind, grant="allowed")


@pytest.mark.parametrize(
    ("mode", "kind", "expected"),
    [
        ("pairing", "private", "stranger"),
        ("pairing", "group", "silent"),
        ("list", "private", "silent"),
        ("list", "group", "silent"),
        ("open", "private", "allowed"),
        ("open", "group", "allowed"),
    ],
)
def test_strangers(mode: AccessMode, kind: ChatKind, expected: Decision) -> None:
    assert expected == decision(mode=mode, kind=kind)


def expected_in_a_group(
    mode: AccessMode, name: str, grant: Grant | None, place: PlaceState | None
) -> Decision:
    """The table, written once more as a person would say it."""
    if name == ADMIN or grant in ("owner", "admin"):
        return "admin"  # wherever they are
    if place == "refused":
        return "silent"  # whoever speaks
    if name == NAMED:
        return "allowed"  # by the operator, whatever was decided in a chat
    if grant == "refused":
        return "silent"  # also where everybody else may talk
    if grant == "allowed" or mode == "open" or place == "allowed":
        return "allowed"
    return "silent"


@pytest.mark.parametrize(
    ("mode", "name", "grant", "place"),
    list(itertools.product(MODES, (ADMIN, NAMED, OTHER), GRANTS, PLACES)),
)
def test_every_case_in_a_group(
    mode: AccessMode, name: str, grant: Grant | None, place: PlaceState | None
) -> None:
    expected = expected_in_a_group(mode, name, grant, place)

    assert expected == decision(mode=mode, name=name, grant=grant, kind="group", place=place)


@pytest.mark.parametrize(("mode", "kind"), list(itertools.product(MODES, KINDS)))
def test_who_is_refused_gets_nothing_unless_the_operator_names_them(
    mode: AccessMode, kind: ChatKind
) -> None:
    assert "silent" == decision(mode=mode, kind=kind, grant="refused")
    assert "allowed" == decision(mode=mode, kind=kind, grant="refused", name=NAMED)
    assert "admin" == decision(mode=mode, kind=kind, grant="refused", name=ADMIN)


def heard(
    decided: Decision,
    *,
    mode: GroupMode,
    place: PlaceState | None,
    is_addressed: bool,
    is_command: bool,
    kind: ChatKind = "group",
) -> Hearing:
    said = Utterance(kind=kind, is_addressed=is_addressed, is_command=is_command)
    return hearing(decided, said, mode=mode, place=place)


@pytest.mark.parametrize(
    ("decided", "mode", "place", "is_addressed", "is_command"),
    list(itertools.product(DECISIONS, GROUP_MODES, PLACES, (True, False), (True, False))),
)
def test_every_case_of_hearing_in_a_group(
    decided: Decision,
    mode: GroupMode,
    place: PlaceState | None,
    is_addressed: bool,
    is_command: bool,
) -> None:
    """Each line of the table says what must hold, and together they say all."""
    got = heard(decided, mode=mode, place=place, is_addressed=is_addressed, is_command=is_command)

    is_quiet = mode == "off" or place == "refused"
    if decided in ("stranger", "silent"):
        assert "unheard" == got
    elif not is_addressed:
        is_wanted = mode == "all" and place == "allowed" and not is_command
        assert ("heard" if is_wanted else "unheard") == got
    elif not is_quiet:
        assert "heard" == got
    elif not is_command:
        assert "unheard" == got
    elif decided == "admin":
        assert "heard" == got
    else:
        assert ("unheard" if place == "refused" else "if_chat_admin") == got


@pytest.mark.parametrize("mode", GROUP_MODES)
def test_in_a_private_chat_no_group_has_a_say(mode: GroupMode) -> None:
    for decided in ("admin", "allowed"):
        got = heard(
            decided, mode=mode, place=None, is_addressed=True, is_command=False, kind="private"
        )
        assert "heard" == got


PEOPLE = st.frozensets(st.sampled_from([ADMIN, NAMED, OTHER, "slack:T1:U1"]))


@given(
    policy=st.builds(AccessPolicy, mode=st.sampled_from(MODES), admins=PEOPLE, allowed=PEOPLE),
    names=PEOPLE,
    grant=st.sampled_from(GRANTS),
    place=st.sampled_from(PLACES),
    mode=st.sampled_from(GROUP_MODES),
    is_addressed=st.booleans(),
    is_command=st.booleans(),
)
def test_nobody_gets_more_than_somebody_gave_them(
    policy: AccessPolicy,
    names: frozenset[str],
    grant: Grant | None,
    place: PlaceState | None,
    mode: GroupMode,
    is_addressed: bool,
    is_command: bool,
) -> None:
    decided = decide(policy, names, grant, "group", place=place)
    got = heard(decided, mode=mode, place=place, is_addressed=is_addressed, is_command=is_command)

    is_made_admin = bool(names & policy.admins) or grant in ("owner", "admin")
    is_let_in = bool(names & policy.allowed) or grant == "allowed"
    is_opened = policy.mode == "open" or place == "allowed"
    assert (decided == "admin") == is_made_admin
    if decided == "allowed":
        assert is_let_in or is_opened
    if got == "heard" and place == "refused":
        assert is_made_admin
        assert is_command
    if got == "heard" and not is_addressed:
        assert (mode, place) == ("all", "allowed")


def test_an_empty_policy_is_closed() -> None:
    assert "stranger" == decide(
        AccessPolicy(), frozenset({"telegram:1"}), None, "private", is_local=False
    )


@given(st.binary(min_size=8, max_size=12))
def test_a_code_is_easily_read(random_bytes: bytes) -> None:
    code = format_code(random_bytes)

    assert 9 == len(code)
    assert "-" == code[4]
    assert set(code) <= set(string.ascii_uppercase + string.digits + "-") - set("01IO")


@given(st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_a_code_holds_five_bits_of_each_byte(first: bytes, second: bytes) -> None:
    same_bits = [byte % 32 for byte in first] == [byte % 32 for byte in second]

    assert same_bits == (format_code(first) == format_code(second))
    assert same_bits == same_code(format_code(first), format_code(second))


def test_a_code_takes_enough_randomness() -> None:
    with pytest.raises(ValueError, match="8 random bytes, got 7"):
        format_code(bytes(7))


@pytest.mark.parametrize(
    "given_code",
    ["7F3K-QLMX", "7f3k-qlmx", " 7F3KQLMX\n", "7F3K\u2013Q1MX", "7 F 3 K Q l M X", "7F3KQIMX"],
)
def test_a_code_is_read_with_tolerance(given_code: str) -> None:
    assert same_code(given_code, "7F3K-QLMX")


@pytest.mark.parametrize("given_code", ["", "7F3K", "7F3K-QLMY", "7F3K-QLMXX", "é\ud800", "-"])
def test_another_code_is_another(given_code: str) -> None:
    assert not same_code(given_code, "7F3K-QLMX")


@pytest.mark.parametrize("expected", ["", "-", " "])
def test_no_code_is_no_code(expected: str) -> None:
    assert not same_code(expected, expected)


def test_five_wrong_codes_are_enough_for_fifteen_minutes() -> None:
    attempts = Attempts()
    for minute in range(5):
        assert attempts.allows(ANN, START + timedelta(minutes=minute))
        attempts = attempts.after_failure(ANN, START + timedelta(minutes=minute))

    assert not attempts.allows(ANN, START + timedelta(minutes=14, seconds=59))
    assert attempts.allows(ANN, START + timedelta(minutes=15))
    assert attempts.allows(BOB, START + timedelta(minutes=4))


@given(st.lists(st.tuples(st.sampled_from([ANN, BOB]), st.integers(0, 30)), max_size=30))
def test_never_more_than_five_in_any_fifteen_minutes(tries: list[tuple[PersonKey, int]]) -> None:
    attempts = Attempts()
    wrong: list[tuple[PersonKey, int]] = []
    now = 0
    for person, pause in tries:
        now += pause
        if attempts.allows(person, START + timedelta(minutes=now)):
            attempts = attempts.after_failure(person, START + timedelta(minutes=now))
            wrong.append((person, now))

    for person, at in wrong:
        assert 5 >= sum(1 for who, when in wrong if who == person and at <= when < at + 15)
    assert len(attempts.failures) <= 10


@given(st.builds(Sender, channel=st.text(), realm=st.text(), user_id=st.text(), name=st.just("")))
def test_a_person_key_is_read_back(sender: Sender) -> None:
    assert sender == sender_of(sender.person_key)


@pytest.mark.parametrize("key", ["", "telegram:1", "a:b:c:d"])
def test_what_is_no_person_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="not a person key"):
        sender_of(PersonKey(key))


@pytest.mark.parametrize("name", ["telegram:1", "slack:T1:U2", " telegram:-100 "])
def test_a_name_is_read_as_it_is_written(name: str) -> None:
    person = read_name(name)

    assert person is not None
    assert name.strip() == short_name(person)
    assert name.strip() in person.names


@pytest.mark.parametrize("name", ["", "7F3K-Q2MX", "telegram:", ":1", "a::b", "a:b:c:d", "a: b"])
def test_what_names_nobody(name: str) -> None:
    assert read_name(name) is None


@pytest.mark.parametrize(("old", "new"), list(itertools.product(PLACES[1:], PLACES)))
def test_a_group_that_moves_keeps_what_was_decided(
    old: PlaceState | None, new: PlaceState | None
) -> None:
    assert old is not None
    state = after_move(old, new)

    assert state == (new if new in ("allowed", "refused") else old)
