"""Telegram: private chats, groups and their topics, over the Bot API.

Importing this module is cheap: the SDK takes more than half a second and is imported beside the
event loop once it is needed.
"""

import re
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bot.api import Channel, Clock
from channels.telegram.channel import Manner, TelegramChannel
from channels.telegram.limits import OVERALL_PER_S
from channels.telegram.webhook_place import WebhookPlace, secret_for

_TOKEN = re.compile(r"\d+:[A-Za-z0-9_-]+")
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_TELEGRAM = "https://api.telegram.org"

_PORTS = (443, 80, 88, 8443)
"""Where Telegram calls a webhook. Source: Telegram Bot API, setWebhook, read 2026-11-30."""


class Settings(BaseModel):
    """What an operator may set under ``channels.telegram``."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: SecretStr = Field(description="The bot's token, as @BotFather gave it.")
    mode: Literal["polling", "webhook"] = Field(
        default="polling",
        description="Whether the bot asks Telegram for messages, or Telegram calls the bot.",
    )
    base_url: str = Field(
        default=_TELEGRAM,
        pattern=r"^https?://[^\s?#]+$",
        description="Where the Bot API is, for a Bot API server of your own.",
    )
    groups: tuple[int, ...] | None = Field(
        default=None,
        description="Ids of the only groups the bot listens in; without it, all it was added to.",
    )
    messages_per_second: int = Field(
        default=OVERALL_PER_S,
        ge=0,
        le=1000,
        description="Most messages a second over all chats; 0 for a server of your own that sets "
        "no limits, in no chat either.",
    )
    rich: Literal["never", "auto"] = Field(
        default="never",
        description="Whether tables and task lists are sent as rich messages where the server "
        "takes them (`auto`); old apps show nothing of these.",
    )
    server_files: str | None = Field(
        default=None,
        pattern="^/.",
        description="The folder in which a Bot API server of your own, started with `--local`, "
        "keeps files: what it names is read from there, and from nowhere else.",
    )
    webhook_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s?#]+$",
        description="With `webhook`: the address that Telegram calls, as the internet sees it.",
    )
    webhook_host: str = Field(
        default="127.0.0.1",
        description="With `webhook`: the address to listen at, without encryption.",
    )
    webhook_port: int = Field(
        default=8443, ge=0, le=65535, description="With `webhook`: the port to listen at."
    )
    webhook_path: str | None = Field(
        default=None,
        pattern=r"^/[^\s?#{}]*$",
        description="With `webhook`: the path called here, where a proxy changes that of the url.",
    )
    webhook_secret: SecretStr | None = Field(
        default=None,
        description="With `webhook`: what Telegram must bring; without it, made from the token.",
    )

    @field_validator("token")
    @classmethod
    def _looks_like_a_token(cls, token: SecretStr) -> SecretStr:
        """Refuse what could not stand in an address; the message must not show the value."""
        if not _TOKEN.fullmatch(token.get_secret_value()):
            raise ValueError("this is no bot token; @BotFather gives one like 123456:ABC-def")
        return token

    @field_validator("webhook_secret")
    @classmethod
    def _fits_into_a_header(cls, secret: SecretStr | None) -> SecretStr | None:
        """Refuse what Telegram refuses; the message must not show the value."""
        if secret is not None and not _SECRET.fullmatch(secret.get_secret_value()):
            raise ValueError("must be 1 to 256 of the letters A-Z, a-z, 0-9, _ and -")
        return secret

    @field_validator("webhook_url")
    @classmethod
    def _can_be_called(cls, url: str | None, info: ValidationInfo) -> str | None:
        """Refuse what Telegram does not call; a Bot API server of one's own is less strict."""
        if url is None or info.data.get("base_url") != _TELEGRAM:
            return url
        place = urlsplit(url)
        if place.scheme != "https" or (place.port or 443) not in _PORTS:
            raise ValueError("must be https, on port 443, 80, 88 or 8443")
        return url

    @field_validator("server_files")
    @classmethod
    def _is_of_an_own_server(cls, folder: str | None, info: ValidationInfo) -> str | None:
        """Refuse it where Telegram's own server would say what is read of this machine."""
        if folder is not None and info.data.get("base_url") == _TELEGRAM:
            raise ValueError("is for a server of your own: set base_url as well, or leave it away")
        return folder

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if self.mode == "webhook" and self.webhook_url is None:
            raise ValueError("webhook_url is needed with the mode webhook")
        return self

    @property
    def webhook(self) -> WebhookPlace | None:
        """Where Telegram calls; None where the bot asks."""
        if self.mode != "webhook" or self.webhook_url is None:
            return None
        secret = self.webhook_secret or secret_for(self.token.get_secret_value())
        return WebhookPlace(
            url=self.webhook_url,
            host=self.webhook_host,
            port=self.webhook_port,
            path=self.webhook_path or urlsplit(self.webhook_url).path or "/",
            secret=secret,
        )


def build(settings: Settings, clock: Clock) -> Channel:
    """Make the channel; nothing is sent and no SDK imported yet."""
    return TelegramChannel(
        token=settings.token,
        base_url=settings.base_url.rstrip("/"),
        groups=None if settings.groups is None else frozenset(settings.groups),
        clock=clock,
        webhook=settings.webhook,
        manner=Manner(
            per_second=settings.messages_per_second,
            takes_rich=settings.rich == "auto",
            server_files=None if settings.server_files is None else Path(settings.server_files),
        ),
    )
