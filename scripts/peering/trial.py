"""The trial: three platforms, two pretended Claudes, one verdict a peer."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from scripts.peering.claude_side import FAULTS, AIMock, LLMock, aimock, llmock
from scripts.peering.installing import Programs, install
from scripts.peering.processes import daybook
from scripts.peering.slack_side import APP_TOKEN, BOT_TOKEN, slack_side
from scripts.peering.talk import OVERLOADED, TALK, Exchange, Side, answer_to
from scripts.peering.telegram_side import TOKEN, telegram_side
from scripts.peering.terminal_side import TerminalSide

Settings = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be said of one peer."""

    peer: str
    is_passed: bool
    words: str

    def __str__(self) -> str:
        return f"{'passed' if self.is_passed else 'FAILED':<8}{self.peer:<22}{self.words}"


class Trial:
    """Runs everything below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: Programs

    async def hold(self) -> int:
        """Talk to every peer; print the conversations and the verdicts; return the exit code."""
        try:
            self._programs = install(self._folder)
        except RuntimeError as error:
            print(f"cannot install the peers: {error}")
            return 1
        verdicts = [*await self._talk_everywhere(), await self._meet_faults()]
        print("\n".join(("", *map(str, verdicts))))
        return 0 if all(verdict.is_passed for verdict in verdicts) else 1

    async def _talk_everywhere(self) -> list[Verdict]:
        programs, folder = self._programs, self._folder
        async with aimock(programs.claude, folder) as claude:
            verdicts = [await self._talk_in_the_terminal(claude)]
            async with telegram_side(programs.telegram, folder) as (telegram, url):
                settings: Settings = {"telegram": {"token": TOKEN, "base_url": url}}
                verdicts.append(await self._talk(telegram, settings, claude))
            async with slack_side(programs.slack, folder) as (slack, url):
                tokens = {"bot_token": BOT_TOKEN, "app_token": APP_TOKEN, "base_url": url}
                verdicts.append(await self._talk(slack, {"slack": tokens}, claude))
            verdicts.append(await _judged_by_aimock(claude, conversations=len(verdicts)))
        return verdicts

    async def _talk(self, side: Side, channels: Settings, claude: AIMock) -> Verdict:
        config = self._config(side.name, claude.url, channels)
        try:
            async with daybook(config):
                await _converse(side, claude)
                messages = len(await side.seen())
        except (TimeoutError, RuntimeError) as error:
            return Verdict(peer=side.peer, is_passed=False, words=str(error))
        words = f"{len(TALK)} messages answered by {messages}"
        return Verdict(peer=side.peer, is_passed=messages == len(TALK), words=words)

    async def _talk_in_the_terminal(self, claude: AIMock) -> Verdict:
        config = self._config("terminal", claude.url, {})
        try:
            async with daybook(config) as product:
                side = TerminalSide(product)
                await _converse(side, claude)
        except (TimeoutError, RuntimeError) as error:
            return Verdict(peer=TerminalSide.peer, is_passed=False, words=str(error))
        return Verdict(peer=side.peer, is_passed=True, words=f"{len(TALK)} lines answered")

    async def _meet_faults(self) -> Verdict:
        async with llmock(self._programs.claude_faults, self._folder) as claude:
            try:
                async with daybook(self._config("faults", claude.base_url, {})) as product:
                    findings = await _survive(TerminalSide(product), claude)
            except (TimeoutError, RuntimeError) as error:
                return Verdict(peer="llmock", is_passed=False, words=str(error))
        words = "; ".join(findings) or f"{len(FAULTS)} faults survived, no finding against us"
        return Verdict(peer="llmock", is_passed=not findings, words=words)

    def _config(self, name: str, claude_url: str, channels: Settings) -> Path:
        data = self._folder / f"{name}-data"
        shutil.rmtree(data, ignore_errors=True)
        config = self._folder / f"{name}.json"
        settings = {
            "data_dir": str(data),
            "access": "open",
            "anthropic": {"api_key": "none", "base_url": claude_url},
            "channels": channels,
            "plugins": ["clock"],
        }
        config.write_text(json.dumps(settings))
        return config


async def _converse(side: Side, claude: AIMock) -> None:
    for exchange in TALK:
        if exchange.before == OVERLOADED:
            await claude.overload()
        _print(side, exchange, await answer_to(side, exchange))


async def _survive(side: Side, claude: LLMock) -> list[str]:
    """Give each fault a message of its own; return what the peer holds against us."""
    findings: list[str] = []
    for fault in FAULTS:
        reply = f"still here after {fault.name}"
        await claude.begin(fault.behavior, {"type": "reply", "text": reply, "times": None})
        exchange = Exchange(said=f"now comes {fault.name}", expected=reply)
        _print(side, exchange, await answer_to(side, exchange))
        findings += await claude.findings()
    return findings


def _print(side: Side, exchange: Exchange, answer: str) -> None:
    shown = answer.replace("\n", "\n" + " " * 12)
    print(f"{side.name:>9} > {exchange.said}\n{side.name:>9} < {shown}", flush=True)


async def _judged_by_aimock(claude: AIMock, *, conversations: int) -> Verdict:
    """Each conversation has one refusal; nothing else may have gone wrong."""
    statuses = Counter(await claude.statuses())
    is_passed = set(statuses) == {200, 529} and statuses[529] == conversations
    words = ", ".join(f"{count} with {status}" for status, count in sorted(statuses.items()))
    return Verdict(peer="aimock", is_passed=is_passed, words=f"requests: {words}")
