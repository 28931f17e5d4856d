"""The trial: three platforms, two pretended Claudes, one verdict a peer."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from scripts.peering.claude_side import FAULTS, AIMock, LLMock, aimock, llmock
from scripts.peering.installing import Programs, install
from scripts.peering.processes import daybook, free_port
from scripts.peering.slack_side import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET, slack_side
from scripts.peering.talk import ANSWERS, OVERLOADED, TALK, Exchange, Side, answer_to
from scripts.peering.telegram_side import TOKEN, telegram_side
from scripts.peering.telegram_talk import ANSWERS as TELEGRAM_ANSWERS
from scripts.peering.telegram_talk import TelegramTalk
from scripts.peering.terminal_side import TerminalSide

Settings = dict[str, object]

UNKNOWN_TO_THE_PEER = ("sendMessageDraft", "getChatMember")
"""Methods that the emulator refuses whatever is asked; Daybook does without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is to be said of one peer."""

    peer: str
    is_passed: bool
    words: str

    def __str__(self) -> str:
        return f"{'passed' if self.is_passed else 'FAILED':<8}{self.peer:<30}{self.words}"


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
        async with aimock(
            self._programs.claude, self._folder, TELEGRAM_ANSWERS + ANSWERS
        ) as claude:
            verdicts = [await self._talk_in_the_terminal(claude)]
            for mode in ("polling", "webhook"):
                verdicts.append(await self._talk_on_telegram(mode, claude))
            for mode in ("socket", "http"):
                verdicts.append(await self._talk_on_slack(mode, claude))
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

    async def _talk_on_telegram(self, mode: str, claude: AIMock) -> Verdict:
        """Hold the conversation of all platforms, then try what only Telegram has."""
        programs, folder = self._programs, self._folder
        async with telegram_side(programs.telegram, folder, mode) as (side, url):
            telegram: Settings = {"token": TOKEN, "base_url": url, "mode": mode}
            if mode == "webhook":
                port = free_port()
                telegram |= {"webhook_url": f"http://127.0.0.1:{port}/telegram"}
                telegram |= {"webhook_port": port}
            config = self._config(mode, claude.url, {"telegram": telegram})
            peer = f"{side.peer}, {mode}"
            try:
                async with daybook(config):
                    await _converse(side, claude)
                    messages = len(await side.seen())
                    seen = await TelegramTalk(side, claude).hold()
            except (TimeoutError, ValueError, RuntimeError) as error:
                words = "; ".join((str(error), *side.front.refused))
                return Verdict(peer=peer, is_passed=False, words=words)
        refused = {each for each in side.front.refused if not each.startswith(UNKNOWN_TO_THE_PEER)}
        words = f"{len(TALK)} messages answered by {messages}, {len(seen)} things tried"
        return Verdict(
            peer=peer,
            is_passed=messages == len(TALK) and not refused,
            words="; ".join((words, *(f"refused: {each}" for each in sorted(refused)))),
        )

    async def _talk_on_slack(self, mode: str, claude: AIMock) -> Verdict:
        slack: Settings = {"bot_token": BOT_TOKEN, "mode": mode}
        request_url = ""
        if mode == "http":
            port = free_port()
            request_url = f"http://127.0.0.1:{port}/slack/events"
            slack |= {"signing_secret": SIGNING_SECRET, "http_port": port}
        else:
            slack |= {"app_token": APP_TOKEN}
        async with slack_side(self._programs.slack, self._folder, request_url) as (side, url):
            return await self._talk(side, {"slack": slack | {"base_url": url}}, claude)

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
            "plugins": ["clock", "save_as_file"],
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
