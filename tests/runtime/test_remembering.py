"""What leaves the window is summarised in the background and remembered by the day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.chat import ChatAddress
from bot.core.memory.audience import Audience, audience_of
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import assistant_text
from bot.core.tokens import SAFETY
from bot.core.turns import Step, Turn
from bot.core.window.summary.plan import SUMMARISER
from bot.core.window.summary.render import SUMMARY_LEAD
from bot.runtime.remembering import SummaryLimits
from bot.runtime.remembering.parts import CORRECTION_TOKENS
from bot.runtime.remembering.remembering import STORE_RETRY_S
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import ADDRESS, RuleOfThumb
from bot.testing.clock import START
from bot.testing.stores.given import begin, message
from tests.runtime.remembering_given import MINUTE, TODAY, World, front

ANN_S = audience_of(ADDRESS.session_key, "private")


async def test_ctx_8_and_9_a_digest_at_once_and_the_summary_on_the_next_turn(
    supervisor: Supervisor,
) -> None:
    world = World()
    remembering = world.begin(supervisor)
    for _ in range(20):
        await world.chat.turn()
    world.model.hold()
    now = await world.chat.turn("one more")
    remembering.wake()
    await world.model.held()

    assert "Mechanical note of 10 earlier turns" in front(now)
    assert SUMMARY_LEAD not in front(now)
    meanwhile = await world.chat.turn("and another")
    assert "Mechanical note" in front(meanwhile)

    world.model.release()
    await world.rest()
    later = await world.chat.turn("then")
    assert front(later).startswith(SUMMARY_LEAD)
    assert "Mechanical note" not in front(later)
    assert [world.chat.key] == world.landed
    assert world.each_once(10)
    assert {TODAY} == {entry.day for entry in world.files.appended}
    assert "- 00:00 known: question 1\n- done: answer 1" == world.files.appended[0].text
    assert world.files.appended[9].text.startswith("- 00:03 known")


async def test_sum_5_the_call_is_counted_as_cost_of_who_wrote_last(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()

    (call,) = [call for call in world.store.calls if call.purpose == "summary"]
    assert call.session_key == world.chat.key
    assert call.person_key == "loopback::1001"
    assert call.usage.input_tokens > 0
    assert ("small", 4_000) == (world.model.requests[0].model, world.model.requests[0].max_tokens)


async def test_a_second_summary_merges_the_first(supervisor: Supervisor) -> None:
    world = World()
    remembering = world.begin(supervisor)
    for _ in range(3):
        await world.outgrow(10)
        remembering.wake()
        await world.rest()

    conversation = await world.conversation()
    assert conversation.summary is not None
    assert conversation.summary.through == conversation.cut.kept_from - 1
    assert 7 == len(conversation.summary.key_points)
    assert "question 1" in conversation.summary.overview
    assert "" == conversation.cut.digest
    assert world.each_once(conversation.summary.through)


async def test_sum_5_many_turns_are_told_in_several_requests(supervisor: Supervisor) -> None:
    world = World(limits=SummaryLimits(model="small", window_tokens=4_000))
    for _ in range(49):
        await world.chat.turn("word " * 100, "word " * 100)
    world.chat.limits = replace(world.chat.limits, max_turns=3)
    await world.chat.turn()
    world.begin(supervisor)
    await world.rest()

    conversation = await world.conversation()
    assert conversation.summary is not None
    assert conversation.summary.through == conversation.cut.kept_from - 1 >= 45
    assert len(world.model.requests) > 5
    assert all(len(request.messages[0].text) / 4 < 2_600 for request in world.model.requests)
    assert world.each_once(conversation.summary.through)


async def test_what_the_model_wrote_is_redacted_before_it_is_kept(supervisor: Supervisor) -> None:
    class NoAnswers:
        def redact(self, text: str) -> str:
            return text.replace("answer", "[redacted:word]")

    world = World(redactor=NoAnswers())
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()

    conversation = await world.conversation()
    assert "[redacted:word]" in str(conversation.summary)
    assert "done: answer" not in str(conversation.summary)
    assert "- done: [redacted:word] 1" in world.files.appended[0].text


async def test_mem_3_turns_are_noted_on_their_own_day_and_leave_nothing(
    supervisor: Supervisor,
) -> None:
    world = World()
    for _ in range(25):
        await world.chat.turn()
        await world.clock.advance(3_600)
    before = await world.conversation()
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    world.begin(supervisor)
    await world.rest()

    assert world.each_once(25)
    assert {TODAY, TODAY + timedelta(days=1)} == {
        entry.day for entry in world.files.appended if entry.turn_id > 10
    }
    after = await world.conversation()
    assert before.cut.kept_from == after.cut.kept_from


async def test_a_turn_that_was_noted_before_is_not_noted_again_when_it_leaves(
    supervisor: Supervisor,
) -> None:
    world = World()
    for _ in range(5):
        await world.chat.turn()
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    remembering = world.begin(supervisor)
    await world.rest()
    assert world.each_once(5)

    await world.outgrow(15)
    remembering.wake()
    await world.rest()

    assert world.each_once(10)


async def test_entries_that_an_earlier_process_left_are_written_at_the_start(
    supervisor: Supervisor,
) -> None:
    world = World()
    world.files.failures = 1
    await world.outgrow()
    async with Supervisor() as first:
        world.begin(first)
        await world.rest()
    assert [] == world.files.turns

    world.begin(supervisor)
    await world.rest()

    assert world.each_once(10)


async def test_one_folder_that_cannot_be_written_holds_up_no_other_one(
    supervisor: Supervisor,
) -> None:
    """Although more waits for it than is looked at together."""
    world = World()
    elsewhere = ChatAddress(channel="loopback", account="bot", chat="broken")
    world.files.broken = audience_of(elsewhere.session_key, "private")
    for number in range(60):
        turn = await begin(world.store, message(number, address=elsewhere))
        await world.store.finish_turn(turn.id, "answered", (), at=world.clock.now())
    for _ in range(10):
        await world.chat.turn()
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    for job in await world.store.due_jobs(world.clock.now(), limit=5):
        turns = await world.store.unremembered(job, limit=100)
        entries = tuple(noted(turn, job.audience) for turn in turns)
        await world.store.remember(job, entries, is_done=True)
    remembering = world.begin(supervisor)
    await world.rest()

    assert list(range(61, 71)) == world.files.turns
    assert remembering.trouble == "permission denied"
    world.files.broken = None
    await world.pass_time(1.1 * STORE_RETRY_S / MINUTE)
    assert remembering.trouble == ""
    assert world.each_once(70)


async def test_ctx_8_a_turn_tried_again_while_its_failure_is_noted_is_noted_whole(
    supervisor: Supervisor,
) -> None:
    world = World()
    claim, context = await world.chat.open("the deadline is 2026-02-01")
    await context.request(claim.turn, may_use_tools=True)
    await world.store.finish_turn(claim.turn.id, "failed", (), at=world.clock.now())
    world.chat.manager.close_turn(claim.turn)
    world.model.hold()
    await world.store.ask_to_remember(world.clock.now() + timedelta(1), at=world.clock.now())
    world.begin(supervisor)
    await world.model.held()
    await world.clock.advance(5)
    again = await world.store.reopen(world.chat.key, at=world.clock.now())
    assert again is not None
    context = await world.chat.manager.open_turn(again)
    request = await context.request(again.turn, may_use_tools=True)
    step = Step(answer=assistant_text("It is noted."), stop="end_turn")
    await world.chat.end(await world.chat.step(again.turn, context, request, step))

    world.model.release()
    await world.rest()

    (entry,) = world.files.appended
    assert "done: It is noted." in entry.text


async def test_ctx_18_what_was_cleared_is_in_the_daily_file_all_the_same(
    supervisor: Supervisor,
) -> None:
    world = World()
    await world.chat.turn("the key is under the mat")
    await world.chat.steering().clear()
    await world.chat.turn("hello")
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    world.begin(supervisor)
    await world.rest()

    assert "the key is under the mat" in await world.files.read_day(ANN_S, TODAY)
    await world.chat.steering().clear()
    assert world.each_once(2)


def noted(turn: Turn, audience: Audience) -> MemoryEntry:
    return MemoryEntry(
        turn_id=turn.id, moment=turn.started_at, audience=audience, day=TODAY, text="- x"
    )


async def test_two_jobs_of_one_chat_are_done_one_after_the_other(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    await world.rest()

    assert 1 == len(world.model.requests)
    world.model.release()
    await world.rest()
    assert world.each_once(21)


async def test_two_chats_at_a_time_are_worked_on(supervisor: Supervisor) -> None:
    world = World()
    for chat in ("a", "b", "c"):
        address = ChatAddress(channel="loopback", account="bot", chat=chat)
        turn = await begin(world.store, message(1, address=address))
        await world.store.finish_turn(turn.id, "stopped", (), at=START)
    await world.store.ask_to_remember(START + timedelta(days=1), at=START)
    world.model.hold()
    remembering = world.begin(supervisor)
    await world.model.held()
    remembering.wake()
    await world.rest()

    assert 2 == len(world.model.requests)
    world.model.release()
    await world.rest()
    assert world.each_once(3)
    assert 3 == len({entry.audience for entry in world.files.appended})


@pytest.mark.parametrize("window", [4_000, 8_000, 200_000, 1_000_000])
def test_sum_5_a_request_its_correction_and_the_answer_fit_the_model(window: int) -> None:
    limits = SummaryLimits(model="small", window_tokens=window)
    counter = RuleOfThumb()

    request = limits.request_tokens(counter) + counter.count(SUMMARISER) + CORRECTION_TOKENS

    assert request / (1 - SAFETY) + limits.answer_tokens <= window
    assert request > window // 4 or window > 100_000
