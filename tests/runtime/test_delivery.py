"""The pace of a chat, and one stored reply on its way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.core.chat import Capabilities, ChatAddress, Receipt, Reply, ReplyKind
from bot.core.lifecycle import OutboxId, OutboxItem, Received
from bot.core.retry import RetryPolicy
from bot.errors import ChannelAuthError, DeliveryError, FateUnknown, StoreError
from bot.runtime.activity import Activity
from bot.runtime.delivery import REPEATED, Delivery, DeliveryParts, Urgency
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import START, FakeClock, settle
from bot.testing.loopback import LoopbackChannel
from bot.testing.store import InMemoryStore

HOME = ChatAddress(channel="loopback", account="bot", chat="1001")
TOPIC = ChatAddress(channel="loopback", account="bot", chat="1001", thread="7")
ELSEWHERE = ChatAddress(channel="loopback", account="bot", chat="2002")

FINDER = Capabilities(max_text_length=4_096, can_edit=True, finds_sent=True)


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    async with Supervisor() as supervisor:
        yield supervisor


class StubbornStore(InMemoryStore):
    """A store whose marks fail as often as it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[str, int] = {}

    def refuse_if_told(self, verb: str) -> None:
        if self.refusals.get(verb, 0):
            self.refusals[verb] -= 1
            raise StoreError("disk full")

    async def mark_sending(self, item: OutboxId, *, at: object) -> None:
        self.refuse_if_told("mark_sending")
        await super().mark_sending(item, at=START)

    async def mark_sent(self, item: OutboxId, receipt: Receipt, *, at: object) -> None:
        self.refuse_if_told("mark_sent")
        await super().mark_sent(item, receipt, at=START)

    async def mark_failed(self, item: OutboxId, reason: str, *, at: object) -> None:
        self.refuse_if_told("mark_failed")
        await super().mark_failed(item, reason, at=START)

    async def mark_pending(self, item: OutboxId) -> None:
        self.refuse_if_told("mark_pending")
        await super().mark_pending(item)


class Post:
    """Delivery over a loopback channel, with replies made as commands make them."""

    def __init__(self, supervisor: Supervisor, capabilities: Capabilities | None = None) -> None:
        self.channel = LoopbackChannel(capabilities=capabilities)
        self.store = StubbornStore()
        self.clock = FakeClock()
        self.activity = Activity()
        self.delivery = Delivery(
            DeliveryParts(
                channels={"loopback": self.channel},
                lifecycle=self.store,
                clock=self.clock,
                activity=self.activity,
                spawn=supervisor.spawn,
                policy=RetryPolicy(attempts=4, base_s=1.0, factor=2.0, cap_s=60.0),
                jitter=lambda: 0.0,
            )
        )

    async def stored(
        self, *texts: str, address: ChatAddress = HOME, kind: ReplyKind = "final"
    ) -> tuple[OutboxItem, ...]:
        asked = self.channel.message("/ask")
        await self.store.receive((Received(inbound=asked, route="command"),), cursor=None, at=START)
        replies = tuple(Reply(address=address, text=text, kind=kind) for text in texts)
        return await self.store.finish_command("loopback", asked.event_id, replies, at=START)

    async def delivers(
        self, *texts: str, address: ChatAddress = HOME, kind: ReplyKind = "final"
    ) -> None:
        self.delivery.enqueue(await self.stored(*texts, address=address, kind=kind))
        await settle()

    @property
    def states(self) -> list[str]:
        return [item.state for item in self.store.outbox]


@pytest.fixture
def post(supervisor: Supervisor) -> Post:
    return Post(supervisor)


@pytest.fixture
def finder(supervisor: Supervisor) -> Post:
    return Post(supervisor, FINDER)


# Order.


async def test_answers_go_before_notices_and_a_begun_one_is_finished(post: Post) -> None:
    post.channel.failures.extend([None, DeliveryError("slow down", retry_after_s=30)])
    await post.delivers("notice 1, a", "notice 1, b", kind="notice")
    await post.delivers("notice 2", kind="notice")
    await post.delivers("answer 1, a", "answer 1, b")
    await post.delivers("answer 2", address=TOPIC)
    await post.delivers("beside", address=ELSEWHERE)
    await post.clock.advance(20)
    assert 20 == post.delivery.longest_wait_s
    assert ["notice 1, a", "beside"] == [each.text for each in post.channel.posts]
    await post.clock.advance(11)

    assert [
        "notice 1, a",
        "notice 1, b",
        "answer 1, a",
        "answer 1, b",
        "answer 2",
        "notice 2",
    ] == post.channel.texts()
    assert (0, 0, 0.0) == (
        post.activity.busy_chats,
        post.delivery.pacer.chats,
        post.delivery.longest_wait_s,
    )


