"""The settings for a company's network: its proxy, and a CA of its own."""

import base64
import os
from pathlib import Path

import pytest
import trustme

from bot.app.way_out import lead_out, led_out, secrets_on_the_way
from bot.config import secrets_of
from bot.config.changes import changeable
from bot.config.examining import look_at_settings
from bot.config.keys import Config
from bot.errors import ConfigError
from tests.config.conftest import SettingsFolder

PASSWORD = "p4ss/" + "w" * 8
ESCAPED = PASSWORD.replace("/", "%2f")
PROXY = f"http://daybook:{ESCAPED}@proxy.example:3128"


def test_a_proxy_s_address_is_read(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"proxy": "${PROXY_URL}"})

    proxy = settings_folder.load({"PROXY_URL": f"{PROXY}/\n"}).proxy

    assert proxy is not None
    assert (proxy.shown, proxy.address) == ("proxy.example:3128", PROXY)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://proxy.example", "proxy.example:80"),
        ("http://[2001:db8::1]:3128", "[2001:db8::1]:3128"),
        ("HTTP://10.0.0.7:3128/", "10.0.0.7:3128"),
    ],
)
def test_it_may_be_short(settings_folder: SettingsFolder, address: str, shown: str) -> None:
    settings_folder.write({"proxy": address})

    proxy = settings_folder.load().proxy

    assert proxy is not None
    assert (proxy.shown, proxy.address) == (shown, f"http://{shown}")


def test_without_the_variable_there_is_none(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"proxy": "${PROXY_URL}", "ca_file": None})

    config = settings_folder.load()

    assert (config.proxy, config.ca_file) == (None, None)


@pytest.mark.parametrize(
    "address",
    [
        *("proxy.example:3128", "https://proxy.example", "socks5://proxy.example:1080", ""),
        *("http://proxy.example:0", "http://proxy.example:70000", "http://proxy.example/path"),
        *("http://proxy.example:3128?x", "http://a b:3128", "http://[::1:3128", "http://:3128"),
        f"http://d:{PASSWORD}@proxy.example",
    ],
)
def test_what_is_none_is_refused_and_not_repeated(
    settings_folder: SettingsFolder, address: str
) -> None:
    settings_folder.write({"proxy": address})

    told = settings_folder.refusal()

    assert told.startswith("config.json: proxy: must be the address of a proxy that speaks HTTP")
    assert PASSWORD not in told


@pytest.mark.parametrize("value", [{"host": "proxy.example", "port": 3128}, 3128, ["http://a"]])
def test_it_is_text_and_nothing_else(settings_folder: SettingsFolder, value: object) -> None:
    settings_folder.write({"proxy": value})

    assert settings_folder.refusal() == "config.json: proxy: must be text"


def test_none_of_its_secrets_is_shown(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"proxy": PROXY})
    config = settings_folder.load()

    basic = base64.b64encode(f"daybook:{PASSWORD}".encode()).decode()
    assert {PASSWORD, f"daybook:{ESCAPED}", basic} <= set(secrets_of(config))
    assert PASSWORD not in repr(config)
    assert ESCAPED not in repr(config)
    assert look_at_settings(settings_folder.file, {}).plain_secrets == ("proxy",)


def test_those_of_the_environment_are_known_too() -> None:
    environ = {"https_proxy": PROXY, "NO_PROXY": "a.example", "all_proxy": "socks5://a.example"}

    assert PASSWORD in secrets_on_the_way(Config(), environ)


def test_one_without_a_password_is_no_secret(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"proxy": "http://proxy.example:3128"})

    assert look_at_settings(settings_folder.file, {}).plain_secrets == ()


def test_no_chat_may_change_it() -> None:
    for key in ("proxy", "ca_file"):
        with pytest.raises(ConfigError, match=f"`{key}` is for the operator to change"):
            changeable(key)


# The CA.


def test_a_file_counts_from_the_settings_on(settings_folder: SettingsFolder) -> None:
    file = settings_folder.folder / "company.pem"
    trustme.CA().cert_pem.write_to_path(str(file))
    settings_folder.write({"ca_file": "company.pem"})

    assert settings_folder.load().ca_file == file


@pytest.mark.parametrize(
    "content",
    [b"", b"\x30\x82\x01", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
)
def test_a_file_without_a_certificate_is_refused_with_what_to_do(
    settings_folder: SettingsFolder, content: bytes
) -> None:
    (settings_folder.folder / "company.cer").write_bytes(content)
    settings_folder.write({"ca_file": "company.cer"})

    told = settings_folder.refusal()

    assert told.startswith("config.json: ca_file: company.cer holds no certificate")
    assert "openssl x509 -inform der -in company.cer -out company.cer.pem" in told


def test_half_a_file_is_refused(settings_folder: SettingsFolder) -> None:
    whole = trustme.CA().cert_pem.bytes()
    begin, *_, last, end = whole.splitlines(keepends=True)
    (settings_folder.folder / "company.pem").write_bytes(whole + begin + last + end)
    settings_folder.write({"ca_file": "company.pem"})

    assert "company.pem holds no certificate" in settings_folder.refusal()


def test_a_file_that_is_not_there_is_refused(settings_folder: SettingsFolder) -> None:
    settings_folder.write({"ca_file": "company.pem"})

    told = settings_folder.refusal()

    assert told == (
        "config.json: ca_file: company.pem cannot be read (No such file or directory); "
        "mend that, or remove ca_file"
    )


# Both put into effect.


def test_they_go_into_the_environment(settings_folder: SettingsFolder) -> None:
    trustme.CA().cert_pem.write_to_path(str(settings_folder.folder / "company.pem"))
    settings_folder.write(
        {
            "proxy": PROXY,
            "ca_file": "company.pem",
            "anthropic": {"base_url": "http://127.0.0.2:11434"},
            "channels": {"telegram": {"token": "1:a", "base_url": "http://[::1]:8081"}},
        }
    )
    environ = {"no_proxy": "own.example"}

    lead_out(settings_folder.load(), environ, settings_folder.folder)

    assert environ["https_proxy"] == environ["HTTPS_PROXY"] == PROXY
    assert environ["no_proxy"] == "own.example,localhost,127.0.0.1,::1,127.0.0.2"
    assert environ["SSL_CERT_FILE"] == str(settings_folder.folder / "trusted.pem")


def test_for_a_while_they_leave_nothing_behind(
    settings_folder: SettingsFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://other.example:8080")
    before = dict(os.environ)
    trustme.CA().cert_pem.write_to_path(str(settings_folder.folder / "company.pem"))
    settings_folder.write({"proxy": PROXY, "ca_file": "company.pem"})

    with led_out(settings_folder.load()):
        trusted = Path(os.environ["SSL_CERT_FILE"])
        assert os.environ["HTTPS_PROXY"] == PROXY
        assert trusted.exists()

    assert dict(os.environ) == before
    assert not trusted.parent.exists()


def test_a_folder_that_cannot_be_written_is_named(settings_folder: SettingsFolder) -> None:
    trustme.CA().cert_pem.write_to_path(str(settings_folder.folder / "company.pem"))
    settings_folder.write({"ca_file": "company.pem"})

    with pytest.raises(ConfigError, match=r"ca_file: .* cannot be written down in .*/nowhere"):
        lead_out(settings_folder.load(), {}, settings_folder.folder / "nowhere")
