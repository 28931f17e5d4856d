"""When something is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.retry import RetryPolicy, delay_before

POLICIES = st.builds(
    lambda attempts, base_s, factor, more_s: RetryPolicy(
        attempts=attempts, base_s=base_s, factor=factor, cap_s=base_s + more_s
    ),
    st.integers(1, 10_000),
    st.floats(0, 1e6),
    st.floats(1, 1e4),
    st.floats(0, 1e6),
)
FAILURES = st.integers(1, 10_000)
JITTER = st.floats(0, 1, exclude_max=True)
WAITS = st.none() | st.floats(0, 1e6)


@given(POLICIES, FAILURES, WAITS, JITTER)
def test_it_is_tried_as_often_as_the_policy_says(
    policy: RetryPolicy, failures: int, wait_s: float | None, jitter: float
) -> None:
    delay_s = delay_before(policy, failures, wait_s, jitter)

    assert (delay_s is None) == (failures >= policy.attempts)


@given(POLICIES, FAILURES, JITTER)
def test_a_pause_is_between_half_and_all_of_what_is_due(
    policy: RetryPolicy, failures: int, jitter: float
) -> None:
    due_s = delay_before(policy, failures, None, 0.0)
    delay_s = delay_before(policy, failures, None, jitter)

    if due_s is not None and delay_s is not None:
        assert due_s / 2 <= delay_s <= due_s <= policy.cap_s


@given(POLICIES, FAILURES)
def test_pauses_grow(policy: RetryPolicy, failures: int) -> None:
    sooner = delay_before(policy, failures, None, 0.0)
    later = delay_before(policy, failures + 1, None, 0.0)

    assert later is None or (sooner is not None and sooner <= later)


@given(POLICIES, FAILURES, st.floats(0, 1e6), JITTER)
def test_the_other_side_is_never_undercut(
    policy: RetryPolicy, failures: int, wait_s: float, jitter: float
) -> None:
    delay_s = delay_before(policy, failures, wait_s, jitter)

    assert delay_s is None or delay_s >= wait_s


def test_pauses_double_up_to_their_cap() -> None:
    policy = RetryPolicy(attempts=6, base_s=1, factor=2, cap_s=5)

    assert [1, 2, 4, 5, 5, None] == [delay_before(policy, n, None, 0.0) for n in range(1, 7)]


def test_patience_ends_where_the_policy_says() -> None:
    policy = RetryPolicy(attempts=3, base_s=1, factor=2, cap_s=5, patience_s=30)

    assert 30 == delay_before(policy, 1, 30.0, 0.5)
    assert delay_before(policy, 1, 31.0, 0.5) is None


@pytest.mark.parametrize(
    ("attempts", "base_s", "factor", "cap_s"),
    [(0, 1.0, 2.0, 5.0), (1, -1.0, 2.0, 5.0), (1, 1.0, 0.5, 5.0), (1, 6.0, 2.0, 5.0)],
)
def test_a_policy_must_make_sense(
    attempts: int, base_s: float, factor: float, cap_s: float
) -> None:
    with pytest.raises(ValueError, match="no retry policy"):
        RetryPolicy(attempts=attempts, base_s=base_s, factor=factor, cap_s=cap_s)
