import asyncio
import subprocess
import sys
from collections.abc import Callable

import pytest

from bot.adapters.anthropic_model import AnthropicModel, Limits
from bot.core.llm import Delta, ModelResponse
from bot.core.messages import Text, assistant_text
from bot.errors import ModelSilent, ModelUnavailable
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import Broken, PretendedAnthropic
from bot.testing.clock import FakeClock, settle
from bot.testing.model_meeting import asking


def model_at(server: PretendedAnthropic, limits: Limits | None = None) -> AnthropicModel:
    return AnthropicModel(api_key=None, base_url=server.base_url, clock=FakeClock(), limits=limits)


def ignore(delta: Delta) -> None:
    pass


async def ask(model: AnthropicModel, on_delta: Callable[[Delta], None] = ignore) -> ModelResponse:
    try:
        return await model.ask(asking(), on_delta)
    finally:
        await model.close()


def test_importing_the_adapter_does_not_import_the_sdk() -> None:
    script = "import sys, bot.adapters.anthropic_model; sys.exit('anthropic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_key_or_an_address_is_needed() -> None:
    with pytest.raises(ValueError, match="neither a key nor an address"):
        AnthropicModel(api_key=None, base_url="", clock=FakeClock())


async def test_the_event_loop_goes_on_while_the_sdk_is_loaded() -> None:
    async with PretendedAnthropic() as server:
        model = model_at(server)
        loading = asyncio.create_task(ask(model))
        rounds = 0
        while not loading.done():
            await settle()
            rounds += 1
        await model.close()

    assert rounds > 1


async def test_a_server_that_asks_for_no_key_is_asked_without_one() -> None:
    async with PretendedAnthropic() as server:
        answered = await ask(model_at(server))

    assert assistant_text("All is well.") == answered.message


async def test_silence_behind_a_whole_answer_does_no_harm() -> None:
    limits = Limits(goodbye_s=0.05)
    async with PretendedAnthropic([Broken(how="lingers", text="Done.")]) as server:
        answered = await ask(model_at(server, limits))

    assert assistant_text("Done.") == answered.message


async def test_silence_before_the_first_event_has_its_own_limit() -> None:
    limits = Limits(first_event_s=0.05)
    async with PretendedAnthropic([Broken(how="silent")]) as server:
        with pytest.raises(ModelSilent, match=r"no word of it within 0\.05 s"):
            await ask(model_at(server, limits))


async def test_silence_in_the_middle_is_told_with_its_limit() -> None:
    limits = Limits(between_events_s=0.05)
    async with PretendedAnthropic([Broken(how="stall")]) as server:
        with pytest.raises(ModelSilent, match=r"no word of it within 0\.05 s"):
            await ask(model_at(server, limits))


async def test_an_answer_without_end_is_cut_off() -> None:
    limits = Limits(answer_s=0.05)
    async with PretendedAnthropic([Broken(how="stall")]) as server:
        with pytest.raises(ModelSilent, match=r"no end of the answer within 0\.05 s"):
            await ask(model_at(server, limits))


async def test_a_stalled_answer_that_goes_on_is_whole() -> None:
    async with PretendedAnthropic([Broken(how="stall", text="At last.")]) as server:
        asked = asyncio.create_task(ask(model_at(server)))
        await server.stalled()
        server.release()

        assert assistant_text("At last.") == (await asked).message


@pytest.mark.parametrize("error", [LookupError, TimeoutError, ValueError])
async def test_a_failure_of_the_listener_is_its_own(error: type[Exception]) -> None:
    def fail(delta: Delta) -> None:
        raise error("the listener's")

    async with PretendedAnthropic() as server:
        with pytest.raises(error, match="the listener's"):
            await ask(model_at(server), fail)


async def test_many_requests_share_the_connections() -> None:
    async with PretendedAnthropic(otherwise=Written(blocks=(Text(text="Yes."),))) as server:
        model = model_at(server)
        answers = await asyncio.gather(*(model.ask(asking(), ignore) for _ in range(20)))
        await model.close()

    assert len(answers) == len(server.requests) == 20
    assert server.faults == []


async def test_a_proxy_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    model = AnthropicModel(api_key=None, base_url="https://model.example", clock=FakeClock())

    with pytest.raises(ModelUnavailable, match='the proxy cannot be reached: look at "proxy"'):
        await ask(model)
