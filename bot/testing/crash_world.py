"""A small world around the bot's process, in which the process is killed and started again.

The pretended platform and the pretended vendor live in the process of the caller; they outlive the
bot, know what they were told and what they showed, and can kill it at points that lie with them.
Only the bot is killed, so what is judged at the end is what people saw.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.anthropic_model.json_values import JsonObject
from bot.adapters.store.sqlite_store import SqliteStore
from bot.core.lifecycle import Unfinished
from bot.core.messages import ToolCall
from bot.core.window.notes import VOLATILE_LEAD
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import Answer, Held, PretendedAnthropic
from bot.testing.crash_platforms import PLATFORMS, Platform
from bot.testing.crash_processes import StartProcess
from bot.testing.crash_verdict import Asked, Verdict, is_answered, judge, judge_ledger
from bot.testing.crashing import LEDGER
from bot.testing.patience import PATIENCE_S
from bot.testing.starts import Process, Start

LONGEST_HOLD_S = 15.0
"""An answer that is held for its preview goes on after so long, preview or not."""

_ASKED = re.compile(r"(mark-\d+-\d+)((?: (?:tool|long))*)")


@dataclass(slots=True, kw_only=True)
class World:
    """One bot, one platform, one vendor, and what was asked in each chat.

    Attributes:
        patience_s: How long everything may take to be answered after a start.
        on_ask: Hears of every request to the vendor, before it is answered.
        on_held: Is given what lets a long answer go on that stops in its middle.
    """

    platform: Platform
    vendor: PretendedAnthropic
    folder: Path
    start_process: StartProcess
    patience_s: float = PATIENCE_S
    asked: dict[str, list[Asked]] = field(default_factory=dict)
    on_ask: Callable[[], None] = lambda: None
    on_held: Callable[[asyncio.Event], None] = asyncio.Event.set
    _doubts: Verdict = field(default_factory=Verdict)
    _process: Process | None = None
    _calls: int = 0

    async def say(self, chat: str, *, has_tool: bool = False, is_long: bool = False) -> None:
        """Let the person of a chat write something that the model answers by its mark."""
        known = self.asked.setdefault(chat, [])
        mark = f"mark-{chat.lstrip('D')}-{len(known) + 1}"
        length = self.platform.longest_paragraphs if is_long else 1
        known.append(Asked(mark=mark, paragraphs=length, has_tool=has_tool))
        await self.platform.says(chat, mark + " tool" * has_tool + " long" * is_long)

    async def start(self, *, at: str = "", after: int = 1) -> Process:
        """Start the bot, to be killed the ``after``-th time that it comes ``at`` a point."""
        fuse = ("--at", at, "--after", str(after)) if at else ()
        self._process = await self.start_process(
            Start(
                arguments=(*fuse, "--ledger", str(self._ledger), "--", "--config", self._config()),
                environ={"HOME": str(self.folder), "PATH": os.defpath},
                folder=self.folder,
            ),
            self.folder / "log",
        )
        return self._process

    def kill(self) -> None:
        """End the bot's process as ``kill -9`` does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)

    @property
    def is_answered(self) -> bool:
        """Whether everything that was asked is answered."""
        return all(
            is_answered(asked, self.platform.shown(chat)) for chat, asked in self.asked.items()
        )

    async def until(self, is_so: Callable[[], bool]) -> bool:
        """Wait until something holds that a request changes; False when it never does."""
        give_up_at = asyncio.get_running_loop().time() + self.patience_s
        while not is_so():
            left_s = give_up_at - asyncio.get_running_loop().time()
            if left_s <= 0:
                return False
            try:
                async with asyncio.timeout(left_s):
                    await self.platform.wait_until(is_so)
            except TimeoutError:
                continue
        return True

    async def note_doubts(self) -> None:
        """Read from a copy of the dead process's database what it could not know."""
        with tempfile.TemporaryDirectory(dir=self.folder) as copies:
            for file in (self.folder / "data").glob("daybook.db*"):
                shutil.copy(file, copies)
            left = await _unfinished(Path(copies) / "daybook.db")
        sending = [
            item
            for item in left.outbox
            if item.state == "sending" and not item.is_preview and item.replaces is None
        ]
        doubts = Verdict(
            parts_in_doubt=0 if self.platform.can_be_asked else len(sending),
            calls_in_doubt=sum(len(claim.started) for claim in left.claims),
        )
        self._doubts.add(doubts)

    async def settle(self) -> Verdict:
        """Start the bot as usual, let it finish everything, end it politely, and judge.

        Once all is answered the platform delivers something again, as real ones do now and then.
        """
        platform, contacts = self.platform, self.platform.contacts
        await self.note_doubts()
        process = await self.start()
        faults: list[str] = []
        if await self.until(lambda: self.is_answered and platform.contacts > contacts):
            faults += await _fault_of(platform.redeliver(), "a redelivery was not taken")
        process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(PATIENCE_S):
                code = await process.ended()
        except TimeoutError:
            self.kill()
            code = await process.ended()
        if code:
            faults.append(f"after SIGTERM the exit code is {code}")
        faults += await self._what_is_open()
        faults += [f"the vendor refused: {fault}" for fault in self.vendor.faults]
        verdict = judge(self.asked, {chat: platform.shown(chat) for chat in self.asked})
        verdict.add(self._doubts)
        verdict.add(judge_ledger(self.asked, self._ledger_lines()))
        verdict.add(Verdict(faults=faults))
        return verdict

    def answer(self, body: JsonObject) -> Answer:
        """Speak for the model: call the tool that is asked for, then answer every mark."""
        self.on_ask()
        request, has_result = _open_turn(body)
        asked = _ASKED.findall(request)
        calls = [mark for mark, wish in asked if "tool" in wish and not has_result]
        if calls:
            return Written(blocks=tuple(self._call(mark) for mark in calls))
        known = {each.mark: each for chat in self.asked.values() for each in chat}
        text = "\n\n".join(known[mark].answer for mark, _ in asked if mark in known)
        if not any("long" in wish for _, wish in asked):
            return text
        may_go_on = asyncio.Event()
        asyncio.get_running_loop().call_later(LONGEST_HOLD_S, may_go_on.set)
        self.on_held(may_go_on)
        return Held(text=text, may_go_on=may_go_on)

    def _call(self, mark: str) -> ToolCall:
        self._calls += 1
        arguments = json.dumps({"note": mark})
        return ToolCall(id=f"call_{self._calls}", name="ledger_entry", arguments=arguments)

    @property
    def _ledger(self) -> Path:
        return self.folder / "ledger"

    def _ledger_lines(self) -> list[str]:
        return self._ledger.read_text().splitlines() if self._ledger.exists() else []

    def _config(self) -> str:
        path = self.folder / "config.json"
        settings = {
            "data_dir": "data",
            "access": "open",
            "anthropic": {"api_key": "none", "base_url": self.vendor.base_url},
            "channels": {self.platform.name: self.platform.settings},
            "plugins": [LEDGER],
            "embedder": "none",  # it would load its 160 MB in every life
        }
        path.write_text(json.dumps(settings))
        return str(path)

    async def _what_is_open(self) -> list[str]:
        left = await _unfinished(self.folder / "data" / "daybook.db")
        kinds = {
            "turns": left.claims,
            "waiting chats": left.waiting,
            "commands": left.commands,
            "replies": left.outbox,
        }
        return [f"{len(items)} {kind} left open" for kind, items in kinds.items() if items]


