"""What pydantic finds wrong with settings, in one line for the person who wrote them.

The law of this file: numbers are repeated, texts never, since any of them may be a secret.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel, ValidationError

from bot.config.layers import KeyPath, Merged, dotted

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_SIMPLE = {
    "missing": "is missing",
    "string_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "path_type": "must be text",
}
_FORMS = {
    "^/": "must be a path that begins with /",
    "^https?://": "must be a web address beginning with http:// or https://",
}
"""What a pattern that begins so is meant to say."""

_OF_LENGTH = ("too_short", "too_long")
_OF_NUMBERS = ("int_", "float_", "greater_than", "less_than", "finite_number")


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What is needed to word what is wrong with the values of ``model``.

    Attributes:
        prefix: Where those values stand in the settings.
        also_known: Keys that may stand beside those of ``model``.
    """

    model: type[BaseModel]
    merged: Merged
    prefix: KeyPath = ()
    also_known: tuple[str, ...] = ()

    def worded(self, error: ValidationError) -> str:
        """Word the first finding: source, key, what is wrong, what would be right."""
        details = error.errors(include_url=False)[0]
        inside = tuple(str(part) for part in details["loc"])
        path = (*self.prefix, *inside)
        problem = self._problem(details, inside)
        variable = self.merged.missing.get(path)
        if variable is not None:
            problem = f"{problem}; set the environment variable {variable}"
        return f"{self.merged.source_of(path)}: {dotted(path)}: {problem}"

    def _problem(self, details: ErrorDetails, inside: KeyPath) -> str:
        kind = details["type"]
        if kind == "extra_forbidden":
            around = self._model_around(inside)
            known = (*around.model_fields, *(self.also_known if len(inside) == 1 else ()))
            return unknown_key(inside[-1], known)
        if kind in _SIMPLE:
            return _SIMPLE[kind]
        if kind == "literal_error":
            return f"must be {details['ctx']['expected']}"
        if kind == "string_pattern_mismatch":
            return _wanted_form(details["ctx"]["pattern"])
        if kind == "value_error":
            return str(details["ctx"]["error"])
        if kind.endswith(_OF_LENGTH):
            return _wanted_length(details)
        if kind.startswith(_OF_NUMBERS):
            return _wanted_number(self._field_at(inside), details)
        return details["msg"][:1].lower() + details["msg"][1:]

    def _model_around(self, inside: KeyPath) -> type[BaseModel]:
        """Find the model that the last key of a path belongs to."""
        model = self.model
        for key in inside[:-1]:
            field = model.model_fields.get(key)
            # Of an object that is one by name, and of one that may be null, it is what they hold.
            kinds = () if field is None else (field.annotation, *get_args(field.annotation))
            for inner in kinds:
                if isinstance(inner, type) and issubclass(inner, BaseModel):
                    model = inner
        return model

    def _field_at(self, inside: KeyPath) -> FieldInfo | None:
        return self._model_around(inside).model_fields.get(inside[-1])


def unknown_key(key: str, known: Collection[str]) -> str:
    """Say that there is no such key, and which one may have been meant."""
    meant = nearest(key, known)
    return f"unknown key; did you mean {meant}?" if meant else "unknown key, see docs/config.md"


def nearest(word: str, known: Collection[str]) -> str | None:
    """Find the known word that is most like ``word``, None when none is like it."""
    import difflib  # only a mistake pays for it

    matches = difflib.get_close_matches(word.lower(), known, n=1)
    return matches[0] if matches else None


def limits_of(field: FieldInfo) -> str:
    """Say which numbers a field takes, such as ``from 1 to 100``; empty when any."""
    words = {"ge": "from", "gt": "above", "le": "to", "lt": "below"}
    found = [
        f"{word} {getattr(bound, name)}"
        for name, word in words.items()
        for bound in field.metadata
        if hasattr(bound, name)
    ]
    return " ".join(found)


def _wanted_form(pattern: str) -> str:
    meant = next((words for start, words in _FORMS.items() if pattern.startswith(start)), "")
    return f"{meant} ({pattern})" if meant else f"must match {pattern}"


def _wanted_length(details: ErrorDetails) -> str:
    """Say how long a text or a list must be; how long it is may be a secret's, and is not said."""
    bounds = details["ctx"]
    # A text that is not shown is "Value" to pydantic; all else that has a length holds items.
    is_text = bounds.get("field_type", "Value") == "Value"
    what = "characters" if is_text else "entries"
    least = bounds.get("min_length")
    if least is None:
        return f"must have at most {bounds['max_length']} {what}"
    return "must not be empty" if least == 1 else f"must have at least {least} {what}"


def _wanted_number(field: FieldInfo | None, details: ErrorDetails) -> str:
    is_whole = details["type"].startswith("int_") or (
        field is not None and field.annotation in (int, int | None)
    )
    wanted = "must be a whole number" if is_whole else "must be a number"
    limits = limits_of(field) if field else ""
    given = details["input"]
    shown = isinstance(given, (int, float)) and not isinstance(given, bool)
    return f"{wanted}{' ' if limits else ''}{limits}{f', not {given}' if shown else ''}"
