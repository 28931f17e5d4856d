"""What an operator writes under ``channels.slack``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

CHANNEL = "slack"
"""The platform's name in addresses, settings and logs."""


class Settings(BaseModel):
    """Tokens of the Slack app, and where the bot listens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bot_token: SecretStr = Field(
        min_length=1, description="Bot user token (xoxb-…), from OAuth & Permissions."
    )
    app_token: SecretStr = Field(
        min_length=1, description="App-level token (xapp-…) with the scope connections:write."
    )
    signing_secret: SecretStr | None = Field(
        default=None, description="Signing secret; Socket Mode does not need it."
    )
    mode: Literal["socket"] = Field(
        default="socket", description="How events arrive: over a WebSocket that the bot opens."
    )
    base_url: str = Field(
        default="https://slack.com/api/", description="Where Slack's Web API is called."
    )
    channels: tuple[str, ...] | None = Field(
        default=None,
        description="Ids of the only channels to listen in; direct messages are always heard.",
    )
