"""GET from the public web: :class:`bot.ports.Fetcher` on aiohttp.

The law of this file: an address is judged at the moment its socket is made. Names are resolved
once, by the connector, which has each socket made here, for just the address that was judged.
There is no second look-up that could answer differently (DNS rebinding), and an address written
into the URL is judged at the same place. Redirects are followed by hand, each as a new request.
Of all that a URL may have for a host, only what everybody reads alike is taken: a blank that one
reader keeps and the next one strips would make another host of it.

Where a proxy leads out, the only socket that is made is one to the proxy, which looks names up by
itself. Before it is asked for a page, the address is judged here as well as it can be: as it stands
in the URL, or as this machine looks it up. A name that is known to the proxy alone has to look like
one of the public web; where the proxy goes for it is for the proxy to judge (docs/network.md).
"""

from __future__ import annotations

import asyncio
import codecs
import importlib
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.network import proxy_for, trusted
from bot.ports import Page

if TYPE_CHECKING:  # aiohttp takes a while to import and is needed at the first page only
    from aiohttp import ClientError, ClientResponse, ClientSession
    from aiohttp.abc import AbstractResolver
    from yarl import URL

Address = IPv4Address | IPv6Address

MAX_REDIRECTS = 5
MAX_URL_CHARS = 4096
WEB_PORTS = frozenset({80, 443})

_HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; Daybook)",
    "Accept": "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

LOOK_UP_S = 3.0
"""How long this machine may take for a name that a proxy will look up by itself: behind one, name
servers for the world outside may be out of reach."""

_INSIDE = frozenset(
    {"local", "localhost", "internal", "intranet", "private", "corp", "home", "lan", "localdomain"}
    | {"alt", "arpa", "invalid", "onion", "test"}
    | {"box", "consul", "intern", "svc"}
)
"""Last parts of names of the inside. Sources: IANA, Special-Use Domain Names; ICANN's resolution on
.internal; RFC 6762 appendix G, what people use instead; and what clusters and routers give out
(``fritz.box``: of the public names below ``box``, hardly any has a site)."""

