import asyncio
import socket
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from ipaddress import ip_address

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.fetcher import PublicFetcher
from bot.errors import ToolError
from bot.ports import Page

HTML = "text/html; charset=utf-8"


class Names(AbstractResolver):
    """Name service of a test: each name with the answers it gives, one a look-up."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = {name.replace("_", "."): list(given) for name, given in answers.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        if host not in self.answers:
            raise OSError("no such name")
        answers = self.answers[host]
        address = answers.pop(0) if len(answers) > 1 else answers[0]
        return [_resolved(host, each, port) for each in address.split()]

    async def close(self) -> None:
        pass


def _resolved(host: str, address: str, port: int) -> ResolveResult:
    kind = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host, host=address, port=port, family=kind, proto=0, flags=socket.AI_NUMERICHOST
    )


class Site:
    """Pages on loopback; ``hits`` lists the paths that were asked for."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.port = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.hits.append(request.path)
        self.headers.append(dict(request.headers))
        if request.path == "/silent":
            await asyncio.Event().wait()
        status, headers, body = self.answers[request.path]
        return web.Response(status=status, headers=headers, body=body)

    def url(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        headers = {"Location": to, "Set-Cookie": "a=b", "Connection": "close"}
        self.answers[path] = (status, headers, b"")

    def page(self, path: str, body: bytes | str, content_type: str | None = HTML) -> None:
        data = body.encode() if isinstance(body, str) else body
        headers = {"Content-Type": content_type} if content_type else {}
        self.answers[path] = (200, headers, data)

    def fetcher(self, names: Names | None = None) -> PublicFetcher:
        """Fetch from this server under any name, as if loopback were public."""
        return PublicFetcher(
            is_allowed=lambda address: address == ip_address("127.0.0.1"),
            ports=frozenset({self.port}),
            resolver=names or Names(site_example=["127.0.0.1"]),
        )


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    place = web.TCPSite(runner, "127.0.0.1", 0)
    await place.start()
    site.port = runner.addresses[0][1]
    yield site
    await runner.cleanup()


async def get(fetcher: PublicFetcher, url: str, max_bytes: int = 100_000) -> Page:
    return await fetcher.get(url, max_bytes=max_bytes, timeout_s=10)


async def refusal(fetcher: PublicFetcher, url: str) -> str:
    with pytest.raises(ToolError) as caught:
        await get(fetcher, url)
    return str(caught.value)


# --- what is asked for ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.org/", "https:// or http://"),
        ("file:///etc/passwd", "https:// or http://"),
        ("javascript:alert(1)", "https:// or http://"),
        ("example.org", "https:// or http://"),
        ("//example.org/", "https:// or http://"),
        ("http:///x", "https:// or http://"),
        ("", "https:// or http://"),
        ("http://example.org:22/", "Port 22"),
        ("http://example.org:8080/", "Port 8080"),
        ("http://example.org:99999/", "not the address"),
        ("http://[::1", "not the address"),
        ("http://me@example.org/", "user name"),
        ("http://me:word@example.org/", "user name"),
        ("http://2130706433/", "not the name of a web site"),
        ("http://0x7f000001/", "not the name of a web site"),
        ("http://0x7f.1/", "not the name of a web site"),
        ("http://0177.0.0.1/", "not the name of a web site"),
        ("http://127.1/", "not the name of a web site"),
        ("http://127.0.0.1./", "not the name of a web site"),
        ("http://[fe80::1%25eth0]/", "not the name of a web site"),
        ("http://example.org/" + "x" * 5000, "too long"),
        ("http://127.0.0.1/", "not on the public web"),
        ("http://[::1]/", "not on the public web"),
        ("http://[::ffff:127.0.0.1]/", "not on the public web"),
        ("http://169.254.169.254/latest/meta-data/", "not on the public web"),
        ("http://0.0.0.0/", "not on the public web"),
        ("http://inside.example/", "not on the public web"),
        ("https://inside.example/", "not on the public web"),
        ("http://nowhere.example/", "There is no site"),
    ],
)
async def test_addresses_that_are_not_fetched(url: str, reason: str) -> None:
    names = Names(inside_example=["10.0.0.1 192.168.0.1 fd00::1"])

    assert reason in await refusal(PublicFetcher(resolver=names), url)


async def test_a_refusal_tells_nothing_of_the_private_network() -> None:
    names = Names(inside_example=["10.11.12.13"])

    text = await refusal(PublicFetcher(resolver=names), "http://inside.example/")

    assert text == "inside.example is not on the public web."


async def test_a_name_that_changes_its_mind_gains_nothing(site: Site) -> None:
    """DNS rebinding: each connection uses just the answer that was judged."""
    site.redirect("/a", "/b")
    site.page("/b", "secret")
    names = Names(site_example=["127.0.0.1", "127.0.0.2"])

    assert "not on the public web" in await refusal(site.fetcher(names), site.url("/a"))
    assert site.hits == ["/a"]
    assert names.asked == ["site.example", "site.example"]


async def test_a_forbidden_address_among_others_is_passed_over(site: Site) -> None:
    site.page("/", "fine")
    names = Names(site_example=["10.0.0.1 127.0.0.1"])

    assert (await get(site.fetcher(names), site.url("/"))).body == "fine"


