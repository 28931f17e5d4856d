"""Telegram: private chats, groups and their topics, over the Bot API.

Importing this module is cheap: the SDK takes more than half a second and is imported beside the
event loop once it is needed.
"""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from bot.api import Channel, Clock
from channels.telegram.channel import TelegramChannel

_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]+")


class Settings(BaseModel):
    """What an operator may set under ``channels.telegram``."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(description="The bot's token, as @BotFather gave it.")
    mode: Literal["polling"] = Field(
        default="polling",
        description="How messages are fetched; there is no other way yet.",
    )
    base_url: str = Field(
        default="https://api.telegram.org",
        pattern=r"^https?://[^\s?#]+$",
        description="Where the Bot API is, for a Bot API server of your own.",
    )
    groups: tuple[int, ...] | None = Field(
        default=None,
        description="Ids of the only groups the bot listens in; without it, all it was added to.",
    )

    @field_validator("token")
    @classmethod
    def _looks_like_a_token(cls, token: SecretStr) -> SecretStr:
        """Refuse what could not stand in an address; the message must not show the value."""
        if not _TOKEN.fullmatch(token.get_secret_value()):
            raise ValueError("this is no bot token; @BotFather gives one like 123456:ABC-def")
        return token


def build(settings: Settings, clock: Clock) -> Channel:
    """Make the channel; nothing is sent and no SDK imported yet."""
    return TelegramChannel(
        token=settings.token,
        base_url=settings.base_url.rstrip("/"),
        groups=None if settings.groups is None else frozenset(settings.groups),
        clock=clock,
    )
