"""What ``doctor`` says of a company's proxy and of its CA."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from bot.app.network_check import examine_network, judge_ca_file, judge_proxy
from bot.config import Config, ProxyPlace
from bot.core.findings import Finding
from bot.testing.clock import FakeClock
from bot.testing.company_proxy import CompanyProxy

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PLACE = ProxyPlace.model_validate("http://proxy.example:3128")


def lead(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("https_proxy", address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


async def seen(**keys: object) -> Finding:
    (found,) = await examine_network(Config.model_validate(keys), FakeClock())
    return found


async def test_where_nothing_is_set_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)

    assert await examine_network(Config(), FakeClock()) == ()


async def test_a_proxy_of_the_environment_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    async with CompanyProxy({"api.anthropic.com": 1}, user="d", password="p" * 9) as proxy:
        lead(monkeypatch, proxy.address)
        well = await seen()
        lead(monkeypatch, f"http://{proxy.place}")
        asked = await seen()

    assert (well.grade, well.id) == ("ok", "network.proxy")
    assert well.seen == f"the proxy {proxy.place} leads to api.anthropic.com"
    assert asked.grade == "broken"
    assert asked.seen == f"the proxy {proxy.place} wants to know who asks (407)"
    assert '"${PROXY_URL}"' in asked.mend


async def test_a_model_of_one_s_own_is_what_it_has_to_lead_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with CompanyProxy({"model.example": 1}) as proxy:
        lead(monkeypatch, proxy.address)
        monkeypatch.setenv("http_proxy", proxy.address)
        found = await seen(anthropic={"base_url": "http://model.example"})
        near = await seen(anthropic={"base_url": "http://127.0.0.1:11434"})

    assert proxy.asked == ["model.example:80", "api.anthropic.com:443"]
    assert (found.grade, near.grade) == ("ok", "ok")
    assert "answers, though it does not lead to api.anthropic.com (403)" in near.seen


async def test_one_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    lead(monkeypatch, "http://127.0.0.1:9")
    found = await seen()

    assert found.grade == "broken"
    assert found.seen.startswith("the proxy 127.0.0.1:9 cannot be reached (")
    assert '"proxy"' in found.mend


async def test_one_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        lead(monkeypatch, f"http://127.0.0.1:{port}")
        found = await seen()

    assert found.grade == "broken"
    assert "what answers there is no proxy" in found.seen


async def test_one_of_another_kind_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    lead(monkeypatch, "https://proxy.example")
    found = await seen()

    assert found.grade == "ok"
    assert "was not looked at" in found.seen


@pytest.mark.parametrize(
    ("status", "is_needed", "grade"),
    [(200, True, "ok"), (403, True, "broken"), (403, False, "ok"), (407, False, "broken")],
)
def test_what_its_answer_means(status: int, is_needed: bool, grade: str) -> None:
    found = judge_proxy(PLACE, status, "api.anthropic.com", is_needed=is_needed)

    assert found.grade == grade
    assert status == 200 or f"({status})" in found.seen


def test_a_wrong_password_is_told_from_none() -> None:
    place = ProxyPlace.model_validate("http://daybook:wrong@proxy.example:3128")

    found = judge_proxy(place, 407, "api.anthropic.com", is_needed=True)

    assert "takes neither user nor password" in found.seen
    assert "wrong" not in found.seen + found.mend


# The CA.


def with_authorities(folder: Path, count: int) -> Config:
    file = folder / "company.pem"
    file.write_bytes(b"".join(trustme.CA().cert_pem.bytes() for _ in range(count)))
    return Config(ca_file=file)


def test_what_is_trusted_is_counted(tmp_path: Path) -> None:
    one = with_authorities(tmp_path, 1)

    found = judge_ca_file(one, NOW)

    assert (found.grade, found.id) == ("ok", "network.ca_file")
    assert found.seen == f"1 certificate of {one.ca_file} is trusted beside the system's"


def test_what_ran_out_is_told(tmp_path: Path) -> None:
    two = with_authorities(tmp_path, 2)

    found = judge_ca_file(two, datetime(3001, 1, 1, tzinfo=UTC))

    assert found.grade == "warning"
    assert found.seen.startswith(f"2 of 2 certificates in {two.ca_file} ran out, the first on 3000")


def test_a_file_that_went_is_told(tmp_path: Path) -> None:
    one = with_authorities(tmp_path, 1)
    (tmp_path / "company.pem").unlink()

    assert judge_ca_file(one, NOW).grade == "broken"
