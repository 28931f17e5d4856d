"""How a window is written out, and what stays the same from one request to the next."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.messages import Message, Text
from bot.core.window.assemble import RULES, assemble
from bot.core.window.conversation import Cut
from bot.core.window.notes import VOLATILE_LEAD
from bot.core.window.window import Window
from tests.core.window.given import round_of, turn, turns


def window(past: int) -> Window:
    return Window(
        past=turns(past),
        open_turn=turn(past + 1, is_open=True),
        instructions="Be kind.",
        volatile=("It is Monday.",),
    )


def flat(messages: tuple[Message, ...]) -> list[object]:
    return [(message.role, block) for message in messages for block in message.blocks]


@given(st.integers(0, 18))
def test_the_beginning_stays_the_same_up_to_the_volatile_block(past: int) -> None:
    earlier = flat(assemble(window(past)).messages)
    later = flat(assemble(window(past + 1)).messages)

    assert VOLATILE_LEAD in str(earlier[-1])
    assert earlier[:-1] == later[: len(earlier) - 1]


@given(st.integers(0, 5), st.integers(0, 12))
def test_within_a_turn_everything_sent_stays_the_same(past: int, steps: int) -> None:
    opened = window(past)
    rounds = tuple(round_of(f"c{number}", "yes") for number in range(steps + 1))
    earlier = replace(opened, open_turn=replace(opened.open_turn, steps=rounds[:-1]))
    later = replace(opened, open_turn=replace(opened.open_turn, steps=rounds))

    before, after = flat(assemble(earlier).messages), flat(assemble(later).messages)

    assert before == after[: len(before)]


def test_the_front_says_what_is_no_longer_shown() -> None:
    cut = Cut(kept_from=turn(13).id, turns_left=12, digest="[In short: much.]")
    shown = Window(
        cut=cut,
        past=turns(2, first_id=13),
        open_turn=turn(15, is_open=True),
        summary="[Summary: more.]",
    )

    summary, digest, notice, request = assemble(shown).messages[0].blocks

    assert (Text(text="[Summary: more.]"), Text(text="[In short: much.]")) == (summary, digest)
    assert "12 earlier turns" in str(notice)
    assert Text(text="question 13") == request


def test_the_rules_stay_when_the_instructions_make_room() -> None:
    long = replace(window(1), instructions="Be kind.\n" * 300)

    system = assemble(replace(long, shed=1)).system

    assert system.endswith(RULES)
    assert "left out: space is short" in system
    assert len(system) < 1_500


def test_the_first_request_of_a_turn_is_marked_where_the_turns_share_their_beginning() -> None:
    layout = assemble(window(3))

    assert [(4, 0), (6, 0)] == [(mark.message, mark.block) for mark in layout.cache_marks]
    assert 2 == len(layout.messages[6].blocks)


def test_later_rounds_are_marked_behind_the_kept_request_and_the_newest_two_rounds() -> None:
    opened = window(3)
    rounds = tuple(round_of(f"c{number}", "yes") for number in range(4))
    layout = assemble(replace(opened, open_turn=replace(opened.open_turn, steps=rounds)))

    assert [(6, 0), (12, 0), (14, 0)] == [(mark.message, mark.block) for mark in layout.cache_marks]


def test_the_mark_counts_what_stands_in_front_of_the_only_message() -> None:
    alone = replace(window(0), cut=Cut(turns_left=3, digest="[In short.]"))

    (mark,) = assemble(alone).cache_marks

    assert (0, 2) == (mark.message, mark.block)
    assert Text(text="question 1") == assemble(alone).messages[0].blocks[mark.block]