_NAME = re.compile(r"(?=.{1,253}\.?\Z)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
"""A host that is no IPv6 address, with an international name in its ASCII form.
Source: RFC 1035 section 2.3.4; the underscore is in no host's name there, and in some sites'."""

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
"""Source: RFC 4291 section 2.4 and RFC 6052 section 2.1."""

_NO_SITES = (IPv4Network("192.0.0.0/24"), IPv6Network("2001::/23"), IPv6Network("3fff::/20"))
"""Assigned to protocols (Teredo's tunnels among them), and to documents. Versions of Python differ
in what of it they take for global. Source: IANA, Special-Purpose Address Registries."""


def is_public(address: Address) -> bool:
    """Tell whether an address belongs to the public Internet.

    An IPv6 address that only carries an IPv4 one (mapped, 6to4, NAT64) is as public as that.
    """
    if any(address in network for network in _NO_SITES):
        return False
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.sixtofour is not None:
        return is_public(address.sixtofour)
    return address in _GLOBAL_UNICAST and address.is_global


class PublicFetcher:
    """Reads pages of the public web and of nothing else.

    No cookie is kept. Tests that serve pages on loopback pass their own ``is_allowed``, ``ports``
    and ``resolver``.
    """

    def __init__(
        self,
        *,
        is_allowed: Callable[[Address], bool] = is_public,
        ports: frozenset[int] = WEB_PORTS,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._is_allowed = is_allowed
        self._ports = ports
        self._resolver = resolver

    async def get(self, url: str, *, max_bytes: int, timeout_s: float) -> Page:
        """Fetch a page; ``max_bytes`` counts after decompression, ``timeout_s`` everything.

        Raises:
            ToolError: It cannot be had; the text says why, and nothing about private networks.
        """
        try:
            async with asyncio.timeout(timeout_s):
                # Off the loop, which the first import would hold up for a third of a second.
                await asyncio.to_thread(importlib.import_module, "aiohttp")
                return await self._follow(url, max_bytes)
        except TimeoutError:
            raise ToolError(f"The page did not come within {timeout_s:g} s.") from None

    async def _follow(self, text: str, max_bytes: int) -> Page:
        import aiohttp

        url = self._checked_url(text)
        for _ in range(MAX_REDIRECTS + 1):
            try:
                async with await self._session(url) as session:
                    answer = await _request(session, url, max_bytes)
            except aiohttp.ClientError as error:
                raise ToolError(_explain(error, url)) from error
            if isinstance(answer, Page):
                return answer
            url = self._checked_url(answer.location, url)
        raise ToolError(f"The page redirects more than {MAX_REDIRECTS} times.")

    def _checked_url(self, text: str, base: URL | None = None) -> URL:
        """Read an address as the client itself will, so that the two cannot disagree."""
        from yarl import URL

        if len(text) > MAX_URL_CHARS:
            raise ToolError("The address is too long.")
        try:
            url = URL(text.strip())
            url = base.join(url) if base is not None else url
            host, shown, port = url.raw_host, url.host, url.port
        except ValueError as error:
            raise ToolError("This is not the address of a web page.") from error
        if url.scheme not in ("http", "https") or not host:
            raise ToolError("Only full addresses that begin with https:// or http:// can be read.")
        if url.user is not None or url.password is not None:
            raise ToolError("Addresses with a user name or password are not read.")
        if port not in self._ports:
            raise ToolError(f"Port {port} is not read, only the web's own.")
        if not _is_plain(host):
            raise ToolError(f"{shown!r} is not the name of a web site.")
        return url

    async def _session(self, url: URL) -> ClientSession:
        """Open the way to one address: with sockets that are judged, or through a proxy."""
        import aiohttp

        proxy = proxy_for(str(url))
        if proxy is None:
            connector = aiohttp.TCPConnector(
                resolver=self._resolver,
                use_dns_cache=False,
                socket_factory=self._make_socket,
                ssl=trusted(),
            )
        else:
            await self._judge(url)
            connector = aiohttp.TCPConnector(ssl=trusted())
        return aiohttp.ClientSession(
            connector=connector,
            proxy=proxy,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None),  # the caller's limit is around all of it
        )

    async def _judge(self, url: URL) -> None:
        """Refuse an address that a proxy must not be asked for, as far as that can be told here.

        Any of several addresses may be the one that the proxy takes, so that all have to be public.
        """
        host = url.raw_host or ""
        try:
            found: tuple[str, ...] = (str(ip_address(host)),)
        except ValueError:
            if _is_inside_name(host):
                raise ToolError(f"{host} is not on the public web.") from None
            found = await self._looked_up(host, url.port or 0)
        if not all(self._is_allowed(ip_address(each.partition("%")[0])) for each in found):
            raise ToolError(f"{host} is not on the public web.")

    async def _looked_up(self, host: str, port: int) -> tuple[str, ...]:
        """Give all addresses of a name; none where this machine does not know it."""
        import aiohttp

        resolver = self._resolver or aiohttp.ThreadedResolver()
        try:
            async with asyncio.timeout(LOOK_UP_S):
                found = await resolver.resolve(host, port, family=socket.AF_UNSPEC)
        except (OSError, TimeoutError):
            return ()
        return tuple(each["host"] for each in found)

    def _make_socket(
        self,
        candidate: tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]],
    ) -> socket.socket:
        family, kind, protocol, _, where = candidate
        has_zone = len(where) == 4 and where[3] != 0
        if has_zone or not self._is_allowed(ip_address(where[0])):
            raise _NotAllowed
        return socket.socket(family, kind, protocol)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Redirect:
    location: str


class _NotAllowed(OSError):
    """A socket to this address is not made; the client goes on to the next address, if any."""


def _is_plain(host: str) -> bool:
    """Tell whether all readers take a host for the same: a name, or an address written out."""
    if ":" not in host:
        return _NAME.fullmatch(host) is not None and not _is_odd_number(host)
    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False


