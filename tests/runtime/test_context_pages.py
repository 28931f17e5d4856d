"""What people read of a context: true in every number, and narrow enough for a telephone."""

# ruff: noqa: RUF001 - full-width marks
import re
from dataclasses import replace
from datetime import UTC

import pytest

from bot.core.llm import Usage
from bot.core.window.conversation import Compaction
from bot.core.window.report import CATEGORIES, WindowReport
from bot.languages import LANGUAGES, Language, speaking
from bot.runtime.commands.context_pages import BAR_CELLS, overview
from bot.runtime.context.steering import ContextView, Refused
from bot.testing.chat_run import LIMITS, ChatRun
from bot.testing.clock import START
from channels.telegram.tables import width_of
from tests.runtime.context_given import talk

CLEARED = Compaction(kind="clear", at=START, turns_left=2)
EMPTY = WindowReport(
    by_role=(("user", 1), ("assistant", 1), ("tool results", 0)),
    characters=12_345,
    tokens=tuple((name, 0) for name in CATEGORIES),
    turns=(),
)
VIEW = ContextView(
    report=EMPTY,
    turns=1,
    max_turns=20,
    max_tokens=3_000,
    set_tokens=3_000,
    window_tokens=8_000,
    model="small",
    turns_left=0,
    opening=None,
    compaction=None,
    usage=Usage(),
    can_undo=False,
    waits_for_summary=False,
    has_summary=False,
)


def line(view: ContextView, beginning: str) -> str:
    (found,) = [each for each in overview(view, UTC).splitlines() if each.startswith(beginning)]
    return found.removeprefix(beginning).strip()


@pytest.mark.parametrize(
    "sizes",
    [(0, 0, 0, 0, 0, 0), (100, 200, 300, 0, 400, 50), (5_000, 900, 900, 900, 90_000, 1), (1,) * 6],
)
def test_bars_are_no_longer_than_their_whole_and_no_wider_than_a_telephone(
    sizes: tuple[int, ...],
) -> None:
    report = replace(EMPTY, tokens=tuple(zip(CATEGORIES, sizes, strict=True)))
    drawn = overview(replace(VIEW, report=report), UTC).split("```")[1]

    assert sum(map(drawn.count, "█░")) <= BAR_CELLS
    assert max(map(len, drawn.splitlines())) <= 30


@pytest.mark.parametrize("language", LANGUAGES)
def test_bars_begin_in_one_column_behind_labels_of_wide_letters_too(language: Language) -> None:
    report = replace(EMPTY, tokens=tuple((name, 100) for name in CATEGORIES))
    with speaking(language):
        drawn = overview(replace(VIEW, report=report), UTC).split("```")[1].strip().splitlines()

    labels = [each.split()[0] for each in drawn]
    begins = [width_of(re.split("[█░▏]", each)[0]) for each in drawn]
    assert len(set(labels)) == len(CATEGORIES) + 1
    assert set(begins) == {8}
    assert all(width_of(each) < 8 for each in labels)
    assert max(map(width_of, drawn)) <= 30


@pytest.mark.parametrize(
    ("turns", "has_summary", "waits", "told"),
    [
        (1, False, False, "1 turn; a note stands for it"),
        (1, False, True, "1 turn; a note stands for it until its summary is written"),
        (3, True, False, "3 turns; a summary stands for them"),
        (
            3,
            True,
            True,
            "3 turns; a summary and a note stand for them until their summary is written",
        ),
        (0, False, False, "nothing"),
    ],
)
def test_what_left_is_told_in_good_grammar(
    turns: int, has_summary: bool, waits: bool, told: str
) -> None:
    view = replace(VIEW, turns_left=turns, has_summary=has_summary, waits_for_summary=waits)

    assert line(view, "- Left this view:") == told


def test_after_a_clear_it_is_said_that_something_left() -> None:
    view = replace(VIEW, compaction=CLEARED, can_undo=True)

    assert line(view, "- Left this view:") == "what was cleared"
    assert "taken back" not in line(view, "- Last compaction:")


def test_what_was_taken_back_is_told_so() -> None:
    view = replace(VIEW, compaction=CLEARED)

    assert line(view, "- Left this view:") == "nothing"
    assert line(view, "- Last compaction:").endswith("because it was cleared; it was taken back")


def test_a_window_that_leaves_less_than_is_set_is_named() -> None:
    assert line(VIEW, "- Model:") == "`small`"
    told = line(replace(VIEW, set_tokens=50_000), "- Model:")

    assert told == "`small`, which reads 8.0k tokens with its answer: so not the 50.0k that are set"


def test_all_numbers_are_written_one_way() -> None:
    assert line(VIEW, "- Characters:") == "12.3k"


async def test_a_second_undo_says_that_it_was_done_already() -> None:
    chat = ChatRun()
    await talk(chat, 3)
    assert await chat.steering().undo() == Refused(
        reason="there is no compaction or clear to take back"
    )
    await chat.steering().clear()
    await chat.steering().undo()

    assert await chat.steering().undo() == Refused(
        reason="the last compaction or clear was taken back already"
    )


async def test_sizes_are_the_same_after_a_clear_that_was_taken_back() -> None:
    chat = ChatRun()
    chat.measure = lambda request: 500
    await talk(chat, 6)
    before = (await chat.steering().view()).report.total_tokens
    await chat.steering().clear()
    await chat.steering().undo()
    chat.idle()
    after = (await chat.steering().view()).report.total_tokens

    assert before == after


async def test_the_view_knows_the_model_s_window() -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, window_tokens=8_000)
    await talk(chat, 1)
    view = await chat.steering().view()

    assert (view.max_tokens, view.set_tokens, view.window_tokens) == (6_000, 50_000, 8_000)


@pytest.mark.parametrize(
    ("language", "left", "last"),
    [
        ("zh", "1轮对话；由备注代替", "2026-01-05 09:00，移出2轮对话，因为被清空；已撤销"),
        (
            "ja",
            "1ターン（メモで代用）",
            "2026-01-05 09:00、2ターンを除外、消去されたため / 取り消し済み",
        ),
    ],
)
def test_a_page_in_other_languages(language: Language, left: str, last: str) -> None:
    with speaking(language):
        lines = overview(replace(VIEW, turns_left=1, compaction=CLEARED), UTC).splitlines()

    told = [each.partition("：")[2] for each in lines if each.startswith("- ")]
    assert [told[2], told[3]] == [left, last]
