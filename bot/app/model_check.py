"""The model examined: is there one, does it take the key, is what is known of it so?"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.anthropic_model.model import VENDOR_URL
from bot.adapters.local_models import find_local_model
from bot.adapters.service_date import date_of
from bot.app.pricing import prices_of
from bot.config import Config, Held
from bot.core.findings import Area, Finding, Findings, judge_clock
from bot.core.llm import Delta, ModelRequest
from bot.core.messages import Message, Text
from bot.core.prices import FREE
from bot.core.tokens import budget_for, known_window
from bot.errors import (
    ModelAuthError,
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
)
from bot.ports import Clock

MODEL = Area(name="model")

SLOW_S = 3.0
"""A question that costs the model nothing takes a tenth of that on a good day."""

KEY = ("anthropic", "api_key")
KEY_VARIABLE = "ANTHROPIC_API_KEY"
"""Where the model's key stands in the settings, and what a key that names no variable asks for."""

_KEYS = "https://console.anthropic.com, API Keys"
_IS_CLAUDE = re.compile(r"\bclaude-")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    """Who is asked.

    Attributes:
        address: Where it is; None for the vendor's own.
        has_key: Whether it is asked with a key.
        key: Where the settings take that from.
    """

    address: str | None
    has_key: bool
    key: Held

    @property
    def is_vendors(self) -> bool:
        """Whether the vendor's pages have to do with it."""
        return self.address is None or _host_of(self.address) == _host_of(VENDOR_URL)

    @property
    def place(self) -> str:
        """Where it is, as words that follow what is there; empty for the vendor's own."""
        return "" if self.address is None else f" at {_host_of(self.address)}"

    @property
    def mend_of_key(self) -> str:
        """Say where one that works is to be had, and where the settings take it from."""
        whose = f"a key that works ({_KEYS})" if self.is_vendors else "a key that server takes"
        if self.key.fixed_by:
            return f"put {whose} into {self.key.fixed_by} of the environment"
        if self.key.is_referred_to:
            return f"put {whose} into {self.key.variable}"
        return f"put {whose} into {'.'.join(KEY)} of {Path(self.key.source).name}"


async def check_model(config: Config, clock: Clock, key: Held, *, running: str = "") -> Findings:
    """Look up every model that the bot asks; where none is configured, what there is instead.

    Args:
        config: The settings.
        clock: For the model's client.
        key: Where the settings take :data:`KEY` from.
        running: The name of the model that a running bot asks, which may be another by now.
    """
    keys = config.anthropic
    if not keys.api_key and not keys.base_url:
        return (await _instead(key),)
    summary = [config.summary_model] if keys.api_key else ()
    names = dict.fromkeys((config.model, *summary, running))
    server = _server(config, key)
    client = _client(config, clock)
    try:
        return tuple([await _look_up(client, name, server) for name in names if name])
    finally:
        await client.close()


async def examine_model(config: Config, clock: Clock, key: Held, *, running: str = "") -> Findings:
    """Look every model up, then at what is known of the one that answers, and how fast it is.

    Args:
        config: The settings.
        clock: For the model's client, for measuring, and to be compared with the vendor's.
        key: Where the settings take :data:`KEY` from.
        running: The name of the model that a running bot asks, which may be another by now.
    """
    found = await check_model(config, clock, key, running=running)
    keys = config.anthropic
    if not keys.api_key and not keys.base_url:
        return found
    name = running or config.model
    found = (*found, judge_window(config, name), _price(config, name))
    if any(each.grade == "broken" for each in found):
        return found
    return (*found, await _latency(config, clock, name, key), *await _clock(config, clock))


def judge_window(config: Config, name: str) -> Finding:
    """Say whether a request as long as the settings allow fits what a model reads at once."""
    window = config.model_window_tokens or known_window(name)
    if config.model_window_tokens is None and not _IS_CLAUDE.search(name):
        seen = f"how much {name} reads at once is not known; {window:,} tokens are assumed"
        return MODEL.warning("window", seen, 'set "model_window_tokens" to what its maker says')
    limit = budget_for(config.agent_max_context_tokens, window, config.max_tokens).limit_tokens
    seen = f"{name} reads {window:,} tokens at once, a request may have {limit:,}"
    if limit == config.agent_max_context_tokens:
        return MODEL.ok("window", seen)
    seen = f"{seen}, not the {config.agent_max_context_tokens:,} of the settings"
    mend = f'let "agent_max_context_tokens" be {limit} at most, or "max_tokens" be less'
    return MODEL.warning("window", seen, mend)