@given(st.text(max_size=30), st.sampled_from(["", "http://", "https://", "http://a.example/"]))
@settings(max_examples=100, deadline=None)
async def test_no_address_at_all_breaks_the_fetcher(text: str, beginning: str) -> None:
    await refusal(PublicFetcher(resolver=Names()), beginning + text)


# --- answers --------------------------------------------------------------------------------


async def test_a_page_is_given_as_it_is(site: Site) -> None:
    site.page("/x", "<p>Grüße</p>")

    assert await get(site.fetcher(), site.url("/x")) == Page(
        url=site.url("/x"), content_type="text/html", body="<p>Grüße</p>", is_cut=False
    )


async def test_redirects_are_followed_and_judged_each(site: Site) -> None:
    site.redirect("/1", "/2", 301)
    site.redirect("/2", site.url("/3", "other.example"), 307)
    site.page("/3", "end")
    names = Names(site_example=["127.0.0.1"], other_example=["127.0.0.1"])

    page = await get(site.fetcher(names), site.url("/1"))

    assert page.url == site.url("/3", "other.example")
    assert site.hits == ["/1", "/2", "/3"]
    assert not any("Cookie" in headers for headers in site.headers)


@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("http://10.0.0.1:{port}/", "not on the public web"),
        ("http://169.254.169.254/", "Port 80"),
        ("file:///etc/passwd", "https:// or http://"),
        ("http://2130706433:{port}/", "not the name of a web site"),
        ("/1", "redirects more than 5 times"),
        ("http://[bad", "not the address"),
    ],
)
async def test_a_redirect_leads_nowhere_that_an_address_may_not(
    site: Site, to: str, reason: str
) -> None:
    site.redirect("/1", to.format(port=site.port))

    assert reason in await refusal(site.fetcher(), site.url("/1"))


async def test_five_redirects_are_followed(site: Site) -> None:
    for number in range(5):
        site.redirect(f"/{number}", f"/{number + 1}")
    site.page("/5", "end")

    assert (await get(site.fetcher(), site.url("/0"))).body == "end"


@pytest.mark.parametrize(
    ("status", "text"), [(404, "404 Not Found"), (500, "500 Internal Server Error"), (599, "599")]
)
async def test_a_failure_is_named(site: Site, status: int, text: str) -> None:
    site.answers["/x"] = (status, {}, b"secret of the server")

    assert await refusal(site.fetcher(), site.url("/x")) == f"site.example answered {text}."


async def test_a_silent_site_is_not_waited_for(site: Site) -> None:
    with pytest.raises(ToolError, match=r"within 0\.05 s"):
        await site.fetcher().get(site.url("/silent"), max_bytes=10, timeout_s=0.05)


async def test_a_site_without_a_certificate_is_named(site: Site) -> None:
    url = site.url("/").replace("http:", "https:")

    assert await refusal(site.fetcher(), url) == "No secure connection to site.example can be made."


async def test_a_closed_port_is_named() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        site = Site()
        site.port = closed.getsockname()[1]

        assert await refusal(site.fetcher(), site.url("/")) == "site.example cannot be reached."


async def test_a_site_that_does_not_speak_http_is_named() -> None:
    async def garble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(garble, "127.0.0.1", 0)
    async with server:
        site = Site()
        site.port = server.sockets[0].getsockname()[1]

        assert "did not answer properly" in await refusal(site.fetcher(), site.url("/"))


# --- size -----------------------------------------------------------------------------------


async def test_a_long_page_is_cut(site: Site) -> None:
    site.page("/", "x" * 1001)

    page = await get(site.fetcher(), site.url("/"), max_bytes=1000)

    assert (page.body, page.is_cut) == ("x" * 1000, True)


async def test_a_page_of_the_limit_is_whole(site: Site) -> None:
    site.page("/", "x" * 1000)

    assert not (await get(site.fetcher(), site.url("/"), max_bytes=1000)).is_cut


async def test_a_character_cut_in_two_is_dropped(site: Site) -> None:
    site.page("/", "äää")

    assert (await get(site.fetcher(), site.url("/"), max_bytes=5)).body == "ää"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_zip_bomb_is_never_held(site: Site, encoding: str) -> None:
    squeeze = zlib.compressobj(9, wbits=31 if encoding == "gzip" else 15)
    bomb = squeeze.compress(bytes(64_000_000)) + squeeze.flush()
    headers = {"Content-Type": "text/plain", "Content-Encoding": encoding}
    site.answers["/"] = (200, headers, bomb)

    tracemalloc.start()
    page = await get(site.fetcher(), site.url("/"), max_bytes=100_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert page.is_cut
    assert len(page.body) == 100_000
    assert peak < 8_000_000


async def test_a_garbled_body_is_named(site: Site) -> None:
    headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    site.answers["/"] = (200, headers, b"not gzip at all")

    assert "garbled" in await refusal(site.fetcher(), site.url("/"))


async def test_a_page_without_a_type_has_none(site: Site) -> None:
    async def bare(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(bare, "127.0.0.1", 0)
    async with server:
        site.port = server.sockets[0].getsockname()[1]

        page = await get(site.fetcher(), site.url("/"))

    assert (page.content_type, page.body) == ("", "hi")