@asynccontextmanager
async def world(channel: str, folder: Path, start_process: StartProcess) -> AsyncIterator[World]:
    """Make a world in an empty folder; no process of it outlives the block."""
    platform = PLATFORMS[channel]()
    vendor = PretendedAnthropic(otherwise=lambda body: made.answer(body))
    made = World(platform=platform, vendor=vendor, folder=folder, start_process=start_process)
    async with platform.server, vendor:
        try:
            yield made
        finally:
            made.kill()


async def _unfinished(path: Path) -> Unfinished:
    store = SqliteStore.open(path, inline=True)
    try:
        return await store.unfinished()
    finally:
        await store.close()


async def _fault_of(work: Awaitable[None], fault: str) -> list[str]:
    try:
        await work
    except TimeoutError:
        return [fault]
    return []


def _open_turn(body: JsonObject) -> tuple[str, bool]:
    """Give the text of the newest request in it, and whether a tool's result follows that.

    Without what the bot itself notes for this message: earlier messages are quoted there.
    """
    messages = body.get("messages")
    has_result = False
    for message in reversed(messages if isinstance(messages, list) else []):
        text = json.dumps(message).partition(VOLATILE_LEAD)[0]
        if message.get("role") != "user":
            continue
        if '"tool_result"' not in text:
            return text, has_result
        has_result = True
    return "", has_result
