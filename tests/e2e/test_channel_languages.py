"""What channels say themselves is in the language of who reads it, or in the one that is set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from bot.config import Config
from bot.core.chat import Capabilities, ChatAddress, Receipt, Reply
from bot.languages import Language, spoken
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.slack_server import PretendedSlack
from bot.testing.slack_views import home_opened, slash
from tests.e2e.test_slack_over_the_wire import running

OPEN = Config(access="open", admins=("slack:U1ADA",), plugins=())


class Overheard(LoopbackChannel):
    """Keeps which language was spoken when it was told to do something."""

    def __init__(self) -> None:
        super().__init__(capabilities=Capabilities(max_text_length=99, typing_interval_s=4.0))
        self.signs: list[Language] = []
        self.sendings: list[Language] = []

    async def show_typing(self, address: ChatAddress) -> None:
        """Keep the language."""
        self.signs.append(spoken())
        await super().show_typing(address)

    async def send(self, reply: Reply) -> Receipt:
        """Keep the language."""
        self.sendings.append(spoken())
        return await super().send(reply)


@pytest.mark.parametrize(
    ("said", "tag", "spoken_to"),
    [
        ("auto", "zh-hans", "zh"),
        ("auto", "fr", "en"),
        ("ja", "zh-hans", "ja"),
    ],
)
async def test_a_channel_is_spoken_to_in_the_language_of_the_answer(
    said: Literal["auto", "ja"], tag: str, spoken_to: Language
) -> None:
    """A reply goes out later than it was asked for: it has the language with it."""
    channel, model = Overheard(), ScriptedModel(["Done."])
    model.hold()
    config = Config(access="open", language=said)
    async with Dialogue(model, config=config, channel=channel) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        message = channel.message("work")
        asked = replace(message, sender=replace(message.sender, language=tag))
        await dialogue.happens([asked])
        await dialogue.clock.advance(1)
        model.release()
        await channel.wait_for_posts(1)

    assert ([spoken_to], [spoken_to]) == (channel.signs, channel.sendings)


async def test_what_slack_shows_follows_the_person_until_a_language_is_set(tmp_path: Path) -> None:
    async with (
        PretendedSlack() as slack,
        PretendedAnthropic() as vendor,
        running(slack, vendor, tmp_path, OPEN),
    ):
        slack.state.channels |= {"D1ADA": "im", "C1ROOM": "channel"}
        slack.state.locales["U1ADA"] = "zh-CN"
        answers = []
        for language in ("", "ja", "default"):
            if language:
                before = len(slack.sent)
                await slack.push_beside(slash("/config", f"language {language}"))
                await slack.wait_for_sent(before + 1)
            asked = await slack.push_beside(slash("/daybook", "2+2", channel="C1ROOM"))
            answers.append(str(await slack.answer_to(asked)))
            shown = len(slack.views.homes.get("U1ADA", ()))
            await slack.push(home_opened())
            await slack.wait_until(lambda: len(slack.views.homes.get("U1ADA", ())) > shown)  # noqa: B023 - awaited within the round

    words = ("想和我聊天", "話しかけるには", "想和我聊天")
    assert [True] * 3 == [word in answer for word, answer in zip(words, answers, strict=True)]
    pages = [str(page) for page in slack.views.homes["U1ADA"]]
    assert ["设置", "設定", "设置"] == [
        each for page in pages for each in ("设置", "設定", "Settings") if f"'{each}'" in page
    ]
    assert [] == slack.views.faults
