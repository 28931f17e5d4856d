"""When a channel counts as configured, and what is said when it is so only in part."""

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from bot.config import ChannelSection, read_section, secrets_of
from bot.errors import ConfigError
from tests.config.conftest import SettingsFolder


class Limits(BaseModel):
    model_config = ConfigDict(extra="forbid")

    per_minute: int = Field(default=20, ge=1, le=60)
    unit: str = Field(default="call", pattern="^[a-z]+$")


class Settings(BaseModel):
    """A pretended channel's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bot_token: SecretStr
    app_token: SecretStr
    signing_secret: SecretStr | None = None
    limits: Limits = Limits()
    rooms: tuple[int, ...] = ()


TOKENS = {"bot_token": "${BOT}", "app_token": "${APP}", "signing_secret": "${SIGN}"}


def section(folder: SettingsFolder, environ: dict[str, str] | None = None) -> ChannelSection:
    return folder.load(environ).channels[0]


def refusal(folder: SettingsFolder, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        read_section(section(folder, environ), Settings)
    return str(caught.value).replace(f"{folder.folder}/", "")


def test_a_section_without_its_tokens_was_left_for_later(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": {**TOKENS, "limits": {"per_minute": 9}}}})

    slack = section(settings_folder)

    assert not slack.is_configured
    assert {"bot_token": "BOT", "app_token": "APP", "signing_secret": "SIGN"} == slack.missing


def test_all_that_is_needed_is_there(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": TOKENS}})

    slack = section(settings_folder, {"BOT": "1111", "APP": "2222"})

    assert slack.is_configured
    assert secrets_of(read_section(slack, Settings)) == ("1111", "2222")


def test_a_section_in_part_names_key_and_variable(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": TOKENS}})

    assert section(settings_folder, {"BOT": "1111"}).is_configured
    assert refusal(settings_folder, {"BOT": "1111"}) == (
        "config.json: channels.slack.app_token: is missing; set the environment variable APP"
    )


def test_the_line_end_of_a_file_is_no_part_of_a_secret(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": TOKENS}})
    environ = {"BOT": "1111\n", "APP": " 2222\r\n", "SIGN": "\t3333 "}

    read = read_section(section(settings_folder, environ), Settings)

    assert ("1111", "2222", "3333") == secrets_of(read)


@pytest.mark.parametrize("name", ["bot_token", "signing_secret"])
@pytest.mark.parametrize("secret", ["11\n11", "11\x0011", "11\u200b11", "11\r\n11: 1"])
def test_no_secret_has_characters_that_a_header_cannot_carry(
    settings_folder: SettingsFolder, name: str, secret: str
) -> None:
    values = {"bot_token": "1111", "app_token": "2222", name: secret}
    settings_folder.write({"channels": {"slack": values}})

    assert refusal(settings_folder) == (
        f"config.json: channels.slack.{name}: must be one line without control characters"
    )


def test_a_token_given_as_an_override_configures_too(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": TOKENS}})

    assert refusal(settings_folder, {"DAYBOOK_CHANNELS__SLACK__APP_TOKEN": "2222"}) == (
        "config.json: channels.slack.bot_token: is missing; set the environment variable BOT"
    )


def test_a_section_that_asks_for_nothing_is_configured(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"console": {}}})

    assert section(settings_folder) == ChannelSection(
        name="console", merged=section(settings_folder).merged
    )
    assert section(settings_folder).is_configured


@pytest.mark.parametrize("enabled", [True, "true"])
def test_enabled_demands_the_tokens(settings_folder: SettingsFolder, enabled: object) -> None:
    settings_folder.write({"channels": {"slack": {**TOKENS, "enabled": enabled}}})

    assert section(settings_folder).is_configured
    assert refusal(settings_folder) == (
        "config.json: channels.slack.bot_token: is missing; set the environment variable BOT"
    )


def test_disabled_is_not_configured(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": TOKENS}})
    environ = {"BOT": "1111", "APP": "2222", "DAYBOOK_CHANNELS__SLACK__ENABLED": "false"}

    assert not section(settings_folder, environ).is_configured


@pytest.mark.parametrize("enabled", ["yes", 1, [], {}])
def test_enabled_is_true_or_false(settings_folder: SettingsFolder, enabled: object) -> None:
    settings_folder.write({"channels": {"slack": {"enabled": enabled}}})

    assert settings_folder.refusal() == (
        "config.json: channels.slack.enabled: must be true or false"
    )


def test_a_token_that_is_nowhere(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": {}}})

    assert refusal(settings_folder) == "config.json: channels.slack.bot_token: is missing"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"bot_tokens": "x"},
            "config.json: channels.slack.bot_tokens: unknown key; did you mean bot_token?",
        ),
        (
            {"enable": False},
            "config.json: channels.slack.enable: unknown key; did you mean enabled?",
        ),
        (
            {"limits": {"enable": False}},
            "config.json: channels.slack.limits.enable: unknown key, see docs/config.md",
        ),
        (
            {"limits": {"per_minute": 99}},
            "config.json: channels.slack.limits.per_minute: "
            "must be a whole number from 1 to 60, not 99",
        ),
        ({"rooms": [7, "x"]}, "config.json: channels.slack.rooms.1: must be a whole number"),
        (
            {"limits": {"unit": "7"}},
            "config.json: channels.slack.limits.unit: must match ^[a-z]+$",
        ),
    ],
)
def test_what_the_channel_does_not_know(
    settings_folder: SettingsFolder, values: dict[str, object], line: str
) -> None:
    settings_folder.write({"channels": {"slack": {"bot_token": "1", "app_token": "2", **values}}})

    assert refusal(settings_folder) == line


def test_the_settings_of_one_channel_name_their_source(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": {}}})

    line = refusal(settings_folder, {"DAYBOOK_CHANNELS__SLACK__BOT_TOKENS": "x"})

    assert line.startswith("config.json: channels.slack.bot_token: is missing")


@pytest.mark.parametrize(("channels", "key"), [([], "channels"), ({"slack": 1}, "channels.slack")])
def test_what_is_no_section(settings_folder: SettingsFolder, channels: object, key: str) -> None:
    settings_folder.write({"channels": channels})

    assert settings_folder.refusal() == f"config.json: {key}: must be an object"


@pytest.mark.parametrize("name", ["", "Slack", "../slack", "a.b", "a\nb"])
def test_what_is_no_name_of_a_channel(settings_folder: SettingsFolder, name: str) -> None:
    settings_folder.write({"channels": {name: {}}})

    refusal = settings_folder.refusal()

    assert refusal.endswith(": is no name of a channel")
    assert "\n" not in refusal


def test_a_channel_is_read_by_its_name(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"channels": {"slack": {"bot_token": "1111", "app_token": "2222"}}})
    config = settings_folder.load()

    assert config.read_channel("slack", Settings).app_token.get_secret_value() == "2222"
    assert config.read_channel("console", Limits) == Limits()
    with pytest.raises(ConfigError, match=r"^settings: channels\.other\.bot_token: is missing$"):
        config.read_channel("other", Settings)
