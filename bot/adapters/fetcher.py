"""GET from the public web: :class:`bot.ports.Fetcher` on aiohttp.

The law of this file: an address is judged at the moment its socket is made. Names are resolved
once, by the connector, which has each socket made here, for just the address that was judged.
There is no second look-up that could answer differently (DNS rebinding), and an address written
into the URL is judged at the same place. Redirects are followed by hand, each as a new request.
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
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from bot.errors import ToolError
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

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
"""Source: RFC 4291 section 2.4 and RFC 6052 section 2.1."""


def is_public(address: Address) -> bool:
    """Tell whether an address belongs to the public Internet.

    An IPv6 address that only carries an IPv4 one (mapped, 6to4, NAT64) is as public as that.
    """
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address.sixtofour is not None:
        return is_public(address.sixtofour)
    is_tunnel = address.teredo is not None
    return address in _GLOBAL_UNICAST and address.is_global and not is_tunnel


class PublicFetcher:
    """Reads pages of the public web and of nothing else.

    Proxies of the environment are not used and no cookie is kept. Tests that serve pages on
    loopback pass their own ``is_allowed``, ``ports`` and ``resolver``.
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

        connector = aiohttp.TCPConnector(
            resolver=self._resolver, use_dns_cache=False, socket_factory=self._make_socket
        )
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS,
            timeout=aiohttp.ClientTimeout(total=None),  # the caller's limit is around all of it
        ) as session:
            url = self._checked_url(text)
            for _ in range(MAX_REDIRECTS + 1):
                try:
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
            host, port = url.host, url.port
        except ValueError as error:
            raise ToolError("This is not the address of a web page.") from error
        if url.scheme not in ("http", "https") or not host:
            raise ToolError("Only full addresses that begin with https:// or http:// can be read.")
        if url.user is not None or url.password is not None:
            raise ToolError("Addresses with a user name or password are not read.")
        if port not in self._ports:
            raise ToolError(f"Port {port} is not read, only the web's own.")
        if "%" in host or _is_odd_number(host):
            raise ToolError(f"{host!r} is not the name of a web site.")
        return url

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


def _is_odd_number(host: str) -> bool:
    """Tell whether a host is an IPv4 address in disguise (``0x7f.1``, ``2130706433``, ``010.1``).

    A name whose last part is a number is one to some readers and a name to others.
    Source: WHATWG URL standard, "ends in a number".
    """
    if ":" in host:
        return False
    last = host.rstrip(".").rpartition(".")[2].lower()
    if not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", last):
        return False
    try:
        IPv4Address(host)
    except ValueError:
        return True
    return False


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
