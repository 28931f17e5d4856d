"""Which chat's turn runs when, how many at once, and how a turn is stopped or given up."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from bot.core.chat import SessionKey
from bot.core.lifecycle import MAX_MESSAGES_TOGETHER, Claim, Received
from bot.core.llm import ModelRequest
from bot.core.retry import RetryPolicy
from bot.core.window.notes import words_of
from bot.errors import ModelOverloaded, StoreError
from bot.runtime import notices
from bot.runtime.activity import Activity
from bot.runtime.delivery import Delivery, DeliveryParts
from bot.runtime.lane import MOST_RESUMES, LaneParts
from bot.runtime.lanes import Lanes
from bot.runtime.runner import AgentRunner
from bot.runtime.supervisor import Supervisor
from bot.runtime.tools import ToolRegistry
from bot.runtime.turn_run import AgentParts
from bot.testing.chat_run import LIMITS, Unchanging, context_parts
from bot.testing.clock import START, FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel, calling
from bot.testing.store import InMemoryStore

RETRY = RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=60.0)


def echo(request: ModelRequest) -> str:
    return "re: " + " ".join(words_of(request.messages[-1]))


class FailingStore(InMemoryStore):
    """A store that cannot claim as often as it is told."""

    failing_claims = 0

    async def claim(
        self,
        session_key: SessionKey,
        *,
        at: datetime,
        before: str = "",
        is_off_record: bool = False,
    ) -> Claim | None:
        if self.failing_claims:
            self.failing_claims -= 1
            raise StoreError("disk full")
        return await super().claim(session_key, at=at, before=before, is_off_record=is_off_record)


class OddChannel(LoopbackChannel):
    """A channel with a bug: some texts cannot be split."""

    def split(self, text: str) -> tuple[str, ...]:
        if "odd" in text:
            raise RuntimeError("a bug")
        return super().split(text)


class Hall:
    """Lanes with all that stands behind them."""

    def __init__(
        self,
        supervisor: Supervisor,
        *,
        most_turns: int,
        store: InMemoryStore,
        follows_bad_end: bool = True,
    ) -> None:
        self.channel = OddChannel()
        self.clock = FakeClock()
        self.store = store
        self.model = ScriptedModel(echo)
        self.activity = Activity()
        self.tools = ToolRegistry(self.clock)
        delivery = Delivery(
            DeliveryParts(
                channels={"loopback": self.channel},
                lifecycle=store,
                clock=self.clock,
                activity=self.activity,
                spawn=supervisor.spawn,
                policy=RETRY,
                jitter=lambda: 0.0,
            )
        )
        agent = AgentParts(
            model=self.model,
            tools=self.tools,
            lifecycle=store,
            clock=self.clock,
            jitter=lambda: 0.0,
            retry=RETRY,
            redactor=Unchanging(),
        )
        context = replace(
            context_parts(store, self.clock),
            limits=lambda _: replace(LIMITS, max_steps=3, max_turns=9),
            tools=self.tools.specs,
        )
        self.lanes = Lanes(
            LaneParts(
                runner=AgentRunner(agent, context),
                lifecycle=store,
                delivery=delivery,
                channels={"loopback": self.channel},
                clock=self.clock,
                activity=self.activity,
                spawn=supervisor.spawn,
                follows_bad_end=follows_bad_end,
                most_turns=most_turns,
            )
        )

    async def hears(self, chat: str, *texts: str) -> None:
        for text in texts:
            message = self.channel.message(text, chat=chat)
            received = (Received(inbound=message, route="turn"),)
            await self.store.receive(received, cursor=None, at=START)
            self.lanes.wake(message.address.session_key)
        await settle()

    def key(self, chat: str) -> SessionKey:
        return self.channel.message("", chat=chat).address.session_key

    @property
    def outcomes(self) -> list[str | None]:
        return [turn.outcome for turn in self.store.turns]


@pytest.fixture
def hall(supervisor: Supervisor) -> Hall:
    return Hall(supervisor, most_turns=2, store=InMemoryStore())


async def test_only_so_many_turns_run_at_once_and_the_others_in_order(hall: Hall) -> None:
    hall.model.hold()
    for number in range(6):
        await hall.hears(str(number), f"hello {number}")
    assert (2, 4, 6) == (
        hall.lanes.running_turns,
        hall.lanes.waiting_chats,
        hall.activity.busy_chats,
    )
    hall.model.release()
    await hall.activity.idle()

    assert [f"re: hello {number}" for number in range(6)] == [
        post.text for post in hall.channel.posts
    ]


async def test_a_chat_that_waits_costs_no_task(hall: Hall, supervisor: Supervisor) -> None:
    hall.model.hold()
    await hall.hears("busy 1", "hello")
    await hall.hears("busy 2", "hello")
    before = len(supervisor._tasks)
    for number in range(500):
        await hall.store.receive(
            (Received(inbound=hall.channel.message("x", chat=f"{number}"), route="turn"),),
            cursor=None,
            at=START,
        )
        hall.lanes.wake(hall.channel.message("", chat=f"{number}").address.session_key)
    await settle()

    assert (before, 500) == (len(supervisor._tasks), hall.lanes.waiting_chats)


async def test_a_flood_does_not_hold_the_other_chats(supervisor: Supervisor) -> None:
    hall = Hall(supervisor, most_turns=1, store=InMemoryStore())
    hall.model.hold()
    await hall.hears("other", "first")
    await hall.hears("flood", *(str(number) for number in range(MAX_MESSAGES_TOGETHER + 5)))
    await hall.hears("third", "me too")
    hall.model.release()
    await hall.activity.idle()

    assert ["other", "flood", "third", "flood"] == [
        post.address.chat for post in hall.channel.posts
    ]
    assert ["re: 20 21 22 23 24"] == hall.channel.texts("flood")[1:]


async def test_what_comes_during_a_turn_is_seen_to_after_it(hall: Hall) -> None:
    hall.model.hold()
    await hall.hears("1", "first")
    await hall.hears("1", "second", "third")
    hall.model.release()
    await hall.activity.idle()

    assert ["re: first", "re: second third"] == hall.channel.texts("1")


async def test_stop_ends_what_waits_for_its_turn_without_asking(hall: Hall) -> None:
    hall.model.hold()
    for chat in ("a", "b", "c"):
        await hall.hears(chat, "hello")
    assert hall.lanes.stop(hall.key("c"), "stop")
    await settle()
    assert not hall.lanes.stop(hall.key("c"), "stop")
    hall.model.release()
    await hall.activity.idle()

    assert ["answered", "answered", "stopped"] == hall.outcomes
    assert (2, []) == (len(hall.model.requests), hall.channel.texts("c"))


async def test_stop_ends_a_turn_in_a_retry_pause(hall: Hall) -> None:
    hall.model.then(ModelOverloaded())
    await hall.hears("1", "hello")
    assert 1 == hall.clock.sleepers
    assert hall.lanes.stop(hall.key("1"), "stop")
    await settle()

    assert ["stopped"] == hall.outcomes
    assert not hall.activity.busy_chats


async def test_stop_ends_a_turn_in_a_tool(hall: Hall) -> None:
    async def rest() -> str:
        """Rest."""
        await hall.clock.sleep(50)
        return "rested"

    hall.tools.register(rest, owner="test")
    hall.model.then(calling("rest"))
    await hall.hears("1", "hello")
    assert hall.lanes.stop(hall.key("1"), "stop")
    await settle()

    assert ["stopped"] == hall.outcomes


async def test_stop_ends_a_turn_that_waits_for_the_store(supervisor: Supervisor) -> None:
    store = FailingStore()
    store.failing_claims = 1
    hall = Hall(supervisor, most_turns=2, store=store)
    await hall.hears("1", "hello")
    assert hall.lanes.stop(hall.key("1"), "stop")
    await hall.clock.advance(10)

    assert (["stopped"], []) == (hall.outcomes, hall.model.requests)


async def test_an_answer_that_is_there_cannot_be_stopped_any_more(hall: Hall) -> None:
    await hall.hears("1", "hello")
    await hall.activity.idle()

    assert not hall.lanes.stop(hall.key("1"), "stop")
    assert ["re: hello"] == hall.channel.texts("1")


async def test_a_turn_that_start_after_start_finds_open_is_given_up_and_told(
    supervisor: Supervisor,
) -> None:
    store = InMemoryStore()
    hall = Hall(supervisor, most_turns=2, store=store)
    hall.model.hold()
    await hall.hears("1", "the word that kills")
    for _ in range(MOST_RESUMES):
        hall = Hall(supervisor, most_turns=2, store=store)
        hall.model.hold()
        (claim,) = (await store.unfinished()).claims
        hall.lanes.resume(claim)
        await settle()

    assert ["failed"] == hall.outcomes
    assert [] == hall.model.requests
    assert [notices.for_given_up("20260105-090000-000")] == hall.channel.texts("1")


async def test_a_turn_that_outlasts_one_stop_after_the_other_is_gone_on_with() -> None:
    store = InMemoryStore()
    async with Supervisor() as first:
        hall = Hall(first, most_turns=2, store=store)
        hall.model.hold()
        await hall.hears("1", "while the vendor is away")
    for _ in range(MOST_RESUMES + 1):
        async with Supervisor() as following:
            hall = Hall(following, most_turns=2, store=store, follows_bad_end=False)
            hall.model.hold()
            (claim,) = (await store.unfinished()).claims
            hall.lanes.resume(claim)
            await hall.model.held()

    assert ([None], []) == (hall.outcomes, hall.channel.texts("1"))


async def test_a_chat_whose_lane_never_began_is_not_busy(
    hall: Hall, supervisor: Supervisor
) -> None:
    hall.lanes.wake(hall.key("1"))
    supervisor.cancel_all()
    await settle()

    assert 0 == hall.activity.busy_chats


async def test_a_bug_outside_of_the_agent_ends_the_turn_and_not_the_chat(hall: Hall) -> None:
    await hall.hears("1", "an odd word")
    await hall.hears("1", "go on")
    await hall.activity.idle()

    assert ["failed", "answered"] == hall.outcomes
    assert [notices.for_incident("20260105-090000-000"), "re: go on"] == hall.channel.texts("1")


async def test_closing_leaves_what_waits_to_the_next_process(hall: Hall) -> None:
    hall.model.hold()
    for chat in ("a", "b", "c"):
        await hall.hears(chat, "hello")
    hall.lanes.close()
    await hall.hears("d", "too late")
    hall.model.release()
    await hall.activity.idle()

    assert ["answered", "answered"] == hall.outcomes
    assert 2 == len((await hall.store.unfinished()).waiting)