async def test_nothing_later_begins_to_show_between_two_answers(post: Post) -> None:
    async def show() -> list[str]:
        async with post.delivery.pacer.slot(HOME, Urgency.PROGRESS):
            return post.channel.texts()

    post.channel.failures.append(DeliveryError("slow down", retry_after_s=30))
    await post.delivers("one")
    await post.delivers("two")
    preview = asyncio.ensure_future(show())
    await post.clock.advance(60)

    assert ["one", "two"] == await preview


async def test_being_put_off_is_no_failure(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("slow down", retry_after_s=1)] * 50)
    await post.delivers("answer")
    await post.clock.advance(600)

    assert ["answer"] == post.channel.texts()


async def test_what_cannot_be_sent_for_long_fails_and_is_told(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("no network")] * 4)
    await post.delivers("answer, a", "answer, b")
    await post.clock.advance(60)

    assert ["failed", "sent"] == post.states
    told = "An answer could not be delivered: no network. `/retry` sends it again."
    assert ["answer, b", told] == post.channel.texts()


async def test_a_failure_is_told_once_whatever_becomes_of_that(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("blocked", can_retry=False)] * 3)
    await post.delivers("answer, a", "answer, b")
    post.channel.failures.append(DeliveryError("blocked", can_retry=False))
    await post.delivers("a notice", kind="notice")
    await post.delivers("next")

    assert ["failed", "failed", "failed", "sent"] == post.states
    assert ["next"] == post.channel.texts()


async def test_a_chat_that_is_told_of_no_failure_may_want_rest(post: Post) -> None:
    post.channel.failures.append(DeliveryError("too long", can_retry=False))
    post.channel.failures.append(DeliveryError("slow down", retry_after_s=30))
    await post.delivers("answer")
    await post.delivers("next")
    await post.clock.advance(29)
    assert [] == post.channel.texts()
    await post.clock.advance(1)

    assert ["next"] == post.channel.texts()


async def test_a_refused_token_keeps_what_was_to_be_sent_and_what_stands_behind_it(
    post: Post,
) -> None:
    post.channel.failures.append(ChannelAuthError("refused"))
    await post.delivers("answer, a", "answer, b")

    assert (["pending", "pending"], []) == (post.states, post.channel.texts())
    assert 0 == post.activity.busy_chats


async def test_a_channel_that_breaks_in_an_unforeseen_way_stops_no_delivery(post: Post) -> None:
    post.channel.failures.append(RuntimeError("a bug"))  # type: ignore[arg-type] # none of ours
    await post.delivers("answer")
    await post.delivers("next")

    assert ["failed", "sent"] == post.states
    assert "whether it arrived is not known (incident " in post.store.outbox[0].reason


# Fate.


async def test_a_reply_that_arrived_after_all_is_found(finder: Post) -> None:
    finder.channel.lost_answers.append(FateUnknown())
    await finder.delivers("answer")
    await finder.clock.advance(5)

    assert (["answer"], ["sent"]) == (finder.channel.texts(), finder.states)
    assert finder.store.outbox[0].receipt == Receipt(message_id="m1")
    assert [finder.store.outbox[0].reply.key] == finder.channel.lookups


async def test_a_reply_that_surely_did_not_arrive_is_sent_without_a_mark(finder: Post) -> None:
    finder.channel.failures.extend([FateUnknown(), DeliveryError("no network"), FateUnknown()])
    await finder.delivers("answer")
    await finder.clock.advance(60)

    assert (["answer"], ["sent"]) == (finder.channel.texts(), finder.states)
    assert 2 == len(finder.channel.lookups)


