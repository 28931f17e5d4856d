"""The two pretended platforms behind one face, for crash tests.

Real ones keep delivering what they were not told about; so do these.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from bot.testing.slack_server import PretendedSlack
from bot.testing.telegram_server import PretendedTelegram

Json = dict[str, object]

Hear = Callable[[], None]
"""Hears that a text was posted, edited or shown as a draft: done, and the bot not told yet."""

_FIRST_UPDATE = 1000
"""Where the pretended Telegram begins to count."""

_Result = TypeVar("_Result")


class Platform(Protocol):
    """A pretended platform with its people.

    Attributes:
        shows_previews: An unfinished answer is a message there, not a draft.
        can_be_asked: The bot can find out whether a message arrived.
        longest_paragraphs: How many paragraphs make an answer of two parts.
        on_post: Hears of every message that took effect, new or edited.
        on_draft: Hears of everything shown that leaves no message.
    """

    name: str
    shows_previews: bool
    can_be_asked: bool
    longest_paragraphs: int
    on_post: Hear
    on_draft: Hear

    @property
    def server(self) -> AbstractAsyncContextManager[object]:
        """What has to be entered before anything else."""
        ...

    @property
    def settings(self) -> dict[str, str]:
        """The channel's section of the settings."""
        ...

    @property
    def told(self) -> int:
        """How many events the platform knows to be received."""
        ...

    @property
    def contacts(self) -> int:
        """How often the bot came to fetch events, or to have them sent."""
        ...

    def chat(self, number: int) -> str:
        """Name a chat."""
        ...

    async def says(self, chat: str, text: str) -> None:
        """Let the person of a chat write."""
        ...

    async def redeliver(self) -> None:
        """Deliver something again that was taken, and wait until it is taken again."""
        ...

    def shown(self, chat: str) -> tuple[str, ...]:
        """Give the bot's messages in a chat as they stand now, oldest first."""
        ...

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request changes, for some seconds at most."""
        ...


class TelegramPlatform:
    """Private chats; an update comes again until the offset has passed it."""

    name = "telegram"
    shows_previews = False
    can_be_asked = False
    longest_paragraphs = 75

    def __init__(self) -> None:
        self.on_post = self.on_draft = _ignore
        self._telegram = PretendedTelegram()
        methods = self._telegram.state.methods
        for method in ("sendmessage", "editmessagetext"):
            methods[method] = _heard(methods[method], lambda: self.on_post())
        draft = methods["sendmessagedraft"]
        methods["sendmessagedraft"] = _heard(draft, lambda: self.on_draft())

    @property
    def server(self) -> AbstractAsyncContextManager[object]:
        """What has to be entered before anything else."""
        return self._telegram

    @property
    def settings(self) -> dict[str, str]:
        """The channel's section of the settings."""
        return {
            "token": self._telegram.token,
            "base_url": self._telegram.base_url,
            "messages_per_second": "0",
        }

    @property
    def told(self) -> int:
        """Updates before the furthest offset."""
        return max((offset - _FIRST_UPDATE for offset in self._offsets), default=0)

    @property
    def contacts(self) -> int:
        """How many polls there were."""
        return len(self._telegram.polls)

    @property
    def _offsets(self) -> list[int]:
        polls = self._telegram.polls
        return [int(str(call.params.get("offset") or _FIRST_UPDATE)) for call in polls]

    def chat(self, number: int) -> str:
        """Name a chat."""
        return str(1000 + number)

    async def says(self, chat: str, text: str) -> None:
        """Let the person of a chat write."""
        self._telegram.says(int(chat), text)

    async def redeliver(self) -> None:
        """Deliver the first update again and wait until the offset says that it was taken."""
        self._telegram.redeliver(_FIRST_UPDATE)
        await self._telegram.wait_until(lambda: self._offsets[-1] == _FIRST_UPDATE + 1)

    def shown(self, chat: str) -> tuple[str, ...]:
        """Give the bot's messages in a chat as they stand now, oldest first."""
        messages = self._telegram.state.chats[int(chat)].messages
        mine = self._telegram.bot
        return tuple(str(each["text"]) for each in messages.values() if each["from"] is mine)

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request changes, for some seconds at most."""
        await self._telegram.wait_until(is_so)


class SlackPlatform:
    """Direct messages over Socket Mode; an envelope comes again until it is acknowledged.

    Every other chat is a thread of the assistant's pane, where answers are streamed.
    """

    name = "slack"
    shows_previews = True
    can_be_asked = True
    longest_paragraphs = 190

    def __init__(self) -> None:
        self.on_post = self.on_draft = _ignore
        self._slack = PretendedSlack()
        self._slack.state.began_at = int(time.time())
        self._threads: dict[str, str] = {}
        methods = self._slack.state.methods
        for method in ("chat.postMessage", "chat.update", "chat.startStream", "chat.stopStream"):
            methods[method] = _heard(methods[method], lambda: self.on_post())

    @property
    def server(self) -> AbstractAsyncContextManager[object]:
        """What has to be entered before anything else."""
        return self._slack

    @property
    def settings(self) -> dict[str, str]:
        """The channel's section of the settings."""
        return self._slack.settings

    @property
    def told(self) -> int:
        """Envelopes acknowledged."""
        return len(self._slack.acknowledged)

    @property
    def contacts(self) -> int:
        """How many connections there were."""
        return self._slack.connections

    def chat(self, number: int) -> str:
        """Name a chat."""
        return f"D{number:04d}"

    async def says(self, chat: str, text: str) -> None:
        """Let the person of a chat write."""
        if chat not in self._threads:
            self._slack.state.channels[chat] = "im"
            root = self._slack.state.write(chat, "New chat", user="U1ADA")
            root["subtype"] = "assistant_app_thread"  # what the pane begins with; nobody says it
            self._threads[chat] = str(root["ts"]) if int(chat[1:]) % 2 else ""
        await self._slack.says(chat, text, thread_ts=self._threads[chat])

    async def redeliver(self) -> None:
        """Deliver the newest envelope again and wait until it is acknowledged again."""
        told = self.told
        await self._slack.redeliver()
        await self._slack.wait_until(lambda: self.told > told)

    def shown(self, chat: str) -> tuple[str, ...]:
        """Give the bot's messages in a chat as they stand now, oldest first."""
        return tuple(self._slack.state.shown(chat, self._threads.get(chat, "")))

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request changes, for some seconds at most."""
        await self._slack.wait_until(is_so)


PLATFORMS: dict[str, Callable[[], Platform]] = {
    "telegram": TelegramPlatform,
    "slack": SlackPlatform,
}


def _ignore() -> None:
    return None


def _heard(method: Callable[[Json], _Result], hear: Hear) -> Callable[[Json], _Result]:
    """Carry a method out, then say so, before the bot gets its answer."""

    def heard(params: Json) -> _Result:
        result = method(params)
        hear()
        return result

    return heard
