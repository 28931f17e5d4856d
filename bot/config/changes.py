"""Which settings admins may change in the chat, and how their words become values.

What a value may be stands in :mod:`bot.config.keys`; a name that is written in a chat is one word
besides. The law of this file: numbers are repeated, texts never, since any of them may be a secret.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from bot.config.keys import Config
from bot.config.wording import limits_of, nearest
from bot.errors import ConfigError

Value = int | float | str | None
"""A setting's value; None where nothing is set, or where a change gives it back."""

_LONGEST_KEY = 64
_SHOWN = re.compile(r"[A-Za-z0-9.,+-]{1,20}")  # nothing that a platform draws or rings a bell for
_NAME = re.compile(r"[\w/][\w.:/@+-]{0,127}")  # as ollama, vLLM, Bedrock and routers name models
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,12}")
_AMOUNT = re.compile(r"\d{1,9}(\.\d{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    is_for_one_chat_too: bool = True
    acts: str = "from the next request to the model on"
    unset: str = "not set"


_RULES = {
    "agent_max_context_tokens": _Rule(),
    "agent_max_context_turns": _Rule(),
    "agent_max_steps": _Rule(),
    "max_tokens": _Rule(),
    "model": _Rule(),
    "summary_model": _Rule(acts="from the next summary on", unset="the model that answers"),
    "model_window_tokens": _Rule(unset="what is known of the model"),
    "group_mode": _Rule(acts="from the next message on"),
    "memory": _Rule(acts="from the next message on"),
    "caps.person_usd": _Rule(is_for_one_chat_too=False),
    "caps.chat_usd": _Rule(is_for_one_chat_too=False),
    "caps.bot_usd": _Rule(is_for_one_chat_too=False),
    "caps.person_tokens": _Rule(is_for_one_chat_too=False, unset="no limit"),
    "caps.chat_tokens": _Rule(is_for_one_chat_too=False, unset="no limit"),
    "caps.bot_tokens": _Rule(is_for_one_chat_too=False, unset="no limit"),
    "conversation_max_age_days": _Rule(
        is_for_one_chat_too=False, acts="from the next daily clean-up on"
    ),
    "log_level": _Rule(is_for_one_chat_too=False, acts="at once"),
}

CHANGEABLE = tuple(_RULES)
"""All of them, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeable:
    """A setting that may be changed in the chat.

    Attributes:
        default: What holds where nobody has set it, neither the operator nor an admin.
        allowed: What it may be, in words: ``a whole number from 1 to 100``.
        acts: From when on a change counts, in words.
        unset: What no value means, in words.
    """

    key: str
    description: str
    default: Value
    allowed: str
    is_for_one_chat_too: bool
    acts: str
    unset: str


def changeable(key: str) -> Changeable:
    """Describe a setting.

    Raises:
        ConfigError: It cannot be changed in the chat; one sentence says so, or names the nearest.
    """
    rule = _RULES.get(key)
    if rule is None:
        raise ConfigError(_why_not(key))
    field = _field_of(key)
    return Changeable(
        key=key,
        description=field.description or "",
        default=field.default,
        allowed=_allowed(field),
        is_for_one_chat_too=rule.is_for_one_chat_too,
        acts=rule.acts,
        unset=rule.unset,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a setting may be, for a form: a number and its limits, one of a few, or a word."""

    kind: Literal["number", "choice", "word"]
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


def bounds_of(key: str) -> Bounds:
    """Say what one of :data:`CHANGEABLE` may be."""
    field = _field_of(key)
    if _is_number(field):
        bounds = {
            name: value
            for each in field.metadata
            for name in ("ge", "le")
            if isinstance(value := getattr(each, name, None), int)
        }
        return Bounds(kind="number", least=bounds.get("ge"), most=bounds.get("le"))
    if get_origin(field.annotation) is Literal:
        return Bounds(kind="choice", choices=_choices(field))
    return Bounds(kind="word")


def read_change(key: str, text: str) -> Value:
    """Read what somebody wrote as the value of a setting.

    Raises:
        ConfigError: There is no such setting, or this is no value of it; one sentence says what
            would be.
    """
    allowed = changeable(key).allowed
    text, field = text.strip(), _field_of(key)
    value: Value = text
    if _is_amount(field):
        value = float(text) if _AMOUNT.fullmatch(text) else None
    elif _is_number(field):
        value = int(text) if _WHOLE_NUMBER.fullmatch(text) else None
    elif get_origin(field.annotation) is Literal:
        value = next((each for each in _choices(field) if each.lower() == text.lower()), None)
    if value is None or not is_value(key, value):
        given = f", not {text}" if _SHOWN.fullmatch(text) else ""
        raise ConfigError(f"`{key}` must be {allowed}{given}; nothing was changed.")
    return value


def is_value(key: str, value: object) -> bool:
    """Say whether this, perhaps kept by another version, may stand in the operator's place."""
    if key not in _RULES or value is None:
        return False
    try:
        _adapter(key).validate_python(value, strict=True)
    except ValidationError:
        return False
    return not isinstance(value, str) or _NAME.fullmatch(value) is not None


def operator_values(config: Config) -> dict[str, Value]:
    """Give what the operator has, for each of :data:`CHANGEABLE`."""
    return {key: _value_in(config, key) for key in CHANGEABLE}


def _value_in(config: Config, key: str) -> Value:
    section, _, inner = key.partition(".")
    value: object = getattr(config, section)
    value = getattr(value, inner) if inner else value
    assert value is None or isinstance(value, int | float | str)
    return value


def _field_of(key: str) -> FieldInfo:
    section, _, inner = key.partition(".")
    field = Config.model_fields[section]
    if not inner:
        return field
    assert isinstance(field.annotation, type)
    assert issubclass(field.annotation, BaseModel)
    return field.annotation.model_fields[inner]


def _why_not(key: str) -> str:
    section, _, inner = key.partition(".")
    near = nearest(key[:_LONGEST_KEY], CHANGEABLE)
    is_misspelt = (
        near is not None and near.startswith(f"{section}.") and inner not in _keys(section)
    )
    if section in Config.model_fields and not is_misspelt:
        whole = key if inner in _keys(section) else section
        return f"`{whole}` is for the operator to change, in the settings file; not in a chat."
    if near is not None:
        return f"There is no such setting; did you mean `{near}`?"
    return "There is no such setting; `/config` lists all that can be changed here."


def _keys(section: str) -> frozenset[str]:
    """Give the keys of a section of the settings; none where it is not one."""
    field = Config.model_fields.get(section)
    kind = None if field is None else field.annotation
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return frozenset(kind.model_fields)
    return frozenset()


@cache
def _adapter(key: str) -> TypeAdapter[object]:
    field = _field_of(key)
    return TypeAdapter(Annotated[(field.annotation, field)])  # type: ignore[arg-type]  # made at run time


def _allowed(field: FieldInfo) -> str:
    if _is_amount(field):
        return f"a number {limits_of(field)}"
    if _is_number(field):
        return f"a whole number {limits_of(field)}"
    if get_origin(field.annotation) is Literal:
        *others, last = _choices(field)
        return f"{', '.join(others)} or {last}"
    return "the name of a model"


def _choices(field: FieldInfo) -> tuple[str, ...]:
    return tuple(map(str, get_args(field.annotation)))


def _is_amount(field: FieldInfo) -> bool:
    return field.annotation is float or float in get_args(field.annotation)


def _is_number(field: FieldInfo) -> bool:
    return field.annotation is int or int in get_args(field.annotation)
