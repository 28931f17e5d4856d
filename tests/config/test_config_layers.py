"""Which source of settings wins, and what ``${NAME}`` stands for."""

import pytest

from bot.config import load, loading
from bot.config.keys import CHECKOUT
from bot.errors import ConfigError
from tests.config.conftest import SettingsFolder


def test_an_empty_file_gives_the_defaults(settings_folder: SettingsFolder) -> None:
    config = settings_folder.load()

    assert settings_folder.folder / "data" == config.data_dir
    assert (50_000, 20, 15) == (
        config.agent_max_context_tokens,
        config.agent_max_context_turns,
        config.agent_max_steps,
    )
    assert config.channels == ()
    assert config.read_persona().startswith("You are Daybook")


def test_the_tracked_file_says_nothing_but_the_defaults(settings_folder: SettingsFolder) -> None:
    defaults = settings_folder.load()
    settings_folder.write((CHECKOUT / "config.json").read_text(encoding="utf-8"))
    settings_folder.write((CHECKOUT / "persona.md").read_text(encoding="utf-8"), "persona.md")
    tracked = settings_folder.load()

    others = {"channels", "persona"}
    assert tracked.model_dump(exclude=others) == defaults.model_dump(exclude=others)
    assert tracked.read_persona() == defaults.read_persona()
    assert [section.is_configured for section in tracked.channels] == [False, False]


def test_layers_from_weak_to_strong(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"max_tokens": 1000, "agent_max_steps": 1, "agent_max_context_turns": 1})
    settings_folder.write({"agent_max_steps": 2, "model": "local"}, "config.local.json")

    config = settings_folder.load({"DAYBOOK_AGENT_MAX_CONTEXT_TURNS": "3", "DAYBOOK_MODEL": "env"})

    assert (1000, 2, 3, "env") == (
        config.max_tokens,
        config.agent_max_steps,
        config.agent_max_context_turns,
        config.model,
    )


def test_objects_are_laid_over_each_other_key_by_key(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"anthropic": {"api_key": "from-file", "base_url": "http://file"}})

    config = settings_folder.load({"DAYBOOK_ANTHROPIC__BASE_URL": "http://environment"})

    assert config.anthropic.base_url == "http://environment"
    assert config.anthropic.api_key is not None
    assert config.anthropic.api_key.get_secret_value() == "from-file"


def test_null_takes_a_value_away(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"max_tokens": 1000, "channels": {"slack": {}, "console": {}}})
    settings_folder.write({"max_tokens": None, "channels": {"slack": None}}, "config.local.json")

    config = settings_folder.load()

    assert config.max_tokens == 4096
    assert [section.name for section in config.channels] == ["console"]


def test_comments_are_ignored_everywhere(settings_folder: SettingsFolder) -> None:
    settings_folder.write(
        '{"$schema": "x", "//": "a", "//": "b", "anthropic": {"// why": 1}, "max_tokens": 512}'
    )

    assert settings_folder.load().max_tokens == 512


def test_a_byte_order_mark_does_no_harm(settings_folder: SettingsFolder) -> None:
    settings_folder.write('\ufeff{"max_tokens": 512}')

    assert settings_folder.load().max_tokens == 512


def test_references_are_filled_from_the_environment_before_dotenv(
    settings_folder: SettingsFolder,
) -> None:
    settings_folder.write({"model": "${A}-${B}", "timezone": "${ABSENT}", "allow": ["${ABSENT}"]})
    settings_folder.write("A=dotenv\nexport B='of dotenv' # why\n\n# C\n", ".env")

    config = settings_folder.load({"A": "environment"})

    assert config.model == "environment-of dotenv"
    assert config.timezone == "UTC"
    assert config.allow == ()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=plain", "plain"),
        ("A = spaced  ", "spaced"),
        ("A=a#b", "a#b"),
        ("A=a # b", "a"),
        ('A="a # b"', "a # b"),
        ("A=$B", "$B"),
        ('A="open', '"open'),
    ],
)
def test_lines_of_dotenv(settings_folder: SettingsFolder, line: str, value: str) -> None:
    settings_folder.write({"model": "${A}"})
    settings_folder.write(line, ".env")

    assert settings_folder.load().model == value


def test_dotenv_lends_values_and_is_no_layer(settings_folder: SettingsFolder) -> None:
    settings_folder.write("DAYBOOK_MODEL=other", ".env")

    assert settings_folder.load().model == "claude-sonnet-5-5"


