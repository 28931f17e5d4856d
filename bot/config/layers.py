"""The sources of settings, read and laid over each other, before anybody asks what they mean.

From weak to strong: ``config.json``, ``config.local.json`` beside it, ``DAYBOOK_<KEY>`` in the
environment. ``.env`` beside them only lends values to ``${NAME}``, below the environment.

``instead`` stands for texts that are not written yet: what a file is going to say, by its path,
None for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from bot.errors import ConfigError

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"
KeyPath = tuple[str, ...]
"""Where a value stands: ``("channels", "telegram", "token")``; items of lists by their number."""

ENVIRONMENT_PREFIX = "DAYBOOK_"
NOT_A_KEY = frozenset({"DAYBOOK_HOME", "DAYBOOK_HTTP_TOKEN"})
"""What looks like a key in the environment and is none: where run.py keeps its own, and
what the tracked settings take from there by ``${NAME}``."""

REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""``${NAME}`` in a value."""

ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
"""A line of ``.env``: its name, and what is written behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """What one source says; ``source`` is how an operator knows it."""

    source: str
    values: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """All layers as one.

    Attributes:
        source: Where to look when nothing said more exactly where a value came from.
        origins: Which source each value is from.
        asked: Values that are taken from the environment, as they are written: ``${NAME}``.
        missing: Those of ``values`` that are absent because the environment lacks that name.
    """

    source: str
    values: JsonObject = field(default_factory=dict, repr=False)
    origins: dict[KeyPath, str] = field(default_factory=dict)
    asked: dict[KeyPath, str] = field(default_factory=dict)
    missing: dict[KeyPath, str] = field(default_factory=dict)

    def source_of(self, path: KeyPath) -> str:
        """Name the source of a value, or of the nearest one around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return self.source


def local_file(path: Path) -> Path:
    """Name the operator's own settings file beside the settings file ``path``."""
    return path.with_suffix(".local.json")


def dotenv_file(path: Path) -> Path:
    """Name the file of variables beside the settings file ``path``."""
    return path.with_name(".env")


def read_layers(
    path: Path,
    environ: Mapping[str, str],
    *,
    is_required: bool,
    instead: Mapping[Path, str | None] = MappingProxyType({}),
) -> Merged:
    """Read every source that goes with the settings file ``path``.

    Raises:
        ConfigError: A source cannot be read or understood, or ``path`` is required and not there.
    """
    merged = Merged(source=str(path))
    own, dotenv = local_file(path), dotenv_file(path)
    layers = [
        _read_file(path, read_text(path, is_required=is_required)),
        _read_file(own, instead[own] if own in instead else read_text(own)),
        *_read_environment(environ),
    ]
    for layer in layers:
        _lay_over(merged, merged.values, layer, layer.values, ())
    lent = _read_dotenv(dotenv, instead[dotenv] if dotenv in instead else read_text(dotenv))
    names = {**lent, **{name: value for name, value in environ.items() if value}}
    resolved = _resolve_object(merged, merged.values, names, ())
    return Merged(
        source=merged.source,
        values=resolved,
        origins=merged.origins,
        asked=merged.asked,
        missing=merged.missing,
    )


def dotted(path: KeyPath) -> str:
    """Write a key path as people do, on one line whatever is in it."""
    return ".".join(part if part.isprintable() else json.dumps(part) for part in path)


def value_at(values: Json, path: KeyPath) -> Json:
    """Give what stands at a path; None for null and for nothing."""
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _read_file(path: Path, text: str | None) -> Layer:
    values = {} if text is None else parse_object(text, str(path))
    return Layer(source=str(path), values=values)


