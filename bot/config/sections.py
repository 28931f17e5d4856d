"""A channel's settings: kept as they were written until the channel itself says what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar, get_args

from pydantic import BaseModel, SecretStr, ValidationError

from bot.config.kinds import bare_secret
from bot.config.layers import JsonObject, KeyPath, Merged, dotted
from bot.config.wording import Findings
from bot.errors import ConfigError

Settings = TypeVar("Settings", bound=BaseModel)

ENABLED = "enabled"
"""The one key of every section: true, the section must be whole; false, it is switched off."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSection:
    """What stands under ``channels.<name>``.

    Attributes:
        is_configured: Whether the operator seems to want this channel. A section that takes values
            from the environment and got none of them was left for later; ``enabled`` decides
            outright. :meth:`is_wanted_as` knows more.
        is_switched_off: Whether ``enabled`` is false.
        missing: The environment variables that it lacks, by the key that asks for them.
        values: Everything but ``enabled``, as written, secrets in clear.
    """

    name: str
    is_configured: bool = True
    is_switched_off: bool = False
    missing: dict[str, str] = field(default_factory=dict)
    values: JsonObject = field(default_factory=dict, repr=False)
    merged: Merged = field(default=Merged(source="settings"), repr=False)

    def is_wanted_as(self, model: type[BaseModel]) -> bool:
        """Say whether the operator wants the channel whose settings are a ``model``.

        One of two tokens written out while the other is missing is a mistake, not a section left
        for later: it is wanted, and reading it says what is missing.
        """
        needed = {name for name, each in model.model_fields.items() if each.is_required()}
        is_begun = bool(needed & self.values.keys())
        return self.is_configured or (is_begun and not self.is_switched_off)


def sections_of(merged: Merged) -> tuple[ChannelSection, ...]:
    """Cut the settings of all channels into sections, in the order in which they were written.

    Raises:
        ConfigError: Something under ``channels`` is no section.
    """
    channels = merged.values.get("channels", {})
    if not isinstance(channels, dict):
        raise ConfigError(f"{merged.source_of(('channels',))}: channels: must be an object")
    return tuple(_section(merged, name, values) for name, values in channels.items())


def _section(merged: Merged, name: str, values: object) -> ChannelSection:
    path = ("channels", name)
    if not _NAME.fullmatch(name) or not isinstance(values, dict):
        problem = "must be an object" if _NAME.fullmatch(name) else "is no name of a channel"
        raise ConfigError(f"{merged.source_of(path)}: {dotted(path)}: {problem}")
    enabled = _switch(merged, (*path, ENABLED), values.get(ENABLED))
    asked = {each for each in merged.asked if each[:2] == path}
    was_left_for_later = bool(asked) and asked <= merged.missing.keys()
    return ChannelSection(
        name=name,
        is_configured=not was_left_for_later if enabled is None else enabled,
        is_switched_off=enabled is False,
        missing={dotted(key[2:]): env for key, env in merged.missing.items() if key[:2] == path},
        values={key: value for key, value in values.items() if key != ENABLED},
        merged=merged,
    )


def _switch(merged: Merged, path: KeyPath, value: object) -> bool | None:
    """Read ``enabled``, which the environment can only give as text."""
    known = {None: None, True: True, False: False, "true": True, "false": False}
    if isinstance(value, (bool, str, type(None))) and value in known:
        return known[value]
    raise ConfigError(f"{merged.source_of(path)}: {dotted(path)}: must be true or false")


def read_section(section: ChannelSection, model: type[Settings]) -> Settings:
    """Give a channel its settings.

    Raises:
        ConfigError: They are not what ``model`` wants; a value that the environment lacks is
            named together with its variable.
    """
    values = {name: _bare(section, model, name, each) for name, each in section.values.items()}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        findings = Findings(
            model=model,
            prefix=("channels", section.name),
            merged=section.merged,
            also_known=(ENABLED,),
        )
        raise ConfigError(findings.worded(error)) from None


def _bare(section: ChannelSection, model: type[BaseModel], name: str, value: object) -> object:
    """Take the blanks around a secret away; what is none is left as it is.

    Raises:
        ConfigError: It is a secret that cannot be one.
    """
    field_ = model.model_fields.get(name)
    if field_ is None or SecretStr not in (field_.annotation, *get_args(field_.annotation)):
        return value
    try:
        return bare_secret(value)
    except ValueError as error:
        path = ("channels", section.name, name)
        source = section.merged.source_of(path)
        raise ConfigError(f"{source}: {dotted(path)}: {error}") from None


def secrets_of(*settings: BaseModel) -> tuple[str, ...]:
    """Collect the secrets that settings hold, so that the log can be told never to show them."""
    return tuple(secret for each in settings for secret in _secrets_in(each))


def _secrets_in(settings: BaseModel) -> Iterator[str]:
    for _, value in settings:
        if isinstance(value, SecretStr):
            yield value.get_secret_value()
        elif isinstance(value, BaseModel):
            yield from _secrets_in(value)
