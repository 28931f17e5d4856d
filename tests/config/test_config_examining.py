"""The sources of settings looked at as such: no value of theirs is shown."""

import json
from pathlib import Path

from bot.config.examining import look_at_settings

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


def test_where_there_are_no_files_there_is_nothing_to_see(tmp_path: Path) -> None:
    look = look_at_settings(tmp_path / "config.json", {})

    assert ((), (), (), ()) == (
        look.overriding,
        look.plain_secrets,
        look.unasked,
        look.own_files,
    )
