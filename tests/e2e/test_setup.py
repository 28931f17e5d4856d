"""The set-up as an operator goes through it: at a pseudo-terminal, and through a pipe."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
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
from bot.testing.slack_server import PretendedSlack
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.terminals import CTRL_C, CTRL_D, PATIENCE_S, TerminalProcess

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-" + "ant-" + "pretended" * 3
PROMPT = ">"
REFERENCES = {
    "anthropic": {"api_key": "${ANTHROPIC_API_KEY}"},
    "telegram": {"token": "${TELEGRAM_BOT_TOKEN}"},
    "slack": {"bot_token": "${SLACK_BOT_TOKEN}", "app_token": "${SLACK_APP_TOKEN}"},
}


class World:
    """Pretended platforms, and a folder with settings that lead to them."""

    def __init__(
        self,
        folder: Path,
        vendor: PretendedAnthropic,
        telegram: PretendedTelegram,
        slack: PretendedSlack,
    ) -> None:
        self.folder = folder
        self.telegram = telegram
        self.slack = slack
        self.secrets = (KEY, telegram.token, slack.bot_token, slack.app_token)
        self.file = folder / "config.json"
        self.settings: dict[str, object] = {
            "plugins": ["clock"],
            "anthropic": {**REFERENCES["anthropic"], "base_url": vendor.base_url},
            "channels": {
                "telegram": {**REFERENCES["telegram"], "base_url": telegram.base_url},
                "slack": {**REFERENCES["slack"], "base_url": slack.settings["base_url"]},
            },
        }
        self.write()

    def write(self) -> None:
        self.file.write_text(json.dumps(self.settings), encoding="utf-8")

    @property
    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def dotenv(self) -> dict[str, str]:
        lines = (self.folder / ".env").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def has_shown_a_secret(self, text: str) -> bool:
        return any(secret in text for secret in self.secrets)

    async def at_terminal(
        self, talk: Callable[[TerminalProcess], object], *verb: str, **environ: str
    ) -> TerminalProcess:
        """Let somebody talk with the program at a terminal; they wait for its end themselves."""

        def sit() -> TerminalProcess:
            with TerminalProcess(
                self._command(*verb), folder=self.folder, environ=self._environ(environ)
            ) as terminal:
                talk(terminal)
                return terminal

        return await asyncio.to_thread(sit)

    async def through_pipe(self, *lines: str, **environ: str) -> tuple[int, str, str]:
        """Give the program lines; gives the exit code, and what it wrote to stdout and stderr."""
        done = await asyncio.to_thread(
            partial(
                subprocess.run,
                self._command("setup"),
                input="".join(f"{line}\n" for line in lines),
                capture_output=True,
                text=True,
                cwd=self.folder,
                env=self._environ(environ),
                timeout=PATIENCE_S,
                check=False,
            )
        )
        return done.returncode, done.stdout, done.stderr

    def _command(self, *verb: str) -> list[str]:
        return [sys.executable, "-m", "bot.cli", "--config", str(self.file), *verb]

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder),
            **more,
        }


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(PretendedAnthropic(api_key=KEY))
        telegram = await stack.enter_async_context(PretendedTelegram())
        slack = await stack.enter_async_context(PretendedSlack())
        yield World(tmp_path, vendor, telegram, slack)


# At a terminal.


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


# Through a pipe.


async def test_lines_of_a_pipe_answer_the_same_questions(world: World) -> None:
    code, out, err = await world.through_pipe(
        *("1", KEY, world.telegram.token),
        *("y", world.slack.bot_token, world.slack.app_token),
    )

    assert (0, "") == (code, err)
    assert 4 == len(world.dotenv())
    assert "\x1b" not in out
    assert not world.has_shown_a_secret(out)
    assert "ok      telegram.token: the token is that of @daybook_bot" in out


async def test_the_end_of_a_pipe_in_the_middle_is_exit_1(world: World) -> None:
    code, _, err = await world.through_pipe("1", KEY)

    assert (1, "Set-up stopped; everything is as it was.") == (code, err.strip())
    assert ["config.json"] == world.names


async def test_what_the_environment_gives_is_not_asked_for(world: World) -> None:
    code, out, _ = await world.through_pipe("1", "", "", ANTHROPIC_API_KEY=KEY)

    assert 0 == code
    assert "API key: ANTHROPIC_API_KEY of the environment gives it." in out
    assert "claude-sonnet-5-5 is there" in out
    assert ["config.json"] == world.names


async def test_behind_a_network_that_is_down_a_token_can_be_kept(world: World) -> None:
    world.settings |= {
        "channels": {"telegram": {**REFERENCES["telegram"], "base_url": "http://127.0.0.1:9"}}
    }
    world.write()

    code, out, _ = await world.through_pipe("", world.telegram.token, "y", "")

    assert 0 == code
    assert "telegram.reach" in out
    assert {"TELEGRAM_BOT_TOKEN": world.telegram.token} == world.dotenv()


async def test_one_of_two_tokens_is_none(world: World) -> None:
    _, out, _ = await world.through_pipe("", "", "y", world.slack.bot_token, "", "")

    assert "app_token" in out
    assert "It stays as it was." in out
    assert ["config.json"] == world.names


async def test_settings_that_cannot_be_read_are_exit_2(world: World) -> None:
    (world.folder / "config.local.json").write_text('{"modle": "x"}')

    code, out, err = await world.through_pipe("1")

    assert (2, "") == (code, out)
    assert "config.local.json: modle" in err
    assert 1 == len(err.splitlines())


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


async def test_an_address_that_is_none_is_not_put_in(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_step, "find_local_model", partial(find_local_model, ports=()))

    form, shown = await asyncio.to_thread(fill, world, "2", "nowhere", "")

    assert "anthropic.base_url: must be a web address" in shown
    assert read_own_files(world.file) == form.files
