"""What happens to a chat while one of its turns runs, or while it is being read."""

import asyncio
from dataclasses import replace

import pytest

from bot.core.chat import SessionKey
from bot.core.tasks import TaskState
from bot.core.turns import Turn
from bot.core.window.conversation import Summary
from bot.errors import ContextTooLong
from bot.runtime.context.steering import Compacted, Refused
from bot.testing.chat_run import LIMITS, ChatRun, tokens_of, tool_step
from bot.testing.clock import settle
from bot.testing.store import InMemoryStore
from tests.runtime.context_given import notes, talk, texts

TASK = TaskState(goal="Move house", remaining=("van",))


class SlowStore(InMemoryStore):
    """Gives turns by their ids only once it may, as they were when they were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def turns_between(
        self, session_key: SessionKey, first: int, last: int
    ) -> tuple[Turn, ...]:
        found = await super().turns_between(session_key, first, last)
        await self.may_answer.wait()
        return found


def questions(shown: list[str]) -> list[str]:
    return [text for text in shown if text.startswith("question")]


async def land(chat: ChatRun, overview: str = "They talked.") -> None:
    """Have a summary land of all that left, and the chat hear of it."""
    conversation = await chat.store.load(chat.key)
    (job,) = await chat.store.due_jobs(chat.clock.now(), limit=5)
    summary = Summary(
        generation=conversation.generation,
        through=job.through,
        overview=overview,
        key_points=(),
        pinned=(),
        made_at=chat.clock.now(),
    )
    cut = conversation.cut
    assert await chat.store.land_summary(job, summary, (), cut=cut, digest="")
    chat.manager.forget()


async def test_asm_6_the_task_is_that_of_now_in_every_turn() -> None:
    chat = ChatRun()
    claim, _ = await chat.open("move house")
    await chat.store.note_task(chat.key, TASK, turn_id=claim.turn.id, at=chat.clock.now())
    await chat.end(claim.turn)

    assert "Task: Move house; remaining: van." in notes(await chat.turn())
    await chat.store.note_task(chat.key, None, turn_id=claim.turn.id, at=chat.clock.now())
    assert "Task" not in notes(await chat.turn())


async def test_ctx_17_what_a_turn_of_before_a_clear_notes_is_not_kept() -> None:
    chat = ChatRun()
    claim, context = await chat.open("a surprise")
    await context.request(claim.turn, may_use_tools=True)
    await chat.steering().clear()

    is_noted = await chat.store.note_task(
        chat.key, TASK, turn_id=claim.turn.id, at=chat.clock.now()
    )
    await chat.end(claim.turn)

    assert not is_noted
    assert "Task" not in notes(await chat.turn("hello"))


async def test_ctx_9_a_summary_that_lands_during_a_turn_is_shown_on_the_next() -> None:
    chat = ChatRun()
    await talk(chat, 20)
    claim, context = await chat.open()
    now = await context.request(claim.turn, may_use_tools=True)
    await land(chat)
    meanwhile = await context.request(claim.turn, may_use_tools=True)
    view = await chat.steering().view()
    refused = await chat.steering().compact()
    await chat.end(claim.turn)

    assert now == meanwhile
    assert view.turns == 11
    assert refused == Refused(reason="an answer is being written; try again when it is there")
    later = await chat.turn()
    assert "They talked." in notes(later)
    assert "Mechanical note" not in notes(later)
    assert [f"question {number}" for number in range(11, 23)] == questions(texts(later))


async def test_requests_are_measured_as_before_when_a_summary_landed_during_the_turn() -> None:
    chat = ChatRun()
    chat.measure = lambda request: 2 * tokens_of(request)
    await talk(chat, 20)
    _, context = await chat.open()
    await context.request((await chat.store.unfinished()).claims[0].turn, may_use_tools=True)

    await land(chat)

    ratio = chat.manager.state.scale(chat.limits).calibration.ratio
    assert ratio == pytest.approx(2.0)


async def test_what_a_turn_cut_after_a_landing_holds_from_then_on() -> None:
    """Both the summary that landed and the turn's own cut are known to whoever comes next."""
    chat = ChatRun()
    await talk(chat, 20)
    claim, context = await chat.open()
    await context.request(claim.turn, may_use_tools=True)
    await land(chat)
    await chat.steering().view()
    for _ in range(2):
        assert await context.overflowed(ContextTooLong())
    await context.request(claim.turn, may_use_tools=True)
    await chat.end(claim.turn)

    assert [f"question {number}" for number in (21, 22)] == questions(texts(await chat.turn()))
    held = await chat.manager.state.hold()
    stored = await chat.store.load(chat.key)
    assert (held.conversation.cut, held.conversation.summary) == (stored.cut, stored.summary)


