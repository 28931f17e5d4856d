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
    decide,
    format_code,
    same_code,
)
from bot.core.chat import ChatKind, PersonKey
from bot.testing.clock import START

MODES: tuple[AccessMode, ...] = ("pairing", "list", "open")
KINDS: tuple[ChatKind, ...] = ("private", "group")
GRANTS: tuple[Grant | None, ...] = ("owner", "admin", "allowed", None)
ANN = PersonKey("telegram::1001")
BOB = PersonKey("telegram::1002")


def decision(
    *,
    mode: AccessMode = "pairing",
    name: str = "telegram:3",
    grant: Grant | None = None,
    kind: ChatKind = "private",
    is_local: bool = False,
) -> Decision:
    policy = AccessPolicy(
        mode=mode, admins=frozenset({"telegram:1"}), allowed=frozenset({"telegram:2"})
    )
    return decide(policy, frozenset({name}), grant, kind, is_local=is_local)


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
