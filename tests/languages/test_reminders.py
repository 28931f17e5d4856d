"""Reminders as people read them in their own language, while the model reads English."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import InboundMessage
from bot.core.llm import ModelRequest
from bot.core.messages import ToolResult
from bot.core.reminders import USAGE, Rhythm, confirmation, in_list, read_remind, rhythm_of, told
from bot.core.reminders.grammar import NO_MOMENT
from bot.core.reminders.rhythm import how_often
from bot.errors import ToolError
from bot.languages import LANGUAGES, Language, gettext, speaking
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel, calling
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import passes
from tests.e2e.reminding import ANN, BREAD, CONFIG, GROUP, HOUR_S

TOKYO = ZoneInfo("Asia/Tokyo")
MONDAY = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
REPEATS = (
    *("daily", "weekdays", "weekends", "weekly", "monthly", "yearly", "hourly"),
    *("every 15 minutes", "20 minutes", "30 minutes", "every 2 hours", "8 hours", "mon, wed"),
)


def rhythm(repeat: str, local: datetime = MONDAY) -> Rhythm:
    found = rhythm_of(repeat, local)
    assert found is not None
    return found


@given(
    st.sampled_from(REPEATS) | st.sets(st.sampled_from(("sun", "tue", "thu", "sat"))).map(" ".join),
    st.integers(0, 366 * 1_440).map(lambda minutes: MONDAY + timedelta(minutes=minutes)),
    st.sampled_from(LANGUAGES),
)
@settings(max_examples=60)
def test_a_rhythm_is_kept_in_english_whatever_is_spoken(
    repeat: str, local: datetime, language: Language
) -> None:
    with speaking(language):
        kept = rhythm_of(repeat, local)

    assert kept == rhythm_of(repeat, local)
    assert kept is None or kept.words == how_often(kept)


@pytest.mark.parametrize(
    ("language", "repeat", "said"),
    [
        ("zh", "daily", "每天"),
        ("zh", "weekdays", "每个工作日"),
        ("zh", "monthly", "每月5日"),
        ("zh", "20 minutes", "每20分钟"),
        ("zh", "weekly", "每周一"),
        ("ja", "weekly", "毎週月曜日"),
        ("ja", "tue thu sat", "毎週火曜日、木曜日、土曜日"),
        ("ja", "8 hours", "8時間ごと"),
        ("ja", "monthly", "毎月5日"),
    ],
)
def test_how_often(language: Language, repeat: str, said: str) -> None:
    with speaking(language):
        assert said == how_often(rhythm(repeat))


def test_days_have_the_names_of_the_language() -> None:
    with speaking("zh"):
        said = how_often(rhythm("mon, wed and sunday"))

    assert all(day in said for day in ("周一", "周三", "周日"))
    assert not any(letter.isascii() for letter in said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Reminder 0: I will remind you on Monday, 2026-01-05 19:00 (Asia/Tokyo): bread"),
        ("zh", "已设提醒0（2026-01-05 周一 19:00 Asia/Tokyo）：bread"),  # noqa: RUF001
        ("ja", "リマインダー0を設定しました。2026-01-05(月) 19:00 Asia/Tokyo：bread"),  # noqa: RUF001
    ],
)
def test_what_is_kept_is_confirmed(language: Language, said: str) -> None:
    with speaking(language):
        assert said == confirmation(BREAD, TOKYO)


def test_a_line_of_a_list_has_the_rhythm_and_whose_it_is() -> None:
    reminder = replace(BREAD, kind="prompt", rhythm=rhythm("daily"))
    with speaking("zh"):
        line = in_list(reminder, TOKYO, with_author=True)

    when = "2026-01-05 周一 19:00 Asia/Tokyo，每天"  # noqa: RUF001
    assert f"**0**（Ann）：{when}：prompt: bread" == line  # noqa: RUF001


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_model_is_asked_in_english(language: Language) -> None:
    reminder = replace(BREAD, kind="prompt", rhythm=rhythm("weekdays"))
    with speaking(language):
        asked = told(reminder, MONDAY, MONDAY, TOKYO)

    assert asked == (
        "[Scheduled for Monday, 2026-01-05 18:00 (Asia/Tokyo), every weekday; "
        "nobody wrote just now.]\nbread"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_read_is_answered_in_the_language(language: Language) -> None:
    with speaking(language):
        with pytest.raises(ToolError) as refused:
            read_remind("nonsense", MONDAY)

        assert f"{gettext(NO_MOMENT)}\n\n{gettext(USAGE)}" == str(refused.value)
    assert (language == "en") == (USAGE in str(refused.value))


def says(dialogue: Dialogue, text: str, language: str) -> InboundMessage:
    event = dialogue.channel.message(text)
    return replace(event, sender=replace(event.sender, language=language))


@pytest.mark.parametrize(
    ("tag", "setting", "heading"),
    [
        ("zh-hans", "auto", "⏰ 提醒："),  # noqa: RUF001
        ("zh-hans", "ja", "⏰ リマインダー："),  # noqa: RUF001
        ("de", "auto", "⏰ Reminder: "),
        ("", "zh", "⏰ 提醒："),  # noqa: RUF001
    ],
)
async def test_a_reminder_comes_in_the_language_of_who_set_it(
    tag: str, setting: str, heading: str
) -> None:
    config = CONFIG.model_copy(update={"language": setting})
    async with Dialogue(ScriptedModel([]), config=config, store=InMemoryStore()) as dialogue:
        await dialogue.together(says(dialogue, "/remind in 1 hour bread", tag))
        confirmed = dialogue.channel.texts()[-1]
        await passes(dialogue, HOUR_S)

        assert f"{heading}bread" == dialogue.channel.texts()[-1]
        assert heading.strip("⏰ :：") in confirmed  # noqa: RUF001 - marks, not a word


async def test_in_a_group_it_says_whose_it_is_in_the_language() -> None:
    reminder = replace(BREAD, address=GROUP, chat_kind="group", author=replace(ANN, language="ja"))
    with speaking("ja"):
        said = told(reminder, START, START + timedelta(hours=1), ZoneInfo("UTC"))

    due = "2026-01-05(月) 09:00 UTC"
    assert f"⏰ Annさんへのリマインダー（予定は{due}でした）：bread" == said  # noqa: RUF001


def result(request: ModelRequest) -> str:
    """Give what the newest call of a tool came to."""
    block = request.messages[-1].blocks[0]
    assert isinstance(block, ToolResult)
    return block.content


async def test_tools_answer_the_model_in_english_while_people_read_chinese() -> None:
    call = calling("remind", text="call Ann", at_local="2026-01-06T09:00")
    past = calling("remind", text="call Ann", at_local="2020-01-06T09:00")
    model = ScriptedModel([call, past, ""])
    async with Dialogue(model, config=CONFIG, store=InMemoryStore()) as dialogue:
        await dialogue.together(says(dialogue, "明早九点提醒我", "zh-hans"))

        assert "I will remind you on Tuesday, 2026-01-06 09:00" in result(model.requests[1])
        assert "That moment is past" in result(model.requests[2])
        assert "模型给出了空白的回答" in dialogue.channel.texts()[-1]
