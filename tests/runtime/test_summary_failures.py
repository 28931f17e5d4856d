"""A background summary that fails in any way: the digest stands, and a later attempt lands."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core.llm import ModelRequest, StopReason
from bot.core.messages import Text
from bot.errors import (
    ContextTooLong,
    ModelAuthError,
    ModelOverloaded,
    ModelRateLimited,
)
from bot.runtime.remembering.asking import ANSWER_WITHIN_S
from bot.runtime.remembering.work import GIVEN_UP_AFTER, MECHANICAL_AFTER, PAUSES_S
from bot.runtime.supervisor import Supervisor
from bot.testing.model import Answer, answer, cut_stream
from tests.runtime.remembering_given import World, extract, front

HOUR = 60.0


def saying(text: str, stop: StopReason = "end_turn") -> Answer:
    return answer(Text(text=text), stop=stop)


def empty_handed(request: ModelRequest) -> str:
    told: dict[str, object] = json.loads(extract(request))
    return json.dumps(told | {"turns": []})


def forgetful(request: ModelRequest) -> str:
    return extract(request).replace("ORDER-4711", "an order")


def endless(request: ModelRequest) -> str:
    return extract(request).replace('"decisions": []', f'"decisions": ["{"blah " * 180}"]')


FAILURES: dict[str, Callable[[ModelRequest], Answer]] = {
    "error": lambda _: ModelOverloaded(),
    "a bug": lambda _: KeyError("what nobody foresaw"),
    "refused key": lambda _: ModelAuthError(),
    "cut stream": lambda _: cut_stream('{"overview": "they sa'),
    "nonsense": lambda _: "Of course! Here is a lovely summary.",
    "empty": lambda _: answer(),
    "blank": lambda _: saying(" \n"),
    "no turns": empty_handed,
    "details left out": forgetful,
    "too long": endless,
    "cut at its limit": lambda request: saying(extract(request)[:-9], "max_tokens"),
    "declined": lambda request: saying(extract(request), "refusal"),
    "overflow": lambda _: ContextTooLong(),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_the_digest_stands_the_chat_goes_on_and_a_retry_lands(
    name: str, supervisor: Supervisor
) -> None:
    world = World(FAILURES[name])
    await world.chat.turn("it is about ORDER-4711")
    await world.outgrow(19)
    digest = (await world.conversation()).cut.digest
    world.begin(supervisor)
    await world.rest()

    failed = await world.conversation()
    assert failed.summary is None
    assert digest == failed.cut.digest != ""
    assert "ORDER-4711" in digest
    assert [] == world.files.turns
    assert 1 == len(world.store.reasons)
    assert "ORDER" not in world.store.reasons[0]
    assert digest in front(await world.chat.turn())

    world.answer = extract
    await world.pass_time(1.1)

    landed = await world.conversation()
    assert landed.summary is not None
    assert landed.summary.through == landed.cut.kept_from - 1
    assert "ORDER-4711" in landed.summary.pinned
    assert "" == landed.cut.digest
    assert world.each_once(10)
    assert await world.store.next_due() is None


async def test_no_answer_in_time_is_a_failure_too(supervisor: Supervisor) -> None:
    world = World()
    await world.outgrow()
    world.model.hold()
    world.begin(supervisor)
    await world.model.held()
    await world.pass_time(ANSWER_WITHIN_S / 60)

    assert ["no answer in time"] == world.store.reasons
    world.model.release()
    await world.pass_time(1.1)
    assert world.each_once(10)


@pytest.mark.parametrize("wrong", ["nonsense", "blank", "details left out", "cut at its limit"])
async def test_sum_4_it_is_told_once_what_was_wrong(wrong: str, supervisor: Supervisor) -> None:
    world = World()
    world.model.then(FAILURES[wrong])
    await world.chat.turn("it is about ORDER-4711")
    await world.outgrow(19)
    world.begin(supervisor)
    await world.rest()

    first, second = world.model.requests
    assert "Your answer cannot be used" in second.messages[-1].text
    assert second.messages[0].text.startswith(first.messages[0].text)
    assert (wrong == "details left out") == ('["ORDER-4711"]' in second.messages[-1].text)
    assert 2 == sum(call.purpose == "summary" for call in world.store.calls)
    assert world.each_once(10)


@pytest.mark.parametrize("name", ["error", "nonsense"])
async def test_it_is_tried_again_ever_more_seldom(name: str, supervisor: Supervisor) -> None:
    world = World(FAILURES[name])
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    calls = 1 if name == "error" else 2

    for number, pause_s in enumerate(PAUSES_S, 1):
        assert calls * number == len(world.model.requests)
        await world.pass_time(pause_s / 60 - 0.5)
        assert calls * number == len(world.model.requests)
        await world.pass_time(0.5)


async def test_what_the_vendor_asks_for_is_waited_for(supervisor: Supervisor) -> None:
    world = World(lambda _: ModelRateLimited(retry_after_s=600))
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    world.answer = extract

    await world.pass_time(9)
    assert [] == world.files.turns
    await world.pass_time(2)
    assert world.each_once(10)


@pytest.mark.parametrize(
    ("name", "most"), [("nonsense", MECHANICAL_AFTER), ("error", 2 * MECHANICAL_AFTER)]
)
async def test_daily_files_do_not_wait_for_ever(
    name: str, most: int, supervisor: Supervisor
) -> None:
    world = World(FAILURES[name])
    await world.outgrow()
    world.begin(supervisor)
    await world.rest()
    while len(world.store.reasons) < most - 1:
        assert [] == world.files.turns
        await world.pass_time(6 * HOUR)
    await world.pass_time(6 * HOUR)

    assert world.each_once(10)
    noted = "00:00 known: asked: question 1\n- done: answered: answer 1"
    assert world.files.appended[0].text.endswith(noted)
    assert (await world.conversation()).cut.digest

    world.answer = extract
    await world.pass_time(13 * HOUR)
    assert world.each_once(10)
    assert (await world.conversation()).summary is not None


async def test_what_waiting_does_not_mend_is_given_up_until_more_leaves(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(FAILURES["nonsense"])
    await world.outgrow()
    remembering = world.begin(supervisor)
    await world.rest()
    for _ in range(GIVEN_UP_AFTER):
        await world.pass_time(7 * HOUR)

    assert await world.store.next_due() is None
    assert 2 * GIVEN_UP_AFTER == len(world.model.requests)
    assert ["memory.given_up"] == [
        record.msg for record in caplog.records if record.levelno == logging.ERROR
    ]
    assert (await world.conversation()).cut.digest

    world.answer = extract
    await world.outgrow(9)
    remembering.wake()
    await world.rest()
    landed = await world.conversation()
    assert landed.summary is not None
    assert "" == landed.cut.digest
    assert world.each_once(landed.summary.through)


@pytest.mark.parametrize("name", ["nonsense", "error"])
async def test_mem_3_turns_of_the_day_are_noted_without_a_model_in_the_end(
    name: str, supervisor: Supervisor
) -> None:
    world = World(FAILURES[name])
    for _ in range(45):
        await world.chat.turn()
    world.chat.limits = replace(world.chat.limits, max_turns=100)
    await world.store.clear(world.chat.key, at=world.clock.now())
    await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    world.begin(supervisor)
    await world.rest()
    assert [] == world.files.turns

    for _ in range(12):
        await world.pass_time(7 * HOUR)

    assert world.each_once(45)
    assert await world.store.next_due() is None


async def test_what_did_succeed_is_kept_when_a_later_request_fails(supervisor: Supervisor) -> None:
    world = World(lambda _: ModelOverloaded())
    world.model.then(extract)
    await world.outgrow(59)
    world.chat.limits = replace(world.chat.limits, max_turns=2)
    await world.chat.turn()
    world.begin(supervisor)
    await world.rest()

    part = await world.conversation()
    assert part.summary is not None
    assert 20 == part.summary.through
    assert "Mechanical note of 39 earlier turns" in part.cut.digest
    assert world.each_once(20)

    world.answer = extract
    await world.pass_time(6)
    done = await world.conversation()
    assert done.summary is not None
    assert done.cut.kept_from - 1 == done.summary.through
    assert "" == done.cut.digest
    assert world.each_once(done.summary.through)


@pytest.mark.parametrize("kind", ["summary", "remember"])
async def test_an_overflow_is_mended_by_telling_less_at_once(
    kind: str, supervisor: Supervisor
) -> None:
    def small(request: ModelRequest) -> Answer:
        return ContextTooLong() if len(request.messages[0].text) > 16_000 else extract(request)

    world = World(small)
    for _ in range(20 if kind == "summary" else 9):
        await world.chat.turn("word " * 300, "word " * 300)
    await world.chat.turn()
    if kind == "remember":
        await world.store.ask_to_remember(world.clock.now(), at=world.clock.now())
    world.begin(supervisor)
    await world.rest()

    assert world.each_once(10)
    assert [] == world.store.reasons
