"""What an operator writes under ``channels.slack``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator

CHANNEL = "slack"
"""The platform's name in addresses, settings and logs."""

MOST_CONNECTIONS = 10
"""Source: docs.slack.dev, Using Socket Mode, read 2026-11-30."""

_KINDS_OF_TOKENS = {
    "xoxb-": "a bot token",
    "xoxp-": "a person's token",
    "xapp-": "an app token",
}
"""Source: docs.slack.dev, Tokens, read 2026-11-30."""

_BEGINS_WITH = {"bot_token": "xoxb-", "app_token": "xapp-"}
_NEEDED_IN = {"app_token": "socket", "signing_secret": "http"}


class Settings(BaseModel):
    """Tokens of the Slack app, and where the bot listens."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    mode: Literal["socket", "http"] = Field(
        default="socket",
        description="How events arrive: over a WebSocket that the bot opens, or by requests of "
        "Slack to the bot.",
    )
    bot_token: SecretStr = Field(
        min_length=1, description="Bot user token (xoxb-…), from OAuth & Permissions."
    )
    app_token: SecretStr | None = Field(
        default=None,
        validate_default=True,
        description="With `socket`: app-level token (xapp-…) with the scope connections:write.",
    )
    signing_secret: SecretStr | None = Field(
        default=None,
        validate_default=True,
        description="With `http`: the signing secret, from Basic Information.",
    )
    base_url: str = Field(
        default="https://slack.com/api/", description="Where Slack's Web API is called."
    )
    channels: tuple[str, ...] | None = Field(
        default=None,
        description="Ids of the only channels to listen in; direct messages are always heard.",
    )
    threads: Literal["follow", "mention"] = Field(
        default="follow",
        description="In a thread where the bot takes part: whether it answers what is written to "
        "nobody by name (`follow`), or only when it is mentioned.",
    )
    guests: Literal["closed", "open"] = Field(
        default="closed",
        description="Whether guests, and people of other workspaces, are let in along with others "
        "(`open`), or by name only.",
    )
    connections: int = Field(
        default=1,
        ge=1,
        le=MOST_CONNECTIONS,
        description="With `socket`: how many WebSockets are kept open; each event comes over one.",
    )
    http_host: str = Field(
        default="127.0.0.1",
        description="With `http`: the address to listen at, without encryption.",
    )
    http_port: int = Field(
        default=3000, ge=0, le=65535, description="With `http`: the port to listen at."
    )
    http_path: str = Field(
        default="/slack/events",
        pattern=r"^/[^\s?#{}]*$",
        description="With `http`: the path that Slack calls, for events, commands and buttons.",
    )

    @field_validator("bot_token", "app_token")
    @classmethod
    def _is_of_its_kind(cls, token: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        """Refuse a token that stands in the place of another, which Slack would merely refuse."""
        given = token.get_secret_value() if token else ""
        wanted = _BEGINS_WITH[str(info.field_name)]
        for prefix, kind in _KINDS_OF_TOKENS.items():
            if given.startswith(prefix) and prefix != wanted:
                raise ValueError(f"holds {kind} ({prefix}…); here belongs one with {wanted}…")
        return token

    @field_validator("app_token", "signing_secret")
    @classmethod
    def _is_there_where_needed(
        cls, secret: SecretStr | None, info: ValidationInfo
    ) -> SecretStr | None:
        mode = _NEEDED_IN[str(info.field_name)]
        is_needed = info.data.get("mode") == mode
        if is_needed and not (secret and secret.get_secret_value()):
            raise ValueError(f"is needed with the mode {mode}")
        return secret
