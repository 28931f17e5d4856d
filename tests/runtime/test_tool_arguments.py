import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from bot.core.llm import ToolSpec
from bot.core.messages import ToolCall, ToolResult
from bot.errors import PluginError
from bot.ports import ToolContext
from bot.runtime.tools import ToolRegistry
from bot.testing.clock import FakeClock
from bot.testing.plugins import TOOL_CONTEXT

Tool = Callable[..., Awaitable[str]]


async def echo(text: Annotated[str, "What to say."]) -> str:
    """Say it again."""
    return text


async def roll(
    sides: Annotated[int, "Faces of each die.", Field(ge=2)] = 6,
    kind: Annotated[Literal["fair", "loaded"], "Which die."] = "fair",
    title: Annotated[str | None, "A word."] = None,
) -> str:
    """Roll a die."""
    return f"{kind} {sides} {title}"


def specs_of(*tools: Tool) -> tuple[ToolSpec, ...]:
    return _registry(*tools).specs()


async def call(tool: Tool, arguments: object) -> ToolResult:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    calls = (ToolCall(id="call-0", name=tool.__name__, arguments=text),)
    (result,) = await _registry(tool).run(calls, TOOL_CONTEXT, _ignore)
    return result


def _registry(*tools: Tool) -> ToolRegistry:
    registry = ToolRegistry(FakeClock())
    for tool in tools:
        registry.register(tool, owner="test")
    return registry


async def _ignore(result: ToolResult, whole: str | None) -> None:
    pass


# --- arguments ------------------------------------------------------------------------------

ROLL_SHAPE = (
    'Expected {"sides": integer (optional), "kind": "fair" or "loaded" (optional), '
    '"title": string or null (optional)}.'
)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("", "No arguments were given."),
        ("  \n", "No arguments were given."),
        ("null", "The arguments are not a JSON object."),
        ("[]", "The arguments are not a JSON object."),
        (
            "{sides: 6}",
            "The arguments are not valid JSON (key must be a string at line 1 column 2).",
        ),
        (
            '{"sides": 6, "ti',
            "The arguments are not valid JSON, they seem to be cut off "
            "(EOF while parsing a string at line 1 column 16).",
        ),
        ('{"side": 6}', "side is not an argument of this tool (did you mean sides?)."),
        (
            '{"sides": "six"}',
            "sides: Input should be a valid integer, unable to parse string as an integer.",
        ),
        ('{"sides": 1}', "sides: Input should be greater than or equal to 2."),
        ('{"kind": "new"}', "kind: Input should be 'fair' or 'loaded'."),
        ('{"title": 5}', "title: Input should be a valid string."),
    ],
)
async def test_arguments_that_do_not_fit_are_explained(arguments: str, problem: str) -> None:
    result = await call(roll, arguments)

    assert result.is_error
    assert result.content == f"{problem} {ROLL_SHAPE}"


@pytest.mark.parametrize(
    "arguments",
    ['{"title": "\\ud800"}', '{"title": "\ud800"}', "[" * 10_000, '{"sides": NaN}', "9" * 10_000],
)
async def test_hostile_arguments_are_refused(arguments: str) -> None:
    assert (await call(roll, arguments)).is_error


async def test_a_missing_argument_is_named() -> None:
    result = await call(echo, {})

    assert result.content == 'text is missing. Expected {"text": string}.'


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "fair 6 None"),
        ({"sides": "20"}, "fair 20 None"),
        ({"sides": 20.0, "kind": "loaded", "title": "x"}, "loaded 20 x"),
    ],
)
async def test_defaults_and_numbers_as_text_are_taken(
    arguments: dict[str, object], expected: str
) -> None:
    assert expected == (await call(roll, arguments)).content


async def test_an_error_does_not_repeat_the_arguments() -> None:
    result = await call(roll, {"sides": "swordfish", "title": ["swordfish"]})

    assert "swordfish" not in result.content


async def test_the_context_is_given_and_not_shown() -> None:
    async def who(context: ToolContext) -> str:
        """Tell who asks."""
        return f"{context.sender.name} {context.call_id}"

    (spec,) = specs_of(who)

    assert json.loads(spec.schema)["properties"] == {}
    assert (await call(who, {})).content == "Ada call-0"


# --- registering ----------------------------------------------------------------------------


