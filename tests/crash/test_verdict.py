"""What the crash tests call lost, doubled or left over."""

import pytest

from bot.runtime.delivery import REPEATED
from bot.testing.crash_verdict import Asked, is_answered, judge, judge_ledger

LONG = Asked(mark="mark-1-1", paragraphs=6, has_tool=True)
SHORT = Asked(mark="mark-1-2")
PARAGRAPHS = LONG.answer.split("\n\n")
FIRST, SECOND = "\n\n".join(PARAGRAPHS[:4]), "\n\n".join(PARAGRAPHS[4:])
HALF = "\n\n".join(PARAGRAPHS[:2])

WELL: dict[str, tuple[str, ...]] = {
    "part by part": (FIRST, SECOND, SHORT.answer),
    "whole": (LONG.answer, SHORT.answer),
    "in one": (f"{LONG.answer}\n\n{SHORT.answer}",),
}

ILL: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "nothing": ((), ["lost: 2"]),
    "half of it": ((FIRST, SHORT.answer), ["lost: 1", "orphan previews: 1"]),
    "all twice": ((FIRST, SECOND, FIRST, SECOND, SHORT.answer), ["answered twice: 1"]),
    "a part twice": ((FIRST, SECOND, SECOND, SHORT.answer), ["answered twice: 1"]),
    "a preview left": ((HALF, FIRST, SECOND, SHORT.answer), ["orphan previews: 1"]),
    "the second first": ((SHORT.answer, FIRST, SECOND), ["disordered: 1"]),
    "parts exchanged": ((SECOND, FIRST, SHORT.answer), ["disordered: 1"]),
    "other words": (
        (FIRST, SECOND, "Sorry.", SHORT.answer),
        ["said besides: 'Sorry.'"],
    ),
    "a mark for nothing": (
        (FIRST, FIRST + REPEATED, SECOND, SHORT.answer),
        ["marked repeats: 1"],
    ),
}


@pytest.mark.parametrize("case", WELL)
def test_answered_once(case: str) -> None:
    verdict = judge({"1": [LONG, SHORT]}, {"1": WELL[case]})

    assert [] == verdict.forbidden
    assert is_answered([LONG, SHORT], WELL[case])


@pytest.mark.parametrize("case", ILL)
def test_not_answered_once(case: str) -> None:
    shown, forbidden = ILL[case]

    assert forbidden == judge({"1": [LONG, SHORT]}, {"1": shown}).forbidden


def test_a_repeat_is_fine_where_the_first_copy_was_in_doubt() -> None:
    verdict = judge({"1": [LONG, SHORT]}, {"1": (FIRST + REPEATED, SECOND, SHORT.answer)})
    verdict.parts_in_doubt = 1

    assert [] == verdict.forbidden
    assert 1 == verdict.marked_repeats


def test_tools_are_counted_by_what_they_wrote() -> None:
    chats = {"1": [LONG, SHORT]}

    assert [] == judge_ledger(chats, ["start mark-1-1", "end mark-1-1"]).forbidden
    assert ["tools run twice: 1"] == judge_ledger(chats, ["start mark-1-1"] * 2).forbidden
    assert ["tools not run: 1"] == judge_ledger(chats, []).forbidden
