"""Every key that may stand in the settings, what it means and what it may be."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from bot.config.certificates import require_certificates
from bot.config.costs import CapKeys, PriceKeys
from bot.config.kinds import (
    AnthropicKeys,
    HttpPlace,
    PersonName,
    PluginName,
    ProxyAddress,
    TimeZoneName,
)
from bot.config.sections import ChannelSection, read_section
from bot.core.access import GroupMode
from bot.errors import ConfigError

Settings = TypeVar("Settings", bound=BaseModel)

CHECKOUT = Path(__file__).resolve().parent.parent.parent
"""Where ``run.py``, the tracked ``config.json`` and ``persona.md`` stand."""

MAX_PERSONA_CHARS = 20_000


class Config(BaseModel):
    """Everything that the operator decided.

    Paths are absolute. ``channels`` holds each section as it was written, for its channel to read.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    data_dir: Path = Field(
        default=Path("data"), description="Folder of everything the bot keeps; made with mode 0700."
    )
    knowledge_dir: Path = Field(
        default=Path("knowledge"),
        description=(
            "Folder of Markdown pages that the bot may recall for everybody; it need not exist."
        ),
    )
    timezone: TimeZoneName = Field(
        default="UTC",
        description="Time zone of days and clock times, such as `Europe/Berlin` or `UTC+2`.",
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
    proxy: ProxyAddress | None = Field(
        default=None,
        description=(
            "Address of an HTTP proxy that every connection to the outside goes through, such as "
            "`http://proxy.example:3128`; with a password best as `${PROXY_URL}`. Without it what "
            "`https_proxy` and `http_proxy` of the environment say; hosts of `no_proxy` and this "
            "machine go without one."
        ),
    )
    ca_file: Path | None = Field(
        default=None,
        description=(
            "PEM file with certificates of CAs, such as your company's, that are trusted beside "
            "those of the system."
        ),
    )
    prices: dict[str, PriceKeys] = Field(
        default={},
        description=(
            "What models cost, by the beginnings of their names, before what the bot knows itself: "
            '`{"claude-sonnet-5-5": {"input": 2.0, "output": 10.0}}`.'
        ),
    )
    caps: CapKeys = Field(
        default=CapKeys(), description="The most that calls of models may take in a day."
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
            "stranger gets a code by which an admin lets them in; `open`, everybody."
        ),
    )
    admins: tuple[PersonName, ...] = Field(
        default=(), description="People who steer the bot, each as `channel:user id`."
    )
    allow: tuple[PersonName, ...] = Field(
        default=(), description="People who may talk to the bot, each as `channel:user id`."
    )
    platform_admins_are_admins: bool = Field(
        default=False,
        description=(
            "Whether admins and owners of the Slack workspace steer the bot; on Telegram nobody "
            "does by that."
        ),
    )
    group_admins_may_configure: bool = Field(
        default=True,
        description=(
            "Whether admins of a group, by the platform's own rules, may clear the bot's context "
            "there and use `/config … --here`."
        ),
    )
    group_mode: GroupMode = Field(
        default="mention",
        description=(
            "What the bot listens to in a group: `mention`, what is said to it; `all`, everything, "
            "in groups that were allowed; `off`, only commands of admins."
        ),
    )
    memory: Literal["on", "off"] = Field(
        default="on",
        description=(
            "Whether what is said is remembered beyond its chat's context and can be recalled; "
            "where it is `off` neither happens, also for what was said meanwhile."
        ),
    )
    embedder: Literal["use", "none"] = Field(
        default="use",
        description=(
            "What finds memories by meaning beside their words: `use`, an encoder of sentences in "
            "16 languages, which works offline and takes 160 MB once it is used; `none`, nothing."
        ),
    )
    group_admins_may_forget: bool = Field(
        default=False,
        description=(
            "Whether admins of a group, by the platform's own rules, may have the bot forget what "
            "was said there by all."
        ),
    )
    channels: Annotated[
        tuple[InstanceOf[ChannelSection], ...],
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "object"}}),
    ] = Field(default=(), description="Where the bot listens, an object for each channel.")
    plugins: tuple[PluginName, ...] = Field(
        default=(
            "clock",
            "web_fetch",
            "memory_tools",
            "tasks",
            "tool_results",
            "save_as_file",
            "reminders",
        ),
        description="Plugins to load, in this order.",
    )
    shutdown_deadline_s: float = Field(
        default=20.0,
        ge=0,
        le=600,
        description="Seconds that running turns have to end when the bot is told to stop.",
    )
    language: Literal["auto", "en", "zh", "ja"] = Field(
        default="auto",
        description=(
            "In which language the bot says what it says itself: English, Chinese, Japanese, or "
            "`auto`, that of each person's app where the platform tells it. The model answers in "
            "the language that it is asked in."
        ),
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="What is logged, from the finest on."
    )
    log_format: Literal["auto", "json", "plain"] = Field(
        default="auto",
        description=(
            "How lines of the log look: `json`, an object each; `plain`, for people; `auto`, for "
            "people on a terminal, else JSON."
        ),
    )

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[info.field_name or ""]
        if isinstance(value, bool) and field.annotation in (int, float, int | None):
            raise ValueError("must be a number, not true or false")
        return value

    @field_validator("data_dir", "knowledge_dir", "persona", "ca_file", mode="before")
    @classmethod
    def _is_some_path(cls, path: object) -> object:
        if isinstance(path, str) and not path.strip():
            raise ValueError("must be a path")
        return path

    @field_validator("data_dir", "knowledge_dir", "persona", "ca_file")
    @classmethod
    def _from_the_settings_file_on(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        """Make a path absolute; a relative one counts from the folder of the settings file."""
        if path is None:
            return None
        text = os.path.expanduser(path)  # noqa: PTH111 - Path's raises where there is no home
        if "\0" in text:
            raise ValueError("must be a path")
        folder: Path = (info.context or {}).get("folder", Path.cwd())
        return folder / text

    @field_validator("ca_file")
    @classmethod
    def _holds_certificates(cls, path: Path | None) -> Path | None:
        if path is not None:
            require_certificates(path)
        return path

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
