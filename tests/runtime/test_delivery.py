"""The pace of a chat, and the order in which its replies leave."""

from __future__ import annotations

import asyncio

from bot.errors import ChannelAuthError, DeliveryError
from bot.runtime.delivery import Urgency
from bot.testing.clock import settle
from tests.runtime.post import ELSEWHERE, HOME, TOPIC, Post

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


async def test_what_nobody_asked_for_waits_behind_what_somebody_did(post: Post) -> None:
    post.channel.failures.append(DeliveryError("slow down", retry_after_s=30))
    for number in range(3):
        await post.delivers(f"a stranger, {number}", kind="notice", is_unasked=True)
    await post.delivers("the answer to a command", kind="notice")
    await post.delivers("an answer")
    await post.clock.advance(60)

    strangers = [f"a stranger, {number}" for number in range(3)]
    assert [strangers[0], "an answer", "the answer to a command", *strangers[1:]] == (
        post.channel.texts()
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

    assert ["failed", "sent", "sent"] == post.states
    told = "An answer could not be delivered: no network. `/retry` sends it again."
    assert ["answer, b", told] == post.channel.texts()


async def test_a_failure_is_told_once_whatever_becomes_of_that(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("blocked", can_retry=False)] * 3)
    await post.delivers("answer, a", "answer, b")
    post.channel.failures.append(DeliveryError("blocked", can_retry=False))
    await post.delivers("a notice", kind="notice")
    await post.delivers("next")

    assert ["failed"] * 4 + ["sent"] == post.states
    assert ["next"] == post.channel.texts()


async def test_what_tells_of_a_failure_is_not_sent_again_at_a_wish(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("blocked", can_retry=False)] * 2)
    await post.delivers("answer")

    assert ["answer"] == [each.reply.text for each in await post.store.failed(HOME.session_key)]
    assert 1 == await post.delivery.send_again(HOME.session_key)
    await settle()
    assert ["answer"] == post.channel.texts()


async def test_what_tells_of_a_failure_outlasts_an_outage(post: Post) -> None:
    post.channel.failures.append(DeliveryError("too long", can_retry=False))
    post.channel.failures.append(DeliveryError("slow down", retry_after_s=30))
    post.channel.failures.append(DeliveryError("no network"))
    await post.delivers("answer")
    await post.delivers("next")
    await post.clock.advance(29)
    assert [] == post.channel.texts()
    await post.clock.advance(5)

    told = "An answer could not be delivered: too long. `/retry` sends it again."
    assert (["next", told], ["failed", "sent", "sent"]) == (
        sorted(post.channel.texts(), reverse=True),
        post.states,
    )


async def test_a_refused_token_holds_the_chat_until_a_better_one_is_found(post: Post) -> None:
    post.channel.failures.extend([ChannelAuthError("refused")] * 2)
    await post.delivers("answer, a", "answer, b")
    await post.delivers("next")
    assert ["pending"] * 3 == post.states
    await post.clock.advance(299)
    assert ([], 299) == (post.channel.texts(), post.delivery.longest_wait_s)
    await post.clock.advance(301)

    assert ["answer, a", "answer, b", "next"] == post.channel.texts()
    assert (0, 0.0) == (post.activity.busy_chats, post.delivery.longest_wait_s)


async def test_a_channel_that_breaks_in_an_unforeseen_way_stops_no_delivery(post: Post) -> None:
    post.channel.failures.append(RuntimeError("a bug"))  # type: ignore[arg-type] # none of ours
    await post.delivers("answer")
    await post.delivers("next")

    assert ["failed", "sent", "sent"] == post.states
    assert "whether it arrived is not known (incident " in post.store.outbox[0].reason
