"""What happens in a world until its bot is killed: at a named point, or at any moment.

A named point gets one chat: a message whose answer needs a tool that must not run twice and comes
in two parts, and a second message that arrives meanwhile. A random moment gets many chats at once.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bot.testing.crash_processes import StartProcess
from bot.testing.crash_verdict import Verdict
from bot.testing.crash_world import World, world
from bot.testing.crashing import Point
from bot.testing.starts import Process

CHATS_IN_FLIGHT = 20

_PREFIX = "daybook-crash-"
_NOWHERE = Point(name="", place="platform")

GRACE_S = 12.0
"""How long after the last answer its receipt may take."""

KILLED = -9

KILLED_UNSEEN = 255
"""What multiprocessing makes of a child whose end its fork server could not report."""

MOST_MISSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PointKill:
    """A kill the ``after``-th time that the bot comes by a point."""

    point: Point
    channel: str
    after: int = 1

    async def play(self, start_process: StartProcess) -> Verdict:
        """Kill the bot, start it again, and judge.

        A play that missed the point, and in which all else is well, says nothing: it is repeated.
        """
        verdict, missed = await self._play(start_process)
        for _ in range(MOST_MISSES):
            if not missed or verdict.forbidden:
                break
            verdict, missed = await self._play(start_process)
        verdict.faults += missed
        return verdict

    async def _play(self, start_process: StartProcess) -> tuple[Verdict, list[str]]:
        with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
            async with world(self.channel, Path(folder), start_process) as made:
                scene = _Scene(made, self.point, self.after)
                await scene.play()
                return await made.settle(), scene.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomKill:
    """Many chats in flight, and a kill at any moment of ``span_s``.

    Earlier moments are likelier, since later ones are mostly spent waiting. With an odd seed the
    next process is killed too, while it takes over.
    """

    channel: str
    seed: int
    span_s: float

    async def play(self, start_process: StartProcess) -> Verdict:
        """Kill the bot, start it again, and judge."""
        random = Random(self.seed)  # noqa: S311 - a seed, no secret
        with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
            async with world(self.channel, Path(folder), start_process) as made:
                process = await _flood(made, random)
                await _kill_within(made, process, self.span_s * random.random() ** 2)
                if self.seed % 2:
                    await made.note_doubts()
                    process = await made.start()
                    await _kill_within(made, process, self.span_s * random.random() ** 2 / 2)
                return await made.settle()


async def measure_span(channel: str, start_process: StartProcess) -> float:
    """Say how many seconds a flood takes from the start of the bot to its last answer."""
    loop = asyncio.get_running_loop()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        async with world(channel, Path(folder), start_process) as made:
            began = loop.time()
            process = await _flood(made, Random(0))  # noqa: S311 - a seed, no secret
            await made.until(lambda: made.is_answered)
            took = loop.time() - began
            made.kill()
            await process.ended()
            return took


async def _flood(made: World, random: Random) -> Process:
    """Let people write in many chats, some of them before the bot is there."""
    loop = asyncio.get_running_loop()
    made.on_held = lambda may_go_on: _later(loop, random.uniform(0, 2), may_go_on.set)
    chats = [made.platform.chat(number) for number in range(1, CHATS_IN_FLIGHT + 1)]
    for number, chat in enumerate(chats):
        await made.say(chat, has_tool=number % 2 == 0, is_long=number % 5 == 0)
    process = await made.start()
    for chat in random.sample(chats, len(chats) // 2):
        await made.say(chat)
    return process


def _later(loop: asyncio.AbstractEventLoop, delay_s: float, act: Callable[[], None]) -> None:
    loop.call_later(delay_s, act)


class _Scene:
    """One chat on its way to a kill at a point; ``faults`` says if it never came there."""

    def __init__(self, made: World, point: Point, after: int) -> None:
        self.faults: list[str] = []
        self._world = made
        self._point = point
        self._left = after
        self._after = after
        self._chat = made.platform.chat(1)
        self._held: asyncio.Event | None = None
        self._background: list[asyncio.Task[None]] = []
        self._code: int | None = None

    async def play(self) -> None:
        """Go on until the process is dead and both messages are written."""
        made, point = self._world, self._point
        made.on_ask, made.on_held = self._on_ask, self._on_held
        made.platform.on_post, made.platform.on_draft = self._on_post, self._on_draft
        await made.say(self._chat, has_tool=True, is_long=True)
        is_of_process = bool(point.verb) or point.place == "tool"
        at = point.name if is_of_process else ""
        is_passed_before = point.passed_by_preview and made.platform.shows_previews
        process = await made.start(at=at, after=self._after + is_passed_before)
        if not await self._is_killed(process):
            self.faults.append(
                f"{point.name} was not reached {self._after} times, exit code {self._code}"
            )
        made.kill()
        await process.ended()
        self._point = _NOWHERE
        await self._write_second()

    async def _is_killed(self, process: Process) -> bool:
        """Wait for the kill; False when everything was answered without it."""
        is_over = asyncio.ensure_future(process.ended())
        watch = asyncio.ensure_future(self._watch())
        try:
            await asyncio.wait({is_over, watch}, return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                return watch.result()
            self._code = await is_over
            return self._code in (KILLED, KILLED_UNSEEN)
        finally:
            is_over.cancel()
            watch.cancel()

    async def _watch(self) -> bool:
        """Kill once the platform was told; False when it is clear that nothing kills any more."""
        made, asked = self._world, self._world.asked[self._chat]
        if self._point.name == "told" and await made.until(self._is_told):
            made.kill()
            return True
        await made.until(lambda: len(asked) > 1 and made.is_answered)
        await asyncio.sleep(GRACE_S)
        return False

    def _is_told(self) -> bool:
        return self._world.platform.told >= self._after

    async def _write_second(self) -> None:
        if len(self._world.asked[self._chat]) == 1:
            await self._world.say(self._chat)

    def _on_ask(self) -> None:
        self._reach("model asked")
        self._background.append(asyncio.ensure_future(self._write_second()))

    def _on_held(self, may_go_on: asyncio.Event) -> None:
        self._held = may_go_on

    def _on_post(self) -> None:
        if self._held is None or self._held.is_set():
            self._reach("part sending")
            return
        self._reach("preview sending")
        self._go_on()

    def _on_draft(self) -> None:
        if self._held is not None:
            self._go_on()

    def _go_on(self) -> None:
        """The unfinished answer is seen: kill, or let the model write the rest."""
        self._reach("half streamed")
        if self._held is not None:
            self._held.set()

    def _reach(self, name: str) -> None:
        if self._point.name != name:
            return
        self._left -= 1
        if not self._left:
            self._world.kill()


async def _kill_within(made: World, process: Process, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await process.ended()
    except TimeoutError:
        made.kill()
        await process.ended()
