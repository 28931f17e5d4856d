"""What calls of the model may cost, wired together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.outside import Outside
from bot.app.watch import Watch
from bot.config import Config
from bot.core.chat import PersonKey
from bot.core.cost import Caps
from bot.core.prices import PRICE_LIST, Prices, Tariff, price_of
from bot.runtime.notices import clock_time
from bot.runtime.spending import Spending, SpendingParts
from bot.runtime.supervisor import Spawn


def build_spending(
    config: Config,
    outside: Outside,
    access: Access,
    caps: Callable[[], Caps],
    watch: Watch,
    spawn: Spawn,
) -> Spending:
    """Build what stands in front of the model; ``caps`` gives those of the moment."""

    def is_exempt(person: PersonKey) -> bool:
        return config.caps.admins_exempt and access.gate.is_admin(person)

    async def tell_admins(resets_at: datetime) -> None:
        told = await access.telling.to_admins(
            "Most of what I may spend today is used; the next day begins at "
            f"{clock_time(resets_at)}. `/usage` tells on what, `/config caps.bot_usd` changes it."
        )
        access.telling.deliver(await outside.store.tell(told, at=outside.clock.now()))

    def warn(resets_at: datetime) -> None:
        spawn("spending warning", tell_admins(resets_at))

    return Spending(
        SpendingParts(
            model=watch.model,
            usage=outside.store,
            prices=prices_of(config, outside.model_name),
            caps=caps,
            counter=outside.counter,
            clock=outside.clock,
            zone=ZoneInfo(config.timezone),
            is_exempt=is_exempt,
            warn=warn,
            metrics=watch.metrics,
        )
    )


def prices_of(config: Config, model_name: str) -> Prices:
    """Give the prices that hold: the operator's own before those that the bot knows.

    A model that the bot found by itself runs on this machine, or is the demo: it costs nothing.
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
    return Prices(tariffs=listed, own=own, all_free=model_name != config.model)
