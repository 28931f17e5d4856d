"""The list of commands that Telegram shows at the ``/``: by place, by rights, by language.

Telegram takes the narrowest list that fits a person and a chat, and of it the one in the language
of their app: https://core.telegram.org/bots/api#botcommandscope, read 2026-11-30.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Final

from bot.api import LANGUAGES, ChannelError, ChatAddress, MenuEntry
from channels.telegram.roles import Ask

MENU_LANGUAGES: Final = ("", *LANGUAGES[1:])
"""Those in which the bot's own commands are described; the first, English, is for all others."""

MOST_COMMANDS: Final = 100
MOST_DESCRIPTION_CHARS: Final = 256
"""Source: Telegram Bot API, setMyCommands and BotCommand, read 2026-11-30."""

_NAME = re.compile(r"[a-z0-9_]{1,32}")
_READ_BY: Final = {
    "default": ("everyone",),
    "all_private_chats": ("everyone", "owners_of_chat"),
    "all_chat_administrators": ("everyone", "owners_of_chat", "chat_admins"),
    "chat": ("everyone", "owners_of_chat", "chat_admins", "admins"),
}
"""Whose commands a list of each scope shows; ``chat`` is an admin's private one."""


class Menu:
    """Sends the lists that differ from what was sent last."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._sent: dict[str, str] = {}
        self._chats: frozenset[str] = frozenset()

    async def offer(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Put the commands where they are to be seen; admins of the bot see all in their chats.

        From ``former`` admins the list is taken that an earlier process may have given them.

        Raises:
            ChannelError: Some list was refused, the first one that was; all others are there.
        """
        chats = frozenset(address.chat for address in admins)
        failures: list[ChannelError] = []
        for scope in _scopes(chats):
            for language in MENU_LANGUAGES:
                commands = _commands(entries, str(scope["type"]), language)
                await self._set(scope, language, commands, failures)
        left = self._chats | {address.chat for address in former}
        for chat in sorted(left - chats):
            for language in MENU_LANGUAGES:
                await self._set(_chat_scope(chat), language, [], failures)
        self._chats = chats
        if failures:
            raise failures[0]

    async def _set(
        self,
        scope: dict[str, object],
        language: str,
        commands: list[dict[str, str]],
        failures: list[ChannelError],
    ) -> None:
        """Send one list unless it is there; an empty one is taken away."""
        parameters: dict[str, object] = {"scope": scope, "language_code": language}
        place = json.dumps(parameters, sort_keys=True)
        mark = hashlib.sha256(json.dumps(commands).encode()).hexdigest()
        if self._sent.get(place) == mark:
            return
        try:
            if commands:
                await self._ask("setMyCommands", {**parameters, "commands": commands})
            else:
                await self._ask("deleteMyCommands", parameters)
        except ChannelError as error:
            failures.append(error)
        else:
            self._sent[place] = mark


def _scopes(chats: frozenset[str]) -> list[dict[str, object]]:
    whole: list[dict[str, object]] = [{"type": each} for each in _READ_BY if each != "chat"]
    return whole + [_chat_scope(chat) for chat in sorted(chats)]


def _chat_scope(chat: str) -> dict[str, object]:
    return {"type": "chat", "chat_id": int(chat)}


def _commands(entries: tuple[MenuEntry, ...], scope: str, language: str) -> list[dict[str, str]]:
    return [
        {
            "command": entry.name,
            "description": entry.described(language)[:MOST_DESCRIPTION_CHARS],
        }
        for entry in entries
        if entry.reader in _READ_BY[scope] and _NAME.fullmatch(entry.name)
    ][:MOST_COMMANDS]
