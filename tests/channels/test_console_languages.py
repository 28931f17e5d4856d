"""The console speaks the language of the terminal it stands on."""

from __future__ import annotations

import pytest

from bot.api import Language, MenuEntry, Sender
from bot.core.chat import ChatAddress
from bot.testing.clock import FakeClock
from bot.testing.recording import NoScreens
from channels.console.person import LocalPerson, language_in
from tests.channels.test_console_terminal import CTRL_C, Terminal
from tests.channels.test_console_terminal import terminal as terminal  # a fixture


class Set(NoScreens):
    """The setting names a language, which a test may change."""

    said: Language = "en"

    def language(self, address: ChatAddress, sender: Sender) -> Language:
        return self.said


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ja_JP.UTF-8"}, "ja-JP"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "zh_TW", "LC_ALL": ""}, "zh-TW"),
        ({"LANG": "de_DE@euro"}, "de-DE"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, ""),
        ({"LANG": "C"}, ""),
        ({"LANG": "POSIX"}, ""),
        ({"LANG": ""}, ""),
        ({}, ""),
    ],
)
def test_the_environment_tells_the_language(environment: dict[str, str], language: str) -> None:
    assert language == language_in(environment)
    person = LocalPerson(FakeClock(), language_in(environment))
    assert language == person.says("hello").sender.language == person.stops().sender.language


async def test_the_screen_speaks_the_language_that_is_set_from_then_on(terminal: Terminal) -> None:
    screens = Set()
    terminal.inbox.screens = screens
    terminal.types(CTRL_C)
    await terminal.shows("Ctrl-D leaves the chat")
    screens.said = "ja"
    terminal.types(CTRL_C)
    await terminal.shows("Ctrl-D でチャットを終了")
    screens.said = "zh"
    terminal.types(CTRL_C)
    await terminal.shows("按 Ctrl-D 退出聊天")


async def test_completions_are_described_in_the_language_that_is_set(terminal: Terminal) -> None:
    screens = Set()
    screens.said, terminal.inbox.screens = "ja", screens
    entries = tuple(
        MenuEntry(name=name, description=description)
        for name, description in (("stop", "Settings"), ("status", "All chats"))
    )
    await terminal.channel.offer_commands(entries, ())
    terminal.types("/st\t")
    await terminal.shows("すべてのチャット")
