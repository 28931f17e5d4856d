"""The sources of settings looked at as such: what stands where, and who else can read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from bot.config.layers import (
    ASSIGNMENT,
    REFERENCE,
    KeyPath,
    Merged,
    dotenv_file,
    dotted,
    local_file,
    parse_object,
    read_layers,
    read_text,
    value_at,
)
from bot.config.sections import sections_of

_IS_SECRET = re.compile(r"(?:^|_)(?:token|secret|password|api_key)$")
_HOLDS_PASSWORD = re.compile(r"://[^/\s@]*:[^/\s@]+@")

OFFERED: Mapping[KeyPath, str] = MappingProxyType(
    {
        ("anthropic", "api_key"): "ANTHROPIC_API_KEY",
        ("anthropic", "base_url"): "ANTHROPIC_BASE_URL",
        ("http", "token"): "DAYBOOK_HTTP_TOKEN",
        ("channels", "slack", "signing_secret"): "SLACK_SIGNING_SECRET",
    }
)
"""Variables that the tracked settings ask for so that whoever wants to can set them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unset:
    """A key that is to come from a variable which says nothing, and so counts as not written."""

    key: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsLook:
    """What was seen; no value is in it.

    Attributes:
        overriding: Sources above the settings file, each with the keys that it decides.
        plain_secrets: Keys of secrets that are written out in the settings file itself.
        unasked: Names of ``.env`` that no setting asks for: they have no effect.
        unset: As :func:`unset_variables` gives them.
        own_files: The files that hold secrets, of those that are there.
    """

    overriding: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plain_secrets: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    unset: tuple[Unset, ...] = ()
    own_files: tuple[Path, ...] = ()


def look_at_settings(path: Path, environ: Mapping[str, str]) -> SettingsLook:
    """Look at the sources that go with a settings file.

    Raises:
        ConfigError: One of them cannot be read.
    """
    merged = read_layers(path, environ, is_required=False)
    plain = {each: tuple(_plain_secrets(each, merged)) for each in (path, local_file(path))}
    secret_files = (*(each for each, keys in plain.items() if keys), dotenv_file(path))
    return SettingsLook(
        overriding=tuple(_overriding(path, merged)),
        plain_secrets=plain[path],
        unasked=tuple(_unasked(path, environ)),
        unset=tuple(_unset(merged)),
        own_files=tuple(each for each in secret_files if each.exists()),
    )


def unset_variables(path: Path, environ: Mapping[str, str]) -> tuple[Unset, ...]:
    """Find what the operator meant to set by ``${NAME}``, and did not, since no variable has it.

    What is only offered is none of it, nor is a channel that was left for later or switched off:
    whoever lists channels says what those lack.

    Raises:
        ConfigError: A source of the settings cannot be read.
    """
    return tuple(_unset(read_layers(path, environ, is_required=False)))


def _unset(merged: Merged) -> Iterator[Unset]:
    unwanted = {each.name for each in sections_of(merged) if not each.is_configured}
    for path, variable in merged.missing.items():
        is_of_unwanted = path[0] == "channels" and not unwanted.isdisjoint(path[1:2])
        if OFFERED.get(path) != variable and not is_of_unwanted:
            yield Unset(key=dotted(path), variable=variable)


def _overriding(path: Path, merged: Merged) -> Iterator[tuple[str, tuple[str, ...]]]:
    inner = {key[:length] for key in merged.origins for length in range(1, len(key))}
    keys_of: dict[str, list[str]] = {}
    for key, source in merged.origins.items():
        if key not in inner and source != str(path):
            keys_of.setdefault(source, []).append(dotted(key))
    for source, keys in keys_of.items():
        yield (Path(source).name, tuple(keys))


def _plain_secrets(path: Path, merged: Merged) -> Iterator[str]:
    """Find secrets that count and are written out in a file of settings."""
    for key, source in merged.origins.items():
        value = value_at(merged.values, key)
        if source != str(path) or key in merged.asked or not value:
            continue
        has_one = isinstance(value, str) and _HOLDS_PASSWORD.search(value)
        if has_one or _IS_SECRET.search(key[-1]):
            yield dotted(key)


def _unasked(path: Path, environ: Mapping[str, str]) -> Iterator[str]:
    own = (text for each in (path, local_file(path)) if (text := read_text(each)) is not None)
    # Parsed and written again: a reference in a comment asks for nothing.
    objects = (str(parse_object(text, "")) for text in own)
    asked = {name for text in (*objects, *environ.values()) for name in REFERENCE.findall(text)}
    for line in (read_text(dotenv_file(path)) or "").splitlines():
        assignment = ASSIGNMENT.fullmatch(line.strip())
        if assignment is not None and assignment[1] not in asked:
            yield assignment[1]
