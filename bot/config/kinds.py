"""Values that are more than a number or a word, and the sections that have keys of their own."""

from __future__ import annotations

import base64
import ipaddress
import re
from contextlib import suppress
from typing import Annotated, Self
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from bot.config.wording import nearest
from bot.core.zone_names import (
    is_offset,
    is_worth_suggesting,
    is_zone_name,
    zone_at,
    zone_called,
    zones_called,
)

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
    """Read an IANA name, an offset of whole hours such as UTC+2, or what people call a zone."""
    wanted = zone_at(name) or zone_called(name) or name
    if is_zone_name(wanted) and not is_offset(wanted):
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(wanted).key
    known = {zone.lower(): zone for zone in available_timezones() if is_worth_suggesting(zone)}
    meant = "" if is_offset(name) else known.get(nearest(name, known) or "")
    meant = " or ".join(zones_called(name)) or meant
    hint = f"; did you mean {meant}?" if meant else ", such as Europe/Berlin"
    raise ValueError(f"must be the name of a time zone{hint}")


def is_own_machine(host: str) -> bool:
    """Tell whether a host, as it stands in an address, is the machine that the bot runs on."""
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
        if self.token is None and not is_own_machine(self.host):
            raise ValueError(
                "others can ask at this host, so a token is needed: set the environment variable "
                "DAYBOOK_HTTP_TOKEN, or let host be 127.0.0.1"
            )
        return self


class ProxyPlace(BaseModel):
    """A proxy that speaks HTTP; in the settings it is one text, its address.

    Attributes:
        user_info: What stands before the ``@``, as it was written.
        password: What of that is secret, read.
        basic: Both as a header of HTTP carries them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    host: str
    port: int
    user_info: SecretStr | None = None
    password: SecretStr | None = None
    basic: SecretStr | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_an_address(cls, text: object) -> dict[str, object]:
        """Read the address; what it may hold is never repeated."""
        text = bare_secret(text)
        if not isinstance(text, str):
            raise ValueError("must be text")
        try:
            parts = urlsplit(text)
            port = 80 if parts.port is None else parts.port  # as the clients have it
        except ValueError:
            raise ValueError(_NO_PROXY) from None
        place: dict[str, object] = {"host": parts.hostname, "port": port}
        rest = parts.path.removeprefix("/") + parts.query + parts.fragment
        is_one = parts.scheme == "http" and all(place.values()) and len(text.split()) == 1
        if rest or not is_one:
            raise ValueError(_NO_PROXY)
        user_info, has_one, _ = parts.netloc.rpartition("@")
        if not has_one:
            return place
        user, _, password = map(unquote, user_info.partition(":"))
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        return {**place, "user_info": user_info, "password": password, "basic": basic}

    @property
    def shown(self) -> str:
        """Where it is, for everybody's eyes."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def address(self) -> str:
        """Where it is, with whatever lets one in."""
        before = "" if self.user_info is None else f"{self.user_info.get_secret_value()}@"
        return f"http://{before}{self.shown}"


_NO_PROXY = (
    "must be the address of a proxy that speaks HTTP, such as http://proxy.example:3128 or"
    " http://user:password@proxy.example:3128, with %-escapes for what is no letter or digit"
)

ProxyAddress = Annotated[ProxyPlace, WithJsonSchema({"type": "string", "format": "uri"})]
