"""Reading JSON that somebody else wrote: a wrong kind of value counts as an absent one."""

from __future__ import annotations

from collections.abc import Mapping

JsonObject = Mapping[str, object]


def as_object(value: object) -> JsonObject:
    """Take a value as a JSON object, an empty one if it is none."""
    return value if isinstance(value, dict) else {}


def object_in(holder: JsonObject, key: str) -> JsonObject:
    """Read a member that should be an object."""
    return as_object(holder.get(key))


def text_in(holder: JsonObject, key: str) -> str:
    """Read a member that should be a text."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def count_in(holder: JsonObject, key: str) -> int | None:
    """Read a member that should be a number of things."""
    value = holder.get(key)
    return value if isinstance(value, int) else None
