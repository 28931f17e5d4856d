"""A model that nobody asks anything is tried by what costs nothing, when somebody looks."""

import asyncio

import pytest

from bot.config import Config
from bot.core.metrics import FAILURES
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRequestRefused,
)
from bot.runtime.watched_model import LATELY_S, TRIAL_LIMIT_S, TRIED_EVERY_S
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel
from tests.e2e.test_health import red

REVOKED = ModelAuthError("invalid x-api-key")


class Directory:
    """Tells of models as a test has it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: bool | ModelError = True
        self.hangs = False

    async def knows(self, name: str) -> bool:
        self.asked.append(name)
        if self.hangs:
            await asyncio.get_running_loop().create_future()
        if isinstance(self.answer, ModelError):
            raise self.answer
        return self.answer


@pytest.fixture
def directory() -> Directory:
    return Directory()


def talking(clock: FakeClock, directory: Directory, *answers: str | ModelError) -> Dialogue:
    return Dialogue(
        ScriptedModel(answers),
        config=Config(access="open", plugins=()),
        clock=clock,
        model_directory=directory,
    )


async def look(dialogue: Dialogue, after_s: float = 0.0) -> dict[str, tuple[str, str]]:
    """Look as a monitor does, twice: what a trial finds is told at the next look."""
    assert isinstance(dialogue.clock, FakeClock)
    await dialogue.clock.advance(after_s)
    await red(dialogue)
    await settle()
    return await red(dialogue)


async def test_a_revoked_key_is_red_within_five_minutes_and_green_with_a_good_one(
    clock: FakeClock, directory: Directory
) -> None:
    async with talking(clock, directory) as dialogue:
        before = await look(dialogue)
        directory.answer = REVOKED
        known = await look(dialogue, TRIED_EVERY_S - 1)
        during = await look(dialogue, 1)
        still = await look(dialogue, LATELY_S * 4)
        directory.answer = True
        after = await look(dialogue, TRIED_EVERY_S)

    refused = {"model": ("down", "the key is refused: invalid x-api-key")}
    assert ({}, {}, {}) == (before, known, after)
    assert (refused, refused) == (during, still)


async def test_however_often_somebody_looks_it_is_tried_every_five_minutes(
    clock: FakeClock, directory: Directory
) -> None:
    async with talking(clock, directory, "Here.") as dialogue:
        for _ in range(60):
            await look(dialogue, 10)
        tried = len(directory.asked)
        await dialogue.says("hello")
        await look(dialogue, TRIED_EVERY_S - 10)
        after_an_answer = len(directory.asked)

    assert (2, 2) == (tried, after_an_answer)
    assert {"scripted"} == set(directory.asked)


async def test_a_model_that_fails_stays_red_while_nobody_asks(
    clock: FakeClock, directory: Directory
) -> None:
    directory.answer = ModelOverloaded("busy")
    async with talking(clock, directory) as dialogue:
        seen = [await look(dialogue, TRIED_EVERY_S) for _ in range(5)]
        reading = await dialogue.app.watch.reading()
        directory.answer = True
        after = await look(dialogue, TRIED_EVERY_S)

    assert [{}, {}] == seen[:2]
    assert {"model": ("degraded", "failed 5 times in a row: busy")} == seen[4]
    assert 5.0 == reading.numbers[FAILURES]["model", "ModelOverloaded"]
    assert {} == after


async def test_who_looks_does_not_wait_for_a_model_that_hangs(
    clock: FakeClock, directory: Directory
) -> None:
    directory.hangs = True
    async with talking(clock, directory) as dialogue:
        for _ in range(3):
            await look(dialogue, TRIED_EVERY_S)
            await clock.advance(TRIAL_LIMIT_S)
        found = await look(dialogue)

    assert {"model": ("degraded", "failed 3 times in a row: no answer within 30 s")} == found


@pytest.mark.parametrize("answer", [True, False])
async def test_a_key_that_is_good_for_looking_up_alone_is_not_taken_for_a_good_one(
    clock: FakeClock, directory: Directory, answer: bool
) -> None:
    directory.answer = answer
    async with talking(clock, directory, REVOKED, "Here.") as dialogue:
        await dialogue.says("hello")
        during = await look(dialogue, TRIED_EVERY_S)
        await dialogue.says("hello?")
        after = await look(dialogue)

    assert {"model": ("down", "the key is refused: invalid x-api-key")} == during
    assert {} == after


@pytest.mark.parametrize(
    "answer",
    [
        ModelAuthError("may not look up"),
        ModelRequestRefused("no such route"),
        ModelNotFound("no such model"),
        ContextTooLong("HTTP 413"),
    ],
    ids=lambda answer: type(answer).__name__,
)
async def test_a_key_that_is_good_for_answers_alone_is_a_good_one(
    clock: FakeClock, directory: Directory, answer: ModelError
) -> None:
    directory.answer = answer
    async with talking(clock, directory, *["Here."] * 4) as dialogue:
        seen = []
        for _ in range(4):
            await dialogue.says("hello")
            seen += [await look(dialogue, TRIED_EVERY_S) for _ in range(2)]
        reading = await dialogue.app.watch.reading()

    assert [{}] * 8 == seen
    assert 8 == len(directory.asked)
    assert {} == reading.numbers.get(FAILURES, {})


async def test_once_it_answers_a_refused_trial_counts_no_more(
    clock: FakeClock, directory: Directory
) -> None:
    async with talking(clock, directory, "Here.") as dialogue:
        await look(dialogue)
        directory.answer = REVOKED
        during = await look(dialogue, TRIED_EVERY_S)
        await dialogue.says("hello")
        after = [await look(dialogue, TRIED_EVERY_S) for _ in range(3)]

    assert {"model": ("down", "the key is refused: invalid x-api-key")} == during
    assert [{}] * 3 == after


@pytest.mark.parametrize(
    "answer", [True, False, ModelAuthError("may not look up")], ids=["known", "untold", "refused"]
)
async def test_an_outage_that_trials_found_is_over_when_one_of_them_gets_through(
    clock: FakeClock, directory: Directory, answer: bool | ModelError
) -> None:
    directory.answer = ModelOverloaded("busy")
    async with talking(clock, directory, ModelError("no idea")) as dialogue:
        await dialogue.says("hello")
        during = [await look(dialogue, TRIED_EVERY_S) for _ in range(2)]
        directory.answer = answer
        after = await look(dialogue, TRIED_EVERY_S)

    assert [{}, {"model": ("degraded", "failed 3 times in a row: busy")}] == during
    assert {} == after


async def test_what_questions_found_no_trial_clears(clock: FakeClock, directory: Directory) -> None:
    busy = [ModelError("busy")] * 3
    async with talking(clock, directory, *busy) as dialogue:
        for _ in busy:
            await dialogue.says("hello")
        during = await look(dialogue, TRIED_EVERY_S)
        after = await look(dialogue, LATELY_S - TRIED_EVERY_S + 1)

    assert {"model": ("degraded", "failed 3 times in a row: busy")} == during
    assert {} == after


async def test_a_refused_key_is_told_with_its_own_reason(
    clock: FakeClock, directory: Directory
) -> None:
    directory.answer = ModelOverloaded("busy")
    async with talking(clock, directory, REVOKED) as dialogue:
        await dialogue.says("hello")
        found = await look(dialogue, TRIED_EVERY_S)

    assert {"model": ("down", "the key is refused: invalid x-api-key")} == found
