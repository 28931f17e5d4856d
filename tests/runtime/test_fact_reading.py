"""What people said is read for facts soon after, once, whatever the model and the world do."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.chat import SessionKey
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.extract import extracted_answer
from bot.core.memory.extraction import EXTRACTOR
from bot.core.memory.facts import NewFact
from bot.core.turns import TurnId
from bot.errors import ContextTooLong, ModelOverloaded, ModelRequestRefused
from bot.ports import Redactor
from bot.runtime.remembering import RememberingParts, SummaryLimits
from bot.runtime.remembering.fact_reading import GIVEN_UP_AFTER
from bot.runtime.remembering.parts import OFF_PAUSE_S
from bot.runtime.supervisor import Supervisor
from bot.testing.chat_run import ADDRESS, ANN
from bot.testing.model import Answer
from tests.runtime.remembering_given import World

LISBON = "I live in Lisbon."
OFF_MINUTES = OFF_PAUSE_S // 60
PRIVATE = audience_of(ADDRESS.session_key, "private")
HERS = Viewer(audience=PRIVATE, person_key=ANN.person_key)


class Reader(World):
    """A chat whose turns are read for facts; ``is_on`` says whether its memory is."""

    def __init__(
        self,
        answer: Callable[[ModelRequest], Answer] | None = None,
        *,
        limits: SummaryLimits | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        super().__init__(answer or found, limits=limits, redactor=redactor)
        self.is_on = True

    def is_remembered(self, session_key: SessionKey) -> bool:
        assert session_key == self.chat.key
        return self.is_on

    def parts(self, supervisor: Supervisor) -> RememberingParts:
        return replace(super().parts(supervisor), facts=self.store, memories=self)

    async def said(self, *texts: str) -> None:
        for text in texts:
            await self.chat.turn(text)

    async def facts(self) -> list[str]:
        return sorted(fact.text for fact in await self.store.facts_for(HERS))

    @property
    def asked(self) -> list[str]:
        return [request.messages[0].text for request in self.model.requests]


def found(request: ModelRequest) -> str:
    assert request.system == EXTRACTOR
    return extracted_answer(request.messages[0].text)


def quoting(quote: str) -> str:
    proposal = {
        "message": 1,
        "topic": "environment",
        "key": "home city",
        "fact": "Lives in Lisbon.",
        "quote": quote,
        "about": "speaker",
        "confidence": 1,
    }
    return json.dumps({"facts": [proposal]})


async def test_a_burst_of_talk_is_read_in_one_call_two_minutes_after_it_began(
    supervisor: Supervisor,
) -> None:
    world = Reader()
    remembering = world.begin(supervisor)
    await world.said(LISBON, "My name is Ann.")
    remembering.wake()
    await world.rest()
    assert world.asked == []

    await world.pass_time(3)

    assert await world.facts() == ["Is called Ann.", "Lives in Lisbon."]
    (asked,) = world.asked
    assert "| I live in Lisbon." in asked
    assert "answer 1" not in asked
    (call,) = (call for call in world.store.calls if call.purpose == "facts")
    assert (call.session_key, call.person_key) == (world.chat.key, ANN.person_key)
    assert await world.store.next_due() is None


async def test_mem_4_neither_the_bots_words_nor_what_was_recalled_is_read(
    supervisor: Supervisor,
) -> None:
    world = Reader()
    remembering = world.begin(supervisor)
    await world.chat.turn("tell me", reply="I live in Lisbon.", rounds=(("search",),))
    remembering.wake()

    await world.pass_time(3)

    (asked,) = world.asked
    assert "| tell me" in asked
    assert "Lisbon" not in asked
    assert await world.facts() == []


async def test_the_next_call_knows_the_keys_and_a_new_value_ends_the_old_one(
    supervisor: Supervisor,
) -> None:
    world = Reader()
    remembering = world.begin(supervisor)
    for text in (LISBON, "I live in Porto."):
        await world.said(text)
        remembering.wake()
        await world.pass_time(3)

    assert "known keys" not in world.asked[0]
    assert "== known keys of speaker A ==\n| home city" in world.asked[1]
    assert await world.facts() == ["Lives in Porto."]
    (fact,) = await world.store.facts_for(HERS)
    history = await world.store.history_of(fact.id, HERS)
    assert [each.text for each in history] == ["Lives in Porto.", "Lives in Lisbon."]


async def test_a_quote_that_nobody_said_is_corrected_once_and_then_left_out(
    supervisor: Supervisor,
) -> None:
    answers = iter((quoting("I dwell in Lisbon"), quoting("I live in Lisbon")))
    world = Reader(lambda request: next(answers))
    await world.said(LISBON)
    world.begin(supervisor)
    await world.pass_time(3)
    assert await world.facts() == ["Lives in Lisbon."]
    assert len(world.asked) == 2
    assert "does not stand there" in world.model.requests[1].messages[-1].text

    stubborn = Reader(lambda request: quoting("I dwell in Lisbon"))
    await stubborn.said(LISBON)
    stubborn.begin(supervisor)
    await stubborn.pass_time(3)
    assert (await stubborn.facts(), len(stubborn.asked)) == ([], 2)
    assert await stubborn.store.next_due() is None


async def test_of_a_corrected_answer_what_can_be_believed_is_kept(supervisor: Supervisor) -> None:
    both = json.loads(quoting("I live in Lisbon"))["facts"] + json.loads(quoting("no"))["facts"]
    world = Reader(lambda request: json.dumps({"facts": both}))
    await world.said(LISBON)
    world.begin(supervisor)

    await world.pass_time(3)

    assert (await world.facts(), len(world.asked)) == (["Lives in Lisbon."], 2)


async def test_what_the_model_makes_nonsense_of_is_given_up_and_told(
    supervisor: Supervisor, caplog: pytest.LogCaptureFixture
) -> None:
    world = Reader(lambda request: "I would rather not.")
    await world.said(LISBON)
    world.begin(supervisor)

    await world.pass_time(3)

    assert len(world.asked) == 2
    (record,) = (each for each in caplog.records if each.message == "memory.facts_given_up")
    assert record.levelno == logging.WARNING
    assert getattr(record, "why", "") == "nonsense"
    assert await world.store.ask_to_read() == 0
    assert await world.store.next_due() is None


async def test_a_model_that_cannot_be_asked_is_asked_later(supervisor: Supervisor) -> None:
    world = Reader(lambda request: ModelOverloaded())
    await world.said(LISBON)
    world.begin(supervisor)
    await world.pass_time(2.5)
    assert await world.facts() == []
    assert world.store.reasons == ["ModelOverloaded"]

    world.answer = found
    await world.pass_time(10)

    assert await world.facts() == ["Lives in Lisbon."]
    assert await world.store.next_due() is None


async def test_a_failure_that_lasts_is_given_up_at_last(supervisor: Supervisor) -> None:
    world = Reader(lambda request: ModelRequestRefused())
    await world.said(LISBON)
    world.begin(supervisor)

    await world.pass_time(60 * 24 * 3)

    assert len(world.asked) == GIVEN_UP_AFTER
    assert await world.store.next_due() is None


async def test_what_is_too_long_is_read_in_smaller_parts(supervisor: Supervisor) -> None:
    def narrow(request: ModelRequest) -> Answer:
        text = request.messages[0].text
        return ContextTooLong() if text.count("== message") > 3 else extracted_answer(text)

    world = Reader(narrow)
    await world.said(LISBON, *("and so on" for _ in range(7)), "My name is Ann.")
    world.begin(supervisor)

    await world.pass_time(3)

    assert await world.facts() == ["Is called Ann.", "Lives in Lisbon."]
    assert await world.store.next_due() is None


async def test_a_request_fits_a_small_model(supervisor: Supervisor) -> None:
    world = Reader(limits=SummaryLimits(model="small", window_tokens=3_000))
    await world.said(LISBON + " Well, well." * 3_000)
    world.begin(supervisor)

    await world.pass_time(3)

    assert await world.facts() == ["Lives in Lisbon."]
    (asked,) = world.asked
    assert len(asked) // 4 < 3_000


async def test_of_a_chat_whose_memory_is_off_nothing_is_read_until_it_is_on_again(
    supervisor: Supervisor,
) -> None:
    world = Reader()
    await world.said(LISBON)
    world.is_on = False
    world.begin(supervisor)
    await world.pass_time(2 * OFF_MINUTES)
    assert (world.asked, await world.facts()) == ([], [])

    world.is_on = True
    await world.pass_time(OFF_MINUTES)
    assert await world.facts() == ["Lives in Lisbon."]
    assert await world.store.next_due() is None


async def test_nothing_is_kept_once_memory_was_switched_off_while_the_model_answered(
    supervisor: Supervisor,
) -> None:
    def found_too_late(request: ModelRequest) -> str:
        world.is_on = False
        return found(request)

    world = Reader(found_too_late)
    await world.said(LISBON)
    world.begin(supervisor)

    await world.pass_time(3)

    assert len(world.asked) == 1
    assert await world.facts() == []


async def test_a_turn_without_words_costs_nothing(supervisor: Supervisor) -> None:
    world = Reader()
    await world.said("> I live in Lisbon.\n\n(no text)")
    world.begin(supervisor)

    await world.pass_time(3)

    assert world.asked == []
    assert await world.store.next_due() is None


async def test_no_secret_that_the_model_puts_together_is_kept(supervisor: Supervisor) -> None:
    class Strict:
        def redact(self, text: str) -> str:
            return text.replace("Lisbon", "[redacted:place]")

    world = Reader(redactor=Strict())
    await world.said(LISBON, "My name is Ann.")
    world.begin(supervisor)

    await world.pass_time(3)

    assert await world.facts() == ["Is called Ann."]


async def test_what_an_earlier_process_left_is_read_by_the_next(supervisor: Supervisor) -> None:
    world = Reader()
    await world.said(LISBON)
    await world.chat.restart()
    await world.clock.advance(timedelta(hours=1).total_seconds())

    world.begin(supervisor)
    await world.rest()

    assert await world.facts() == ["Lives in Lisbon."]


async def test_what_was_told_is_confirmed_by_what_is_read(supervisor: Supervisor) -> None:
    world = Reader()
    told = NewFact(
        person_key=ANN.person_key,
        audience=PRIVATE,
        topic="environment",
        key="home city",
        text="Lives in Lisbon.",
        origin="told",
        confidence=1,
        at=world.clock.now() - timedelta(days=9),
    )
    ((kept, _),) = await world.store.keep_facts((told,))
    await world.said(LISBON)
    world.begin(supervisor)
    await world.pass_time(3)

    (fact,) = await world.store.facts_for(HERS)
    assert (fact.id, fact.origin, fact.valid_from) == (kept.id, "told", kept.valid_from)
    assert fact.confirmed_at > kept.confirmed_at
    assert fact.said_again == (TurnId(1),)
