"""Pages through a proxy: it is asked for what is public, and for nothing else."""

from collections.abc import AsyncIterator
from contextlib import suppress
from ipaddress import ip_address
from string import ascii_letters, digits
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.adapters.fetcher import Address, PublicFetcher, is_public
from bot.errors import ToolError
from bot.testing.company_proxy import CompanyProxy
from tests.adapters.test_fetcher import Names, Site, get, refusal, site

__all__ = ["site"]

PUBLIC = "93.184.215.14"


@pytest.fixture
async def proxy(site: Site, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[CompanyProxy]:
    routes = {"site.example": site.port, "other.example": site.port, PUBLIC: site.port}
    async with CompanyProxy(routes) as proxy:
        for name in ("http_proxy", "https_proxy"):
            monkeypatch.setenv(name, proxy.address)
        monkeypatch.delenv("no_proxy", raising=False)
        yield proxy


def behind(site: Site, **names: list[str]) -> PublicFetcher:
    """Fetch as behind a proxy, with what this machine knows of names."""
    return PublicFetcher(ports=frozenset({80, 443, site.port}), resolver=Names(**names))


async def test_a_page_comes_through_it(site: Site, proxy: CompanyProxy) -> None:
    site.page("/", "noon")

    page = await get(behind(site, site_example=[PUBLIC]), site.url("/"))

    assert page.body == "noon"
    assert proxy.carried == [f"site.example:{site.port}"]


async def test_so_it_does_where_this_machine_knows_no_names(
    site: Site, proxy: CompanyProxy
) -> None:
    site.page("/", "noon")

    assert (await get(behind(site), site.url("/"))).body == "noon"


async def test_an_address_is_asked_for_as_it_stands(site: Site, proxy: CompanyProxy) -> None:
    site.page("/", "noon")

    assert (await get(behind(site), site.url("/", PUBLIC))).body == "noon"


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "[::1]", "10.0.0.7", "169.254.169.254", "[::ffff:10.0.0.7]", "[fe80::1]"),
        *("localhost", "intranet", "wiki.corp", "printer.local", "metadata.internal."),
        *("a.home.arpa", "kubernetes.default.svc", "web.service.consul", "wiki.intern"),
        *("fritz.box", "192.0.0.8", "①②⑦.0.0.1", "\uff11\uff10。0。0。7", "WIKI.Corp"),
    ],
)
async def test_the_inside_is_not_asked_for(site: Site, proxy: CompanyProxy, host: str) -> None:
    assert "is not on the public web" in await refusal(behind(site), site.url("/", host))
    assert proxy.asked == []


@pytest.mark.parametrize("addresses", ["10.0.0.7", f"{PUBLIC} 10.0.0.7", "::1", "fe80::1"])
async def test_nor_is_a_name_that_leads_inside(
    site: Site, proxy: CompanyProxy, addresses: str
) -> None:
    fetcher = behind(site, wiki_example=[addresses])

    assert "is not on the public web" in await refusal(fetcher, site.url("/", "wiki.example"))
    assert proxy.asked == []


async def test_nor_where_a_page_leads_inside(site: Site, proxy: CompanyProxy) -> None:
    site.redirect("/", f"http://127.0.0.1:{site.port}/secret")
    site.page("/secret", "of the inside")

    assert "is not on the public web" in await refusal(behind(site), site.url("/"))
    assert site.hits == ["/"]


TWO_READINGS = (
    *("169.254.169.254 ", "127.0.0. 1", "127.0.0.1\u3000", "127.0.0.1\xa0", "intranet .l an"),
    *("a;b.example", "a|b.example", 'a"b.example', "a{b}.example", "a`b.example", "a<b.example"),
    *("%31%32%37.0.0.1", "127.0.0.1%20", "127.0.0.1%00.site.example"),
    *("0x7f.1", "0177.0.0.1", "2130706433", "127.1", "127.0.0.1.", "127.0.0.1..", ".127.0.0.1"),
    *("a..example", "x" * 64 + ".example", "a." * 127 + "example", "[fe80::1%25eth0]"),
    *("xn--a.example", "site.example\\@127.0.0.1", "127.0.0.1\u200b", "site.example\xad"),
)
"""Hosts that one reader takes for another one than the next, or that no name server can be asked
for."""


