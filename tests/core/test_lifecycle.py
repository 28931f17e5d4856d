"""How messages become a request."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.chat import (
    ChatAddress,
    Inbound,
    InboundDeletion,
    InboundEdit,
    InboundMessage,
    Sender,
    StopRequest,
)
from bot.core.lifecycle import (
    MAX_CHARS_TOGETHER,
    MAX_MESSAGES_TOGETHER,
    address_of,
    compose_request,
    reopened,
    taken_together,
)
from bot.core.messages import Text, assistant_text
from bot.core.turns import Outcome, Step, Turn, TurnId, pairing_faults
from bot.testing.clock import START
from bot.testing.strategies import inbound_messages

HERE = ChatAddress(channel="telegram", account="77", chat="5")
ANN = Sender(channel="telegram", user_id="1001", name="Ann")
MESSAGE = InboundMessage(
    event_id="5:1",
    address=HERE,
    kind="private",
    sender=ANN,
    message_id="1",
    text=" Hi there. ",
    is_addressed=True,
    sent_at=START,
)
IN_GROUP = replace(MESSAGE, kind="group")


def worded(message: InboundMessage) -> str:
    return compose_request((message,)).text


@given(st.lists(inbound_messages(), min_size=1, max_size=4))
def test_each_message_is_a_block_that_says_something(messages: list[InboundMessage]) -> None:
    request = compose_request(tuple(messages))

    assert () == pairing_faults((request,))
    assert len(messages) == len(request.blocks)
    assert all(isinstance(block, Text) and block.text.strip() for block in request.blocks)


@given(inbound_messages())
def test_what_was_written_ends_the_block(message: InboundMessage) -> None:
    assert worded(message).endswith(message.text.strip() or "(no text)")


@given(st.text(max_size=200))
def test_a_name_stays_on_its_line(name: str) -> None:
    text = worded(replace(MESSAGE, kind="group", sender=replace(ANN, name=name), text="Hi"))

    assert 1 == len(text.splitlines())
    assert text.endswith(": Hi")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(MESSAGE, "Hi there.", id="private"),
        pytest.param(IN_GROUP, "Ann: Hi there.", id="group"),
        pytest.param(
            replace(MESSAGE, quoted="one\ntwo\n"), "> one\n> two\n\nHi there.", id="quoting"
        ),
        pytest.param(replace(MESSAGE, quoted=" \n"), "Hi there.", id="quoting nothing"),
        pytest.param(
            replace(IN_GROUP, quoted="one"), "> one\n\nAnn: Hi there.", id="quoting in a group"
        ),
        pytest.param(replace(MESSAGE, text="\n"), "(no text)", id="empty"),
        pytest.param(
            replace(IN_GROUP, sender=replace(ANN, name=" \n ")), "someone: Hi there.", id="nameless"
        ),
    ],
)
def test_wording(message: InboundMessage, expected: str) -> None:
    assert expected == worded(message)


@pytest.mark.parametrize(
    "inbound",
    [
        MESSAGE,
        InboundEdit(event_id="e", message=MESSAGE),
        InboundDeletion(event_id="d", address=HERE, message_id="1"),
        StopRequest(event_id="s", address=HERE, sender=ANN),
    ],
)
def test_everything_happens_in_a_chat(inbound: Inbound) -> None:
    assert HERE == address_of(inbound)


@given(st.lists(inbound_messages(), min_size=1, max_size=30))
def test_a_turn_takes_the_oldest_of_what_waits(waiting: list[InboundMessage]) -> None:
    taken = taken_together(tuple(waiting))

    assert tuple(waiting[: len(taken)]) == taken
    assert 1 <= len(taken) <= MAX_MESSAGES_TOGETHER


@pytest.mark.parametrize(
    ("lengths", "taken"),
    [
        ([MAX_CHARS_TOGETHER + 1, 1], 1),
        ([MAX_CHARS_TOGETHER - 1, 1], 2),
        ([MAX_CHARS_TOGETHER - 1, 2], 1),
        ([1, MAX_CHARS_TOGETHER + 1], 1),
        ([0] * (MAX_MESSAGES_TOGETHER + 1), MAX_MESSAGES_TOGETHER),
    ],
)
def test_a_turn_takes_only_so_much_text(lengths: list[int], taken: int) -> None:
    quoting = tuple(replace(MESSAGE, text="", quoted="x" * length) for length in lengths)
    writing = tuple(replace(MESSAGE, text="x" * length) for length in lengths)

    assert taken == len(taken_together(quoting)) == len(taken_together(writing))


@pytest.mark.parametrize(
    ("outcome", "steps_left"),
    [
        ("failed", 2),
        ("empty", 1),
        ("answered", None),
        ("cut", None),
        ("refused", None),
        ("stopped", None),
        (None, None),
    ],
)
def test_a_failure_is_tried_again_and_nothing_else(
    outcome: Outcome | None, steps_left: int | None
) -> None:
    steps = tuple(Step(answer=assistant_text(each), stop="end_turn") for each in ("a", ""))
    turn = Turn(
        id=TurnId(1),
        session_key=HERE.session_key,
        request=compose_request((MESSAGE,)),
        started_at=START,
        steps=steps,
        outcome=outcome,
    )
    expected = None
    if steps_left is not None:
        expected = replace(turn, outcome=None, steps=steps[:steps_left])

    assert expected == reopened(turn)
