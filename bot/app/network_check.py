"""The way out examined: is there a proxy, does it let the bot through, what is trusted beside?"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

from bot.adapters.anthropic_model.model import VENDOR_URL
from bot.adapters.proxy_question import status_of_proxy
from bot.app.way_out import proxy_at
from bot.config import Config, ProxyPlace
from bot.config.certificates import read_certificates
from bot.core.findings import Area, Finding, Findings
from bot.network import proxy_for
from bot.ports import Clock

NETWORK = Area(name="network")

_WRITE_IT = (
    'let "proxy" be http://user:password@host:port, with %-escapes for what is no letter or digit,'
    ' best as "${PROXY_URL}" with the line in .env'
)


async def examine_network(config: Config, clock: Clock) -> Findings:
    """Look at the proxy, if one leads to where the model is, and at the certificates of one's own.

    The proxies of the process's environment count; ``proxy`` is among them by now.
    """
    found = [each async for each in _proxy(config)]
    if config.ca_file is not None:
        found.append(await asyncio.to_thread(judge_ca_file, config, clock.now()))
    return tuple(found)


def judge_ca_file(config: Config, now: datetime) -> Finding:
    """Say what is trusted beside the system's certificates, and what of it has run out."""
    assert config.ca_file is not None
    try:
        certificates = read_certificates(config.ca_file.read_bytes())
    except OSError as error:  # it was there a moment ago
        seen = f"{config.ca_file} cannot be read ({error.strerror})"
        return NETWORK.broken("ca_file", seen, "let the user that runs the bot read it")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=b"".join(certificates))
    ends = [each["notAfter"] for each in context.get_ca_certs() if isinstance(each, dict)]
    over = [each for each in ends if ssl.cert_time_to_seconds(str(each)) < now.timestamp()]
    if over:
        seen = f"{len(over)} of {len(certificates)} certificates in {config.ca_file} ran out"
        last = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(over[0])), UTC)
        mend = "ask your company's IT for the new one, and put it in its place"
        return NETWORK.warning("ca_file", f"{seen}, the first on {last:%Y-%m-%d}", mend)
    number = "1 certificate" if len(certificates) == 1 else f"{len(certificates)} certificates"
    verb = "is" if len(certificates) == 1 else "are"
    seen = f"{number} of {config.ca_file} {verb} trusted beside the system's"
    return NETWORK.ok("ca_file", seen)


async def _proxy(config: Config) -> AsyncIterator[Finding]:
    wanted = config.anthropic.base_url or VENDOR_URL
    target = wanted if proxy_for(wanted) else VENDOR_URL
    address = proxy_for(target)
    if address is None:
        return
    proxy = config.proxy or proxy_at(address)
    if proxy is None:
        seen = "a proxy of the environment is used that was not looked at: it is none by http://"
        yield NETWORK.ok("proxy", seen)
        return
    parts = urlsplit(target)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        status = await status_of_proxy(proxy, host, port)
    except (OSError, TimeoutError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "no answer in time"
        mend = 'let "proxy" be its address, such as http://proxy.example:3128; look at the network'
        seen = f"the proxy {proxy.shown} cannot be reached ({reason})"
        yield NETWORK.broken("proxy", seen, mend)
        return
    is_needed = target == wanted and bool(config.anthropic.api_key or config.anthropic.base_url)
    yield judge_proxy(proxy, status, host, is_needed=is_needed)


def judge_proxy(proxy: ProxyPlace, status: int, host: str, *, is_needed: bool) -> Finding:
    """Say what it means that a proxy, asked to lead to a host, answers with a status."""
    name = f"the proxy {proxy.shown}"
    if status == 407:
        word = "takes neither user nor password" if proxy.user_info else "wants to know who asks"
        return NETWORK.broken("proxy", f"{name} {word} (407)", _WRITE_IT)
    if 200 <= status < 300:
        return NETWORK.ok("proxy", f"{name} leads to {host}")
    if not is_needed:
        return NETWORK.ok("proxy", f"{name} answers, though it does not lead to {host} ({status})")
    mend = f"ask whoever runs the proxy to let the bot through to {host}"
    return NETWORK.broken("proxy", f"{name} does not lead to {host} ({status})", mend)