def read_text(path: Path, *, is_required: bool = False) -> str | None:
    """Read a file of settings; None where there is none.

    Raises:
        ConfigError: It cannot be read, or it is required and not there.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        if not is_required:
            return None
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder, not a file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def parse_object(text: str, source: str) -> JsonObject:
    """Read a JSON object without its comments: ``$schema`` and keys that begin with ``//``.

    Raises:
        ConfigError: It is no JSON, no object, or has a key twice.
    """
    try:
        value: Json = json.loads(text, object_pairs_hook=_object_of, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair breaks all it meets
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise ConfigError(f"{source}: {where}: not valid JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:
        why = str(error)
        if isinstance(error, RecursionError):
            why = "nested too deeply"
        elif isinstance(error, UnicodeEncodeError):
            why = "it holds half a character"
        raise ConfigError(f"{source}: not valid JSON ({why})") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{source}: must be an object, in braces")
    return value


def _object_of(pairs: list[tuple[str, Json]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key.startswith("//") or key == "$schema":
            continue
        if key in found:
            raise ValueError(f"the key {key!r} stands there twice")
        found[key] = value
    return found


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is no number")


def _read_environment(environ: Mapping[str, str]) -> Iterator[Layer]:
    """Give each ``DAYBOOK_<KEY>`` as a layer of its own; an empty one counts as not set."""
    for name in sorted(environ):
        text = environ[name]
        if not name.startswith(ENVIRONMENT_PREFIX) or name in NOT_A_KEY or not text:
            continue
        value: Json = text
        if text.lstrip()[:1] in ("[", "{"):
            value = parse_object(f'{{"value": {text}}}', name)["value"]
        for key in reversed(name.removeprefix(ENVIRONMENT_PREFIX).lower().split("__")):
            value = {key: value}
        assert isinstance(value, dict)
        yield Layer(source=name, values=value)


def _read_dotenv(path: Path, text: str | None) -> dict[str, str]:
    """Read ``NAME=value`` lines; quotes around a value are taken off, nothing is substituted."""
    names: dict[str, str] = {}
    for number, line in enumerate((text or "").splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assignment = ASSIGNMENT.fullmatch(stripped)
        if assignment is None:
            raise ConfigError(f"{path}: line {number}: must be NAME=value")
        names[assignment[1]] = _unquoted(assignment[2])
    return names


def _unquoted(value: str) -> str:
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        return value[1:end] if end > 0 else value
    return re.split(r"\s+#", value, maxsplit=1)[0].rstrip()


def _lay_over(
    merged: Merged, below: JsonObject, layer: Layer, above: JsonObject, path: KeyPath
) -> None:
    """Put ``above`` over ``below``, objects key by key; null takes away what stood there."""
    for key, value in above.items():
        here = (*path, key)
        if isinstance(value, dict):
            inner = below.get(key)
            if not isinstance(inner, dict):
                inner = below[key] = {}
            merged.origins.setdefault(here, layer.source)
            _lay_over(merged, inner, layer, value, here)
            continue
        merged.origins[here] = layer.source
        merged.asked.pop(here, None)
        if value is None:
            below.pop(key, None)
        else:
            below[key] = value
            if isinstance(value, str) and REFERENCE.search(value):
                merged.asked[here] = value


def _resolve_object(
    merged: Merged, values: JsonObject, names: Mapping[str, str], path: KeyPath
) -> JsonObject:
    resolved = ((key, _resolve(merged, each, names, (*path, key))) for key, each in values.items())
    return {key: each for key, each in resolved if each is not None}


def _resolve(merged: Merged, value: Json, names: Mapping[str, str], path: KeyPath) -> Json:
    """Replace ``${NAME}``; None stands for a value that lacks a name."""
    if isinstance(value, dict):
        return _resolve_object(merged, value, names, path)
    if isinstance(value, list):
        items = (_resolve(merged, each, names, (*path, str(i))) for i, each in enumerate(value))
        return [item for item in items if item is not None]
    if not isinstance(value, str) or "${" not in value:
        return value
    lacking = [name for name in REFERENCE.findall(value) if not names.get(name)]
    if lacking:
        merged.missing[path] = lacking[0]
        return None
    if "${" in REFERENCE.sub("", value):
        source = merged.source_of(path)
        raise ConfigError(f"{source}: {dotted(path)}: an environment variable is named ${{NAME}}")
    return REFERENCE.sub(lambda match: names[match[1]], value)
