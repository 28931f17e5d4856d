"""The settings that speak of money: what models cost, and what may be spent in a day."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from bot.core.cost import Cap, Caps
from bot.core.prices import nano_usd

MOST_USD = 1_000_000
MOST_TOKENS = 1_000_000_000_000


class _Numbers(BaseModel):
    """A section that holds numbers, of which none is true or false."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: object, info: ValidationInfo) -> object:
        field = cls.model_fields[info.field_name or ""]
        if isinstance(value, bool) and field.annotation is not bool:
            raise ValueError("must be a number, not true or false")
        return value


class PriceKeys(_Numbers):
    """What a million tokens of a model cost, in dollars."""

    input: float = Field(
        ge=0, le=MOST_USD, description="Dollars for a million tokens that the model reads."
    )
    output: float = Field(
        ge=0, le=MOST_USD, description="Dollars for a million tokens that it writes."
    )
    cache_read: float | None = Field(
        default=None,
        ge=0,
        le=MOST_USD,
        description="Likewise, read from the vendor's cache; without it a tenth of `input`.",
    )
    cache_write: float | None = Field(
        default=None,
        ge=0,
        le=MOST_USD,
        description="Likewise, written to it; without it 1.25 times `input`.",
    )


class CapKeys(_Numbers):
    """The most that calls of models may take in a day."""

    person_usd: float = Field(
        default=5.0,
        ge=0,
        le=MOST_USD,
        description=(
            "Dollars a day for one person in all chats; with 0 only models that are free answer."
        ),
    )
    chat_usd: float = Field(
        default=10.0,
        ge=0,
        le=MOST_USD,
        description="Dollars a day for one chat with all its threads.",
    )
    bot_usd: float = Field(
        default=20.0,
        ge=0,
        le=MOST_USD,
        description="Dollars a day for all together.",
    )
    person_tokens: int | None = Field(
        default=None,
        ge=0,
        le=MOST_TOKENS,
        description="Tokens a day, read and written, for one person in all chats.",
    )
    chat_tokens: int | None = Field(
        default=None,
        ge=0,
        le=MOST_TOKENS,
        description="Tokens a day for one chat with all its threads.",
    )
    bot_tokens: int | None = Field(
        default=None,
        ge=0,
        le=MOST_TOKENS,
        description="Tokens a day for all together, also of models without a price.",
    )
    admins_exempt: bool = Field(
        default=False,
        description="Whether admins of the bot go on beyond all caps; what they use counts.",
    )


def caps_by(amount: Callable[[str], float | None]) -> Caps:
    """Give the caps that settings say; ``amount`` gives a setting by its key."""

    def cap(scope: str) -> Cap:
        money, tokens = (amount(f"caps.{scope}_{unit}") for unit in ("usd", "tokens"))
        return Cap(
            tokens=None if tokens is None else int(tokens),
            nano_usd=None if money is None else nano_usd(money),
        )

    return Caps(person=cap("person"), chat=cap("chat"), bot=cap("bot"))
