"""What calls of the model may cost, wired together."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.app.access import Access
from bot.app.outside import Outside
from bot.app.pricing import prices_of
from bot.app.watch import Watch
from bot.config import Config
from bot.config.costs import caps_by
from bot.core.chat import PersonKey
from bot.core.cost import Unit
from bot.runtime import notices
from bot.runtime.live_settings import LiveSettings
from bot.runtime.spending import Spending, SpendingParts
from bot.runtime.supervisor import Spawn


def build_spending(
    config: Config,
    outside: Outside,
    access: Access,
    settings: LiveSettings,
    watch: Watch,
    spawn: Spawn,
) -> Spending:
    """Build what stands in front of the model; caps are those of the moment."""

    def is_exempt(person: PersonKey) -> bool:
        return config.caps.admins_exempt and access.gate.is_admin(person)

    async def tell_admins(unit: Unit, resets_at: datetime) -> None:
        told = await access.telling.to_admins(
            lambda: notices.for_little_left_of_bot(unit, resets_at)
        )
        access.telling.deliver(await outside.store.tell(told, at=outside.clock.now()))

    def warn(unit: Unit, resets_at: datetime) -> None:
        spawn("spending warning", tell_admins(unit, resets_at))

    return Spending(
        SpendingParts(
            model=watch.model,
            usage=outside.store,
            prices=prices_of(config, outside.model_name),
            caps=lambda: caps_by(settings.amount),
            counter=outside.counter,
            clock=outside.clock,
            zone=ZoneInfo(config.timezone),
            is_exempt=is_exempt,
            warn=warn,
            metrics=watch.metrics,
        )
    )
