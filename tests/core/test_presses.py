from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.chat import ButtonPress, ChatAddress, InboundMessage, Sender
from bot.core.commands import CommandCall, parse_command
from bot.core.presses import LASTS, KeptButton, message_below, press_of, pressed, redeemed
from bot.testing.clock import START

ANN = Sender(channel="slack", realm="T1", user_id="U1", name="Ann")
PRESS = ButtonPress(
    event_id="action:1",
    address=ChatAddress(channel="slack", account="T1", chat="C1", thread="1.5"),
    kind="group",
    sender=ANN,
    message_id="1.7",
    token="0" * 32,
    pressed_at=START,
)
ELSEWHERE = replace(PRESS.address, channel="telegram")
BUTTON = KeptButton(
    command="context clear --yes", person=ANN.person_key, address=PRESS.address, made_at=START
)


def test_a_press_is_the_command_of_its_button() -> None:
    command = redeemed(BUTTON, PRESS, START + LASTS)

    assert isinstance(command, InboundMessage)
    assert (command.event_id, command.address, command.sender) == (
        PRESS.event_id,
        PRESS.address,
        ANN,
    )
    assert CommandCall(name="context", arguments="clear --yes") == parse_command(
        command.text, prefix="!"
    )


def test_below_what_nobody_can_change_the_answer_stands_by_itself() -> None:
    hidden = replace(PRESS, message_id="")
    command = redeemed(BUTTON, hidden, START)

    assert isinstance(command, InboundMessage)
    assert ("", PRESS.event_id) == (message_below(BUTTON, hidden), command.message_id)


@pytest.mark.parametrize(
    ("button", "press", "why"),
    [
        (None, PRESS, "unknown"),
        (replace(BUTTON, address=ELSEWHERE), PRESS, "unknown"),
        (replace(BUTTON, taken_by="action:0"), PRESS, "taken"),
        (BUTTON, replace(PRESS, sender=replace(ANN, realm="T2")), "foreign"),
        (replace(BUTTON, made_at=START - LASTS - timedelta(seconds=1)), PRESS, "old"),
    ],
)
def test_why_a_press_does_nothing(button: KeptButton | None, press: ButtonPress, why: str) -> None:
    assert why == redeemed(button, press, START)


def test_the_same_press_gets_the_same_however_late() -> None:
    taken = replace(BUTTON, taken_by=PRESS.event_id)

    assert redeemed(taken, PRESS, START + 9 * LASTS) == redeemed(BUTTON, PRESS, START)


def test_a_button_for_nobody_in_particular_is_for_anybody() -> None:
    somebody = replace(PRESS, sender=replace(ANN, user_id="U9"))

    assert isinstance(redeemed(replace(BUTTON, person=""), somebody, START), InboundMessage)


def test_a_press_written_as_a_message_is_read_back() -> None:
    assert PRESS == press_of(pressed(PRESS, PRESS.token))


@pytest.mark.parametrize("change", [{"thread": ""}, {"chat": "C0"}])
def test_a_command_is_given_where_its_button_was_sent(change: dict[str, str]) -> None:
    """Of an old message Telegram tells no topic, and its chat may have another id by now."""
    command = redeemed(BUTTON, replace(PRESS, address=replace(PRESS.address, **change)), START)

    assert isinstance(command, InboundMessage)
    assert BUTTON.address == command.address


def test_in_another_chat_nothing_takes_the_place_of_the_message() -> None:
    moved = replace(BUTTON, address=replace(PRESS.address, chat="C2"))

    assert PRESS.message_id == message_below(BUTTON, PRESS)
    assert "" == message_below(moved, PRESS)
