from collections.abc import Awaitable, Callable

import pytest

from bot.adapters.anthropic_model import AnthropicModel, Limits
from bot.ports import ModelClient
from bot.testing.clock import FakeClock
from bot.testing.model_meeting import MakeModel
from bot.testing.models import CONTRACT


def make(base_url: str, key: str) -> ModelClient:
    limits = Limits(first_event_s=0.5, between_events_s=0.1)
    return AnthropicModel(api_key=key, base_url=base_url, clock=FakeClock(), limits=limits)


@pytest.mark.parametrize("law", CONTRACT, ids=lambda law: law.__name__)
async def test_the_contract_holds(law: Callable[[MakeModel], Awaitable[None]]) -> None:
    await law(make)
