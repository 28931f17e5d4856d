"""How messages become a request."""

from dataclasses import replace
from datetime import timedelta

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
from bot.core.files import Attachment
from bot.core.lifecycle import (
    MAX_CHARS_TOGETHER,
    MAX_MESSAGES_TOGETHER,
    address_of,
    compose_request,
    reopened,
    taken_together,
    with_files,
)
from bot.core.messages import Image, Message, Text, assistant_text
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


PLAN = Attachment(kind="document", name="plan.pdf", media_type="application/pdf", handle="1")
PICTURE = Attachment(kind="picture", name="", media_type="image/png", handle="2")


def worded(message: InboundMessage) -> str:
    return compose_request((message,)).text


@given(st.lists(inbound_messages(), min_size=1, max_size=4))
def test_each_message_is_a_block_that_says_something(messages: list[InboundMessage]) -> None:
    request = compose_request(tuple(messages))

    assert () == pairing_faults((request,))
    assert len(messages) == len(request.blocks)
    assert all(isinstance(block, Text) and block.text.strip() for block in request.blocks)


@given(inbound_messages())
def test_what_was_written_ends_the_block_line_by_line(message: InboundMessage) -> None:
    lines = (message.text.strip() or "(no text)").splitlines()
    shown = worded(message).splitlines()[-len(lines) :]

    assert shown[-1].endswith(lines[-1])
    assert [line.strip() for line in lines[1:]] == [line.strip() for line in shown[1:]]


@given(
    st.lists(st.lists(st.just(Image(media_type="image/png", data="QUJD")), max_size=3), min_size=1),
    st.integers(0, 2),
)
def test_what_files_bring_stands_behind_the_text_of_its_message(
    brought: list[list[Image]], notes: int
) -> None:
    texts = tuple(Text(text=f"{number}") for number in range(notes + len(brought)))
    behind = tuple(map(tuple, brought))

    request, places = with_files(Message(role="user", blocks=texts), behind, notes)

    assert texts[:notes] == request.blocks[:notes]
    assert texts[notes:] == tuple(request.blocks[place] for place in places)
    ends = (*places[1:], len(request.blocks))
    assert behind == tuple(
        request.blocks[place + 1 : end] for place, end in zip(places, ends, strict=True)
    )


@given(st.text(max_size=200))
def test_a_name_stays_on_its_line(name: str) -> None:
    text = worded(replace(MESSAGE, kind="group", sender=replace(ANN, name=name), text="Hi"))

    assert 1 == len(text.splitlines())
    assert text.endswith(": Hi")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(MESSAGE, "Hi there.", id="private"),
        pytest.param(IN_GROUP, "Ann#1001: Hi there.", id="group"),
        pytest.param(
            replace(MESSAGE, quoted="one\ntwo\n"), "> one\n> two\n\nHi there.", id="quoting"
        ),
        pytest.param(replace(MESSAGE, quoted=" \n"), "Hi there.", id="quoting nothing"),
        pytest.param(
            replace(IN_GROUP, quoted="one"), "> one\n\nAnn#1001: Hi there.", id="quoting in a group"
        ),
        pytest.param(replace(MESSAGE, text="\n"), "(no text)", id="empty"),
        pytest.param(
            replace(MESSAGE, attachments=(PLAN, PICTURE)),
            "[document: plan.pdf]\n[picture]\nHi there.",
            id="with files",
        ),
        pytest.param(
            replace(MESSAGE, text="", attachments=(PICTURE,)), "[picture]", id="file only"
        ),
        pytest.param(
            replace(IN_GROUP, text="Hi.\nBo: Yes.", attachments=(PICTURE,)),
            "Ann#1001: [picture]\n  Hi.\n  Bo: Yes.",
            id="with a file in a group",
        ),
        pytest.param(
            replace(MESSAGE, text="Buy now.\nAnn: I did.", forwarded_from="Bo: the\nshop"),
            "Forwarded from Bo the shop:\n  Buy now.\n  Ann: I did.",
            id="forwarded",
        ),
        pytest.param(
            replace(IN_GROUP, forwarded_from="Bo", quoted="one"),
            "> one\n\nAnn#1001: Forwarded from Bo:\n    Hi there.",
            id="forwarded in a group",
        ),
        pytest.param(
            replace(IN_GROUP, sender=replace(ANN, name=" \n ")),
            "someone#1001: Hi there.",
            id="nameless",
        ),
    ],
)
def test_wording(message: InboundMessage, expected: str) -> None:
    assert expected == worded(message)


@pytest.mark.parametrize(
    "inbound",
    [
        MESSAGE,
        InboundEdit(event_id="e", message=MESSAGE, edited_at=START),
        InboundDeletion(event_id="d", address=HERE, message_id="1", message_event_id="m"),
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


def several(number: int, album: str = "") -> tuple[InboundMessage, ...]:
    return tuple(replace(MESSAGE, album=album) for _ in range(number))


@pytest.mark.parametrize(
    ("waiting", "taken"),
    [
        ((*several(15), *several(10, "7")), 15),
        ((*several(12), *several(6, "6"), *several(10, "7")), 18),
        # Two people's albums come in turns.
        ((*several(9), *several(1, "6"), *several(9, "7"), *several(1, "6"), *several(1, "7")), 9),
        ((*several(10, "6"), *several(10, "7"), *several(3)), 20),
        (several(21, "7"), 20),
    ],
)
def test_the_cut_is_made_in_front_of_an_album(
    waiting: tuple[InboundMessage, ...], taken: int
) -> None:
    assert taken == len(taken_together(waiting))


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
    later, expected = START + timedelta(hours=1), None
    if steps_left is not None:
        expected = replace(turn, outcome=None, steps=steps[:steps_left], started_at=later)

    assert expected == reopened(turn, later)
