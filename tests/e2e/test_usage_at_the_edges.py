"""What was paid and nobody kept, and models whose price nobody knows."""

import asyncio
import threading

import pytest

from bot.app.pricing import prices_of
from bot.core.cost import Spent
from bot.core.llm import ModelResponse, Usage
from bot.core.messages import assistant_text
from bot.core.prices import FREE
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from tests.e2e.conftest import OpenStore
from tests.e2e.test_usage import MODEL, TODAY, paid_config, price


class SlowRedactor:
    """Reads what is long only when the test says so.

    Attributes:
        began: Is set when it has something long before it.
        may_end: Lets it go on.
    """

    def __init__(self) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()

    def redact(self, text: str) -> str:
        if len(text) >= len(LONG):
            self.began.set()
            assert self.may_end.wait(PATIENCE_S)
        return text


LONG = "word " * 6_000


async def test_what_is_stopped_behind_its_answer_is_accounted_for(open_store: OpenStore) -> None:
    """While secrets are looked for in it: no step is made of it, and it was paid for."""
    redactor, whole = SlowRedactor(), Usage(input_tokens=10, output_tokens=7_000)
    answer = ModelResponse(message=assistant_text(LONG), stop="end_turn", usage=whole, model=MODEL)
    config = paid_config()
    async with Dialogue(
        ScriptedModel([answer]),
        config=config,
        store=open_store(),
        model_name=MODEL,
        redactor=redactor,
    ) as dialogue:
        dialogue.channel.push(dialogue.channel.message("Tell me a long story."))
        assert await asyncio.to_thread(redactor.began.wait, PATIENCE_S)
        dialogue.channel.push(dialogue.channel.message("/stop"))
        await settle()
        redactor.may_end.set()
        (again,) = (await dialogue.says("/usage me"))[-1:]
        (spent,) = await dialogue.store.spent_in((TODAY,))

    assert Spent(usage=whole, nano_usd=price(whole), calls=1) == spent
    assert "1 call" in again
    assert LONG not in dialogue.channel.texts()


async def test_a_model_that_nobody_knows_is_stopped_by_the_caps_there_are(
    open_store: OpenStore,
) -> None:
    """With nothing set, as if it were the dearest; what it costs is not made up."""
    usage = Usage(input_tokens=1_000, output_tokens=20_000)
    answer = ModelResponse(
        message=assistant_text("Well."), stop="end_turn", usage=usage, model="claude-opus-6"
    )
    model = ScriptedModel(lambda request: answer)
    async with Dialogue(
        model,
        config=paid_config(model="claude-opus-6"),
        store=open_store(),
        model_name="claude-opus-6",
    ) as dialogue:
        said = [(await dialogue.says("Hello"))[0] for _ in range(9)]
        (page,) = await dialogue.says("/usage")

    assert 4 == len(model.requests)
    assert said[-1].startswith("You have used up what you may use of me in a day.")
    assert "- Today: price unknown, 4.0k tokens in" in page
    assert "For you: $0.000 of $5.000" in page
    assert "Without a price: 4 of 4 calls." in page


@pytest.mark.parametrize(
    ("base_url", "is_free"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1:1", True),
        ("http://[::1]:8080", True),
        ("http://192.168.1.20:4000", True),
        ("http://100.64.0.7", True),
        ("http://gpu:8000", True),
        ("http://ollama.local", True),
        ("https://gateway.example.com", False),
        ("https://8.8.8.8", False),
        (None, False),
    ],
)
def test_what_runs_in_the_operators_own_network_costs_nothing(
    base_url: str | None, is_free: bool
) -> None:
    """Unless it has a price: a gateway there is asked for what others are paid for."""
    config = paid_config(anthropic={"base_url": base_url})
    prices = prices_of(config, MODEL)

    assert (FREE if is_free else None) is prices.of("qwen3:8b")
    assert prices.of(MODEL) not in (None, FREE)
    assert prices.of("claude-opus-6") is None