def test_the_function_is_the_specification() -> None:
    (spec,) = specs_of(roll)

    assert spec.name == "roll"
    assert spec.description == "Roll a die."
    assert spec.schema == (
        '{"additionalProperties":false,"properties":{'
        '"kind":{"default":"fair","description":"Which die.","enum":["fair","loaded"],'
        '"type":"string"},'
        '"sides":{"default":6,"description":"Faces of each die.","minimum":2,"type":"integer"},'
        '"title":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,'
        '"description":"A word."}},"type":"object"}'
    )


class Place(BaseModel):
    """A place on the map."""

    title: str
    tags: tuple[str, ...] = ()


async def test_a_parameter_may_have_parts() -> None:
    async def visit(
        places: Annotated[list[Place], "Where to."], home: Annotated[Place, "Whence."]
    ) -> str:
        """Visit places."""
        return f"{home.title} {[place.title for place in places]}"

    (spec,) = specs_of(visit)

    schema = json.loads(spec.schema)
    assert schema["$defs"]["Place"] == {
        "description": "A place on the map.",
        "properties": {
            "tags": {"default": [], "items": {"type": "string"}, "type": "array"},
            "title": {"type": "string"},
        },
        "required": ["title"],
        "type": "object",
    }
    found = await call(visit, {"places": [{"title": "sea"}], "home": {"title": "hill"}})
    assert found.content == "hill ['sea']"
    assert (await call(visit, {"places": [{}]})).content == (
        "places.0.title is missing; home is missing. "
        'Expected {"places": array, "home": see the schema}.'
    )


def test_specs_are_the_same_whatever_the_order() -> None:
    assert specs_of(roll, echo) == specs_of(echo, roll)
    assert [spec.name for spec in specs_of(roll, echo)] == ["echo", "roll"]


async def test_parameters_may_have_names_that_pydantic_keeps_for_itself() -> None:
    async def odd(
        schema: Annotated[str, "A."], copy: Annotated[str, "B."], model_config: Annotated[str, "C."]
    ) -> str:
        """Take odd names."""
        return schema + copy + model_config

    result = await call(odd, {"schema": "a", "copy": "b", "model_config": "c"})
    assert result.content == "abc"


def _blocking(x: Annotated[str, "x"]) -> str:
    """Block."""
    return x


async def _Bad_Name() -> str:
    """Be badly named."""
    return ""


async def undocumented() -> str:
    return ""


async def untyped(x) -> str:  # type: ignore[no-untyped-def]  # the point of it
    """Have no type."""
    return str(x)


async def undescribed(x: int) -> str:
    """Have no description."""
    return str(x)


async def various(*x: Annotated[int, "x"]) -> str:
    """Take any number."""
    return str(x)


async def opaque(x: Annotated[asyncio.Event, "x"]) -> str:
    """Take what JSON cannot say."""
    return str(x)


async def callback(x: Annotated[Callable[[], int], "x"]) -> str:
    """Take what has a validator but no schema."""
    return str(x)


async def long_winded(x: Annotated[int, "x" * 1025]) -> str:
    """Say too much."""
    return str(x)


async def unreadable(x: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
    """Name a type that does not exist."""
    return str(x)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_Bad_Name, "no name for a tool"),
        (echo, "already registered by plugin 'other'"),
        (undocumented, "needs a docstring"),
        (untyped, "'x' has no type"),
        (undescribed, "'x' needs a description"),
        (long_winded, "'x' needs a description"),
        (various, "cannot be given by name"),
        (opaque, "no JSON schema"),
        (callback, "no JSON schema"),
        (unreadable, "cannot be read"),
    ],
)
def test_what_cannot_be_offered_is_refused_with_the_reason(function: Tool, reason: str) -> None:
    registry = ToolRegistry(FakeClock())
    registry.register(echo, owner="other")

    with pytest.raises(PluginError, match=reason):
        registry.register(function, owner="test")
    assert [spec.name for spec in registry.specs()] == ["echo"]


def test_a_tool_must_be_async_and_have_sensible_limits() -> None:
    registry = ToolRegistry(FakeClock())
    _blocking.__name__ = "blocking"

    with pytest.raises(PluginError, match="must be an async function"):
        registry.register(_blocking, owner="test")
    with pytest.raises(PluginError, match="limits are too small"):
        registry.register(echo, owner="test", timeout_s=0)
    with pytest.raises(PluginError, match="limits are too small"):
        registry.register(echo, owner="test", max_chars=10)
