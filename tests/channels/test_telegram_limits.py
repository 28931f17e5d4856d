"""The limits of Telegram are kept to before it has to ask."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.testing.clock import FakeClock, settle
from channels.telegram.limits import IN_A_CHAT, IN_A_GROUP, KEPT_S, Limit, Limiter

ADA, BOB, GROUP = 1001, 1002, -100200


class Outgoing:
    """Messages through a limiter; each takes a while, and is known by when it began and ended."""

    def __init__(self, per_second: int = 30, takes_s: float = 0.0) -> None:
        self.clock = FakeClock()
        self.limiter = Limiter(self.clock, per_second)
        self.calls: list[tuple[int, str, float]] = []
        self._takes_s = takes_s
        self._tasks: list[asyncio.Task[None]] = []

    def send(self, chat: int, *names: str) -> None:
        self._tasks += [asyncio.ensure_future(self._send(chat, name)) for name in names]

    async def _send(self, chat: int, name: str) -> None:
        async with self.limiter.place(chat):
            self.calls.append((chat, name, self.clock.monotonic()))
            if self._takes_s:
                await self.clock.sleep(self._takes_s)

    def moments(self, chat: int = 0) -> list[float]:
        return [at for each, _, at in self.calls if chat in (0, each)]

    async def done(self, within_s: float = 3600.0) -> None:
        await self.clock.advance(within_s)
        assert all(task.done() for task in self._tasks)


def most_within(moments: list[float], within_s: float) -> int:
    """Count the most in any such time; what is exactly so far apart is not in the same one."""
    counts = (
        sum(1 for other in moments if 0 <= other - first < within_s - 1e-6) for first in moments
    )
    return max(counts, default=0)


async def test_a_private_chat_takes_a_short_burst_and_then_one_a_second() -> None:
    out = Outgoing()
    out.send(ADA, *map(str, range(12)))
    await out.done()

    assert [name for _, name, _ in out.calls] == [*map(str, range(12))]
    assert out.moments() == [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9]


async def test_a_group_takes_twenty_a_minute() -> None:
    out = Outgoing()
    out.send(GROUP, *map(str, range(60)))
    await out.done()

    assert [name for _, name, _ in out.calls] == [*map(str, range(60))]
    assert most_within(out.moments(), 60) == 20
    assert out.moments()[-1] < 180


async def test_one_chat_does_not_hold_another() -> None:
    out = Outgoing()
    out.send(GROUP, *map(str, range(30)))
    await settle()
    out.send(ADA, "a")
    await settle()

    assert out.moments(ADA) == [0]
    await out.done()


async def test_all_chats_together_take_thirty_a_second() -> None:
    out = Outgoing()
    for chat in range(1, 101):
        out.send(chat, "hello")
    await out.done()

    assert [chat for chat, _, _ in out.calls] == [*range(1, 101)]
    assert most_within(out.moments(), 1.0) == 30
    assert out.moments()[-1] == pytest.approx(3)


async def test_slow_calls_never_make_more_of_them_arrive_together() -> None:
    """A server counts when a request arrives, at any time between its beginning and its end."""
    out = Outgoing(takes_s=0.8)
    out.send(ADA, *map(str, range(7)))
    await out.done()

    starts = out.moments()
    assert all(later >= starts[n] + 0.8 + 3.0 - 1e-6 for n, later in enumerate(starts[3:]))


async def test_a_server_without_limits_is_not_held_back() -> None:
    out = Outgoing(per_second=0)
    out.send(GROUP, *map(str, range(200)))
    await settle()

    assert out.moments() == [0] * 200


async def test_a_place_is_kept_until_its_message_is_sent() -> None:
    out = Outgoing()
    for _ in range(3):
        await out.limiter.reserve(ADA)  # once is enough: the place is kept
    out.send(ADA, "1", "2", "3")
    await settle()
    waiting = asyncio.ensure_future(out.limiter.reserve(ADA))
    await settle()
    assert (len(out.calls), waiting.done()) == (3, False)
    await out.clock.advance(3.0)
    assert waiting.done()
    out.send(ADA, "4")
    await settle()

    assert [name for _, name, _ in out.calls] == ["1", "2", "3", "4"]


async def test_who_gives_up_waiting_takes_no_place() -> None:
    out = Outgoing(per_second=1)
    out.send(ADA, "1")
    await settle()
    waiting = asyncio.ensure_future(out.limiter.reserve(BOB))
    await settle()
    waiting.cancel()
    await asyncio.wait({waiting})
    out.send(ADA, "2")
    await out.done()

    assert out.moments() == [0, 1]


async def test_a_place_that_nobody_uses_is_given_back() -> None:
    out = Outgoing(per_second=2)
    for chat in (ADA, BOB):
        await out.limiter.reserve(chat)
    await out.clock.advance(61.0)
    out.send(GROUP, "1")
    await out.done()

    assert [name for _, name, _ in out.calls] == ["1"]


async def test_who_waits_is_given_the_places_that_nobody_uses() -> None:
    out = Outgoing()
    for chat in range(1, 31):
        await out.limiter.reserve(chat)  # all of them are then told to rest
    out.send(GROUP, "1")
    await out.clock.advance(KEPT_S - 1)
    assert out.calls == []
    await out.clock.advance(2)

    assert out.moments() == [KEPT_S + 1]
    await out.done()


async def test_chats_of_old_are_forgotten() -> None:
    out = Outgoing(per_second=1000)
    for chat in range(1, 5001):
        out.send(chat, "hello")
        if not chat % 500:
            await out.clock.advance(5)
    assert out.limiter.chats <= 1500
    await out.done()


CALLS = st.lists(
    st.tuples(st.sampled_from([ADA, BOB, GROUP]), st.sampled_from([0.0, 0.4, 2.0, 25.0])),
    max_size=80,
)


@given(CALLS, st.sampled_from([0.0, 0.05, 0.7]))
@settings(max_examples=50, deadline=None)
def test_no_limit_is_ever_exceeded(calls: list[tuple[int, float]], takes_s: float) -> None:
    async def run() -> Outgoing:
        out = Outgoing(per_second=4, takes_s=takes_s)
        for number, (chat, pause_s) in enumerate(calls):
            out.send(chat, str(number))
            await out.clock.advance(pause_s)
        await out.done()
        return out

    out = asyncio.run(run())
    assert len(out.calls) == len(calls)
    limits: dict[int, tuple[Limit, ...]] = {ADA: IN_A_CHAT, BOB: IN_A_CHAT, GROUP: IN_A_GROUP}
    for chat, of_chat in limits.items():
        for limit in of_chat:
            assert most_within(out.moments(chat), limit.within_s) <= limit.most
        names = [int(name) for each, name, _ in out.calls if each == chat]
        assert all(first < second for first, second in pairwise(names))
    assert most_within(out.moments(), 1.0) <= 4
