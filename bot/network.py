"""Which way connections to others go, and why one was not trusted.

The law of this file: the process's environment alone says it. All five HTTP clients of the bot are
led by it, whoever makes them, so that no connection can be forgotten; the settings ``proxy`` and
``ca_file`` are written into it once, before the first client is made. What each makes of it was
read in the code of the versions in ``requirements.txt``; ``tests/e2e/test_proxy.py`` tries it:

=============  ==========================================  =========================================
client         proxy                                       certificates
=============  ==========================================  =========================================
httpx2         ``get_environment_proxies``, at its making  ``SSL_CERT_FILE`` alone, at its making
(anthropic)
httpx          the same                                    the same
(telegram)
urllib         ``getproxies``, at each opener's making     OpenSSL's defaults, at each connection
aiohttp        none unless told: :func:`proxy_for`         OpenSSL's defaults as its *import* found
                                                           them, unless told: :func:`trusted`
slack_sdk      ``HTTPS_PROXY`` without ``no_proxy``:       those of its session, which is aiohttp's
               overruled by :func:`proxy_for`
=============  ==========================================  =========================================

OpenSSL's defaults are ``SSL_CERT_FILE`` too, where it is set. asyncio's plain connections, as to a
model on this machine, and http.client's, as to the running bot, know neither.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable, Iterator, MutableMapping
from functools import cache
from typing import Literal
from urllib.parse import urlsplit

OWN_MACHINE = ("localhost", "127.0.0.1", "::1")
"""Is never asked for by a proxy, for which it would be another one."""

CERTIFICATES = "SSL_CERT_FILE"
"""The variable that names the file with all certificates that are trusted."""

_LEADING = ("http_proxy", "https_proxy")
_ALSO_LEADING = (*_LEADING, "all_proxy", "ws_proxy", "wss_proxy")

_UNKNOWN_CA = frozenset({18, 19, 20, 21})
"""Of a certificate that would be fine if its CA were trusted. Source: OpenSSL, x509_vfy.h,
X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT to X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE."""


def proxy_for(url: str) -> str | None:
    """Choose the proxy that the environment names for an address, WebSockets included."""
    from urllib.request import getproxies, proxy_bypass  # 19 ms, which no start has to pay for

    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    kind = "https" if parts.scheme in ("https", "wss") else "http"
    proxy = getproxies().get(kind)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def trusted() -> ssl.SSLContext | Literal[True]:
    """Give what an aiohttp connector is to trust: True for what aiohttp has by itself."""
    file = os.environ.get(CERTIFICATES)
    return _trusting(file) if file else True


@cache
def _trusting(file: str) -> ssl.SSLContext:
    context = ssl.create_default_context()  # which reads the file's name where OpenSSL does
    context.set_alpn_protocols(["http/1.1"])  # as aiohttp's own
    return context


def lead_through(
    environ: MutableMapping[str, str], proxy: str | None, direct: Iterable[str]
) -> None:
    """Let connections go through a proxy, all but those to this machine.

    Args:
        environ: The process's environment.
        proxy: Its address; None for what the environment says.
        direct: Further hosts that no proxy is asked for, beside those of ``no_proxy``.
    """
    if proxy is not None:
        for name in [each for each in environ if each.lower() in _ALSO_LEADING]:
            del environ[name]
        for name in _LEADING:
            environ[name] = environ[name.upper()] = proxy
    elif not any(each.lower() in _ALSO_LEADING for each in environ):
        return  # nor may there be a no_proxy: it would hide the proxies of Windows and macOS
    else:
        _spell_out_for_all(environ)
    spared = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    hosts = dict.fromkeys(each.strip() for each in spared.split(",") if each.strip())
    if "*" in hosts:  # which to some is only all if it stands alone
        hosts = {"*": None}
    else:
        hosts |= dict.fromkeys((*OWN_MACHINE, *direct))
    environ["no_proxy"] = environ["NO_PROXY"] = ",".join(hosts)


def _spell_out_for_all(environ: MutableMapping[str, str]) -> None:
    """Name the proxy for all protocols as that of each: to httpx it is, to urllib it is not."""
    for_all = environ.get("all_proxy") or environ.get("ALL_PROXY")
    named = {each.lower() for each in environ}
    for name in _LEADING:
        if for_all and name not in named:
            environ[name] = environ[name.upper()] = for_all


def distrust(error: BaseException) -> str:
    """Say why a connection was not trusted, and what to do; empty where that was not the reason.

    ``error`` is any library's; what it was raised from tells.
    """
    for each in _behind(error):
        match each:
            # aiohttp's own is one by its class too, and knows nothing more
            case ssl.SSLCertVerificationError(verify_code=int(code), verify_message=str(why)):
                hint = '; if it is your company\'s: "ca_file"'
                return f"certificate not trusted: {why}{hint if code in _UNKNOWN_CA else ''}"
    return ""


def blame_proxy(error: BaseException, url: str) -> str:
    """Say what is wrong with the proxy; empty where none leads to ``url``, or TLS was refused.

    ``error`` is any library's for a connection that was not made: a proxy that answered a refusal
    says more by that.
    """
    behind = tuple(_behind(error))
    if proxy_for(url) is None or any(type(each) in _TLS_REFUSED for each in behind):
        return ""
    if any(isinstance(each, TimeoutError) for each in behind):
        return f"no connection by way of the proxy in time{_LOOK_AT_IT}"
    # anyio, which httpx stands on, has errors of its own for a connection that stood before.
    never_stood = any(isinstance(each, OSError) for each in behind)
    if not never_stood or any(isinstance(each, _BROKEN_OFF) for each in behind):
        return f"the proxy broke the connection off{_LOOK_AT_IT}"
    return f"the proxy cannot be reached{_LOOK_AT_IT}"


_TLS_REFUSED = (ssl.SSLError, ssl.SSLCertVerificationError)
"""Their subclasses beside these say that bytes are waited for, or that none came any more."""

_BROKEN_OFF = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, ssl.SSLError)
_LOOK_AT_IT = ': look at "proxy"'


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        reason = getattr(error, "reason", None)  # urllib's
        error = reason if isinstance(reason, Exception) else error.__cause__ or error.__context__
