"""Which model answers: the configured one, else one found on this machine, else the demo."""

from __future__ import annotations

from dataclasses import dataclass

from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.demo_model import DemoModel
from bot.adapters.local_models import find_local_model
from bot.ports import Clock, ModelClient, ModelDirectory


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModel:
    """A model client, the name to ask it for, and one line for the operator about the choice.

    ``directory`` is what tells of the models there; None for the demo.
    """

    client: ModelClient
    name: str
    about: str
    directory: ModelDirectory | None = None


async def choose_model(
    *, api_key: str | None, base_url: str | None, name: str, clock: Clock
) -> ChosenModel:
    """Choose the model; only where neither key nor address is given is this machine looked at."""
    if api_key or base_url:
        client = AnthropicModel(api_key=api_key, base_url=base_url, clock=clock)
        about = f"model: {name}"
        return ChosenModel(client=client, name=name, about=about, directory=client)
    local = await find_local_model()
    if local is not None:
        client = AnthropicModel(api_key=None, base_url=local.base_url, clock=clock)
        about = f"model: {local.model}, found at {local.base_url}"
        return ChosenModel(client=client, name=local.model, about=about, directory=client)
    about = "model: demo (no AI; set ANTHROPIC_API_KEY or start a local model server)"
    return ChosenModel(client=DemoModel(), name="demo", about=about)
