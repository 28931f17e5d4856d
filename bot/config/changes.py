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
from bot.config.wording import nearest
from bot.errors import ConfigError
from bot.languages import gettext, gettext_noop
from bot.languages.rows import in_a_row

Value = int | float | str | None
"""A setting's value; None where nothing is set, or where a change gives it back."""

_LONGEST_KEY = 64
_SHOWN = re.compile(r"[A-Za-z0-9.,+-]{1,20}")  # nothing that a platform draws or rings a bell for
_NAME = re.compile(r"[\w/][\w.:/@+-]{0,127}")  # as ollama, vLLM, Bedrock and routers name models
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,12}")
_AMOUNT = re.compile(r"\d{1,9}(\.\d{1,9})?")


_NEXT_REQUEST = gettext_noop("from the next request to the model on")
_NEXT_MESSAGE = gettext_noop("from the next message on")
_NO_LIMIT = gettext_noop("no limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    is_for_one_chat_too: bool = True
    acts: str = _NEXT_REQUEST
    unset: str = gettext_noop("not set")


_RULES = {
    "agent_max_context_tokens": _Rule(),
    "agent_max_context_turns": _Rule(),
    "agent_max_steps": _Rule(),
    "max_tokens": _Rule(),
    "model": _Rule(),
    "summary_model": _Rule(
        acts=gettext_noop("from the next summary on"), unset=gettext_noop("the model that answers")
    ),
    "model_window_tokens": _Rule(unset=gettext_noop("what is known of the model")),
    "group_mode": _Rule(acts=_NEXT_MESSAGE),
    "memory": _Rule(acts=_NEXT_MESSAGE),
    "language": _Rule(acts=_NEXT_MESSAGE),
    "caps.person_usd": _Rule(is_for_one_chat_too=False),
    "caps.chat_usd": _Rule(is_for_one_chat_too=False),
    "caps.bot_usd": _Rule(is_for_one_chat_too=False),
    "caps.person_tokens": _Rule(is_for_one_chat_too=False, unset=_NO_LIMIT),
    "caps.chat_tokens": _Rule(is_for_one_chat_too=False, unset=_NO_LIMIT),
    "caps.bot_tokens": _Rule(is_for_one_chat_too=False, unset=_NO_LIMIT),
    "conversation_max_age_days": _Rule(
        is_for_one_chat_too=False, acts=gettext_noop("from the next daily clean-up on")
    ),
    "log_level": _Rule(is_for_one_chat_too=False, acts=gettext_noop("at once")),
}

CHANGEABLE = tuple(_RULES)
"""All of them, in the order in which they are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeable:
    """A setting that may be changed in the chat, its words but for ``description`` translated.

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
        acts=gettext(rule.acts),
        unset=gettext(rule.unset),
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
        least, most = _limits(field)
        return Bounds(kind="number", least=least, most=most)
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
        raise ConfigError(_no_value(key, allowed, text))
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


def _no_value(key: str, allowed: str, given: str) -> str:
    if not _SHOWN.fullmatch(given):
        return gettext("`{key}` must be {allowed}; nothing was changed.", key=key, allowed=allowed)
    return gettext(
        "`{key}` must be {allowed}, not {given}; nothing was changed.",
        key=key,
        allowed=allowed,
        given=given,
    )


def _why_not(key: str) -> str:
    section, _, inner = key.partition(".")
    near = nearest(key[:_LONGEST_KEY], CHANGEABLE)
    is_misspelt = (
        near is not None and near.startswith(f"{section}.") and inner not in _keys(section)
    )
    if section in Config.model_fields and not is_misspelt:
        whole = key if inner in _keys(section) else section
        return gettext(
            "`{key}` is for the operator to change, in the settings file; not in a chat.", key=whole
        )
    if near is not None:
        return gettext("There is no such setting; did you mean `{key}`?", key=near)
    return gettext("There is no such setting; `/config` lists all that can be changed here.")


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
        least, most = _limits(field)
        return gettext("a number from {least} to {most}", least=least, most=most)
    if _is_number(field):
        least, most = _limits(field)
        return gettext("a whole number from {least} to {most}", least=least, most=most)
    if get_origin(field.annotation) is Literal:
        *others, last = _choices(field)
        return gettext("{others} or {last}", others=in_a_row(others), last=last)
    return gettext("the name of a model")


def _limits(field: FieldInfo) -> tuple[int, int]:
    """Give the least and the greatest number that a field takes; all that are offered have both."""
    limits = {
        name: value
        for each in field.metadata
        for name in ("ge", "le")
        if isinstance(value := getattr(each, name, None), int)
    }
    return limits["ge"], limits["le"]


def _choices(field: FieldInfo) -> tuple[str, ...]:
    return tuple(map(str, get_args(field.annotation)))


def _is_amount(field: FieldInfo) -> bool:
    return field.annotation is float or float in get_args(field.annotation)


def _is_number(field: FieldInfo) -> bool:
    return field.annotation is int or int in get_args(field.annotation)
