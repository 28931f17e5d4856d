"""The documented limits of Block Kit: what Slack would refuse of a page, a form or a message.

Source: docs.slack.dev, Reference, Block Kit (blocks, block elements, composition objects) and
Views, read 2026-11-30. Only what the bot uses is known here; anything else is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

Json = Mapping[str, object]

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
MOST_ID_CHARS = 255
MOST_METADATA_CHARS = 3_000
MOST_TITLE_CHARS = 24
MOST_SECTION_CHARS = 3_000
MOST_HEADER_CHARS = 150
MOST_MARKDOWN_CHARS = 12_000
MOST_LABEL_CHARS = 2_000
MOST_ELEMENTS = 25
MOST_CONTEXT_ELEMENTS = 10
MOST_BUTTON_CHARS = 75
MOST_VALUE_CHARS = 2_000
MOST_OPTIONS = 100
MOST_OPTION_CHARS = 75
MOST_OPTION_VALUE_CHARS = 150
MOST_INPUT_CHARS = 3_000

_SURFACES = {
    "actions": ("message", "modal", "home"),
    "context": ("message", "modal", "home"),
    "divider": ("message", "modal", "home"),
    "header": ("message", "modal", "home"),
    "input": ("message", "modal", "home"),
    "markdown": ("message",),
    "section": ("message", "modal", "home"),
}


def faults_in_view(view: Json) -> tuple[str, ...]:
    """Say what Slack would refuse of a modal or an App Home; empty for nothing."""
    return tuple(_view(view))


def faults_in_message(blocks: object) -> tuple[str, ...]:
    """Say what Slack would refuse of the blocks of a message; empty for nothing."""
    return tuple(_blocks(blocks, "message"))


def _view(view: Json) -> Iterator[str]:
    kind = view.get("type")
    if kind not in ("modal", "home"):
        yield f"a view of type {kind!r}"
        return
    yield from _unknown(
        "view",
        view,
        ("type", "blocks", "private_metadata", "callback_id", "external_id")
        + (("title", "submit", "close", "clear_on_close", "notify_on_close") * (kind == "modal")),
    )
    yield from _length("private_metadata", view.get("private_metadata", ""), MOST_METADATA_CHARS)
    yield from _length("callback_id", view.get("callback_id", ""), MOST_ID_CHARS)
    blocks = view.get("blocks")
    yield from _blocks(blocks, str(kind))
    if kind == "modal":
        for name in ("title", "submit", "close"):
            if name in view or name == "title":
                yield from _text(name, view.get(name), MOST_TITLE_CHARS, ("plain_text",))
        has_input = any(each.get("type") == "input" for each in _objects(blocks))
        if has_input and "submit" not in view:
            yield "a form that nobody can send off"


def _blocks(blocks: object, surface: str) -> Iterator[str]:
    if not isinstance(blocks, list | tuple) or not blocks:
        yield "no blocks"
        return
    if len(blocks) > MOST_BLOCKS[surface]:
        yield f"{len(blocks)} blocks in a {surface}"
    names = [str(each["block_id"]) for each in _objects(blocks) if "block_id" in each]
    if len(names) != len(set(names)):
        yield "a block_id twice"
    for block in blocks:
        if not isinstance(block, Mapping):
            yield f"a block that is none: {block!r}"
            continue
        kind = str(block.get("type"))
        if surface not in _SURFACES.get(kind, ()):
            yield f"a block {kind} in a {surface}"
            continue
        yield from _length("block_id", block.get("block_id", ""), MOST_ID_CHARS)
        yield from (f"{kind}: {fault}" for fault in _BLOCKS[kind](block))


def _actions(block: Json) -> Iterator[str]:
    yield from _unknown("actions", block, ("type", "block_id", "elements"))
    elements = _objects(block.get("elements"))
    if not 1 <= len(elements) <= MOST_ELEMENTS:
        yield f"{len(elements)} elements"
    names = [str(each.get("action_id")) for each in elements]
    if len(names) != len(set(names)):
        yield "an action_id twice"
    for element in elements:
        if element.get("type") not in ("button", "static_select"):
            yield f"an element {element.get('type')}"
        yield from _element(element)


def _context(block: Json) -> Iterator[str]:
    elements = _objects(block.get("elements"))
    if not 1 <= len(elements) <= MOST_CONTEXT_ELEMENTS:
        yield f"{len(elements)} elements"
    for element in elements:
        yield from _text("element", element, MOST_SECTION_CHARS)


def _divider(block: Json) -> Iterator[str]:
    yield from _unknown("divider", block, ("type", "block_id"))


def _header(block: Json) -> Iterator[str]:
    yield from _text("text", block.get("text"), MOST_HEADER_CHARS, ("plain_text",))


def _markdown(block: Json) -> Iterator[str]:
    yield from _unknown("markdown", block, ("type", "block_id", "text"))
    yield from _length("text", block.get("text"), MOST_MARKDOWN_CHARS, least=1)


def _section(block: Json) -> Iterator[str]:
    yield from _unknown("section", block, ("type", "block_id", "text", "expand", "accessory"))
    yield from _text("text", block.get("text"), MOST_SECTION_CHARS)
    if "accessory" in block:
        accessory = block["accessory"]
        if isinstance(accessory, Mapping) and accessory.get("type") in ("button", "static_select"):
            yield from _element(accessory)
        else:
            yield f"no accessory: {accessory!r}"


def _input(block: Json) -> Iterator[str]:
    known = ("type", "block_id", "label", "hint", "element", "optional", "dispatch_action")
    yield from _unknown("input", block, known)
    yield from _text("label", block.get("label"), MOST_LABEL_CHARS, ("plain_text",))
    if "hint" in block:
        yield from _text("hint", block["hint"], MOST_LABEL_CHARS, ("plain_text",))
    element = block.get("element")
    if not isinstance(element, Mapping) or element.get("type") == "button":
        yield f"no element that takes anything: {element!r}"
    else:
        yield from _element(element)


def _element(element: Json) -> Iterator[str]:
    kind = str(element.get("type"))
    if kind not in _ELEMENTS:
        yield f"an element {kind}"
        return
    yield from _length("action_id", element.get("action_id"), MOST_ID_CHARS, least=1)
    yield from (f"{kind}: {fault}" for fault in _ELEMENTS[kind](element))


def _button(element: Json) -> Iterator[str]:
    known = ("type", "action_id", "text", "value", "url", "style", "confirm", "accessibility_label")
    yield from _unknown("button", element, known)
    yield from _text("text", element.get("text"), MOST_BUTTON_CHARS, ("plain_text",))
    yield from _length("value", element.get("value", ""), MOST_VALUE_CHARS)
    if element.get("style", "primary") not in ("primary", "danger"):
        yield f"the style {element.get('style')}"


def _select(element: Json) -> Iterator[str]:
    known = ("type", "action_id", "options", "initial_option", "placeholder", "confirm")
    yield from _unknown("static_select", element, known)
    options = _objects(element.get("options"))
    if not 1 <= len(options) <= MOST_OPTIONS:
        yield f"{len(options)} options"
    for option in options:
        yield from _text("option", option.get("text"), MOST_OPTION_CHARS, ("plain_text",))
        yield from _length("value", option.get("value"), MOST_OPTION_VALUE_CHARS, least=1)
    if "initial_option" in element and element["initial_option"] not in options:
        yield "an initial_option that is none of the options"


def _text_input(element: Json) -> Iterator[str]:
    known = ("type", "action_id", "initial_value", "multiline", "min_length", "max_length")
    yield from _unknown("plain_text_input", element, known)
    longest = element.get("max_length", MOST_INPUT_CHARS)
    if not isinstance(longest, int) or not 1 <= longest <= MOST_INPUT_CHARS:
        yield f"max_length {longest!r}"
    else:
        yield from _length("initial_value", element.get("initial_value", ""), longest)


def _number_input(element: Json) -> Iterator[str]:
    known = ("type", "action_id", "is_decimal_allowed", "initial_value", "min_value", "max_value")
    yield from _unknown("number_input", element, known)
    if not isinstance(element.get("is_decimal_allowed"), bool):
        yield "is_decimal_allowed is missing"
    numbers = {}
    for name in ("initial_value", "min_value", "max_value"):
        value = element.get(name, "0")
        if not isinstance(value, str) or not value.lstrip("-").isdecimal():
            yield f"{name} {value!r} is no number in a text"
        elif name in element:
            numbers[name] = int(value)
    lowest = numbers.get("min_value", min(numbers.values(), default=0))
    highest = numbers.get("max_value", max(numbers.values(), default=0))
    if not lowest <= numbers.get("initial_value", lowest) <= highest:
        yield f"out of order: {numbers}"


def _text(
    what: str, text: object, most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> Iterator[str]:
    if not isinstance(text, Mapping) or text.get("type") not in kinds:
        yield f"{what} is no text of {kinds}"
        return
    allowed = (
        ("type", "text", "emoji") if text["type"] == "plain_text" else ("type", "text", "verbatim")
    )
    yield from _unknown(what, text, allowed)
    yield from _length(what, text.get("text"), most, least=1)


def _length(what: str, text: object, most: int, *, least: int = 0) -> Iterator[str]:
    if not isinstance(text, str):
        yield f"{what} is no text"
    elif not least <= len(text) <= most:
        yield f"{what} has {len(text)} characters, not {least} to {most}"


def _unknown(what: str, found: Json, known: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{what} has no {key}" for key in found if key not in known)


def _objects(items: object) -> list[Json]:
    found = items if isinstance(items, list | tuple) else ()
    return [each for each in chain(found) if isinstance(each, Mapping)]


_Check = Callable[[Json], Iterator[str]]

_BLOCKS: dict[str, _Check] = {
    "actions": _actions,
    "context": _context,
    "divider": _divider,
    "header": _header,
    "input": _input,
    "markdown": _markdown,
    "section": _section,
}

_ELEMENTS: dict[str, _Check] = {
    "button": _button,
    "number_input": _number_input,
    "plain_text_input": _text_input,
    "static_select": _select,
}
