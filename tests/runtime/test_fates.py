"""One stored reply on its way: what becomes of it when a call breaks off, and what is told."""

from __future__ import annotations

import asyncio

import pytest

from bot.core.chat import Capabilities, Receipt
from bot.errors import ChannelAuthError, DeliveryError, FateUnknown, StoreError
from bot.runtime.delivery import REPEATED
from bot.runtime.supervisor import Supervisor
from bot.testing.clock import settle
from tests.runtime.post import HOME, Post

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
    await finder.clock.advance(120)

    assert (["answer"], ["sent"]) == (finder.channel.texts(), finder.states)
    assert 4 == len(finder.channel.lookups)  # each time at once, and when it can come no more


async def test_a_reply_that_comes_after_its_call_broke_off_is_found(finder: Post) -> None:
    finder.channel.failures.append(FateUnknown())
    (item,) = await finder.stored("answer")
    finder.delivery.enqueue((item,))
    await finder.clock.advance(10)
    assert 1 == len(finder.channel.lookups)
    await finder.channel.send(item.reply)  # it was on its way
    await finder.clock.advance(60)

    assert (["answer"], ["sent"]) == (finder.channel.texts(), finder.states)


async def test_an_outage_of_minutes_ends_with_the_answer_marked_once(
    supervisor: Supervisor,
) -> None:
    post = Post(supervisor, Capabilities(max_text_length=4_096, typing_interval_s=4.0))
    outage = DeliveryError("bad gateway")
    post.channel.failures.append(FateUnknown("bad gateway"))
    post.channel.showing_failures.extend([outage, outage])
    await post.delivers("answer")
    await post.clock.advance(5)
    assert ([], ["sending"]) == (post.channel.texts(), post.states)
    await post.clock.advance(5)

    assert ([f"answer{REPEATED}"], ["sent"]) == (post.channel.texts(), post.states)


async def test_a_sign_that_is_refused_for_good_holds_no_repeat(supervisor: Supervisor) -> None:
    post = Post(supervisor, Capabilities(max_text_length=4_096, typing_interval_s=4.0))
    post.channel.failures.append(FateUnknown())
    post.channel.showing_failures.append(DeliveryError("no such right", can_retry=False))
    await post.delivers("answer")
    await post.clock.advance(5)

    assert [f"answer{REPEATED}"] == post.channel.texts()


async def test_a_repeat_whose_fate_is_unknown_too_is_told_and_not_repeated(
    supervisor: Supervisor,
) -> None:
    post = Post(supervisor, attempts=300)
    post.channel.lost_answers.extend([FateUnknown()] * 2)
    await post.delivers("answer")
    await post.clock.advance(7_200)

    assert ["answer", f"answer{REPEATED}"] == post.channel.texts()[:2]
    assert "failed" == post.states[0]
    assert 3 == len(post.channel.texts())


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
    refused = DeliveryError("blocked", can_retry=False)
    post.channel.lost_answers.append(FateUnknown())
    post.channel.failures.extend([None, refused, refused, refused, refused])
    await post.delivers("answer")
    await post.clock.advance(60)
    await post.delivers("refused")
    assert ["failed"] * 4 == post.states

    assert 2 == await post.delivery.send_again(HOME.session_key)
    await settle()
    assert 0 == await post.delivery.send_again(HOME.session_key)

    assert 2 == post.states.count("sent")
    assert [f"answer{REPEATED}", "refused"] == post.channel.texts()[1:]


async def test_what_is_sent_again_is_sent_also_when_the_wish_is_cut(post: Post) -> None:
    post.channel.failures.extend([DeliveryError("blocked", can_retry=False)] * 2)
    await post.delivers("answer")
    post.store.answers.clear()
    wish = asyncio.ensure_future(post.delivery.send_again(HOME.session_key))
    await settle()
    wish.cancel()
    post.store.answers.set()
    await settle()

    assert ["answer"] == post.channel.texts()


async def test_a_wish_that_cannot_be_stored_is_refused(post: Post) -> None:
    post.store.refusals["send_again"] = 1

    with pytest.raises(StoreError):
        await post.delivery.send_again(HOME.session_key)


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

    assert ["failed", "sent"] == post.states
