"""What a tool takes: the JSON schema a typed function stands for, and the reading against it.

The law of this file: the function's own annotations are the only source. What the model is told
and what is checked come from one pydantic model, so the two cannot differ.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from bot.errors import PluginError, ToolError
from bot.ports import ToolContext

MAX_DESCRIPTION_CHARS = 1024
_MAX_SHAPE_CHARS = 600
_MAX_PROBLEMS = 5
_NAME_MAPS = frozenset({"properties", "$defs"})
_PLAIN_VALUES = frozenset({"default", "examples", "enum", "const", "required"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What an async function takes from the model.

    Attributes:
        model: Checks the arguments. Its fields are numbered and the real names are aliases, since
            a parameter may be called ``schema`` or ``copy``, which pydantic keeps for itself.
        names: The parameters, in the order of the fields.
        context_name: The parameter that is given the :class:`~bot.ports.ToolContext`, if any.
        schema: JSON Schema text with sorted keys.
        shape: The same in one short line, for an error.
    """

    model: type[BaseModel]
    names: tuple[str, ...]
    context_name: str | None
    schema: str
    shape: str

    def parse(self, arguments: str) -> dict[str, object]:
        """Read JSON text into the function's keyword arguments.

        Numbers and booleans written as text are taken (``"5"`` for 5), as models write them so; a
        number where text is wanted is not. A key that the function does not know is refused.

        Raises:
            ToolError: They do not fit; the text says what is wrong and what is expected. It never
                repeats the arguments.
        """
        if not arguments.strip():
            raise ToolError(f"No arguments were given. Expected {self.shape}.")
        try:
            values = self.model.model_validate_json(arguments)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False, include_context=False)
            texts = [self._problem(each) for each in problems[:_MAX_PROBLEMS]]
            raise ToolError(f"{'; '.join(texts)}. Expected {self.shape}.") from None
        return {name: getattr(values, _field(n)) for n, name in enumerate(self.names)}

    def _problem(self, error: ErrorDetails) -> str:
        where = ".".join(str(part) for part in error["loc"])
        match error["type"]:
            case "json_invalid":
                detail = error["msg"].removeprefix("Invalid JSON: ")
                cut = ", they seem to be cut off" if detail.startswith("EOF") else ""
                return f"The arguments are not valid JSON{cut} ({detail})"
            case "model_type":
                return "The arguments are not a JSON object"
            case "missing":
                return f"{where} is missing"
            case "extra_forbidden":
                near = get_close_matches(where, self.names, n=1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                return f"{where[:64]} is not an argument of this tool{hint}"
            case _:
                return f"{where}: {error['msg']}"


def read_signature(function: Callable[..., object]) -> Signature:
    """Read what a function takes; each parameter is annotated and described.

    A description is the text in ``Annotated[int, "text"]``, or pydantic's own ``Field``.

    Raises:
        PluginError: A parameter cannot be offered to a model; the text names it.
    """
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise PluginError(f"an annotation cannot be read: {error}") from error
    fields: dict[str, Any] = {}  # Any: pydantic types its keyword arguments so
    names: list[str] = []
    context_name: str | None = None
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise PluginError(f"parameter {name!r} cannot be given by name")
        if name not in hints:
            raise PluginError(f"parameter {name!r} has no type")
        if hints[name] is ToolContext:
            context_name = name
            continue
        fields[_field(len(names))] = (hints[name], _field_info(parameter, hints[name]))
        names.append(name)
    model = _model(fields)
    schema = model.model_json_schema()
    return Signature(
        model=model,
        names=tuple(names),
        context_name=context_name,
        schema=json.dumps(
            _without_titles(schema), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        ),
        shape=_shape(schema),
    )


def _field(number: int) -> str:
    return f"argument_{number}"


def _field_info(parameter: inspect.Parameter, annotation: object) -> FieldInfo:
    default = ... if parameter.default is parameter.empty else parameter.default
    for each in get_args(annotation)[1:] if get_origin(annotation) is Annotated else ():
        if isinstance(each, str):  # to pydantic a bare string is no description
            text = inspect.cleandoc(each)
            return _as_field_info(Field(default, alias=parameter.name, description=text))
    return _as_field_info(Field(default, alias=parameter.name))


def _as_field_info(field: object) -> FieldInfo:
    """Undo the pretence of ``Field`` that it returns the field's value."""
    assert isinstance(field, FieldInfo)
    return field


def _model(fields: dict[str, Any]) -> type[BaseModel]:  # Any: as above
    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    try:
        model: type[BaseModel] = create_model("Arguments", __config__=config, **fields)
        model.model_json_schema()
    except (PydanticUserError, PydanticInvalidForJsonSchema) as error:
        reason = str(error).splitlines()[0]
        raise PluginError(f"a parameter has no JSON schema: {reason}") from error
    for field in model.model_fields.values():
        length = len(field.description or "")
        if not 1 <= length <= MAX_DESCRIPTION_CHARS:
            raise PluginError(
                f"parameter {field.alias!r} needs a description of 1 to {MAX_DESCRIPTION_CHARS} "
                f'characters: Annotated[…, "what it is"]'
            )
    return model


def _without_titles(schema: object, *, is_name_map: bool = False) -> object:
    """Drop the titles that pydantic makes of names: noise that costs tokens in every request."""
    if isinstance(schema, list):
        return [_without_titles(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value
        if key in _PLAIN_VALUES and not is_name_map
        else _without_titles(value, is_name_map=key in _NAME_MAPS and not is_name_map)
        for key, value in schema.items()
        if is_name_map or key != "title"
    }


def _shape(schema: Mapping[str, object]) -> str:
    properties, required = schema.get("properties"), schema.get("required")
    assert isinstance(properties, dict)
    must = required if isinstance(required, list) else []
    parts = (
        f'"{name}": {_kind(value)}{"" if name in must else " (optional)"}'
        for name, value in properties.items()
    )
    text = "{" + ", ".join(parts) + "}"
    return text if len(text) <= _MAX_SHAPE_CHARS else text[: _MAX_SHAPE_CHARS - 1] + "…"


def _kind(schema: Mapping[str, object]) -> str:
    match schema:
        case {"enum": list(choices)}:
            return " or ".join(json.dumps(each, ensure_ascii=False) for each in choices)
        case {"anyOf": list(kinds)}:
            return " or ".join(_kind(each) for each in kinds)
        case {"type": str(kind)}:
            return kind
        case _:
            return "see the schema"