def test_an_empty_variable_counts_as_not_set(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"model": "${MODEL}"})

    assert settings_folder.load({"MODEL": "", "DAYBOOK_TIMEZONE": ""}).model == "claude-sonnet-5-5"


def test_the_environment_gives_lists_as_json(settings_folder: SettingsFolder) -> None:
    config = settings_folder.load({"DAYBOOK_ADMINS": '["telegram:1", "slack:T1:U2"]'})

    assert config.admins == ("telegram:1", "slack:T1:U2")


def test_the_folder_of_the_environment_is_no_key(settings_folder: SettingsFolder) -> None:
    assert settings_folder.load({"DAYBOOK_HOME": "anywhere"}) == settings_folder.load()


def test_paths_count_from_the_settings_file(
    settings_folder: SettingsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_folder.write({"data_dir": "there/data", "persona": "~/voice.md"})
    monkeypatch.setenv("HOME", str(settings_folder.folder / "home"))

    config = settings_folder.load()

    assert config.data_dir == settings_folder.folder / "there/data"
    assert config.persona == settings_folder.folder / "home/voice.md"


def test_without_a_file_named_the_one_beside_run_py_counts(
    settings_folder: SettingsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "CHECKOUT", settings_folder.folder)
    settings_folder.write({"max_tokens": 512})

    assert load(None, {}).max_tokens == 512

    settings_folder.file.unlink()

    assert load(None, {}).max_tokens == 4096
    assert load(None, {}).data_dir == settings_folder.folder / "data"


def test_the_persona_is_read_from_its_file(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"persona": "voice.md"})
    settings_folder.write("\nBe kind.\n", "voice.md")

    assert settings_folder.load().read_persona() == "Be kind."


@pytest.mark.parametrize("text", ["", " \n", "x" * 20_001])
def test_a_persona_must_say_something_and_not_everything(
    settings_folder: SettingsFolder, text: str
) -> None:
    settings_folder.write({"persona": "voice.md"})
    settings_folder.write(text, "voice.md")

    with pytest.raises(ConfigError, match=r"voice\.md must hold 1 to 20000 characters, not "):
        settings_folder.load().read_persona()


def test_a_persona_that_is_not_there(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"persona": "voice.md"})

    with pytest.raises(ConfigError, match=r"persona: .*voice\.md cannot be read \(No such file"):
        settings_folder.load().read_persona()


def test_a_persona_that_is_no_text(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"persona": "voice.md"})
    (settings_folder.folder / "voice.md").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match=r"voice\.md is not UTF-8 text"):
        settings_folder.load().read_persona()


def test_nothing_secret_shows(settings_folder: SettingsFolder) -> None:
    secret = "sesame" * 3
    settings_folder.write(
        {"anthropic": {"api_key": secret}, "channels": {"telegram": {"token": secret}}}
    )

    config = settings_folder.load()

    assert secret not in repr(config)
    assert secret not in str(config)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "localhost", "::1"])
def test_on_this_machine_no_token_is_needed(settings_folder: SettingsFolder, host: str) -> None:
    settings_folder.write({"http": {"host": host}})

    assert (host, None) == (settings_folder.load().http.host, settings_folder.load().http.token)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "bot.example.org"])
def test_where_others_can_ask_a_token_is_needed(settings_folder: SettingsFolder, host: str) -> None:
    settings_folder.write({"http": {"host": host, "token": "${DAYBOOK_HTTP_TOKEN}"}})
    with pytest.raises(ConfigError) as raised:
        settings_folder.load()
    token = "r" * 16
    config = settings_folder.load({"DAYBOOK_HTTP_TOKEN": token})

    assert str(raised.value).endswith(
        "config.json: http: others can ask at this host, so a token is needed: set the environment "
        "variable DAYBOOK_HTTP_TOKEN, or let host be 127.0.0.1"
    )
    assert config.http.token is not None
    assert token == config.http.token.get_secret_value()
    assert token not in repr(config)


def test_a_token_that_is_easily_guessed_is_refused(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"http": {"token": "${DAYBOOK_HTTP_TOKEN}"}})
    with pytest.raises(ConfigError, match=r"config\.json: http\.token: ") as raised:
        settings_folder.load({"DAYBOOK_HTTP_TOKEN": "guess me"})

    assert "guess me" not in str(raised.value)