def _is_odd_number(host: str) -> bool:
    """Tell whether a host is an IPv4 address in disguise (``0x7f.1``, ``2130706433``, ``010.1``).

    A name whose last part is a number is one to some readers and a name to others.
    Source: WHATWG URL standard, "ends in a number".
    """
    last = host.rstrip(".").rpartition(".")[2].lower()
    if not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        return False
    try:
        IPv4Address(host)
    except ValueError:
        return True
    return False


def _is_inside_name(host: str) -> bool:
    """Tell a name that means something inside of a network only."""
    *before, last = host.rstrip(".").lower().split(".")
    return not before or last in _INSIDE


async def _request(session: ClientSession, url: URL, max_bytes: int) -> Page | _Redirect:
    async with session.get(url, allow_redirects=False) as response:
        location = response.headers.get("Location")
        if response.status in _REDIRECTS and location:
            return _Redirect(location=location)
        if not 200 <= response.status < 300:
            raise ToolError(f"{url.host} answered {_status(response.status)}.")
        body, is_cut = await _read(response, max_bytes)
        content_type = response.content_type if "Content-Type" in response.headers else ""
        text = decode(body, response.charset, is_html=content_type.endswith(("html", "xml")))
        if is_cut:
            text = text.rstrip("\ufffd")  # the cut may have gone through a character
        return Page(url=str(url), content_type=content_type.lower(), body=text, is_cut=is_cut)


async def _read(response: ClientResponse, max_bytes: int) -> tuple[bytes, bool]:
    """Read piece by piece, so that neither a long body nor a zip bomb is ever held."""
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > max_bytes:
            return bytes(body[:max_bytes]), True
    return bytes(body), False


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _explain(error: ClientError, url: URL) -> str:
    import aiohttp

    match error:
        case aiohttp.ClientProxyConnectionError():
            return "The proxy that leads to the web cannot be reached."
        case aiohttp.ClientHttpProxyError(status=status):
            return f"The proxy that leads to the web lets nobody through to {url.host} ({status})."
        case aiohttp.ClientConnectorError(os_error=_NotAllowed()):
            return f"{url.host} is not on the public web."
        case aiohttp.ClientConnectorDNSError():
            return f"There is no site {url.host}, or its name cannot be looked up now."
        case aiohttp.ClientSSLError():
            return f"No secure connection to {url.host} can be made."
        case aiohttp.ClientConnectorError():
            return f"{url.host} cannot be reached."
        case aiohttp.ClientPayloadError():
            return f"The answer of {url.host} broke off or is garbled."
        case aiohttp.InvalidURL():
            return "This is not the address of a web page."
        case _:
            return f"{url.host} did not answer properly ({type(error).__name__})."


# --- characters -----------------------------------------------------------------------------

_META_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\s[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?([\w-]{2,32})""", re.I
)
_META_WITHIN = 1024
"""Source: HTML standard, "determining the character encoding": the first 1024 bytes."""

_WEB_CODECS = re.compile(r"utf-(8|16)(-.+)?|iso|cp|koi8|mac|gb|big5|euc|shift")
"""Python has codecs, such as punycode, that take the square of a hostile text's length."""

_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""What browsers take these names for. Source: WHATWG Encoding standard, "names and labels"."""


def decode(body: bytes, declared: str | None, *, is_html: bool) -> str:
    """Decode a page: by its byte order mark, the header, its own ``<meta>``, else as UTF-8.

    What cannot be decoded is replaced, never an error.
    """
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if body.startswith(mark):
            return body.decode(name, errors="replace")
    meta = _META_CHARSET.search(body, 0, _META_WITHIN) if is_html else None
    names = (declared, meta[1].decode("ascii", errors="replace") if meta else None)
    codec = next(filter(None, map(_web_codec, filter(None, names))), "utf-8")
    return body.decode(codec, errors="replace")


def _web_codec(name: str) -> str | None:
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    codec = _WIDER.get(codec, codec)
    return codec if _WEB_CODECS.match(codec) else None