@pytest.mark.parametrize(
    ("lookups", "shown"),
    [
        ([DeliveryError("limit", retry_after_s=20), None], "answer"),
        ([DeliveryError("too much to look through", can_retry=False)], f"answer{REPEATED}"),
        ([DeliveryError("no network")] * 10, f"answer{REPEATED}"),
    ],
)
async def test_a_lookup_is_tried_within_bounds_then_the_repeat_is_marked(
    finder: Post, lookups: list[DeliveryError | None], shown: str
) -> None:
    finder.channel.failures.append(FateUnknown())
    finder.channel.lookup_failures.extend(lookups)
    await finder.delivers("answer")
    await finder.clock.advance(600)

    assert [shown] == finder.channel.texts()


async def test_a_platform_that_comes_back_is_asked_again_before_anything_is_repeated(
    finder: Post,
) -> None:
    outage = DeliveryError("no network")
    finder.channel.lost_answers.append(FateUnknown())
    finder.channel.lookup_failures.extend([outage] * 10)
    finder.channel.failures.extend([None, outage])
    await finder.delivers("answer")
    await finder.clock.advance(3_600)

    assert (["answer"], ["sent"], 11) == (
        finder.channel.texts(),
        finder.states,
        len(finder.channel.lookups),
    )


async def test_a_copy_that_is_found_and_cannot_be_edited_is_followed_by_a_marked_one(
    finder: Post,
) -> None:
    finder.channel.lost_answers.append(FateUnknown())
    finder.channel.failures.extend([None, DeliveryError("too old", can_retry=False)])
    await finder.delivers("answer")
    await finder.clock.advance(60)

    assert ["answer", f"answer{REPEATED}"] == finder.channel.texts()


async def test_a_copy_on_a_channel_without_edits_is_left_as_it_is(supervisor: Supervisor) -> None:
    reader = Post(supervisor, Capabilities(max_text_length=99, finds_sent=True))
    reader.channel.lost_answers.append(FateUnknown())
    await reader.delivers("answer")
    await reader.clock.advance(60)

    assert (["answer"], [], ["sent"]) == (
        reader.channel.texts(),
        reader.channel.posts[0].history,
        reader.states,
    )


async def test_a_lookup_whose_token_is_refused_leaves_the_question_open(finder: Post) -> None:
    finder.channel.lost_answers.append(FateUnknown())
    finder.channel.lookup_failures.append(ChannelAuthError())
    await finder.delivers("answer")
    await finder.clock.advance(5)

    assert (["answer"], ["sending"]) == (finder.channel.texts(), finder.states)


async def test_a_marked_repeat_stays_doubtful_while_it_waits(post: Post) -> None:
    post.channel.lost_answers.append(FateUnknown())
    post.channel.failures.extend([None, DeliveryError("limit", retry_after_s=600)])
    await post.delivers("answer")
    await post.clock.advance(60)

    assert ["sending"] == post.states  # a crash now must not repeat it without a mark


async def test_what_is_sent_again_at_a_wish_is_marked_where_a_copy_may_stand(post: Post) -> None:
    post.channel.lost_answers.append(FateUnknown())
    post.channel.failures.extend([None, FateUnknown()])
    await post.delivers("answer")
    await post.clock.advance(60)
    refused = DeliveryError("blocked", can_retry=False)
    post.channel.failures.extend([refused, refused])
    await post.delivers("refused")
    assert ["failed", "failed"] == post.states

    assert 2 == await post.delivery.send_again(HOME.session_key)
    await settle()
    assert 0 == await post.delivery.send_again(HOME.session_key)

    assert ["sent", "sent"] == post.states
    assert [f"answer{REPEATED}", "refused"] == post.channel.texts()[2:]


# Marks.


@pytest.mark.parametrize("verb", ["mark_sending", "mark_sent"])
async def test_a_mark_that_cannot_be_written_is_waited_for(post: Post, verb: str) -> None:
    post.store.refusals[verb] = 3
    await post.delivers("answer", "more")
    await post.clock.advance(60)

    assert (["answer", "more"], ["sent", "sent"]) == (post.channel.texts(), post.states)


async def test_failures_are_written_down_in_the_end(post: Post) -> None:
    post.store.refusals |= {"mark_failed": 2, "mark_pending": 2}
    post.channel.failures.extend([DeliveryError("limit"), DeliveryError("no", can_retry=False)])
    await post.delivers("answer")
    await post.clock.advance(60)

    assert ["failed"] == post.states
