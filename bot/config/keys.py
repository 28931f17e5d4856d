"""Every key that may stand in the settings, what it means and what it may be."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    SecretStr,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from bot.config.layers import read_layers
from bot.config.sections import ChannelSection, read_section, sections_of
from bot.config.wording import Findings, nearest
from bot.errors import ConfigError

Settings = TypeVar("Settings", bound=BaseModel)

CHECKOUT = Path(__file__).resolve().parent.parent.parent
"""Where ``run.py``, the tracked ``config.json`` and ``persona.md`` stand."""

MAX_PERSONA_CHARS = 20_000

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


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = {zone.lower(): zone for zone in available_timezones()}
        meant = known.get(nearest(name, known) or "")
        hint = f"; did you mean {meant}?" if meant else ", such as Europe/Berlin"
        raise ValueError(f"must be the name of a time zone{hint}") from None
    return name


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


PersonName = Annotated[str, AfterValidator(_person)]
PluginName = Annotated[str, AfterValidator(_plugin)]


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
        """Take the line end away that comes along when a key is read from a file."""
        key = key.strip() if isinstance(key, str) else key
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
            "(`GET /healthz`); any but this machine's own lets others ask."
        ),
    )
    port: int = Field(
        default=8787, ge=0, le=65_535, description="Its port; 0 takes any that is free."
    )


class Config(BaseModel):
    """Everything that the operator decided.

    Paths are absolute. ``channels`` holds each section as it was written, for its channel to read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    data_dir: Path = Field(
        default=Path("data"), description="Folder of everything the bot keeps; made with mode 0700."
    )
    timezone: Annotated[str, AfterValidator(_timezone)] = Field(
        default="UTC", description="Time zone of days and clock times, such as `Europe/Berlin`."
    )
    persona: Path = Field(
        default=CHECKOUT / "persona.md",
        description="File with the bot's instructions, the first thing the model reads.",
        json_schema_extra={"default": "persona.md"},
    )
    model: str = Field(
        default="claude-sonnet-5-5", min_length=1, description="Name of the model that answers."
    )
    summary_model: str = Field(
        default="claude-haiku-5-5",
        min_length=1,
        description=(
            "Name of the model that summarises what leaves a chat's view; without an API key the "
            "one that answers does."
        ),
    )
    model_window_tokens: int | None = Field(
        default=None,
        ge=4_000,
        le=1_000_000,
        description="What the model reads at once, in tokens; without it what is known of it.",
    )
    anthropic: AnthropicKeys = Field(
        default=AnthropicKeys(), description="How the model is reached."
    )
    max_tokens: int = Field(
        default=4096, ge=256, le=64_000, description="Longest answer of the model, in tokens."
    )
    agent_max_context_tokens: int = Field(
        default=50_000,
        ge=4_000,
        le=1_000_000,
        description="Longest request to the model, in tokens: instructions, tools and messages.",
    )
    agent_max_context_turns: int = Field(
        default=20, ge=1, le=1_000, description="Turns of a chat that the model is shown."
    )
    agent_max_steps: int = Field(
        default=15, ge=1, le=100, description="Rounds of tool calls in one turn."
    )
    conversation_max_age_days: int = Field(
        default=30,
        ge=1,
        le=3_650,
        description="Days after which a silent chat is removed; its memory files stay.",
    )
    http: HttpPlace = Field(
        default=HttpPlace(), description="Where a running bot can be asked how it is."
    )
    access: Literal["pairing", "list", "open"] = Field(
        default="pairing",
        description=(
            "Who may talk to the bot: `list`, the people named here; `pairing`, likewise, and a "
            "stranger is told how to be let in; `open`, everybody."
        ),
    )
    admins: tuple[PersonName, ...] = Field(
        default=(), description="People who steer the bot, each as `channel:user id`."
    )
    allow: tuple[PersonName, ...] = Field(
        default=(), description="People who may talk to the bot, each as `channel:user id`."
    )
    channels: Annotated[
        tuple[InstanceOf[ChannelSection], ...],
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "object"}}),
    ] = Field(default=(), description="Where the bot listens, an object for each channel.")
    plugins: tuple[PluginName, ...] = Field(
        default=("clock", "web_fetch", "tasks", "tool_results"),
        description="Plugins to load, in this order.",
    )
    shutdown_deadline_s: float = Field(
        default=20.0,
        ge=0,
        le=600,
        description="Seconds that running turns have to end when the bot is told to stop.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="What is logged, from the finest on."
    )

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[info.field_name or ""]
        if isinstance(value, bool) and field.annotation in (int, float, int | None):
            raise ValueError("must be a number, not true or false")
        return value

    @field_validator("data_dir", "persona", mode="before")
    @classmethod
    def _is_some_path(cls, path: object) -> object:
        if isinstance(path, str) and not path.strip():
            raise ValueError("must be a path")
        return path

    @field_validator("data_dir", "persona")
    @classmethod
    def _from_the_settings_file_on(cls, path: Path, info: ValidationInfo) -> Path:
        """Make a path absolute; a relative one counts from the folder of the settings file."""
        text = os.path.expanduser(path)  # noqa: PTH111 - Path's raises where there is no home
        if "\0" in text:
            raise ValueError("must be a path")
        folder: Path = (info.context or {}).get("folder", Path.cwd())
        return folder / text

    @field_validator("plugins")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"lists {twice} twice")
        return names

    def read_channel(self, name: str, model: type[Settings]) -> Settings:
        """Give a channel its settings, those of an empty section when it has none.

        Raises:
            ConfigError: They are not what ``model`` wants.
        """
        found = (section for section in self.channels if section.name == name)
        return read_section(next(found, ChannelSection(name=name)), model)

    def read_persona(self) -> str:
        """Read the bot's instructions.

        Raises:
            ConfigError: The file cannot be read, is empty, or is far too long.
        """
        try:
            text = self.persona.read_text(encoding="utf-8-sig").strip()
        except UnicodeDecodeError:
            raise ConfigError(f"persona: {self.persona} is not UTF-8 text") from None
        except OSError as error:
            reason = error.strerror or "cannot be opened"
            raise ConfigError(f"persona: {self.persona} cannot be read ({reason})") from None
        if not 0 < len(text) <= MAX_PERSONA_CHARS:
            problem = f"must hold 1 to {MAX_PERSONA_CHARS} characters, not {len(text)}"
            raise ConfigError(f"persona: {self.persona} {problem}")
        return text


def load(path: Path | None, environ: Mapping[str, str]) -> Config:
    """Read the settings.

    Args:
        path: The settings file; None for ``config.json`` beside ``run.py``, which may be absent.
        environ: The process's environment.

    Raises:
        ConfigError: Something is wrong with them; the text is one line that names the place.
    """
    is_required = path is not None
    file = path if path is not None else CHECKOUT / "config.json"
    merged = read_layers(file, environ, is_required=is_required)
    values = {**merged.values, "channels": sections_of(merged)}
    folder = Path(os.path.abspath(file)).parent  # noqa: PTH100 - resolve() would follow a link
    try:
        return Config.model_validate(values, context={"folder": folder})
    except ValidationError as error:
        raise ConfigError(Findings(model=Config, merged=merged).worded(error)) from None
