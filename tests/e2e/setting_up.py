"""What a set-up is tried in: pretended platforms, and a folder with settings that lead to them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.patience import PATIENCE_S
from bot.testing.processes import run_through
from bot.testing.slack_server import PretendedSlack
from bot.testing.starts import Start
from bot.testing.telegram_server import PretendedTelegram
from bot.testing.terminals import TerminalProcess

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-" + "ant-" + "pretended" * 3
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
        self.slack_settings = {**REFERENCES["slack"], "base_url": slack.settings["base_url"]}
        self.secrets = (KEY, telegram.token, slack.bot_token, slack.app_token)
        self.file = folder / "config.json"
        self.settings: dict[str, object] = {
            "plugins": ["clock"],
            "anthropic": {**REFERENCES["anthropic"], "base_url": vendor.base_url},
            "channels": {
                "telegram": {**REFERENCES["telegram"], "base_url": telegram.base_url},
                "slack": self.slack_settings,
            },
        }
        self.write()

    def write(self) -> None:
        self.file.write_text(json.dumps(self.settings), encoding="utf-8")

    def cut_telegram_off(self) -> None:
        """Let Telegram's address be one where nobody answers."""
        unreachable = {**REFERENCES["telegram"], "base_url": "http://127.0.0.1:9"}
        self.settings["channels"] = {"telegram": unreachable, "slack": self.slack_settings}
        self.write()

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
                ("--config", str(self.file), *verb),
                folder=self.folder,
                environ=self._environ(environ),
                is_fork=True,
            ) as terminal:
                talk(terminal)
                return terminal

        return await asyncio.to_thread(sit)

    async def through_pipe(self, *lines: str, **environ: str) -> tuple[int, str, str]:
        """Give the program lines; gives the exit code, and what it wrote to stdout and stderr."""
        start = Start(
            arguments=("--config", str(self.file), "setup"),
            environ=self._environ(environ),
            folder=self.folder,
        )
        async with asyncio.timeout(PATIENCE_S):
            return await run_through(start, lines)

    def _environ(self, more: Mapping[str, str]) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.folder),
            **more,
        }


@asynccontextmanager
async def world_in(folder: Path) -> AsyncIterator[World]:
    """Have platforms for as long as the block lasts."""
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(PretendedAnthropic(api_key=KEY))
        telegram = await stack.enter_async_context(PretendedTelegram())
        slack = await stack.enter_async_context(PretendedSlack())
        yield World(folder, vendor, telegram, slack)
