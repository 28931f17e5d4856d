"""What models cost by the settings: the operator's prices, the list, and who asks for nothing."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from bot.config import Config
from bot.core.prices import PRICE_LIST, Prices, Tariff, price_of

_HOME_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
"""What names of machines end with that nobody else can reach. Source: RFC 6761, 6762, 8375, and
ICANN's reservation of ``internal``; ``lan`` is what routers give."""


def prices_of(config: Config, model_name: str) -> Prices:
    """Give the prices that hold: the operator's own before those that the bot knows.

    A model that the bot found by itself runs on this machine, or is the demo: it costs nothing. So
    does one in the operator's own network, unless it has a price.
    """
    own = {}
    for name, keys in config.prices.items():
        price = price_of(
            keys.input,
            keys.output,
            cache_read_usd=keys.cache_read,
            cache_write_usd=keys.cache_write,
        )
        own[name] = Tariff(price=price)
    listed = {each.model: each.tariff for each in PRICE_LIST}
    is_found = model_name != config.model
    is_free = is_found or is_at_home(config.anthropic.base_url or "")
    return Prices(tariffs=listed, own=own, all_free=is_free)


def is_at_home(address: str) -> bool:
    """Say whether an address is one of the operator's own network, by nothing but how it reads."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    if not host:
        return False
    try:
        return not ip_address(host.partition("%")[0]).is_global
    except ValueError:
        return "." not in host or host.endswith(_HOME_ENDINGS)
