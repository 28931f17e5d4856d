"""What Slack shows beside the chat, in the language of who sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.api import (
    ChatAddress,
    HomePage,
    Language,
    Sender,
    SettingField,
    speaking,
)
from bot.core.chat import ChatKind
from bot.testing.channels import RecordingInbox, WatchedClock, running
from bot.testing.recording import NoScreens
from bot.testing.slack_blocks import faults_in_view
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_views import home_opened, press_at_home, slash
from channels.slack import Settings, build
from channels.slack.modal import view_of
from tests.channels.test_slack_home import PAGE
from tests.channels.test_slack_modal import DIRECT, FORM, ROOM


class Shown(NoScreens):
    """Shows everybody settings and a page; ``said`` is what the setting says, for None nothing."""

    def __init__(self, said: Language | None = None) -> None:
        self._said = said

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None:
        return FORM

    async def home(self, address: ChatAddress, sender: Sender) -> HomePage:
        return PAGE

    def language(self, address: ChatAddress, sender: Sender) -> Language:
        return self._said or super().language(address, sender)


@asynccontextmanager
async def listening(
    locale: str, said: Language | None = None
) -> AsyncIterator[tuple[PretendedSlack, RecordingInbox]]:
    """Run the channel in a workspace where Ada's Slack speaks her language."""
    inbox = RecordingInbox()
    inbox.screens = Shown(said)
    async with PretendedSlack() as slack:
        slack.state.channels |= {"D1ADA": "im", "C1ROOM": "channel"}
        slack.state.locales["U1ADA"] = locale
        channel = build(Settings.model_validate(slack.settings), WatchedClock())
        async with running(channel, inbox):
            yield slack, inbox


async def test_the_language_comes_with_the_name_in_one_call() -> None:
    async with listening("ja-JP") as (slack, inbox):
        await slack.says("D1ADA", "hello")
        await slack.push_beside(slash("/context", channel="C1ROOM"))
        await slack.says("C1ROOM", "<@U0BOT> hello", user="U2BOB")
        await inbox.wait_for(3)

    told = {(each.sender.name, each.sender.language) for each in inbox.messages}
    assert {("Ada", "ja-JP"), ("Bob", "")} == told
    assert 2 == slack.calls.count("users.info")


@pytest.mark.parametrize(
    ("locale", "said", "words"),
    [
        ("zh-CN", None, "我不在这个频道里。"),
        ("ja-JP", None, "このチャンネルに参加していません。"),
        ("fr-FR", None, "I am not in this channel."),
        ("zh-CN", "ja", "このチャンネルに参加していません。"),
        ("ja-JP", "en", "I am not in this channel."),
    ],
)
async def test_a_refusal_is_in_the_language_of_who_asked_or_the_one_that_is_set(
    locale: str, said: Language | None, words: str
) -> None:
    async with listening(locale, said) as (slack, _):
        answer = await slack.answer_to(await slack.push_beside(slash("/stop", channel="C9OTHER")))

    assert isinstance(answer, dict)
    assert str(answer["text"]).startswith(words)
    assert "`/invite`" in answer["text"]


async def test_two_people_are_answered_in_two_languages() -> None:
    async with listening("zh-CN") as (slack, _):
        slack.state.locales["U2BOB"] = "ja-JP"
        asked = [
            await slack.push_beside(slash("/daybook", "2+2", channel="D1ADA", user=user))
            for user in ("U1ADA", "U2BOB")
        ]
        answers = [str(await slack.answer_to(each)) for each in asked]

    assert ["想和我聊天" in answers[0], "話しかけるには" in answers[1]] == [True, True]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "zh",
            ("设置", "保存", "取消", "适用范围", "仅此聊天", "目前"),
        ),
        (
            "ja",
            ("設定", "保存", "キャンセル", "適用範囲", "現在"),
        ),
    ],
)
def test_the_form_is_in_the_language_that_is_spoken(
    language: Language, words: tuple[str, ...]
) -> None:
    with speaking(language):
        view = view_of(FORM, DIRECT, "private")

    assert () == faults_in_view(view)
    assert [] == [each for each in words if each not in str(view)]
    assert "How many steps." in str(view)  # as documents have it


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Set for this channel: group_mode. All else is set for all chats."),
        ("zh", "其他项对所有聊天生效"),
        ("ja", "それ以外はすべてのチャットに適用"),
    ],
)
def test_a_channels_form_names_what_is_set_for_the_channel(language: Language, words: str) -> None:
    with speaking(language):
        view = view_of(FORM, ROOM, "group")

    assert () == faults_in_view(view)
    assert words in str(view)
    assert "group_mode" in str(view["blocks"][0])  # type: ignore[index]  # JSON


async def test_the_home_and_the_form_behind_it_are_in_the_language_that_is_set() -> None:
    async with listening("zh-CN", "ja") as (slack, inbox):
        await slack.push(home_opened())
        await slack.wait_until(lambda: bool(slack.views.homes))
        await slack.push_beside(press_at_home(slack.views.homes["U1ADA"][0], "設定", at="9.25"))
        await slack.wait_until(lambda: bool(slack.views.opened))

    [form] = slack.views.opened
    assert {"type": "plain_text", "text": "設定", "emoji": False} == form["title"]
    assert [] == slack.views.faults
    assert [] == inbox.events


@pytest.mark.parametrize(
    ("opened_by", "title", "suggestion"),
    [
        ({"user_id": "U1ADA"}, "你好", "你能帮我做什么"),
        ({"user_id": "U2BOB"}, "Hello", "What can you do for me?"),
        ({}, "Hello", "What can you do for me?"),
    ],
)
async def test_a_greeting_is_in_the_language_of_who_opened_the_pane(
    opened_by: dict[str, str], title: str, suggestion: str
) -> None:
    thread = {"channel_id": "D1ADA", "thread_ts": "1767603500.000001"} | opened_by
    async with listening("zh-CN") as (slack, _):
        await slack.push({"type": "assistant_thread_started", "assistant_thread": thread})
        await slack.wait_until(lambda: bool(slack.state.suggested))

    [shown] = slack.state.suggested
    assert str(shown["title"]).startswith(title)
    assert suggestion in str(shown["prompts"])


async def test_the_sign_of_writing_is_in_the_language_that_is_spoken() -> None:
    async with PretendedSlack() as slack:
        root = await slack.says("C1ROOM", "hello", mention=True)
        channel = build(Settings.model_validate(slack.settings), WatchedClock())
        try:
            with speaking("ja"):
                await channel.show_typing(replace(ROOM, thread=root))
        finally:
            await channel.close()

    assert ["考え中です…"] == [each["status"] for each in slack.state.statuses]
