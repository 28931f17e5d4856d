"""The two files that are the operator's own, as texts that are changed before they are written.

``config.local.json`` holds settings and ``.env`` secrets, beside the settings file, which is never
touched. Comments and the lines of others stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config.layers import (
    ASSIGNMENT,
    ENVIRONMENT_PREFIX,
    REFERENCE,
    Json,
    JsonObject,
    KeyPath,
    dotenv_file,
    local_file,
    read_layers,
    value_at,
)

_QUOTES = ("'", '"')
_NEEDS_QUOTES = re.compile(r"[\s'\"`$&|;<>()\\*?~!#{}\[\]]")
"""What ends a value, or means something to a shell that reads the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the settings say of one key that takes its value from a variable.

    Attributes:
        variable: The one that it takes its value from, or is to take it from.
        is_referred_to: Whether the settings name that variable already.
        is_set: Whether there is a value.
        source: Where the key stands; empty where it stands nowhere.
        fixed_by: The variable of the process's environment that goes before both files; empty
            where there is none.
    """

    variable: str
    is_referred_to: bool
    is_set: bool
    source: str
    fixed_by: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OwnFiles:
    """The texts of both files, None where there is none; secrets stand in them in clear."""

    settings_file: Path
    local: str | None = None
    dotenv: str | None = None

    @property
    def texts(self) -> dict[Path, str | None]:
        """Both texts by their paths, as :func:`~bot.config.load` takes them."""
        return {
            local_file(self.settings_file): self.local,
            dotenv_file(self.settings_file): self.dotenv,
        }

    def look_up(self, environ: Mapping[str, str], path: KeyPath, variable: str) -> Held:
        """Say where a value comes from; ``variable`` is for a key that names none.

        Raises:
            ConfigError: The settings cannot be understood.
        """
        merged = read_layers(self.settings_file, environ, is_required=False, instead=self.texts)
        named = REFERENCE.fullmatch(merged.asked.get(path, ""))
        source = merged.origins.get(path, "")
        name = named[1] if named else variable
        fixed_by = source if source.startswith(ENVIRONMENT_PREFIX) else ""
        if named and environ.get(name):
            fixed_by = name
        return Held(
            variable=name,
            is_referred_to=named is not None,
            is_set=value_at(merged.values, path) is not None,
            source=source,
            fixed_by=fixed_by,
        )

    def local_value(self, path: KeyPath) -> Json:
        """Give what ``config.local.json`` says of a key; None for null and for nothing."""
        return value_at(self._local_values(), path)

    def with_secret(
        self, environ: Mapping[str, str], path: KeyPath, variable: str, secret: str
    ) -> OwnFiles:
        """Put a secret into ``.env``, and see to it that the key takes it from there."""
        files = self
        if not files.look_up(environ, path, variable).is_referred_to:
            files = files.without_value(path)  # perhaps the settings file itself names a variable
        held = files.look_up(environ, path, variable)
        if not held.is_referred_to:
            files = files.with_value(path, f"${{{held.variable}}}")
        return files.with_variable(held.variable, secret)

    def with_variable(self, name: str, value: str | None) -> OwnFiles:
        """Let ``.env`` give a variable this value, or none.

        Raises:
            ValueError: No line of ``.env`` can hold it.
        """
        lines: list[str] = []
        new = None if value is None else f"{name}={_as_written(value)}"
        for line in (self.dotenv or "").splitlines():
            assignment = ASSIGNMENT.fullmatch(line.strip())
            if assignment is None or assignment[1] != name:
                lines.append(line)
            elif new is not None:
                lines.append(new)
                new = None
        if new is not None:
            lines.append(new)
        text = "".join(f"{line}\n" for line in lines)
        return replace(self, dotenv=None if self.dotenv is None and not text else text)

    def with_value(self, path: KeyPath, value: Json) -> OwnFiles:
        """Let ``config.local.json`` say this of a key; None is written as null."""
        values = self._local_values()
        inner = values
        for key in path[:-1]:
            below = inner.get(key)
            if not isinstance(below, dict):
                below = inner[key] = {}
            inner = below
        inner[path[-1]] = value
        return self._with_local(values)

    def without_value(self, path: KeyPath) -> OwnFiles:
        """Let ``config.local.json`` say nothing of a key, nor hold an object emptied by that."""
        values = self._local_values()
        around = [values]
        for key in path[:-1]:
            below = around[-1].get(key)
            if not isinstance(below, dict):
                return self
            around.append(below)
        if path[-1] not in around[-1]:
            return self
        del around[-1][path[-1]]
        for key, outer in zip(reversed(path[:-1]), reversed(around[:-1]), strict=True):
            if outer[key] == {}:
                del outer[key]
        return self._with_local(values)

    def _local_values(self) -> JsonObject:
        found: JsonObject = json.loads(self.local or "{}", object_pairs_hook=_with_comments)
        return found

    def _with_local(self, values: JsonObject) -> OwnFiles:
        return replace(self, local=json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def _as_written(value: str) -> str:
    """Write a value so that it is read again as it was, here and by shells."""
    if not value.isprintable():
        raise ValueError("a value of .env must be one line")
    if not value or _NEEDS_QUOTES.search(value):
        quote = next((each for each in _QUOTES if each not in value), None)
        if quote is None:
            raise ValueError("a value of .env cannot hold both kinds of quotes")
        return f"{quote}{value}{quote}"
    return value


def _with_comments(pairs: list[tuple[str, Json]]) -> JsonObject:
    """Keep comments of the same name apart, which may stand in a file more than once."""
    found: JsonObject = {}
    for key, value in pairs:
        name = key
        while name in found and name.startswith("//"):
            name += " "
        found[name] = value
    return found
