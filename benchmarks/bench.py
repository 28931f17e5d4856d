"""A bot as a process of its own, between the pretended Telegram and the pretended Claude."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.telegram_server import Call, PretendedTelegram

ROOT = Path(__file__).resolve().parent.parent
CHAT = 1001
"""The private chat in which single turns are taken."""

Kind = Literal["daybook", "naive"]

_PATIENCE_S = 180.0
_END_WITHIN_S = 30.0
_BREATH_S = 0.01
_MARK = re.compile(r"mark-\d+-\d+")


@dataclass(slots=True, kw_only=True)
class Bench:
    """A running bot and the servers around it; ``started_at`` is on the monotonic clock."""

    telegram: PretendedTelegram
    claude: PretendedAnthropic
    process: asyncio.subprocess.Process
    started_at: float
    log: Path
    confirmed: int = 0

    async def turn(self, text: str) -> float:
        """Write to the bot while it polls; give the seconds until its answer was sent.

        The turn before is over by then: nobody answers within a hundredth of a second.
        """
        await self.polling()
        await asyncio.sleep(_BREATH_S)
        position = len(self.telegram.state.calls)
        update = self.telegram.says(CHAT, text)
        began = time.monotonic()
        self.confirmed = int(str(update["update_id"])) + 1
        answer = await self.called("sendMessage", since=position)
        return answer.at - began

    async def polling(self) -> None:
        """Wait until the bot has confirmed what was written and waits for more."""
        await self.until(lambda: self._offset() >= self.confirmed)

    async def loaded(self) -> None:
        """Wait for a long poll: before it the libraries may still be being loaded."""
        await self.until(
            lambda: any(
                call.method == "getUpdates" and int(str(call.params.get("timeout") or 0)) > 0
                for call in self.telegram.state.calls
            )
        )

    async def called(self, method: str, *, since: int = 0) -> Call:
        """Wait for a call of a method behind the first ``since`` calls."""
        found: list[Call] = []

        def look() -> bool:
            calls = self.telegram.state.calls[since:]
            found[:] = [call for call in calls if call.method == method]
            return bool(found)

        await self.until(look)
        return found[0]

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something holds that a request changes.

        Raises:
            RuntimeError: The bot has ended.
            TimeoutError: It does not come true.
        """
        give_up_at = time.monotonic() + _PATIENCE_S
        while self.process.returncode is None:
            try:
                return await self.telegram.wait_until(is_so)
            except TimeoutError:
                if time.monotonic() > give_up_at:
                    raise
        raise RuntimeError(f"the bot ended with {self.process.returncode}: {self.log.read_text()}")

    def _offset(self) -> int:
        """Give the offset of the newest poll."""
        for call in reversed(self.telegram.state.calls):
            if call.method == "getUpdates":
                return int(str(call.params.get("offset") or 0))
        return -1

    @property
    def rss_mib(self) -> float:
        """Resident memory of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    @property
    def cpu_s(self) -> float:
        """Processor time that the process has used, all threads together."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def running(kind: Kind, folder: Path) -> AsyncIterator[Bench]:
    """Run a bot with fresh data below ``folder`` until the block is left."""
    async with PretendedTelegram() as telegram, PretendedAnthropic(otherwise=echo_marks) as claude:
        log = folder / f"{kind}.log"
        started_at = time.monotonic()
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *_command(kind, folder, telegram, claude),
                env=_environment(telegram, claude),
                cwd=folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        try:
            yield Bench(
                telegram=telegram, claude=claude, process=process, started_at=started_at, log=log
            )
        finally:
            await _end(process)


def echo_marks(body: Mapping[str, object]) -> str:
    """Answer at once with all marks of the newest message, so that none can go unnoticed."""
    messages = body["messages"]
    newest = messages[-1] if isinstance(messages, list) else ""
    marks = _MARK.findall(json.dumps(newest))
    return f"Answered: {' '.join(marks)}"


def marks_in(text: str) -> list[str]:
    """Find the marks that a text holds, in their order."""
    return _MARK.findall(text)


def _command(
    kind: Kind, folder: Path, telegram: PretendedTelegram, claude: PretendedAnthropic
) -> tuple[str, ...]:
    if kind == "naive":
        return (sys.executable, str(ROOT / "benchmarks" / "naive_bot.py"))
    settings = {
        "data_dir": str(folder / f"data-{time.time_ns()}"),
        "access": "open",
        "log_level": "warning",
        "anthropic": {"api_key": "none", "base_url": claude.base_url},
        "channels": {
            "telegram": {
                "token": telegram.token,
                "base_url": telegram.base_url,
                "messages_per_second": 0,  # this server sets no limits
            }
        },
        "plugins": ["clock", "web_fetch"],
    }
    config = folder / "config.json"
    config.write_text(json.dumps(settings))
    return (sys.executable, str(ROOT / "run.py"), "--config", str(config))


def _environment(telegram: PretendedTelegram, claude: PretendedAnthropic) -> dict[str, str]:
    """Give the naive bot its settings, and both a Python that keeps what it has compiled."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return kept | {
        "TELEGRAM_BOT_TOKEN": telegram.token,
        "TELEGRAM_BASE_URL": telegram.base_url,
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": claude.base_url,
    }


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _END_WITHIN_S)
    except TimeoutError:
        process.kill()
        await process.wait()
