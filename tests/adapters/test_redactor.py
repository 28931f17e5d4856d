"""Secrets are found wherever they stand, and nothing else is touched."""

import json
import random
import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.adapters.redactor import RuleRedactor
from bot.adapters.redactor.rule import LOOK_AHEAD_CHARS, WINDOW_CHARS, lower
from bot.core.access import format_code
from bot.testing.harmless_texts import harmless_texts
from bot.testing.secret_texts import (
    SecretText,
    card_number,
    iban,
    in_fours,
    made_up,
    secret_texts,
)

SECRETS = secret_texts()
REDACTOR = RuleRedactor()
PROSE = "The quick brown fox said nothing of interest to the lazy dog on that day.\n"


def redacted(given: SecretText) -> str:
    return given.text.replace(given.secret, f"[redacted:{given.kind}]")


@pytest.mark.parametrize("given", SECRETS, ids=lambda given: given.text[:40])
def test_a_secret_is_replaced_and_nothing_beside_it(given: SecretText) -> None:
    assert redacted(given) == REDACTOR.redact(given.text)


@pytest.mark.parametrize("text", harmless_texts(), ids=lambda text: text[:40])
def test_what_only_looks_so_stays_the_same_object(text: str) -> None:
    assert REDACTOR.redact(text) is text


@pytest.mark.parametrize("given", SECRETS, ids=lambda given: given.text[:40])
def test_what_was_redacted_is_the_same_object_when_given_again(given: SecretText) -> None:
    once = REDACTOR.redact(given.text)

    assert REDACTOR.redact(once) is once


@pytest.mark.parametrize("given", SECRETS, ids=lambda given: given.text[:40])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_a_secret_is_found_behind_the_escapes_of_json(given: SecretText, is_ascii: bool) -> None:
    told = json.dumps({"text": f"Look:\n{given.text}\n\tSo."}, ensure_ascii=is_ascii)

    once = REDACTOR.redact(told)

    part = max(given.secret.split(), key=len)
    assert json.dumps(part, ensure_ascii=is_ascii)[1:-1] not in once
    assert "[redacted:" in once
    assert REDACTOR.redact(once) is once


@pytest.mark.parametrize("text", harmless_texts(), ids=lambda text: text[:40])
def test_what_only_looks_so_stays_in_json_too(text: str) -> None:
    told = json.dumps({"text": f"Look:\n{text}\n"})

    assert REDACTOR.redact(told) is told


FRAGMENTS = st.sampled_from(
    [
        *(given.text for given in SECRETS if len(given.text) < 200),
        *(given.secret for given in SECRETS if len(given.secret) < 200),
        *harmless_texts(),
        *("password is ", "token: ", "密码是", "PIN ", '"', "'", "\n", " ", ": ", "=", "&", "://"),
        *("[redacted:password]", "[redacted:", "redacted:key]", "--password ", "card number "),
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=12)), max_size=8))
@example(["password: ", "token: ", "x" * 8 + "1"])
@example(["password is ", "[redacted:password]", "tail77!x"])
def test_any_mixture_comes_to_rest_at_once(parts: list[str]) -> None:
    once = REDACTOR.redact("".join(parts))

    assert REDACTOR.redact(once) is once


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(SECRETS), st.sampled_from(harmless_texts())), max_size=12)
)
def test_many_in_one_text_are_found_each_as_if_alone(parts: list[SecretText | str]) -> None:
    between = "\n\nSo much for that.\n\n"
    text = between.join(part if isinstance(part, str) else part.text for part in parts)
    expected = between.join(part if isinstance(part, str) else redacted(part) for part in parts)

    assert expected == REDACTOR.redact(text)


