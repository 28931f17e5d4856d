"""Write the documents that are made from the code; a test holds them equal to it.

Run ``.venv/bin/python scripts/generate_docs.py`` after a change to a key of the settings.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import channels  # noqa: E402 - found through the line above
from bot.app.channels import slack_manifest  # noqa: E402
from bot.config import Config  # noqa: E402
from bot.config.changes import CHANGEABLE, changeable  # noqa: E402

Schema = dict[str, object]
"""A JSON Schema, or any object inside one."""

ENABLED: Schema = {
    "type": "boolean",
    "description": "`true`: a missing token is an error; `false`: the channel is switched off.",
}
COMMENTS: Schema = {"^//": {}}
DIALECT = "https://json-schema.org/draft/2020-12/schema"

INTRODUCTION = """\
# Settings

*Made by `scripts/generate_docs.py`; change the descriptions in `bot/config/keys.py` and in each
channel's `Settings`.*

Every key has a default, so that an empty `config.json` will do. A value is looked for in this
order, and the first one found counts:

1. an environment variable `DAYBOOK_<KEY>`, with `__` between levels:
   `DAYBOOK_AGENT_MAX_STEPS=30`, `DAYBOOK_CHANNELS__TELEGRAM__MODE=polling`; lists and objects as
   JSON;
2. `config.local.json` beside `config.json`, for your own values: an upgrade never touches it, and
   `null` there takes away what `config.json` says;
3. `config.json`;
4. the default.

`"${NAME}"` inside a value stands for the environment variable `NAME`, or for a line `NAME=value` of
a file `.env` beside `config.json`. Where there is neither, or an empty one, the value counts as not
written. Keep secrets there, never in `config.json`. [`python3 run.py setup`](setup.md) writes
`.env` and `config.local.json` for you.

Keys that begin with `//` are comments. Relative paths count from the folder of `config.json`.
People are named `channel:user id`, or `channel:realm:user id` where the channel has realms
(Slack: teams). What is wrong with the settings is said in one line that names the place, and the
exit code is 2. `docs/config.schema.json` lets an editor help while you type.

`DAYBOOK_HOME` is no key: `run.py` makes its environment in that folder when the checkout cannot be
written to. Nor is `DAYBOOK_HTTP_TOKEN`: the tracked `config.json` takes `http.token` from it.

## Keys
"""

CHANGES = """
## Changed in the chat

