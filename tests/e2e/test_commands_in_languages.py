"""Commands are answered in the language of who gives them, or in the one that is set."""

# ruff: noqa: RUF001 - full-width marks
import re
from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import BotStanding, Capabilities, ChatAddress, InboundMessage, Sender
from bot.errors import DeliveryError
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel

ADMIN = Config(access="open", admins=("loopback:1001",), plugins=())
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)
TURNS = "agent_max_context_turns"
GROUP = "-5"


def spoken_by(message: InboundMessage, language: str) -> InboundMessage:
    return replace(message, sender=replace(message.sender, language=language))


async def says(dialogue: Dialogue, text: str, language: str, user: str = "1001") -> str:
    """Say something in a private chat with an app in a language; give what is answered last."""
    message = dialogue.channel.message(text, chat=user, user=user)
    await dialogue.together(spoken_by(message, language))
    return dialogue.channel.texts(user)[-1]


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("zh-hans", "没有正在进行的回答。"),
        ("zh-TW", "没有正在进行的回答。"),
        ("ja", "実行中のものはありません。"),
        ("de", "Nothing is running."),
        ("", "Nothing is running."),
    ],
)
async def test_people_are_answered_in_the_language_of_their_app(language: str, answer: str) -> None:
    async with Dialogue(ScriptedModel(), config=ADMIN) as dialogue:
        assert await says(dialogue, "/stop", language) == answer


async def test_the_setting_beats_the_app_until_it_is_taken_back() -> None:
    async with Dialogue(ScriptedModel(), config=ADMIN) as dialogue:
        changed = await says(dialogue, "/config language ja", "zh-hans")
        elsewhere = await says(dialogue, "/stop", "zh-hans", user="2002")
        undone = await says(dialogue, "/config undo", "zh-hans")
        after = await says(dialogue, "/stop", "zh-hans")

    assert changed == (
        "`language`：`auto` → `ja`，对所有聊天，从下一条消息起生效。用`/config undo`可以撤销。"
    )
    assert elsewhere == "実行中のものはありません。"
    assert undone == (
        "元に戻しました：`language`：`ja` → `auto`（全チャット共通、次のメッセージから有効）。"
    )
    assert after == "没有正在进行的回答。"


async def test_one_chat_may_have_its_own_language() -> None:
    async with Dialogue(ScriptedModel(), config=ADMIN) as dialogue:
        await says(dialogue, "/config language zh --here", "en")

        assert await says(dialogue, "/stop", "en") == "没有正在进行的回答。"
        assert await says(dialogue, "/stop", "en", user="2002") == "Nothing is running."


async def test_the_list_of_commands_is_translated_line_by_line() -> None:
    async with Dialogue(ScriptedModel(), config=ADMIN) as dialogue:
        chinese = await says(dialogue, "/help", "zh")
        english = await says(dialogue, "/help", "en")

    (head, _, *lines), (_, _, *others) = chinese.splitlines(), english.splitlines()
    assert head == "像和人聊天一样给我发消息，或使用命令："
    assert "- `/new`：开始新的对话" in lines
    assert [each.split("：")[0] for each in lines] == [each.split(":")[0] for each in others]
    assert not set(lines) & set(others)


async def test_what_is_told_of_a_setting() -> None:
    async with Dialogue(ScriptedModel(), config=ADMIN) as dialogue:
        await says(dialogue, f"/config {TURNS} 7 --here", "en")
        page = await says(dialogue, f"/config {TURNS}", "ja")
        wrong = await says(dialogue, f"/config {TURNS} 0", "ja")
        unknown = await says(dialogue, "/config agent_max_context_turnz 3", "zh")
        choice = await says(dialogue, "/config memory maybe", "zh")

    assert page.splitlines() == [
        f"`{TURNS}`は`7`です（このチャット用の設定）",
        "",
        "- Turns of a chat that the model is shown.",
        "- 指定できるのは1から1000までの整数です。",
        "- 既定：`20` / 運用担当者の設定：`20`。",
        "- `loopback:1001`が2026-01-05 09:00に設定しました。",
        "- 変更は次にモデルへ問い合わせるときから有効です。",
    ]
    assert wrong == (
        f"`{TURNS}`に指定できるのは1から1000までの整数です（入力：0）。何も変更していません。"
    )
    assert unknown == f"没有这项设置，你是想说`{TURNS}`吗？"
    assert choice == "`memory`应为on或off，不能是maybe；没有做任何更改。"


