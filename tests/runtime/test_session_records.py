"""Past sessions get their record, however often the model fails, and whatever happens meanwhile."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.chat import SessionKey
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.episodes import IDLE_FOR, Episode
from bot.core.tasks import TaskState
from bot.core.window.summary.extract import extractive_record
from bot.core.window.summary.sessions import RECORDER
from bot.errors import ModelUnavailable
from bot.runtime.remembering import Remembering, RememberingParts, SummaryLimits
from bot.runtime.remembering.parts import OFF_PAUSE_S
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import ANN
from bot.testing.model import Answer
from tests.runtime.remembering_given import World

HOUR = 60.0
GOOD = {
    "summary": "Herons were counted, storks were not.",
    "attempted": ["count birds"],
    "succeeded": ["herons"],
    "failed": ["storks"],
    "decisions": ["go on Monday"],
    "open_tasks": ["count storks"],
}


class RecordingWorld(World):
    """A chat whose sessions are recorded; ``is_off`` says whether its memory is off."""

    is_off = False

    def is_remembered(self, session_key: SessionKey) -> bool:
        return not self.is_off

    def parts(self, supervisor: Supervisor) -> RememberingParts:
        return replace(super().parts(supervisor), episodes=self.store, memories=self)

    async def talk(self, *requests: str) -> None:
        for request in requests:
            await self.chat.turn(request)

    async def recorded(self, worker: Remembering) -> tuple[Episode, ...]:
        """Ask for what is not recorded, let the worker do it, and give all records."""
        now = self.clock.now()
        await self.store.ask_for_episodes(now, at=now, session_key=self.chat.key)
        worker.wake()
        await self.rest()
        return await self.episodes()

    async def episodes(self) -> tuple[Episode, ...]:
        audience = audience_of(self.chat.key, "private")
        viewer = Viewer(audience=audience, person_key=ANN.person_key)
        return await self.store.last_episodes(viewer, limit=9)


def saying(answer: object) -> Callable[[ModelRequest], Answer]:
    def say(request: ModelRequest) -> Answer:
        assert request.system == RECORDER
        return json.dumps(answer)

    return say


def extract(request: ModelRequest) -> Answer:
    assert request.system == RECORDER
    return extractive_record(request.messages[0].text)


def failing(request: ModelRequest) -> Answer:
    return ModelUnavailable("busy")


async def test_mem_1_a_session_is_recorded_and_its_cost_is_accounted_for(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(saying(GOOD))
    await world.talk("Count herons at srv-0042", "And the storks")

    (episode,) = await world.recorded(world.begin(supervisor))

    account = episode.account
    assert (GOOD["summary"], ("count storks",)) == (account.summary, account.open_tasks)
    assert ("srv-0042",) == account.details
    assert (1, 2) == (episode.first, episode.through)
    assert ANN.person_key == episode.person_key
    assert ["episode"] == [call.purpose for call in world.store.calls if call.purpose != "answer"]
    assert 2 == len((await world.conversation()).turns)  # the window stays as it is


async def test_mem_1_the_task_that_the_agent_left_open_is_in_the_record(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(saying(GOOD | {"open_tasks": []}))
    claim, _ = await world.chat.open("Count birds")
    task = TaskState(goal="birds", remaining=("gulls",))
    await world.store.note_task(world.chat.key, task, turn_id=claim.turn.id, at=world.clock.now())
    await world.chat.end(claim.turn)

    (episode,) = await world.recorded(world.begin(supervisor))

    assert ("gulls",) == episode.account.open_tasks


@pytest.mark.parametrize("answer", ["No.", json.dumps(GOOD | {"summary": ""})])
async def test_mem_1_a_wrong_answer_is_corrected_once_and_then_done_without(
    answer: str, supervisor: Supervisor
) -> None:
    world = RecordingWorld(lambda request: answer)
    await world.talk("Count herons", "And the storks")

    (episode,) = await world.recorded(world.begin(supervisor))

    assert 2 == len(world.model.requests)
    assert "cannot be used" in world.model.requests[1].messages[-1].text
    assert episode.account.summary.startswith("2 turns, begun with “Count herons”")


async def test_mem_1_a_corrected_answer_counts(supervisor: Supervisor) -> None:
    answers = iter(["No.", json.dumps(GOOD)])
    world = RecordingWorld(lambda request: next(answers))
    await world.talk("Count herons", "And the storks")

    (episode,) = await world.recorded(world.begin(supervisor))

    assert GOOD["summary"] == episode.account.summary


async def test_mem_1_a_model_that_is_away_is_waited_for_and_in_the_end_done_without(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(failing)
    await world.talk("Count herons", "And the storks")

    assert () == await world.recorded(world.begin(supervisor))
    await world.pass_time(2 * HOUR)
    assert () == await world.episodes()
    await world.pass_time(80 * HOUR)

    (episode,) = await world.episodes()
    assert episode.account.summary.startswith("2 turns, begun with “Count herons”")
    assert await world.store.next_due() is None


async def test_mem_1_a_long_session_is_told_in_parts_that_fit(supervisor: Supervisor) -> None:
    world = RecordingWorld(extract, limits=SummaryLimits(model="small", window_tokens=4_000))
    await world.talk(*(f"heron {number} " * 60 for number in range(12)))

    (episode,) = await world.recorded(world.begin(supervisor))

    assert len(world.model.requests) > 1
    assert (1, 12) == (episode.first, episode.through)
    assert "heron 0" in episode.account.summary
    told = "".join(request.messages[0].text for request in world.model.requests)
    assert all(f"turn {number}, request" in told for number in range(1, 13))


async def test_mem_1_a_very_long_session_has_several_records(supervisor: Supervisor) -> None:
    world = RecordingWorld(extract)
    await world.talk(*(f"heron {number}" for number in range(103)))

    newest, oldest = await world.recorded(world.begin(supervisor))

    assert (1, 100, 101, 103) == (oldest.first, oldest.through, newest.first, newest.through)


async def test_mem_1_a_single_question_waits_for_the_rest_of_its_session(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(saying(GOOD))
    worker = world.begin(supervisor)
    await world.talk("Hello")
    assert () == await world.recorded(worker)
    await world.talk("Count herons")

    (episode,) = await world.recorded(worker)

    assert (1, 2) == (episode.first, episode.through)


async def test_prv_4_a_chat_whose_memory_is_off_has_no_new_records(supervisor: Supervisor) -> None:
    world = RecordingWorld(saying(GOOD))
    world.is_off = True
    await world.talk("Count herons", "And the storks")

    assert () == await world.recorded(world.begin(supervisor))
    assert [] == world.model.requests

    world.is_off = False
    await world.pass_time(OFF_PAUSE_S // 60)
    assert [(1, 2)] == [(each.first, each.through) for each in await world.episodes()]
    assert await world.store.next_due() is None


async def test_no_record_lands_once_memory_was_switched_off_while_the_model_answered(
    supervisor: Supervisor,
) -> None:
    def say_too_late(request: ModelRequest) -> Answer:
        world.is_off = True
        return saying(GOOD)(request)

    world = RecordingWorld(say_too_late)
    await world.talk("Count herons", "And the storks")

    assert () == await world.recorded(world.begin(supervisor))
    assert 1 == len(world.model.requests)


async def test_ctx_17_no_record_runs_across_a_clear(supervisor: Supervisor) -> None:
    world = RecordingWorld(saying(GOOD))
    await world.talk("Count herons", "And the storks")
    await world.chat.steering().clear()
    await world.talk("Something else", "And more")

    records = await world.recorded(world.begin(supervisor))

    assert [(3, 4), (1, 2)] == [(each.first, each.through) for each in records]


async def test_ctx_17_a_single_turn_that_was_cleared_away_is_no_part_of_the_next_record(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(saying(GOOD))
    await world.talk("Count herons")
    await world.chat.steering().clear()
    await world.talk("Something else", "And more")

    records = await world.recorded(world.begin(supervisor))

    assert [(2, 3)] == [(each.first, each.through) for each in records]


async def test_prv_1_what_a_model_wrote_is_redacted_before_it_is_kept(
    supervisor: Supervisor,
) -> None:
    class Hiding:
        def redact(self, text: str) -> str:
            return text.replace("storks", "[redacted:bird]")

    world = RecordingWorld(saying(GOOD), redactor=Hiding())
    await world.talk("Count herons", "And more")

    (episode,) = await world.recorded(world.begin(supervisor))

    assert "storks" not in repr(episode.account)
    assert ("count [redacted:bird]",) == episode.account.open_tasks


async def test_mem_1_a_session_that_changes_while_it_is_recorded_is_recorded_anew(
    supervisor: Supervisor,
) -> None:
    world = RecordingWorld(saying(GOOD))
    await world.talk("Count herons", "And the storks")
    turn = world.store.turns[0]

    def change(request: ModelRequest) -> Answer:
        world.store._turns_by_id[turn.id] = replace(turn, revision=turn.revision + 1)
        world.answer = saying(GOOD)
        return json.dumps(GOOD | {"summary": "Of before."})

    world.answer = change
    (episode,) = await world.recorded(world.begin(supervisor))

    assert GOOD["summary"] == episode.account.summary
    assert 2 == len(world.model.requests)


async def test_mem_7_a_session_is_over_after_eight_idle_hours_and_not_before() -> None:
    world = RecordingWorld(saying(GOOD))
    await world.talk("Count herons", "And the storks")
    session_end = world.clock.now() - timedelta(seconds=20)

    for hours, asked in ((7.9, 0), (8.0, 1)):
        now = session_end + timedelta(hours=hours)
        assert asked == await world.store.ask_for_episodes(now - IDLE_FOR, at=now)
