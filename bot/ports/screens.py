"""The ports behind what people are shown beside the chat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bot.core.chat import ChatAddress, ChatKind, Sender
from bot.core.screens import HomePage, SettingField
from bot.languages import Language


class Screens(Protocol):
    """What a platform that has a place for it shows a person beside the chat; nothing is changed.

    What is filled in or pressed there goes on as commands of that person.

    * ``settings`` gives the settings as they hold in a chat, to be filled in; None for whoever may
      not change them for all chats.
    * ``faults`` says by their keys which values, as written, are none, and what would be; an empty
      one is.
    * ``home`` gives a person's own page: the private chat at ``address``, what they used, what is
      remembered of that chat. What others said is never in it.
    * ``language`` chooses the language for what the channel itself tells a person at an address.
      Settings and page come in it; ``faults`` are told in whatever language is spoken.
    """

    def settings(
        self, address: ChatAddress, sender: Sender, kind: ChatKind
    ) -> tuple[SettingField, ...] | None: ...
    def faults(self, values: Mapping[str, str]) -> dict[str, str]: ...
    async def home(self, address: ChatAddress, sender: Sender) -> HomePage: ...
    def language(self, address: ChatAddress, sender: Sender) -> Language: ...