async def test_buttons_are_labelled_and_do_the_same_in_any_language() -> None:
    model = ScriptedModel(["Hello.", "Hello again."])
    channel = LoopbackChannel(capabilities=BUTTONS)
    async with Dialogue(model, config=ADMIN, channel=channel) as dialogue:
        await says(dialogue, "hi", "zh")
        await says(dialogue, "hi again", "zh")
        question = await says(dialogue, "/context clear", "zh")
        labels = [button.label for button in channel.posts[-1].buttons]
        press = channel.press("清空")
        await dialogue.together(replace(press, sender=replace(press.sender, language="zh")))
        cleared = channel.texts("1001")[-1]

    assert question.startswith("要清空吗？2轮对话（约")
    assert question.endswith("将移出我的视野。说过的话仍会保存。")
    assert labels == ["清空", "保留"]
    assert cleared == "已清空：2轮对话移出了我的视野。说过的话仍会保存。"


async def test_a_smaller_limit_is_asked_about_and_not_told_as_set() -> None:
    channel = LoopbackChannel(capabilities=BUTTONS)
    async with Dialogue(ScriptedModel(), config=ADMIN, channel=channel) as dialogue:
        question = await says(dialogue, "/config agent_max_context_tokens 40000", "ja")
        kept = await says(dialogue, "/config agent_max_context_tokens", "ja")

    assert question == (
        "`agent_max_context_tokens`を`50000`から`40000`に変更しますか？小さくすると、"
        "全チャットで参照中のターンが外れ、要約に置き換わることがあります。"
    )
    assert kept.startswith("`agent_max_context_tokens`は`50000`です（既定値）")


async def test_admins_read_of_a_stranger_s_group_in_the_language_that_is_set() -> None:
    config = ADMIN.model_copy(update={"access": "pairing"})
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        await says(dialogue, "/config language ja --here", "en")
        await dialogue.together(
            BotStanding(
                event_id="standing",
                address=ChatAddress(channel="loopback", account="bot", chat=GROUP),
                kind="group",
                by=Sender(channel="loopback", user_id="3003", name="Person 3003", language="zh"),
                standing="member",
                title="Team",
                changed_at=START,
            )
        )

        assert dialogue.channel.texts(GROUP)[-1].startswith("要先由我的管理员允许这个群组，")
        assert dialogue.channel.texts("1001")[-1].startswith(
            "`Person 3003`さん（`loopback:3003`）が私をグループ`Team`に追加しました。"
        )


async def test_the_model_reads_english_whatever_people_read() -> None:
    model = ScriptedModel(["你好。"])
    async with Dialogue(model, config=ADMIN) as dialogue:
        await says(dialogue, "你好", "zh")
        await says(dialogue, "/new", "zh")
        told = await says(dialogue, "/context", "zh")

    assert told.startswith("**上下文**：0轮对话（上限20）")
    (request,) = model.requests
    said = re.findall("[\u4e00-\u9fff]+", f"{request.system}{request.messages}{request.tools}")
    assert said == ["你好"]


@pytest.mark.parametrize(
    ("language", "line", "again"),
    [
        ("zh", "- 01-05 09:00，`Ducks.`：too odd", "正在重新发送1条消息。"),
        ("ja", "- 01/05 09:00、`Ducks.`：too odd", "1件のメッセージを再送します。"),
    ],
)
async def test_what_failed_is_listed_with_its_moment(language: str, line: str, again: str) -> None:
    model = ScriptedModel(["Ducks."])
    async with Dialogue(model, config=ADMIN) as dialogue:
        dialogue.channel.failures.append(DeliveryError("too odd", can_retry=False))
        await says(dialogue, "tell me", language)
        listed = await says(dialogue, "/failed", language)
        await says(dialogue, "/retry", language)

    assert listed.splitlines()[-1] == line
    assert again in dialogue.channel.texts("1001")
