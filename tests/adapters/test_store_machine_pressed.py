"""Presses and files of turns between everything else, in both stores at once."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from bot.core.chat import Button, ButtonPress, ChatAddress
from bot.core.files import OutgoingFile
from bot.core.lifecycle import Received
from bot.core.presses import LASTS
from bot.core.turns import Outcome, TurnId
from bot.testing.clock import START
from bot.testing.stores import Store
from bot.testing.stores.given import ANN, ELSEWHERE, HOME, message, saying
from tests.adapters.store_given import BACK, CALLS, OUTCOMES
from tests.adapters.test_store_machine import TwoStores

ADDRESSES = st.sampled_from([HOME, HOME, HOME, ELSEWHERE])
NUMBERS = st.integers(0, 3)
FILES = st.builds(
    OutgoingFile,
    name=st.sampled_from(["a.txt", "b.txt"]),
    media_type=st.just("text/plain"),
    content=st.sampled_from([b"", b"\0\xff", b"words"]),
)


class PressedStores(TwoStores):
    """Buttons are offered, pressed and redeemed; tools send files."""

    def __init__(self) -> None:
        super().__init__()
        self._offered = 0

    def a_press(self, number: int, back: int, address: ChatAddress) -> ButtonPress:
        """Press one of the newest buttons; who presses belongs to the number."""
        return ButtonPress(
            event_id=f"press:{number}",
            address=address,
            kind="private",
            sender=replace(ANN, user_id=str(1001 + number % 2)),
            message_id=f"m{number}",
            token=f"t{self._offered - max(back, 0)}",
            pressed_at=START,
        )

    @rule(is_open=st.booleans(), count=st.integers(1, 2))
    def offer(self, is_open: bool, count: int) -> None:
        person = "" if is_open else ANN.person_key
        buttons = []
        for _ in range(count):
            self._offered += 1
            token = f"t{self._offered}"
            buttons.append(Button(label="go", command="go", token=token, person=person))
        asked = message(1_000 + self._offered, "/go")
        reply = replace(saying("Go?"), buttons=tuple(buttons))
        heard = (Received(inbound=asked, route="command"),)
        self.both(lambda store: store.receive(heard, cursor=None, at=START))
        answered = (asked.address.channel, asked.event_id, (reply,))
        self.both(lambda store: store.finish_command(*answered, at=START))

    @rule(number=NUMBERS, back=BACK, address=ADDRESSES)
    def press(self, number: int, back: int, address: ChatAddress) -> None:
        heard = (Received(inbound=self.a_press(number, back, address), route="press"),)
        self.both(lambda store: store.receive(heard, cursor=None, at=START))

    @rule(
        number=NUMBERS,
        back=BACK,
        address=ADDRESSES,
        at=st.sampled_from([START, START, START + LASTS + timedelta(seconds=1)]),
    )
    def redeem(self, number: int, back: int, address: ChatAddress, at: datetime) -> None:
        press = self.a_press(number, back, address)
        self.both(lambda store: store.redeem(press, at=at))

    @rule(number=NUMBERS, is_told=st.booleans())
    def answer_a_press(self, number: int, is_told: bool) -> None:
        replies = (saying("gone"), saying("far")) if is_told else ()
        event = (HOME.channel, f"press:{number}", replies)
        self.both(lambda store: store.finish_command(*event, at=START))

    @rule(back=BACK, call=CALLS, file=FILES)
    def add_file(self, back: int, call: str, file: OutgoingFile) -> None:
        turn = self.a_turn(back)
        self.both(lambda store: store.add_file(turn, call, file))

    @rule(back=BACK, outcome=OUTCOMES)
    def send_files(self, back: int, outcome: Outcome) -> None:
        turn = self.a_turn(back)
        reply = replace(saying(""), file=OutgoingFile(name="a", media_type="", content=b"\0"))
        self.both(lambda store: store.finish_turn(turn, outcome, (reply,), at=START))

    @invariant()
    def they_hold_the_same_files(self) -> None:
        for back in range(3):
            self.both(partial(_files_of, turn_id=self.a_turn(back)))


async def _files_of(store: Store, *, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
    return await store.files_of(turn_id)


PressedStores.TestCase.settings = settings(max_examples=20, stateful_step_count=30, deadline=None)
TestPressedStores = PressedStores.TestCase
