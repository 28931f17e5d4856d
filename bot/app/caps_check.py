"""The caps of the day examined: is anybody at the end of what may be spent?"""

from __future__ import annotations

from json import JSONDecodeError, loads

from bot.adapters.store.examining import KeptLook
from bot.app.pricing import prices_of
from bot.config import Config
from bot.config.changes import is_value, operator_values
from bot.config.costs import caps_by
from bot.core.cost import Caps, used_by_place
from bot.core.findings import Area, Finding
from bot.ports import EVERYWHERE, Override

DATA = Area(name="data")


def judge_caps(kept: KeptLook, config: Config) -> Finding:
    """Say whose cap is reached, by what was spent today."""
    used = used_by_place(kept.spent, kept.unpriced, prices_of(config, config.model))
    caps = _caps_in_force(kept.overrides, config)
    reached = [place for place, amount in used.items() if caps.of(place[0]).share(amount) >= 1]
    mend = "wait for midnight, or let an admin raise it: /config caps.{}_usd; /usage tells on what"
    if ("bot", "") in reached:
        seen = "all that the bot may spend today is spent: it answers nobody until midnight"
        return DATA.warning("caps", seen, mend.format("bot"))
    if reached:
        scopes = sorted({place[0] for place in reached})
        seen = f"so many have used up their day's cap ({', '.join(scopes)}): {len(reached)}"
        return DATA.warning("caps", seen, mend.format(scopes[-1]))
    return DATA.ok("caps", "nobody has used up a cap of the day")


def value_of(override: Override) -> object:
    """Give what an override says; None for what cannot be read."""
    try:
        value: object = loads(override.value)
    except (JSONDecodeError, RecursionError):
        return None
    return value


def _caps_in_force(overrides: tuple[Override, ...], config: Config) -> Caps:
    values = operator_values(config)
    for each in overrides:
        value = value_of(each)
        if each.scope == EVERYWHERE and is_value(each.key, value):
            assert value is None or isinstance(value, int | float | str)
            values[each.key] = value

    def amount(key: str) -> float | None:
        value = values[key]
        return value if isinstance(value, int | float) else None

    return caps_by(amount)
