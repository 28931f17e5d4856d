"""The operator's own files: what is put in is read again, all else stays, both or neither."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config import OwnFiles, load, read_own_files, write_own_files
from bot.config.layers import read_layers
from bot.config.writing import check_place
from bot.errors import ConfigError
from tests.config.conftest import SettingsFolder

KEY = ("anthropic", "api_key")
VARIABLE = "ANTHROPIC_API_KEY"
SECRET = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\"'"), min_size=1
)


def own(folder: SettingsFolder) -> OwnFiles:
    return read_own_files(folder.file)


def key_of(folder: SettingsFolder, files: OwnFiles) -> str | None:
    key = load(folder.file, {}, files.texts).anthropic.api_key
    return key.get_secret_value() if key else None


@settings(max_examples=60)
@given(secret=SECRET, before=st.sampled_from(["", "# mine\nA='b c'\n", "export X=1\n\nX=2"]))
def test_a_secret_is_read_as_it_was_put_in(secret: str, before: str) -> None:
    files = OwnFiles(settings_file=Path("nowhere/config.json"), dotenv=before)

    files = files.with_secret({}, KEY, VARIABLE, secret)

    merged = read_layers(files.settings_file, {}, is_required=False, instead=files.texts)
    assert {"api_key": secret} == merged.values["anthropic"]
    held = files.look_up({}, KEY, "OTHER")
    assert (VARIABLE, True, "") == (held.variable, held.is_set, held.fixed_by)
    assert (files.dotenv or "").startswith(before)


@settings(max_examples=60)
@given(secret=SECRET)
def test_a_line_of_dotenv_is_changed_in_its_place(secret: str) -> None:
    files = OwnFiles(settings_file=Path("config.json"), dotenv="A=1\nB=2\n# why\nexport A=3\nC=4\n")

    changed = files.with_variable("A", secret)

    lines = (changed.dotenv or "").splitlines()
    assert ["B=2", "# why", "C=4"] == lines[1:]
    assert lines[0].startswith("A=")
    assert "B=2\n# why\nC=4\n" == changed.with_variable("A", None).dotenv


def test_where_the_settings_name_a_variable_no_reference_is_written(
    settings_folder: SettingsFolder,
) -> None:
    settings_folder.write({"anthropic": {"api_key": "${MINE}"}})

    files = own(settings_folder).with_secret({}, KEY, VARIABLE, "abc")

    assert (None, "MINE=abc\n") == (files.local, files.dotenv)
    assert "abc" == key_of(settings_folder, files)


def test_a_null_or_a_text_in_the_local_file_gives_way(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"anthropic": {"api_key": "${MINE}"}})
    for former in (None, "in clear"):
        settings_folder.write(
            {"//": "a note", "anthropic": {"api_key": former}}, "config.local.json"
        )

        files = own(settings_folder).with_secret({}, KEY, VARIABLE, "abc")

        assert {"//": "a note"} == json.loads(files.local or "")
        assert "abc" == key_of(settings_folder, files)


def test_comments_outlast_a_change(settings_folder: SettingsFolder) -> None:
    settings_folder.write('{"//": "one", "//": "two", "model": "x"}', "config.local.json")

    files = own(settings_folder).with_value(("max_tokens",), 512)

    assert ("one", True) == (json.loads(files.local or "")["//"], "two" in (files.local or ""))
    assert 512 == load(settings_folder.file, {}, files.texts).max_tokens


@pytest.mark.parametrize(
    ("environ", "fixed_by"),
    [
        ({}, ""),
        ({VARIABLE: ""}, ""),
        ({VARIABLE: "x"}, VARIABLE),
        ({"DAYBOOK_ANTHROPIC__API_KEY": "x"}, "DAYBOOK_ANTHROPIC__API_KEY"),
    ],
)
def test_what_goes_before_both_files_is_named(
    settings_folder: SettingsFolder, environ: dict[str, str], fixed_by: str
) -> None:
    settings_folder.write({"anthropic": {"api_key": f"${{{VARIABLE}}}"}})
    settings_folder.write(f"{VARIABLE}=abc", ".env")

    held = own(settings_folder).look_up(environ, KEY, VARIABLE)

    assert (fixed_by, True) == (held.fixed_by, held.is_set)


def test_an_unknown_key_in_the_local_file_names_that_file(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"modle": "x"}, "config.local.json")

    assert "config.local.json: modle: unknown key; did you mean model?" == settings_folder.refusal()


def test_an_empty_variable_does_not_hide_the_one_of_dotenv(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"model": "${MODEL}"})
    settings_folder.write("MODEL=of-dotenv", ".env")

    assert "of-dotenv" == settings_folder.load({"MODEL": ""}).model


def test_a_reference_that_was_replaced_asks_for_nothing(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": {"bot_token": "${A}", "app_token": "${B}"}}})
    settings_folder.write({"channels": {"slack": {"bot_token": None}}}, "config.local.json")

    (section,) = settings_folder.load().channels

    assert not section.is_configured


# Writing.


def test_both_files_are_written_for_their_owners_eyes(settings_folder: SettingsFolder) -> None:
    before = own(settings_folder)
    files = before.with_variable("A", "1").with_value(("model",), "x")
    settings = settings_folder.file.read_bytes()

    written = write_own_files(files, instead_of=before)

    assert files == own(settings_folder)
    assert {".env", "config.local.json"} == {path.name for path in written}
    if sys.platform != "win32":
        assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in written}
    assert settings == settings_folder.file.read_bytes()
    assert 3 == len(list(settings_folder.folder.iterdir()))


def test_what_is_as_it_was_is_not_written(settings_folder: SettingsFolder) -> None:
    before = own(settings_folder)

    assert () == write_own_files(before, instead_of=before)
    assert ["config.json"] == [path.name for path in settings_folder.folder.iterdir()]


def test_what_somebody_else_wrote_meanwhile_stays(settings_folder: SettingsFolder) -> None:
    before = own(settings_folder)
    settings_folder.write("A=theirs\n", ".env")

    with pytest.raises(ConfigError, match="somebody else"):
        write_own_files(before.with_variable("A", "ours"), instead_of=before)

    assert "A=theirs\n" == own(settings_folder).dotenv


def test_where_the_second_cannot_be_written_the_first_is_as_it_was(
    settings_folder: SettingsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_folder.write({"model": "former"}, "config.local.json")
    before = own(settings_folder)
    rename = Path.replace

    def fails_on_dotenv(self: Path, target: Path) -> Path:
        if target.name == ".env":
            raise OSError(28, "No space left on device", str(target))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", fails_on_dotenv)
    with pytest.raises(ConfigError, match=r"\.env: cannot be written \(No space left"):
        write_own_files(
            before.with_value(("model",), "new").with_variable("A", "1"), instead_of=before
        )

    assert before == own(settings_folder)
    assert 2 == len(list(settings_folder.folder.iterdir()))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_stays_one(settings_folder: SettingsFolder) -> None:
    elsewhere = settings_folder.folder / "elsewhere"
    elsewhere.mkdir()
    (settings_folder.folder / ".env").symlink_to(elsewhere / "secrets")
    (elsewhere / "secrets").write_text("A=1\n")
    before = own(settings_folder)

    write_own_files(before.with_variable("A", "2"), instead_of=before)

    assert (settings_folder.folder / ".env").is_symlink()
    assert "A=2\n" == (elsewhere / "secrets").read_text()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may everything")
def test_a_folder_that_cannot_be_written_is_told_at_once(settings_folder: SettingsFolder) -> None:
    settings_folder.folder.chmod(0o500)

    with pytest.raises(ConfigError, match=r"config\.local\.json: cannot be written"):
        check_place(own(settings_folder))
