"""What is told of the bot and of a past session is in the language of who asks."""

# ruff: noqa: RUF001 - full-width marks

from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.memory.episodes import Outline
from bot.core.window.summary.sessions import outlined
from bot.languages import Language, speaking
from bot.runtime.durations import duration
from bot.runtime.health import ChannelState, Signs, judge
from bot.testing.dialogue import Dialogue
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel

OPEN = Config(access="open", plugins=())


async def says(dialogue: Dialogue, text: str, language: str) -> str:
    """Say something with an app in a language; give what is answered."""
    message = dialogue.channel.message(text)
    sender = replace(message.sender, language=language)
    await dialogue.together(replace(message, sender=sender))
    return dialogue.channel.texts()[-1]


@pytest.mark.parametrize(
    ("language", "nothing", "minutes", "days"),
    [
        ("en", "0 s", "3 min 5 s", "1 d 1 h"),
        ("zh", "0秒", "3分钟5秒", "1天1小时"),
        ("ja", "0秒", "3分5秒", "1日1時間"),
    ],
)
def test_durations_have_the_units_of_the_language(
    language: Language, nothing: str, minutes: str, days: str
) -> None:
    with speaking(language):
        assert (nothing, minutes, days) == (duration(0.9), duration(185), duration(90_000))


@pytest.mark.parametrize(
    ("language", "reasons"),
    [
        ("zh", ("telegram：已有3分钟5秒连接不上：timed out", "消息发送：有一条回复已等待10分钟")),
        ("ja", ("telegram：3分5秒接続できていません：timed out", "配信：返信が10分待機しています")),
    ],
)
def test_trouble_is_told_with_the_platforms_own_words(
    language: Language, reasons: tuple[str, ...]
) -> None:
    out = ChannelState(phase="failing", since_s=0.0, reason="timed out")
    signs = Signs(now_s=185, channels={"telegram": out}, undelivered_for_s=600)
    with speaking(language):
        assert reasons == judge(signs).reasons


@pytest.mark.parametrize(
    ("language", "up", "channel"),
    [("zh", "已运行0秒", "loopback（正常接收）"), ("ja", "稼働時間0秒", "loopback（受信中）")],
)
async def test_the_state_of_the_bot_is_all_in_the_language(
    language: str, up: str, channel: str
) -> None:
    async with Dialogue(ScriptedModel(), config=OPEN) as dialogue:
        told = await says(dialogue, "/status", language)

    assert up in told
    assert channel in told


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("zh", "上次：2轮对话，以“我叫小明”开始，以“Hm.”结束"),
        ("ja", "前回：2ターン、「我叫小明」で始まり、「Hm.」で終わりました"),
        ("en", "Last time: 2 turns, begun with “我叫小明”, ended with “Hm.”"),
    ],
)
async def test_a_session_that_no_model_summarised_is_told_in_the_language(
    language: str, told: str
) -> None:
    model = ScriptedModel(["Hm.", "Hm."])
    async with Dialogue(model, config=OPEN, memory_files=InMemoryFiles()) as dialogue:
        await says(dialogue, "我叫小明", language)
        await says(dialogue, "Go on", language)
        answer = await says(dialogue, "/new", language)

    assert told in answer.split("\n\n")


def test_a_session_of_files_alone_has_a_beginning_too() -> None:
    with speaking("zh"):
        assert outlined(Outline(turns=1, beginning="")) == "1轮对话，以“（无文字）”开始"
