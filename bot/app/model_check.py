"""The model examined: is there one, does it take the key, is what is known of it so?"""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlsplit

from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.anthropic_model.model import VENDOR_URL
from bot.adapters.local_models import find_local_model
from bot.adapters.service_date import date_of
from bot.app.spending import prices_of
from bot.config import Config
from bot.core.findings import Area, Finding, Findings, judge_clock
from bot.core.llm import Delta, ModelRequest
from bot.core.messages import Message, Text
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

_KEYS = "https://console.anthropic.com, API Keys"
_IS_CLAUDE = re.compile(r"\bclaude-")


async def check_model(config: Config, clock: Clock, *, running: str = "") -> Findings:
    """Look up every model that the bot asks; where none is configured, what there is instead.

    Args:
        config: The settings.
        clock: For the model's client.
        running: The name of the model that a running bot asks, which may be another by now.
    """
    keys = config.anthropic
    if not keys.api_key and not keys.base_url:
        return (await _instead(),)
    summary = [config.summary_model] if keys.api_key else ()
    names = dict.fromkeys((config.model, *summary, running))
    client = _client(config, clock)
    try:
        return tuple([await _look_up(client, name, keys.base_url) for name in names if name])
    finally:
        await client.close()


async def examine_model(config: Config, clock: Clock, *, running: str = "") -> Findings:
    """Look every model up, then at what is known of the one that answers, and how fast it is.

    Args:
        config: The settings.
        clock: For the model's client, for measuring, and to be compared with the vendor's.
        running: The name of the model that a running bot asks, which may be another by now.
    """
    found = await check_model(config, clock, running=running)
    keys = config.anthropic
    if not keys.api_key and not keys.base_url:
        return found
    name = running or config.model
    found = (*found, judge_window(config, name), _price(config, name))
    if any(each.grade == "broken" for each in found):
        return found
    return (*found, await _latency(config, clock, name), *await _clock(config, clock))


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
    mend = "look at the network and at https_proxy; of a server of your own, at its load"
    return MODEL.warning("latency", seen, mend)


def _price(config: Config, name: str) -> Finding:
    tariff = prices_of(config, config.model).of(name)
    if tariff is not None:
        return MODEL.ok("price", f"the price of {name} is known: it counts towards the day's caps")
    seen = f"no price of {name} is known: caps in dollars do not hold it back"
    mend = f'set "prices": {{"{name}": {{"input": …, "output": …}}}}, with zeros if it is free'
    return MODEL.warning("price", seen, mend)


async def _latency(config: Config, clock: Clock, name: str) -> Finding:
    """Ask once more, now that the connection stands, for what costs nothing."""
    client = _client(config, clock)
    try:
        await client.knows(name)
        began_s = clock.monotonic()
        await client.knows(name)
        return judge_latency(name, clock.monotonic() - began_s)
    except ModelError as error:
        return _trouble(name, error)
    finally:
        await client.close()


async def _clock(config: Config, clock: Clock) -> Findings:
    address = config.anthropic.base_url or VENDOR_URL
    theirs = await asyncio.to_thread(date_of, address)
    return () if theirs is None else (judge_clock("model", ours=clock.now(), theirs=theirs),)


def _client(config: Config, clock: Clock) -> AnthropicModel:
    keys = config.anthropic
    key = keys.api_key.get_secret_value() if keys.api_key else None
    return AnthropicModel(api_key=key, base_url=keys.base_url, clock=clock)


async def _instead() -> Finding:
    local = await find_local_model()
    if local is not None:
        return MODEL.ok("model", f"{local.model} answers, found at {local.base_url}")
    seen = "no model is configured, none runs on this machine: the demo answers, which is no AI"
    mend = f"put ANTHROPIC_API_KEY=… ({_KEYS}) into .env beside config.json"
    return MODEL.warning("model", seen, mend)


async def _look_up(client: AnthropicModel, name: str, base_url: str | None) -> Finding:
    """Look a model up, which costs nothing; where nothing is told of models, ask for one token."""
    place = "" if base_url is None else f" at {urlsplit(base_url).hostname}"
    try:
        if await client.knows(name):
            return MODEL.ok("model", f"{name} is there{place}, and the key is taken")
        await client.ask(_smallest(name), _ignore)
    except ModelAuthError as error:
        return _broken(name, error, f"put a key that works ({_KEYS}) into ANTHROPIC_API_KEY")
    except ModelRequestRefused as error:
        return _broken(name, error, 'let "model" and "summary_model" name models that there are')
    except ModelError as error:
        return _trouble(name, error)
    return MODEL.ok("model", f"{name} answers{place}")


def _trouble(name: str, error: ModelError) -> Finding:
    if isinstance(error, ModelRateLimited | ModelOverloaded):
        mend = "wait, then run doctor again; limits are raised at the vendor's console"
        return MODEL.warning("model", f"{name}: {error}", mend)
    mend = "look at the network, at https_proxy, at anthropic.base_url, at the vendor's status page"
    return _broken(name, error, mend)


def _broken(name: str, error: ModelError, mend: str) -> Finding:
    return MODEL.broken("model", f"{name}: {error}", mend)


def _smallest(name: str) -> ModelRequest:
    question = Message(role="user", blocks=(Text(text="Hi"),))
    return ModelRequest(model=name, system="", messages=(question,), max_tokens=1)


def _ignore(delta: Delta) -> None:
    pass
