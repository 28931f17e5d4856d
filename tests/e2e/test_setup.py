"""The set-up as an operator goes through it at a pseudo-terminal."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.local_models import find_local_model
from bot.app.setup import model_step
from bot.app.setup.form import Form
from bot.app.setup.model_step import fill_model
from bot.app.setup.questions import Questions
from bot.config import load, read_own_files
from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.terminals import CTRL_C, CTRL_D, TerminalProcess
from tests.e2e.setting_up import KEY, REFERENCES, World, world_in

PROMPT = ">"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with world_in(tmp_path) as world:
        yield world


def fill_in_everything(world: World, terminal: TerminalProcess) -> None:
    terminal.asked("Which one?", "1")
    terminal.asked("API key [Enter skips]:", f"\n '{KEY}' ")
    terminal.shows("claude-sonnet-5-5 is there")
    terminal.asked("Bot token [Enter skips]:", f"export TELEGRAM_BOT_TOKEN={world.telegram.token}")
    terminal.shows("https://t.me/daybook_bot")
    terminal.asked("Set Slack up now? [y/N]", "y")
    terminal.shows('"socket_mode_enabled": true')
    terminal.asked("Bot User OAuth Token [Enter skips]:", world.slack.app_token)
    terminal.shows("That is Slack's App-Level Token (xapp-…)")
    terminal.asked("Bot User OAuth Token [Enter skips]:", world.slack.bot_token)
    terminal.asked("App-Level Token [Enter skips]:", world.slack.app_token)
    terminal.shows("the app token opens connections")
    terminal.shows("/claim CODE")
    terminal.shows("Start it: python3 run.py")
    assert 0 == terminal.ended()


async def test_a_first_set_up_and_a_second_that_keeps_everything(world: World) -> None:
    tracked = world.file.read_bytes()

    first = await world.at_terminal(partial(fill_in_everything, world), "setup")

    assert not world.has_shown_a_secret(first.raw.decode())
    assert ([".env", "config.json"], tracked) == (world.names, world.file.read_bytes())
    assert 0o600 == stat.S_IMODE((world.folder / ".env").stat().st_mode)
    assert {
        "ANTHROPIC_API_KEY": KEY,
        "TELEGRAM_BOT_TOKEN": world.telegram.token,
        "SLACK_BOT_TOKEN": world.slack.bot_token,
        "SLACK_APP_TOKEN": world.slack.app_token,
    } == world.dotenv()
    before = (world.folder / ".env").read_bytes()

    def press_enter(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "")
        terminal.asked("Bot token [set; Enter keeps it]:", "")
        terminal.asked("Set Slack up now? [y/N]", "")
        terminal.shows("Nothing was changed.")
        assert 0 == terminal.ended()

    second = await world.at_terminal(press_enter, "setup")

    assert not world.has_shown_a_secret(second.raw.decode())
    assert "the bot token is that of" in second.text
    assert before == (world.folder / ".env").read_bytes()


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
async def test_an_end_in_the_middle_leaves_everything_as_it_was(world: World, key: str) -> None:
    def give_up(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "1")
        terminal.asked("API key [Enter skips]:", KEY)
        terminal.shows("Bot token [Enter skips]:")
        terminal.types(key)
        assert 1 == terminal.ended()

    terminal = await world.at_terminal(give_up, "setup")

    assert "Set-up stopped; everything is as it was." == terminal.text.splitlines()[-1]
    assert ["config.json"] == world.names


async def test_a_token_that_is_refused_is_asked_for_again(world: World) -> None:
    def try_twice(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "")
        terminal.asked("Bot token [Enter skips]:", "12345678:" + "x" * 35)
        terminal.shows("Telegram refuses the token")
        terminal.asked("Bot token [set; Enter keeps it]:", world.telegram.token)
        terminal.shows("the token is that of @daybook_bot")
        terminal.asked("Set Slack up now? [y/N]", "")
        assert 0 == terminal.ended()

    await world.at_terminal(try_twice, "setup")

    assert {"TELEGRAM_BOT_TOKEN": world.telegram.token} == world.dotenv()


@pytest.mark.parametrize("answer", ["y", ""])
async def test_behind_a_network_that_is_down_a_token_can_be_kept(world: World, answer: str) -> None:
    world.cut_telegram_off()

    def keep(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "")
        terminal.asked("Bot token [Enter skips]:", world.telegram.token)
        terminal.asked("Keep it all the same? [y/N]", answer)
        terminal.asked("Set Slack up now? [y/N]", "")
        assert 0 == terminal.ended()

    await world.at_terminal(keep, "setup")

    kept = {"TELEGRAM_BOT_TOKEN": world.telegram.token} if answer else {}
    assert kept == (world.dotenv() if answer else {})
    assert answer or ["config.json"] == world.names


# Offered by itself.


async def test_a_start_with_nothing_set_up_offers_it_and_goes_on(world: World) -> None:
    world.settings = {"plugins": ["clock"]}
    world.write()

    def accept(terminal: TerminalProcess) -> None:
        terminal.asked("Do that now? It takes two minutes. [Y/n]", "")
        terminal.asked("Which one?", "")
        terminal.asked("Bot token [Enter skips]:", "")
        terminal.asked("Set Slack up now? [y/N]", "")
        terminal.shows("ready: console")
        terminal.asked(PROMPT, "hello")
        terminal.shows("Hello!")
        terminal.shows(PROMPT)
        terminal.types(CTRL_D)
        assert 0 == terminal.ended()

    await world.at_terminal(accept)

    assert ["config.json", "config.local.json", "data"] == world.names
    assert {"//"} == json.loads((world.folder / "config.local.json").read_text()).keys()

    def talk(terminal: TerminalProcess) -> None:
        terminal.shows("ready: console")
        terminal.shows(PROMPT)
        terminal.types(CTRL_D)
        assert 0 == terminal.ended()

    assert "set up" not in (await world.at_terminal(talk)).text


async def test_whoever_says_no_is_not_asked_again_and_can_talk(world: World) -> None:
    world.settings = {"plugins": ["clock"]}
    world.write()

    def refuse(terminal: TerminalProcess) -> None:
        terminal.asked("Do that now?", "n")
        terminal.shows("To change it: python3 run.py setup.")
        terminal.shows("ready: console")
        terminal.shows(PROMPT)
        terminal.types(CTRL_D)
        assert 0 == terminal.ended()

    await world.at_terminal(refuse)

    assert "config.local.json" in world.names


async def test_an_offer_that_is_broken_off_starts_nothing(world: World) -> None:
    world.settings = {}
    world.write()

    def break_off(terminal: TerminalProcess) -> None:
        terminal.shows("Do that now?")
        terminal.types(CTRL_C)
        assert 1 == terminal.ended()

    await world.at_terminal(break_off)

    assert ["config.json"] == world.names


# The model, by its other ways.


def fill(world: World, *answers: str) -> tuple[Form, str]:
    """Go through the step about the model; gives the form and what was shown."""
    sink = StringIO()
    questions = Questions(StringIO("".join(f"{each}\n" for each in answers)), sink, str)
    form = Form(
        world.file,
        {},
        read_own_files(world.file),
        questions,
        clock=SystemClock(),
        hide=lambda _: None,
    )
    fill_model(form)
    return form, sink.getvalue()


@pytest.mark.parametrize("way", ["found", "address"])
async def test_a_server_of_ones_own_and_back_to_the_key(
    world: World, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world.folder / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\n")
    world.settings = {"anthropic": REFERENCES["anthropic"]}
    world.write()
    async with PretendedAnthropic(models=("small",)) as server:
        ports = (int(server.base_url.rpartition(":")[2]),) if way == "found" else ()
        monkeypatch.setattr(model_step, "find_local_model", partial(find_local_model, ports=ports))
        answers = ("4",) if way == "found" else ("2", server.base_url, "small", "")
        form, shown = await asyncio.to_thread(fill, world, *answers)

    config = load(world.file, {}, form.files.texts)
    assert "small is there at 127.0.0.1" in shown
    assert ("small", server.base_url) == (config.model, config.anthropic.base_url)
    assert config.anthropic.api_key is None
    (world.folder / "config.local.json").write_text(form.files.local or "")

    none, _ = await asyncio.to_thread(fill, world, "3")

    config = load(world.file, {}, none.files.texts)
    assert ("claude-sonnet-5-5", None) == (config.model, config.anthropic.base_url)
    assert (None, f"ANTHROPIC_API_KEY={KEY}\n") == (config.anthropic.api_key, none.files.dotenv)


async def test_the_servers_own_variable_is_named_and_never_the_vendors(world: World) -> None:
    """A key that is entered after the server asked for one goes to no other's variable."""
    (world.folder / ".env").write_text(f"ANTHROPIC_API_KEY={KEY}\n")
    world.settings = {"anthropic": REFERENCES["anthropic"]}
    world.write()

    def enter(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "2")
        terminal.asked("Its address", server.base_url)
        terminal.asked("Name of the model there", "small")
        terminal.asked("Its key [Enter skips]:", "")
        terminal.shows("wants a key, and none is set")
        terminal.shows("put MODEL_API_KEY=… into .env")
        terminal.asked("Its key [Enter skips]:", "wrong-key")
        terminal.shows("put a key that server takes into MODEL_API_KEY")
        terminal.asked("Its key [set; Enter keeps it]:", "its-own-key")
        terminal.asked("Bot token [Enter skips]:", "")
        terminal.asked("Set Slack up now? [y/N]", "")
        assert 0 == terminal.ended()

    async with PretendedAnthropic(models=("small",), api_key="its-own-key") as server:
        await world.at_terminal(enter, "setup")

    assert {"ANTHROPIC_API_KEY": KEY, "MODEL_API_KEY": "its-own-key"} == world.dotenv()


async def test_an_address_that_is_none_is_not_put_in(world: World) -> None:
    def mistype(terminal: TerminalProcess) -> None:
        terminal.asked("Which one?", "2")
        terminal.asked("Its address", "nowhere")
        terminal.shows("anthropic.base_url: must be a web address")
        terminal.asked("Its address", "")
        terminal.shows("Skipped.")
        terminal.asked("Bot token [Enter skips]:", "")
        terminal.asked("Set Slack up now? [y/N]", "")
        assert 0 == terminal.ended()

    await world.at_terminal(mistype, "setup")

    assert ["config.json"] == world.names
