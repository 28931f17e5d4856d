"""In which language people are spoken to."""

from __future__ import annotations

from collections.abc import Callable

from bot.core.chat import ChatAddress, Sender
from bot.languages import Language

LanguageFor = Callable[[ChatAddress, Sender | None], Language]
"""Chooses the language for a reader in a chat; for None, where nobody asked for what is said."""


def in_english(_address: ChatAddress, _reader: Sender | None) -> Language:
    """Speak English to everybody."""
    return "en"
