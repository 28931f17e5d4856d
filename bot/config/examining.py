"""The sources of settings looked at as such: what stands where, and who else can read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.config.layers import (
    ASSIGNMENT,
    REFERENCE,
    Merged,
    dotenv_file,
    dotted,
    local_file,
    parse_object,
    read_layers,
    read_text,
    value_at,
)

_IS_SECRET = re.compile(r"(?:^|_)(?:token|secret|password|api_key)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsLook:
    """What was seen; no value is in it.

    Attributes:
        overriding: Sources above the settings file, each with the keys that it decides.
        plain_secrets: Keys of secrets that are written out in the settings file itself.
        unasked: Names of ``.env`` that no setting asks for: they have no effect.
        own_files: The files that hold secrets, of those that are there.
    """

    overriding: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plain_secrets: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    own_files: tuple[Path, ...] = ()


def look_at_settings(path: Path, environ: Mapping[str, str]) -> SettingsLook:
    """Look at the sources that go with a settings file.

    Raises:
        ConfigError: One of them cannot be read.
    """
    merged = read_layers(path, environ, is_required=False)
    plain = tuple(_plain_secrets(path, merged))
    secret_files = (*([path] if plain else ()), local_file(path), dotenv_file(path))
    return SettingsLook(
        overriding=tuple(_overriding(path, merged)),
        plain_secrets=plain,
        unasked=tuple(_unasked(path, environ)),
        own_files=tuple(each for each in secret_files if each.exists()),
    )


def _overriding(path: Path, merged: Merged) -> Iterator[tuple[str, tuple[str, ...]]]:
    inner = {key[:length] for key in merged.origins for length in range(1, len(key))}
    keys_of: dict[str, list[str]] = {}
    for key, source in merged.origins.items():
        if key not in inner and source != str(path):
            keys_of.setdefault(source, []).append(dotted(key))
    for source, keys in keys_of.items():
        yield (Path(source).name, tuple(keys))


def _plain_secrets(path: Path, merged: Merged) -> Iterator[str]:
    """Find secrets that count and stand in the settings file, which is no place to keep any."""
    for key, source in merged.origins.items():
        is_written_out = source == str(path) and key not in merged.asked
        if is_written_out and _IS_SECRET.search(key[-1]) and value_at(merged.values, key):
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