async def test_a_cut_made_after_a_landing_names_a_summary_that_is_held() -> None:
    chat = ChatRun()
    await talk(chat, 20)
    await chat.turn()
    await land(chat, "The first.")
    for _ in range(9):
        await chat.turn()
    claim, context = await chat.open()
    await context.request(claim.turn, may_use_tools=True)
    await land(chat, "The second.")
    await chat.steering().view()
    chat.limits = replace(LIMITS, max_turns=6)
    await context.request(claim.turn, may_use_tools=True)
    await chat.end(claim.turn)

    stored = await chat.store.load(chat.key)
    held = await chat.manager.state.hold()
    assert held.conversation.summary == stored.summary
    assert held.conversation.cut == stored.cut


async def test_what_changes_while_a_chat_is_read_is_read_again() -> None:
    store = SlowStore()
    chat = ChatRun(store)
    await talk(chat, 21)
    chat.idle()
    store.may_answer.clear()
    reading = asyncio.create_task(chat.manager.state.hold())
    await settle()
    await store.clear(chat.key, at=chat.clock.now())
    chat.manager.forget()
    store.may_answer.set()
    await reading

    assert ["question 22"] == questions(texts(await chat.turn()))


async def test_ctx_19_the_turn_that_runs_is_counted_before_anything_comes_back() -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_turns=19)
    await talk(chat, 18)
    assert isinstance(await chat.steering().compact(), Compacted)
    claim, context = await chat.open()
    await context.request(claim.turn, may_use_tools=True)

    refused = await chat.steering().undo()

    assert isinstance(refused, Refused)
    assert "20 turns, and 19" in refused.reason
    chat.limits = replace(LIMITS, max_turns=20)
    done = await chat.steering().undo()
    assert isinstance(done, Compacted)
    assert (19, -9) == (done.turns, done.turns_left)
    await chat.end(claim.turn)
    assert 20 == len(questions(texts(await chat.turn())))


async def test_ctx_19_what_comes_back_after_a_restart_stays() -> None:
    chat = ChatRun()
    await talk(chat, 9)
    await chat.steering().compact()
    await chat.restart()

    done = await chat.steering().undo()

    assert isinstance(done, Compacted)
    assert 9 == done.turns
    assert 10 == len(questions(texts(await chat.turn())))


async def test_ctx_15_what_is_compacted_first_of_all_is_what_the_restart_left() -> None:
    chat = ChatRun()
    for _ in range(12):
        await chat.turn(rounds=[("looked up",)])
    await chat.restart()

    view = await chat.steering().view()
    done = await chat.steering().compact()
    request = await chat.turn()

    assert isinstance(done, Compacted)
    assert (3, 9, 2, 1) == (view.turns, view.turns_left, done.turns_left, done.turns)
    assert ["question 12", "question 13"] == questions(texts(request))
    assert "only the words are shown" in notes(request)


async def test_ctx_17_a_clear_counts_the_turn_that_runs() -> None:
    chat = ChatRun()
    await talk(chat, 2)
    claim, context = await chat.open()
    await context.request(claim.turn, may_use_tools=True)

    assert 3 == await chat.steering().clear()


async def test_ctx_17_of_a_long_turn_the_view_counts_what_is_sent() -> None:
    chat = ChatRun()
    chat.limits = replace(LIMITS, max_context_tokens=4_000)
    claim, context = await chat.open()
    turn = claim.turn
    for number in range(12):
        request = await context.request(turn, may_use_tools=True)
        turn = await chat.step(turn, context, request, tool_step(turn.id, number, ("x" * 3_000,)))
    request = await context.request(turn, may_use_tools=True)

    report = (await chat.steering().view()).report

    assert tokens_of(request) <= 4_000
    assert report.total_tokens == pytest.approx(tokens_of(request), rel=0.02)
    sent = sum(len(message.tool_calls) for message in request.messages)
    assert sent == dict(report.by_role)["tool results"]


async def test_asm_6_the_work_of_the_last_half_hour_is_told_once_it_is_not_in_full_view() -> None:
    chat = ChatRun()
    await chat.turn("Count the herons", rounds=[("many",)])
    assert "Work of the last half hour" not in notes(await chat.turn("And the storks"))
    await chat.restart()

    told = notes(await chat.turn("Go on"))
    assert "asked “Count the herons”, used search, answered “answer 1”" in told
    await chat.clock.advance(31 * 60)
    assert "Work of the last half hour" not in notes(await chat.turn("Later"))


async def test_ctx_17_the_work_of_before_a_clear_is_not_told() -> None:
    chat = ChatRun()
    await chat.turn("Count the herons", rounds=[("many",)])
    await chat.restart()
    await chat.turn("Go on")
    await chat.steering().clear()

    assert "herons" not in notes(await chat.turn("Good morning"))
