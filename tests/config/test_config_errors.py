"""Whatever is wrong with settings is one line that names the place and what would be right."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from bot.config import Config, load
from bot.errors import ConfigError
from tests.config.conftest import SettingsFolder

VALUES = [
    (
        {"agent_max_stepz": 3},
        "config.json: agent_max_stepz: unknown key; did you mean agent_max_steps?",
    ),
    ({"xyzzy": 3}, "config.json: xyzzy: unknown key, see docs/config.md"),
    (
        {"anthropic": {"apikey": "x"}},
        "config.json: anthropic.apikey: unknown key; did you mean api_key?",
    ),
    (
        {"agent_max_steps": 0},
        "config.json: agent_max_steps: must be a whole number from 1 to 100, not 0",
    ),
    (
        {"agent_max_steps": "many"},
        "config.json: agent_max_steps: must be a whole number from 1 to 100",
    ),
    (
        {"agent_max_steps": 1.5},
        "config.json: agent_max_steps: must be a whole number from 1 to 100, not 1.5",
    ),
    (
        {"agent_max_steps": True},
        "config.json: agent_max_steps: must be a number, not true or false",
    ),
    (
        {"model_window_tokens": 3},
        "config.json: model_window_tokens: must be a whole number from 4000 to 1000000, not 3",
    ),
    (
        {"model_window_tokens": True},
        "config.json: model_window_tokens: must be a number, not true or false",
    ),
    (
        {"shutdown_deadline_s": -1},
        "config.json: shutdown_deadline_s: must be a number from 0 to 600, not -1",
    ),
    (
        {"access": "everyone"},
        "config.json: access: must be 'pairing', 'list' or 'open'",
    ),
    (
        {"timezone": "europe/berln"},
        "config.json: timezone: must be the name of a time zone; did you mean Europe/Berlin?",
    ),
    (
        {"timezone": "localtime"},
        "config.json: timezone: must be the name of a time zone, such as Europe/Berlin",
    ),
    (
        {"timezone": "UTC+5:30"},
        "config.json: timezone: must be the name of a time zone, such as Europe/Berlin",
    ),
    (
        {"timezone": "../../etc"},
        "config.json: timezone: must be the name of a time zone, such as Europe/Berlin",
    ),
    (
        {"admins": ["telegram:1", "me"]},
        'config.json: admins.1: must name a person as "channel:user id" or "channel:realm:user id"',
    ),
    ({"admins": "telegram:1"}, "config.json: admins: must be a list"),
    ({"allow": [7]}, "config.json: allow.0: must be text"),
    (
        {"plugins": ["web-fetch"]},
        "config.json: plugins.0: must be the name of a file in plugins/, without its .py",
    ),
    ({"plugins": ["clock", "clock"]}, "config.json: plugins: lists clock twice"),
    ({"model": ""}, "config.json: model: must not be empty"),
    ({"http": {"token": "short"}}, "config.json: http.token: must have at least 16 characters"),
    ({"data_dir": "a\0b"}, "config.json: data_dir: must be a path"),
    ({"data_dir": 7}, "config.json: data_dir: must be text"),
    (
        {"anthropic": {"base_url": "api.example"}},
        "config.json: anthropic.base_url: must be a web address beginning with http:// or https://",
    ),
    (
        {"anthropic": {"base_url": "http://["}},
        "config.json: anthropic.base_url: must be a web address beginning with http:// or https://",
    ),
    ({"anthropic": "x"}, "config.json: anthropic: must be an object"),
    ({"anthropic": {"api_key": 7}}, "config.json: anthropic.api_key: must be text"),
    (
        {"model": "${MODEL-NAME}"},
        "config.json: model: an environment variable is named ${NAME}",
    ),
]

TEXTS = [
    ('{"a": 1,}', "config.json: line 1 column 9: not valid JSON (Illegal trailing comma"),
    ('{\n "a" 1}', "config.json: line 2 column 6: not valid JSON (Expecting ':' delimiter)"),
    ("", "config.json: line 1 column 1: not valid JSON (Expecting value)"),
    ("[]", "config.json: must be an object, in braces"),
    (
        '{"model": "a", "model": "b"}',
        "config.json: not valid JSON (the key 'model' stands there twice)",
    ),
    ('{"shutdown_deadline_s": NaN}', "config.json: not valid JSON (NaN is no number)"),
    ('{"a": ' + "9" * 5000 + "}", "config.json: not valid JSON (Exceeds the limit (4300"),
    ('{"a": ' + "[" * 99_999, "config.json: not valid JSON (nested too deeply)"),
    ('{"model": "\\ud800"}', "config.json: not valid JSON (it holds half a character)"),
]


@pytest.mark.parametrize(("values", "line"), VALUES)
def test_values(settings_folder: SettingsFolder, values: object, line: str) -> None:
    settings_folder.write(values)

    assert settings_folder.refusal() == line


@pytest.mark.parametrize(("text", "beginning"), TEXTS, ids=range(len(TEXTS)))
def test_texts(settings_folder: SettingsFolder, text: str, beginning: str) -> None:
    settings_folder.write(text)

    refusal = settings_folder.refusal()

    if "trailing comma" in beginning and "trailing comma" not in refusal:  # before Python 3.13
        beginning = "config.json: line 1 column 9: not valid JSON (Expecting property name"
    assert refusal.startswith(beginning)
    assert "\n" not in refusal


def test_the_source_named_is_the_one_to_change(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"max_tokens": 1000})
    settings_folder.write({"max_tokens": 1}, "config.local.json")

    assert settings_folder.refusal().startswith("config.local.json: max_tokens: must be")
    assert settings_folder.refusal({"DAYBOOK_MAX_TOKENS": "2"}) == (
        "DAYBOOK_MAX_TOKENS: max_tokens: must be a whole number from 256 to 64000"
    )


def test_an_unknown_key_in_the_environment(settings_folder: SettingsFolder) -> None:
    assert settings_folder.refusal({"DAYBOOK_ANTHROPIC__API_KEYS": "x"}) == (
        "DAYBOOK_ANTHROPIC__API_KEYS: anthropic.api_keys: unknown key; did you mean api_key?"
    )


def test_bad_json_in_the_environment(settings_folder: SettingsFolder) -> None:
    assert settings_folder.refusal({"DAYBOOK_ADMINS": "[telegram:1]"}).startswith(
        "DAYBOOK_ADMINS: line 1 column 12: not valid JSON"
    )


def test_a_line_of_dotenv_that_is_no_assignment(settings_folder: SettingsFolder) -> None:
    settings_folder.write("A=1\nsesame\n", ".env")

    assert settings_folder.refusal() == ".env: line 2: must be NAME=value"


def test_a_file_that_is_not_there(settings_folder: SettingsFolder) -> None:
    settings_folder.file.unlink()

    assert settings_folder.refusal() == "config.json: there is no such file"


def test_a_folder_in_place_of_the_file(settings_folder: SettingsFolder) -> None:
    settings_folder.file.unlink()
    settings_folder.file.mkdir()

    assert settings_folder.refusal() == "config.json: is a folder, not a file"


def test_a_file_that_is_no_text(settings_folder: SettingsFolder) -> None:
    settings_folder.file.write_bytes(b'{"model": "\xff"}')

    assert settings_folder.refusal() == "config.json: is not UTF-8 text (byte 11)"


def test_a_file_that_cannot_be_opened(settings_folder: SettingsFolder) -> None:
    settings_folder.file.unlink()
    settings_folder.file.symlink_to(settings_folder.file)

    refusal = settings_folder.refusal()

    assert refusal.startswith("config.json: cannot be read (Too many levels of symbolic links")


def test_a_folder_on_the_way_that_is_a_file(settings_folder: SettingsFolder) -> None:
    inside = settings_folder.file / "config.json"

    with pytest.raises(ConfigError, match=r"cannot be read \(Not a directory\)"):
        load(inside, {})


@given(text=st.text() | st.binary())
def test_no_text_whatever_is_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, text: str | bytes
) -> None:
    file = Path(tmp_path_factory.getbasetemp()) / "any.json"
    data = text if isinstance(text, bytes) else os.fsencode(text.encode("utf-8", "replace"))
    file.write_bytes(data)

    try:
        load(file, {})  # "{}" is what a search finds in the end, and right
    except ConfigError as error:
        said = str(error)
        assert len(said.splitlines()) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    key=st.sampled_from(("ADMINS", "ANTHROPIC", "CHANNELS", "CHANNELS__SLACK", "MAX_TOKENS")),
    value=JSON,
)
def test_no_value_whatever_is_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    file = Path(tmp_path_factory.getbasetemp()) / "empty.json"
    file.write_text("{}", encoding="utf-8")

    assert len(_refusal_of(file, {f"DAYBOOK_{key}": json.dumps(value)}).splitlines()) <= 1


def _refusal_of(file: Path, environ: dict[str, str]) -> str:
    try:
        load(file, environ)
    except ConfigError as error:
        return str(error)
    return ""


NEVER_RIGHT: tuple[object, ...] = (
    *(7, -1, 1.5, 10**9, True, "", "x", "x" * 5000, "1e999"),
    *([], [7], [[]], [{}], {}, {"x": 1}, {"x": {}}, {"x": "y"}),
)
"""For each key most of these are wrong, each in a way of its own."""


def keys_of(model: type[BaseModel], around: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        yield (*around, name)
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from keys_of(kind, (*around, name))


@pytest.mark.parametrize("path", tuple(keys_of(Config)), ids=".".join)
def test_no_word_of_the_validator_gets_through(
    settings_folder: SettingsFolder, path: tuple[str, ...]
) -> None:
    """Its sentences are about inputs and items; an operator has keys and values."""
    refusals = []
    for wrong in NEVER_RIGHT:
        value = wrong
        for key in reversed(path):
            value = {key: value}
        settings_folder.write(value)
        try:
            settings_folder.load()
        except ConfigError as error:
            refusals.append(str(error).partition(": ")[2])

    assert refusals
    assert [] == [said for said in refusals if re.search(r"should|validation|valid (?!JSON)", said)]
