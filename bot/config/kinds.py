"""Values that are more than a number or a word, and the sections that have keys of their own."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from bot.config.wording import nearest

_PERSON = re.compile(r"[a-z][a-z0-9_]*:[^:\s]+(:[^:\s]+)?")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def _person(name: str) -> str:
    if not _PERSON.fullmatch(name):
        raise ValueError('must name a person as "channel:user id" or "channel:realm:user id"')
    return name


def _plugin(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError("must be the name of a file in plugins/, without its .py")
    return name


def _time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = {zone.lower(): zone for zone in available_timezones()}
        meant = known.get(nearest(name, known) or "")
        hint = f"; did you mean {meant}?" if meant else ", such as Europe/Berlin"
        raise ValueError(f"must be the name of a time zone{hint}") from None
    return name


def _is_own_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _web_address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("must be a web address beginning with http:// or https://")
    return text


def _api_address(text: str) -> str:
    """Read the address of an API as its documents show it, ``/v1`` and all."""
    return _web_address(text).rstrip("/").removesuffix("/v1")


def bare_secret(secret: object) -> object:
    """Take the line end away that comes along when a secret is read from a file.

    Raises:
        ValueError: A character is in it that no header of HTTP could carry.
    """
    secret = secret.strip() if isinstance(secret, str) else secret
    if isinstance(secret, str) and not secret.isprintable():
        raise ValueError("must be one line without control characters")
    return secret


PersonName = Annotated[str, AfterValidator(_person)]
PluginName = Annotated[str, AfterValidator(_plugin)]
TimeZoneName = Annotated[str, AfterValidator(_time_zone)]


class AnthropicKeys(BaseModel):
    """How the model is reached."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_key: SecretStr | None = Field(
        default=None, description="The key of the vendor's API; keep it in the environment."
    )
    base_url: Annotated[str, AfterValidator(_api_address)] | None = Field(
        default=None,
        description="Another server that speaks the Messages API; without it the vendor's own.",
    )

    @field_validator("api_key", mode="before")
    @classmethod
    def _is_one_word(cls, key: object) -> object:
        key = bare_secret(key)
        if isinstance(key, str) and len(key.split()) > 1:
            raise ValueError("must be a key without blanks")
        return key


class HttpPlace(BaseModel):
    """Where a running bot can be asked how it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description=(
            "Address on which the running bot answers the command line and monitors "
            "(`/healthz`, `/readyz`, `/metrics`); any but this machine's own needs `token`."
        ),
    )
    port: int = Field(
        default=8787, ge=0, le=65_535, description="Its port; 0 takes any that is free."
    )
    token: SecretStr | None = Field(
        default=None,
        min_length=16,
        description=(
            "What monitors must bring for `/readyz` and `/metrics`, as `Authorization: Bearer …`; "
            "keep it in the environment."
        ),
    )

    @field_validator("token", mode="before")
    @classmethod
    def _is_one_line(cls, token: object) -> object:
        return bare_secret(token)

    @model_validator(mode="after")
    def _is_guarded(self) -> Self:
        """Let nobody ask from elsewhere without a token."""
        if self.token is None and not _is_own_machine(self.host):
            raise ValueError(
                "others can ask at this host, so a token is needed: set the environment variable "
                "DAYBOOK_HTTP_TOKEN, or let host be 127.0.0.1"
            )
        return self