def judge_latency(name: str, took_s: float) -> Finding:
    """Say whether a question takes too long to get there and back."""
    seen = f"a question about {name} was answered in {took_s:.1f} s"
    if took_s <= SLOW_S:
        return MODEL.ok("latency", seen)
    mend = 'look at the network and at "proxy"; of a server of your own, at its load'
    return MODEL.warning("latency", seen, mend)


def _price(config: Config, name: str) -> Finding:
    tariff = prices_of(config, config.model).of(name)
    if tariff is FREE:
        seen = f"{name} has no price and runs in your own network: it counts as free"
        return MODEL.ok("price", seen)
    if tariff is not None:
        return MODEL.ok("price", f"the price of {name} is known: it counts towards the day's caps")
    seen = f"no price of {name} is known: it counts towards the day's caps at the dearest there is"
    mend = f'set "prices": {{"{name}": {{"input": …, "output": …}}}}, with zeros if it is free'
    return MODEL.warning("price", seen, mend)


async def _latency(config: Config, clock: Clock, name: str, key: Held) -> Finding:
    """Ask once more, now that the connection stands, for what costs nothing."""
    client = _client(config, clock)
    try:
        await client.knows(name)
        began_s = clock.monotonic()
        await client.knows(name)
        return judge_latency(name, clock.monotonic() - began_s)
    except ModelError as error:
        return _trouble(name, error, _server(config, key))
    finally:
        await client.close()


async def _clock(config: Config, clock: Clock) -> Findings:
    address = config.anthropic.base_url or VENDOR_URL
    theirs = await asyncio.to_thread(date_of, address)
    return () if theirs is None else (judge_clock("model", ours=clock.now(), theirs=theirs),)


def _host_of(address: str) -> str | None:
    return urlsplit(address).hostname


def _server(config: Config, key: Held) -> _Server:
    keys = config.anthropic
    return _Server(address=keys.base_url, has_key=keys.api_key is not None, key=key)


def _client(config: Config, clock: Clock) -> AnthropicModel:
    keys = config.anthropic
    key = keys.api_key.get_secret_value() if keys.api_key else None
    return AnthropicModel(api_key=key, base_url=keys.base_url, clock=clock)


async def _instead(key: Held) -> Finding:
    local = await find_local_model()
    if local is not None:
        return MODEL.ok("model", f"{local.model} answers, found at {local.base_url}")
    seen = "no model is configured, none runs on this machine: the demo answers, which is no AI"
    return MODEL.warning("model", seen, f"{_way_in(key)} ({_KEYS})")


async def _look_up(client: AnthropicModel, name: str, server: _Server) -> Finding:
    """Look a model up, which costs nothing; where nothing is told of models, ask for one token."""
    try:
        if await client.knows(name):
            taken = ", and the key is taken" if server.has_key else ""
            return MODEL.ok("model", f"{name} is there{server.place}{taken}")
        await client.ask(_smallest(name), _ignore)
    except ModelAuthError as error:
        if not server.has_key:
            seen = f"{name}: the server{server.place} wants a key, and none is set"
            return MODEL.broken("model", seen, _way_in(server.key))
        return _broken(name, error, server.mend_of_key)
    except ModelRequestRefused as error:
        return _broken(name, error, 'let "model" and "summary_model" name models that there are')
    except ModelError as error:
        return _trouble(name, error, server)
    return MODEL.ok("model", f"{name} answers{server.place}")


def _way_in(key: Held) -> str:
    """Say where a key is to be put that is not there."""
    if key.is_referred_to:
        return f"put {key.variable}=… into .env beside the settings file"
    return (
        "let `python3 run.py setup` put one in: a key in .env alone has no effect, since no setting"
        " asks for it"
    )


def _trouble(name: str, error: ModelError, server: _Server) -> Finding:
    if isinstance(error, ModelRateLimited | ModelOverloaded):
        limits = "; limits are raised at the vendor's console" if server.is_vendors else ""
        return MODEL.warning("model", f"{name}: {error}", f"wait, then run doctor again{limits}")
    other = "the vendor's status page" if server.is_vendors else "whether that server runs"
    mend = f'look at the network, at "proxy" or https_proxy, at anthropic.base_url, at {other}'
    return _broken(name, error, mend)


def _broken(name: str, error: ModelError, mend: str) -> Finding:
    return MODEL.broken("model", f"{name}: {error}", mend)


def _smallest(name: str) -> ModelRequest:
    question = Message(role="user", blocks=(Text(text="Hi"),))
    return ModelRequest(model=name, system="", messages=(question,), max_tokens=1)


def _ignore(delta: Delta) -> None:
    pass