@pytest.mark.parametrize("edge", [WINDOW_CHARS, 2 * WINDOW_CHARS, WINDOW_CHARS + LOOK_AHEAD_CHARS])
@pytest.mark.parametrize(
    "given",
    [max((one for one in SECRETS if one.kind == kind), key=lambda one: len(one.secret))
     for kind in ("password", "token", "key", "card", "account", "id")],
    ids=lambda given: given.kind,
)  # fmt: skip
def test_a_secret_is_found_at_every_place_around_the_edge_of_a_window(
    given: SecretText, edge: int
) -> None:
    place = given.text.index(given.secret)
    length = len(given.secret)
    filling = PROSE * (edge // len(PROSE) + 2)
    for inside in {0, 1, length // 2, length - 1, length}:
        before = filling[: edge - place - inside - 1] + "\n"
        text = f"{before}{given.text}\n{PROSE * 300}"

        assert f"{before}{redacted(given)}\n{PROSE * 300}" == REDACTOR.redact(text)


def test_the_same_secret_twice_in_a_line_is_replaced_twice() -> None:
    twilio = "A" + "C" + made_up(32, string.digits + "abcdef")

    assert "[redacted:token] and [redacted:token]" == REDACTOR.redact(f"{twilio} and {twilio}")


def test_the_whole_of_a_token_goes_of_which_a_form_names_a_part() -> None:
    gitlab = "gl" + "cbt-" + "a1_" + made_up(24)

    assert "see [redacted:token] there" == REDACTOR.redact(f"see {gitlab} there")


def test_a_word_about_lists_before_a_token_does_not_hide_it() -> None:
    token = made_up(24)

    for before in ("the page says ", "my account ", "sync it. "):
        assert f"{before}token: [redacted:token]" == REDACTOR.redact(f"{before}token: {token}")


@pytest.mark.parametrize("separator", [" ", "-", "\u00a0", ""])
@pytest.mark.parametrize("behind", ["", " 12/29", " 12 29", " 123", ".", ", thanks", "\uff0c谢谢"])
def test_a_card_is_found_whatever_stands_behind_it(separator: str, behind: str) -> None:
    card = in_fours(card_number(), separator)

    assert f"my card: [redacted:card]{behind}" == REDACTOR.redact(f"my card: {card}{behind}")


def test_a_card_in_full_width_digits_is_one() -> None:
    wide = card_number().translate({ord(digit): ord(digit) + 0xFEE0 for digit in string.digits})

    assert "[redacted:card]" == REDACTOR.redact(wide)


def test_a_number_with_the_right_check_digit_by_chance_stays_if_nobody_issues_such() -> None:
    source = random.Random(4)
    texts = [card_number(start, 16) for start in ("1", "0", "7", "98")]
    texts += [str(1_732_960_000_000 + source.randrange(10**9)) for _ in range(500)]
    texts += [str(1_187_234_567_890_123_456 + source.randrange(10**12)) for _ in range(500)]

    assert texts == [REDACTOR.redact(text) for text in texts]


def test_an_account_number_ends_where_its_country_says() -> None:
    account = in_fours(iban("DE", made_up(18, string.digits)))

    assert "[redacted:account] BIC COBADEFF" == REDACTOR.redact(f"{account} BIC COBADEFF")
    assert "[redacted:account]" == REDACTOR.redact(account.lower())


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=8, max_size=8))
def test_the_code_by_which_a_bot_is_claimed_is_no_secret_here(random_bytes: bytes) -> None:
    for command in ("/claim", "/claim@daybook_bot", "!claim", "/start"):
        text = f"{command} {format_code(random_bytes)}"

        assert REDACTOR.redact(text) is text


HOSTILE = (
    *("eyJ", "eyJ-", "eyJaaaaaaaaa.", "1", "1 ", " ", "a", "a ", "/", "//", "sk-", "[", "\n", "İ"),
    *("4111 ", "DE12 ", "password:", "password:$", "password is ", 'password:"', "token", "密码"),
    *("key" + " " * 90, "-----BEGIN PRIV" + "ATE KEY-----", "aws key'", "://a:", "bearer "),
    *("password for a b c d ", "--password ", "passphrase aa ", "xoxb-1-1-1-", "a1 as my ", "é "),
    *(
        "login bob ",
        "machine h login bob ",
        "mysql -u a ",
        "sshpass -a ",
        "cookie: a=b;",
        "\\",
        "\\n",
        "\\u00e9",
        "pass\\n",
        "4111.\n",
    ),
    *("<password ", "<password>", "name: password\n", 'key="password" ', "password: aa bb ", "$a"),
    *("password=${a", "password=%s:", "password={{", "-u a:", "password=$A.b->c"),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_a_time_that_grows_with_its_length(piece: str) -> None:
    """What grew with the square would take minutes here, and the test would be stopped."""
    text = piece * (200_000 // len(piece))

    once = REDACTOR.redact(text)

    assert REDACTOR.redact(once) is once


def test_threads_may_load_and_redact_side_by_side() -> None:
    def work(given: SecretText) -> str:
        redactor = RuleRedactor()
        redactor.load()
        return redactor.redact(given.text)

    with ThreadPoolExecutor(8) as pool:
        assert [redacted(given) for given in SECRETS] == list(pool.map(work, SECRETS))


@given(st.text())
@example("İstanbul ǅ ß ﬁ")
def test_lower_case_keeps_every_character_at_its_place(text: str) -> None:
    assert len(text) == len(lower(text))
