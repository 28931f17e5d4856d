"""Which way a connection goes: what the settings and the environment say together."""

import os
import ssl
import urllib.request
from pathlib import Path

import pytest
import trustme

from bot.network import distrust, lead_through, proxy_for, trusted

PROXY = "http://proxy.example:3128"
OTHER = "http://other.example:8080"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_the_environment_names_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    monkeypatch.setenv("http_proxy", OTHER)
    monkeypatch.setenv("no_proxy", "localhost,127.0.0.1,::1,own.example")

    assert proxy_for("https://slack.com/api/") == PROXY
    assert proxy_for("wss://wss-primary.slack.com/link") == PROXY
    assert proxy_for("http://slack.com/") == proxy_for("ws://slack.com/") == OTHER
    direct = ("http://127.0.0.1:1/", "http://[::1]:1/", "https://a.own.example/", "http://")
    assert [None] * 4 == [proxy_for(each) for each in direct]


def test_without_one_all_goes_directly() -> None:
    assert proxy_for("https://slack.com/api/") is None


def test_the_settings_go_before_the_environment() -> None:
    environ = {"HTTPS_PROXY": OTHER, "all_proxy": "socks5://other.example", "NO_PROXY": "a.example"}

    lead_through(environ, PROXY, ["127.0.0.2"])

    spared = "a.example,localhost,127.0.0.1,::1,127.0.0.2"
    assert environ == {
        **dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"), PROXY),
        **dict.fromkeys(("no_proxy", "NO_PROXY"), spared),
    }


def test_a_proxy_of_the_environment_stays_but_is_not_asked_for_this_machine() -> None:
    environ = {"http_proxy": OTHER, "no_proxy": "a.example, localhost"}

    lead_through(environ, None, [])

    spared = "a.example,localhost,127.0.0.1,::1"
    assert environ == {"http_proxy": OTHER, "no_proxy": spared, "NO_PROXY": spared}


@pytest.mark.parametrize("name", ["all_proxy", "ALL_PROXY"])
def test_a_proxy_for_all_leads_whoever_does_not_know_of_such_a_one(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, PROXY)
    monkeypatch.setenv("HTTP_PROXY", OTHER)
    for each in ("http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.setenv(each, "to be put back")  # afterwards, with all that is set here
        monkeypatch.delenv(each)

    lead_through(os.environ, None, [])

    led = ("https://slack.com/", "http://slack.com/", "http://127.0.0.1/")
    assert [PROXY, OTHER, None] == [proxy_for(each) for each in led]
    assert PROXY == urllib.request.getproxies()["https"]


@pytest.mark.parametrize("before", [{}, {"PATH": "/bin", "NO_PROXY": "a.example"}])
def test_where_there_is_none_nothing_is_changed(before: dict[str, str]) -> None:
    environ = dict(before)

    lead_through(environ, None, ["127.0.0.2"])

    assert environ == before


def test_what_needs_no_proxy_at_all_still_needs_none() -> None:
    environ = {"no_proxy": "a.example, *"}

    lead_through(environ, PROXY, [])

    assert environ["no_proxy"] == "*"


def test_aiohttp_is_told_of_a_file_that_its_import_did_not_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert trusted() is True

    trustme.CA().cert_pem.write_to_path(str(tmp_path / "company.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "company.pem"))
    context = trusted()

    assert isinstance(context, ssl.SSLContext)
    issuers = [str(each["issuer"]) for each in context.get_ca_certs() if isinstance(each, dict)]
    assert any("trustme" in each for each in issuers)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert trusted() is context


def test_a_certificate_of_nobody_known_is_told_from_one_that_is_wrong() -> None:
    assert '"ca_file"' in distrust(behind(refused(19, "self-signed certificate in chain")))
    expired = distrust(behind(refused(10, "certificate has expired")))
    assert expired == "certificate not trusted: certificate has expired"
    assert distrust(behind(ConnectionResetError())) == ""
    assert distrust(TimeoutError()) == ""


def refused(code: int, why: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, why
    return error


def behind(cause: Exception) -> Exception:
    outer = OSError("cannot connect")
    outer.__cause__ = ConnectionError("likewise")
    outer.__cause__.__context__ = cause
    return outer
