"""The model examined: is there one, and does it take the key?"""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.local_models import find_local_model
from bot.config import Config
from bot.core.findings import Finding, one_line
from bot.core.llm import Delta, ModelRequest
from bot.core.messages import Message, Text
from bot.errors import (
    ModelAuthError,
    ModelError,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRefused,
)
from bot.ports import Clock

_KEYS = "https://console.anthropic.com, API Keys"


async def check_model(config: Config, clock: Clock, *, running: str = "") -> tuple[Finding, ...]:
    """Look up every model that the bot asks; where none is configured, what there is instead.

    Args:
        config: The settings.
        clock: For the model's client.
        running: The name of the model that a running bot asks, which may be another by now.
    """
    keys = config.anthropic
    key = keys.api_key.get_secret_value() if keys.api_key else None
    if not key and not keys.base_url:
        return (await _instead(),)
    names = dict.fromkeys((config.model, *([config.summary_model] if key else ()), running))
    client = AnthropicModel(api_key=key, base_url=keys.base_url, clock=clock)
    try:
        return tuple([await _look_up(client, name, keys.base_url) for name in names if name])
    finally:
        await client.close()


async def _instead() -> Finding:
    local = await find_local_model()
    if local is not None:
        return _finding(f"{local.model} answers, found at {local.base_url}")
    return Finding(
        area="model",
        check="model",
        grade="warning",
        seen="no model is configured, none runs on this machine: the demo answers, which is no AI",
        mend=f"put ANTHROPIC_API_KEY=… ({_KEYS}) into .env beside config.json",
    )


async def _look_up(client: AnthropicModel, name: str, base_url: str | None) -> Finding:
    """Look a model up, which costs nothing; where nothing is told of models, ask for one token."""
    place = "" if base_url is None else f" at {urlsplit(base_url).hostname}"
    try:
        if await client.knows(name):
            return _finding(f"{name} is there{place}, and the key is taken")
        await client.ask(_smallest(name), _ignore)
    except ModelAuthError as error:
        return _broken(name, error, f"put a key that works ({_KEYS}) into ANTHROPIC_API_KEY")
    except ModelRequestRefused as error:
        return _broken(name, error, 'let "model" and "summary_model" name models that there are')
    except ModelError as error:
        return _trouble(name, error)
    return _finding(f"{name} answers{place}")


def _trouble(name: str, error: ModelError) -> Finding:
    if isinstance(error, ModelRateLimited | ModelOverloaded):
        return Finding(
            area="model",
            check="model",
            grade="warning",
            seen=one_line(f"{name}: {error}"),
            mend="wait, then run doctor again; limits are raised at the vendor's console",
        )
    mend = "look at the network, at https_proxy, at anthropic.base_url, at the vendor's status page"
    return _broken(name, error, mend)


def _smallest(name: str) -> ModelRequest:
    question = Message(role="user", blocks=(Text(text="Hi"),))
    return ModelRequest(model=name, system="", messages=(question,), max_tokens=1)


def _ignore(delta: Delta) -> None:
    pass


def _finding(seen: str) -> Finding:
    return Finding(area="model", check="model", seen=one_line(seen))


def _broken(name: str, error: ModelError, mend: str) -> Finding:
    seen = one_line(f"{name}: {error}")
    return Finding(area="model", check="model", grade="broken", seen=seen, mend=mend)