Admins change these with [`/config`](commands.md#config) while the bot runs. What they set goes
before everything above, and is kept in the database.

| key | for one chat too | a change acts |
|---|---|---|
"""

CHANNELS = """
## Channels

A channel is an object under `channels`. One whose tokens all come from the environment, and of
which none is there, is *not configured*: a line at the start says so. One of which some are there
and a needed one is not is an error. `"enabled": true` makes a missing token an error in any case,
`"enabled": false` switches the channel off. With no channel configured the bot opens the terminal.
"""


def config_schema() -> str:
    """Describe ``config.json`` as JSON Schema, channels included."""
    schema = _tidied(Config.model_json_schema())
    properties = _object(schema, "properties")
    sections = {name: _section(settings) for name, settings in _channel_settings()}
    described = _object(properties, "channels")["description"]
    properties["channels"] = _closed({"description": described, "properties": sections})
    properties["$schema"] = {"type": "string", "description": "Where this description is."}
    whole = {"$schema": DIALECT, **_closed(schema), "title": "Daybook's settings"}
    del whole["description"]
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def config_page() -> str:
    """Describe every key in a table, and every channel's in one of its own."""
    keys = _table(_tidied(Config.model_json_schema()))
    lines = [INTRODUCTION, *keys, CHANGES + "\n".join(map(_change, CHANGEABLE)), CHANNELS]
    for name, settings in _channel_settings():
        schema = _tidied(settings.model_json_schema())
        rows = [*_rows(schema, f"channels.{name}."), _row(f"channels.{name}.enabled", ENABLED)]
        lines += [f"### {name}", "", *HEADER, *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


HEADER = ("| key | what it may be | default | meaning |", "|---|---|---|---|")


def _change(key: str) -> str:
    described = changeable(key)
    place = "`--here`" if described.is_for_one_chat_too else ""
    return f"| `{key}` | {place} | {described.acts} |"


def _channel_settings() -> Iterator[tuple[str, type[BaseModel]]]:
    for found in pkgutil.iter_modules(channels.__path__):
        settings = importlib.import_module(f"channels.{found.name}").Settings
        assert issubclass(settings, BaseModel)
        yield found.name, settings


def _section(settings: type[BaseModel]) -> Schema:
    schema = _tidied(settings.model_json_schema())
    schema["properties"] = {**_object(schema, "properties"), "enabled": ENABLED}
    return _closed(schema)


def _closed(schema: Schema) -> Schema:
    """Allow comments and nothing unknown; require nothing, since other layers may have it."""
    kept = {key: value for key, value in schema.items() if key not in ("required", "$defs")}
    return {
        **kept,
        "type": "object",
        "additionalProperties": False,
        "patternProperties": COMMENTS,
    }


def _tidied(schema: Schema) -> Schema:
    """Take pydantic's schema apart to what a person needs: no titles, no null, no references."""
    definitions = schema.get("$defs")
    properties = {}
    for key, value in _object(schema, "properties").items():
        assert isinstance(value, dict)
        field = _without_null(value)
        field = _resolved(field, definitions)
        each = field.get("additionalProperties")
        if isinstance(each, dict):  # an object of many, each by its own name
            field["additionalProperties"] = _resolved(each, definitions)
        field.pop("title", None)
        field.pop("writeOnly", None)
        if field.get("default", "") is None:
            del field["default"]
        properties[key] = field
    kept = {key: value for key, value in schema.items() if key not in ("title", "$defs")}
    return {**kept, "properties": properties}


def _resolved(field: Schema, definitions: object) -> Schema:
    """Put what a field refers to in its place."""
    reference = field.pop("$ref", None)
    if isinstance(reference, str) and isinstance(definitions, dict):
        return _closed(_tidied(definitions[reference.removeprefix("#/$defs/")]))
    return field


def _without_null(field: Schema) -> Schema:
    kinds = field.get("anyOf")
    if not isinstance(kinds, list):
        return dict(field)
    kept = [kind for kind in kinds if kind != {"type": "null"}]
    rest = {key: value for key, value in field.items() if key != "anyOf"}
    return {**kept[0], **rest} if len(kept) == 1 else {**rest, "anyOf": kept}


def _object(schema: Schema, key: str) -> Schema:
    value = schema[key]
    assert isinstance(value, dict)
    return value


def _table(schema: Schema) -> list[str]:
    return [*HEADER, *_rows(schema, "")]


def _rows(schema: Schema, prefix: str) -> Iterator[str]:
    for key, field in _object(schema, "properties").items():
        assert isinstance(field, dict)
        each = field.get("additionalProperties")
        if "properties" in field:
            yield from _rows(field, f"{prefix}{key}.")
            continue
        yield _row(prefix + key, field)
        if isinstance(each, dict) and "properties" in each:
            yield from _rows(each, f"{prefix}{key}.NAME.")


def _row(key: str, field: Schema) -> str:
    default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
    if key == "channels":
        default = "`{}`"
    cells = (f"`{key}`", _kind(field), default, str(field.get("description", "")))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _kind(field: Schema) -> str:
    choices = field.get("enum") or ([field["const"]] if "const" in field else None)
    if isinstance(choices, list):
        return ", ".join(f"`{choice}`" for choice in choices)
    if field.get("format") == "password":
        return "secret"
    kind = field.get("type")
    if kind == "array":
        items = field.get("items")
        return f"list of {_kind(items)}" if isinstance(items, dict) else "list"
    if kind in ("integer", "number"):
        word = "whole number" if kind == "integer" else "number"
        limits = [f"{field[bound]}" for bound in ("minimum", "maximum") if bound in field]
        return f"{word}, {' to '.join(limits)}" if limits else word
    words = {"string": "text", "boolean": "`true`, `false`", "object": "object"}
    return "path" if field.get("format") == "path" else words.get(str(kind), str(kind))


def slack_manifest_page() -> str:
    """Write the manifest of the Slack app, for Socket Mode."""
    return f"{slack_manifest()}\n"


PAGES = {
    "docs/config.md": config_page,
    "docs/config.schema.json": config_schema,
    "docs/slack-manifest.json": slack_manifest_page,
}
"""What is made, and by which function."""


def main() -> None:
    """Write every page."""
    for name, make in PAGES.items():
        (ROOT / name).write_text(make(), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