@pytest.mark.parametrize("host", TWO_READINGS)
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("spared", ["", "*"])
async def test_a_host_that_can_be_read_in_two_ways_is_asked_for_nowhere(
    site: Site,
    proxy: CompanyProxy,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    scheme: str,
    spared: str,
) -> None:
    monkeypatch.setenv("no_proxy", spared)
    names = Names()
    fetcher = PublicFetcher(ports=frozenset({site.port}), resolver=names)
    address = f"{scheme}://{host}:{site.port}/latest/meta-data"

    told = await refusal(fetcher, address)
    site.redirect("/", address)
    led_there = await refusal(site.fetcher() if spared else behind(site), site.url("/"))

    reasons = ("is not the name of a web site.", "This is not the address of a web page.")
    assert told.endswith(reasons)
    assert led_there == told
    assert (site.hits, names.asked) == (["/"], [])
    assert all(each == f"site.example:{site.port}" for each in proxy.asked)


PIECES = st.sampled_from(
    [
        *'127.0.0.1 10.7 @:/\\?#[]%;|"{}<>^`\u3000\xa0\t\n\u200b。\uff0e①\uff11\uff41',
        "localhost",
        "site.example",
    ]
)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(host=st.lists(PIECES, max_size=9).map("".join))
@example(host="169.254.169.254 ")
@example(host="127.0.0.1 \u3000")
async def test_whatever_is_written_the_proxy_is_asked_for_public_names_alone(
    site: Site, proxy: CompanyProxy, host: str
) -> None:
    with suppress(ToolError):
        await get(behind(site), f"http://{host}/")

    asked = [urlsplit(f"//{each}").hostname or "" for each in proxy.asked]
    assert all(set(each) <= set(ascii_letters + digits + ".-_") for each in asked)
    assert not any(each.strip(".") in ("localhost", "") for each in asked)
    assert not any(
        each.replace(".", "").isdigit() and not is_public(ip_address(each)) for each in asked
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "wiki.example", "169.254.169.254"])
async def test_no_proxy_for_all_takes_no_guard_away(
    site: Site, proxy: CompanyProxy, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    site.page("/", "of the inside")
    fetcher = behind(site, wiki_example=["127.0.0.1"])

    assert "is not on the public web" in await refusal(fetcher, site.url("/", host))
    assert (proxy.asked, site.hits) == ([], [])


async def test_what_needs_no_proxy_is_judged_at_its_socket(
    site: Site, proxy: CompanyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "site.example")

    def is_allowed(address: Address) -> bool:
        return address == ip_address("127.0.0.1") or is_public(address)

    names = Names(site_example=["127.0.0.1"], other_example=[PUBLIC])
    ports = frozenset({site.port})
    fetcher = PublicFetcher(is_allowed=is_allowed, ports=ports, resolver=names)
    site.redirect("/", site.url("/there", "other.example"))
    site.page("/there", "noon")

    assert (await get(fetcher, site.url("/"))).body == "noon"
    assert proxy.asked == [f"other.example:{site.port}"]
    assert "is not on the public web" in await refusal(behind(site), site.url("/", "127.0.0.1"))


async def test_a_proxy_that_leads_nowhere_is_named(site: Site, proxy: CompanyProxy) -> None:
    told = await refusal(behind(site), "https://elsewhere.example/")

    assert told == "The proxy that leads to the web lets nobody through to elsewhere.example (403)."


async def test_a_proxy_that_is_not_there_is_named(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")

    told = await refusal(behind(site), "https://site.example/")

    assert told == "The proxy that leads to the web cannot be reached."
