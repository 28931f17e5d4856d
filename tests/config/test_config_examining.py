"""The sources of settings looked at as such: no value of theirs is shown."""

import json
from pathlib import Path

import pytest

from bot.config.examining import Unset, look_at_settings, unset_variables
from bot.config.keys import CHECKOUT

SECRET = "s" * 30


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_secret_in_the_operators_own_file_is_where_it_belongs(tmp_path: Path) -> None:
    file = write(tmp_path, "config.json", {"anthropic": {"api_key": "${KEY}"}, "max_tokens": 512})
    write(tmp_path, "config.local.json", {"anthropic": {"api_key": SECRET}})

    look = look_at_settings(file, {"KEY": SECRET})

    assert () == look.plain_secrets
    assert (("config.local.json", ("anthropic.api_key",)),) == look.overriding
    assert (tmp_path / "config.local.json",) == look.own_files


def test_an_own_file_that_only_names_a_secret_may_be_open(tmp_path: Path) -> None:
    """A container's user has to read it."""
    file = write(tmp_path, "config.json", {})
    write(tmp_path, "config.local.json", {"anthropic": {"api_key": "${KEY}"}, "model": "x"})

    assert () == look_at_settings(file, {"KEY": SECRET}).own_files


def test_a_secret_in_the_shared_file_is_named_and_not_shown(tmp_path: Path) -> None:
    file = write(tmp_path, "config.json", {"channels": {"slack": {"signing_secret": SECRET}}})

    look = look_at_settings(file, {})

    assert ("channels.slack.signing_secret",) == look.plain_secrets
    assert (file,) == look.own_files
    assert SECRET not in repr(look)


def test_names_of_dotenv_count_where_a_setting_asks_for_them(tmp_path: Path) -> None:
    file = write(
        tmp_path, "config.json", {"//": "${IN_A_COMMENT}", "admins": ["${WHO}"], "model": "${NAME}"}
    )
    write(tmp_path, ".env", "export NAME='x'\nWHO=telegram:1\n# NOT=x\nIN_A_COMMENT=x\nODD=x\n")

    look = look_at_settings(file, {"DAYBOOK_PERSONA": "${FROM_ENV}"})

    assert ("IN_A_COMMENT", "ODD") == look.unasked


@pytest.mark.parametrize(
    ("own", "key", "variable"),
    [
        ({"proxy": "${PROXY_URL}"}, "proxy", "PROXY_URL"),
        ({"ca_file": "/etc/${PLACE}/ca.pem"}, "ca_file", "PLACE"),
        ({"admins": ["telegram:1", "${WHO}"]}, "admins.1", "WHO"),
        ({"anthropic": {"api_key": "${ANTROPIC_KEY}"}}, "anthropic.api_key", "ANTROPIC_KEY"),
        ({"prices": {"x": {"input": "${PRICE}"}}}, "prices.x.input", "PRICE"),
        (
            {"channels": {"telegram": {"token": "${HAD}", "base_url": "${API}"}}},
            "channels.telegram.base_url",
            "API",
        ),
        (
            {"channels": {"telegram": {"enabled": True, "token": "${NONE}"}}},
            "channels.telegram.token",
            "NONE",
        ),
    ],
)
def test_what_was_meant_and_has_no_value_is_named(
    tmp_path: Path, own: dict[str, object], key: str, variable: str
) -> None:
    file = write(tmp_path, "config.json", json.loads((CHECKOUT / "config.json").read_text()))
    write(tmp_path, "config.local.json", own)
    write(tmp_path, ".env", "HAD=x\n")

    expected = (Unset(key=key, variable=variable),)
    assert expected == unset_variables(file, {})
    assert expected == look_at_settings(file, {variable: ""}).unset
    assert () == unset_variables(file, {variable: "x"})


def test_what_is_only_offered_or_left_for_later_was_not_meant(tmp_path: Path) -> None:
    """All that the tracked settings ask for is either; a later source may overrule a reference."""
    file = write(tmp_path, "config.json", json.loads((CHECKOUT / "config.json").read_text()))
    write(tmp_path, "config.local.json", {"model": "${NAME}", "channels": {"x": {"y": "${Z}"}}})
    both = {"SLACK_BOT_TOKEN": "x", "SLACK_APP_TOKEN": "x", "TELEGRAM_BOT_TOKEN": "x"}

    assert () == unset_variables(file, {"DAYBOOK_MODEL": "m"})
    assert () == unset_variables(file, {"DAYBOOK_MODEL": "m", **both})


def test_where_there_are_no_files_there_is_nothing_to_see(tmp_path: Path) -> None:
    look = look_at_settings(tmp_path / "config.json", {})

    assert ((), (), (), ()) == (
        look.overriding,
        look.plain_secrets,
        look.unasked,
        look.own_files,
    )
