"""What the recorder of sessions is asked, and what becomes of its answer."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.memory.episodes import Account
from bot.core.messages import assistant_text, user_text
from bot.core.quoting import MARK
from bot.core.turns import Outcome, Turn
from bot.core.window.summary.extract import extractive_record, is_record_request
from bot.core.window.summary.sessions import (
    MOST_PHRASE_CHARS,
    MOST_PHRASES,
    MOST_SUMMARY_CHARS,
    RECORDER,
    faults_of,
    mechanical_account,
    plan_record,
    read_account,
    redacted_account,
    with_details,
)
from bot.testing.strategies import histories
from tests.core.window.conftest import count
from tests.core.window.given import turn, turns

ACCOUNT = Account(
    summary="Herons were counted.",
    attempted=("herons",),
    succeeded=("42 of them",),
    failed=("storks",),
    decisions=("go on Monday",),
    open_tasks=("storks",),
)


def saying(number: int, request: str, reply: str = "", outcome: Outcome = "answered") -> Turn:
    made = turn(number)
    steps = (replace(made.steps[0], answer=assistant_text(reply)),) if reply else ()
    return replace(made, request=user_text(request), steps=steps, outcome=outcome)


@settings(max_examples=60)
@given(histories(max_past=6), st.integers(400, 4_000))
def test_mem_1_the_input_fits_and_every_word_of_it_is_quoted(
    history: tuple[Turn, ...], room: int
) -> None:
    past = history[:-1]
    for before in (None, replace(ACCOUNT, summary="much " * 5_000)):
        text = plan_record(before, past, max_tokens=room + 400, count=count).text

        assert count(text) <= room + 400
        for line in text.split("\n"):
            is_ours = line.startswith(("== ", "Now write")) or not line
            assert is_ours or line.startswith(MARK)


def test_mem_1_a_long_session_is_told_shortened() -> None:
    long = tuple(saying(number, "heron " * 4_000, "stork " * 4_000) for number in range(1, 10))

    text = plan_record(ACCOUNT, long, max_tokens=3_000, count=count).text

    assert count(text) <= 3_000
    assert all(f"turn {number}, request" in text for number in range(1, 10))
    assert "Herons were counted." in text


def test_mem_1_an_account_is_read_bounded_whatever_stands_around_it() -> None:
    read = {
        "summary": "much\n" * 2_000,
        "attempted": [f"try {number} " + "long " * 200 for number in range(30)],
        "succeeded": "one\nline",
        "failed": [None, 3, "", "twice", "twice"],
        "decisions": {"no": "list"},
    }

    account = read_account(f"Here: ```json\n{json.dumps(read)}\n``` Done.")

    assert account is not None
    assert len(account.summary) <= MOST_SUMMARY_CHARS
    assert "\n" not in account.summary
    assert MOST_PHRASES == len(account.attempted)
    assert all(len(phrase) <= MOST_PHRASE_CHARS for phrase in account.attempted)
    assert (("one line",), ("twice",), ()) == (
        account.succeeded,
        account.failed,
        account.decisions,
    )


@pytest.mark.parametrize("text", ["", "No.", '{"overview": "x"}', '{"summary": 3}', "[{]", "{"])
def test_mem_1_what_is_no_account_is_told_so(text: str) -> None:
    assert read_account(text) is None
    assert ("It is not the JSON object that was asked for.",) == faults_of(None, count)


def test_mem_1_an_account_says_something_and_not_too_much() -> None:
    assert () == faults_of(ACCOUNT, count)
    assert ('"summary" is empty.',) == faults_of(replace(ACCOUNT, summary=""), count)
    long = replace(ACCOUNT, attempted=tuple(f"{n} " * 300 for n in range(12)))
    (fault,) = faults_of(long, count)
    assert fault.startswith("It is too long")


def test_mem_1_identifiers_are_kept_whatever_the_model_wrote() -> None:
    said = (
        saying(1, "Please restart srv-0042 with build v3.4.1", "Done: see /var/log/srv.log"),
        saying(2, "Mail ann@example.org about herons"),
    )

    account = with_details(ACCOUNT, said)

    assert {"srv-0042", "v3.4.1", "/var/log/srv.log", "ann@example.org"} <= set(account.details)
    known = replace(ACCOUNT, summary="srv-0042 runs v3.4.1 again; see /var/log/srv.log")
    assert ("ann@example.org",) == with_details(known, said).details


def test_mem_1_the_details_of_a_record_are_bounded() -> None:
    said = tuple(saying(n, " ".join(f"item-{n}-{m}" for m in range(20))) for n in range(1, 40))

    details = with_details(ACCOUNT, said).details

    assert 20 == len(details)
    assert "item-39-0" in details


def test_mem_1_a_record_without_a_model_is_the_same_every_time() -> None:
    said = (
        saying(1, "Count the herons", "There are many."),
        saying(2, "And the storks", outcome="failed"),
        saying(3, "Thanks", "Good bye."),
    )

    account = mechanical_account(said)

    assert account == mechanical_account(said)
    assert "3 turns, begun with “Count the herons”, ended with “Good bye.”" == account.summary
    assert ("And the storks",) == account.failed
    assert ("Count the herons", "And the storks", "Thanks") == account.attempted
    assert () == faults_of(account, count)


@settings(max_examples=60)
@given(histories(max_past=6))
def test_mem_1_a_record_without_a_model_is_always_usable(history: tuple[Turn, ...]) -> None:
    if past := history[:-1]:
        assert () == faults_of(mechanical_account(past), count)


def test_prv_1_secrets_leave_every_part_of_a_record() -> None:
    phrases = ("secret",)
    whole = Account(
        summary="secret",
        attempted=phrases,
        succeeded=phrases,
        failed=phrases,
        decisions=phrases,
        open_tasks=phrases,
        details=phrases,
    )

    clean = redacted_account(whole, lambda text: text.replace("secret", "[redacted:token]"))

    assert "secret" not in repr(clean)
    assert 7 == repr(clean).count("[redacted:token]")


def test_the_offline_recorder_is_understood() -> None:
    assert is_record_request(RECORDER)
    text = plan_record(ACCOUNT, turns(3), max_tokens=9_000, count=count).text

    account = read_account(extractive_record(text))

    assert account is not None
    assert () == faults_of(account, count)
    assert "Herons were counted." in account.summary
    assert ("question 1", "question 2", "question 3") == account.attempted
    assert ("answer 3",) == account.succeeded
