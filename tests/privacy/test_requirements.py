"""Rows of the requirements that are about memory as a whole, through the running bot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.llm import ModelRequest
from bot.core.memory.facts import NewFact
from bot.core.messages import Text, Thinking, ToolCall
from bot.core.window.summary.extract import extractive_answer
from bot.testing.clock import START
from bot.testing.model import Answer, answer, calling
from bot.testing.planted import Room
from bot.testing.privacy_world import PrivacyWorld

HOME = Room(channel="loopback", account="bot", chat="1001", kind="private")
GROUP = replace(HOME, chat="-5", kind="group")
ANN, BOB = "1001", "2002"
DAY_S = 24 * 3_600.0


def make_up(request: ModelRequest) -> Answer:
    assert request.payer is not None
    if request.payer.purpose == "summary":
        return extractive_answer(request.messages[0].text)
    return '{"summary": "They talked.", "facts": []}'


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PrivacyWorld]:
    async with PrivacyWorld(tmp_path / "data", make_up) as running:
        yield running


async def told(world: PrivacyWorld, statement: str, key: str = "city", room: Room = HOME) -> str:
    """Have the agent keep a fact, and give what its tool said."""
    call = calling("remember", statement=statement, key=key, topic="environment", was_asked=True)
    await world.says(room, ANN, "Remember it.", call, "Noted.")
    return asked(world)


async def found(world: PrivacyWorld, query: str, room: Room = HOME) -> str:
    """Give what the agent finds when it searches memory in a new conversation."""
    await world.rest()
    thread = replace(room, thread=f"search {len(world.model.requests)}")
    await world.says(thread, ANN, "Look.", calling("memory_search", query=query), "Well.")
    return asked(world)


def asked(world: PrivacyWorld) -> str:
    """Give the last message of the newest request to the chat's model."""
    return repr(world.model.requests[-1].messages[-1])


def bytes_in(world: PrivacyWorld) -> bytes:
    return b"".join(each.read_bytes() for each in world.folder.rglob("*") if each.is_file())


async def test_mem_2_a_correction_counts_and_what_was_said_before_stays_with_its_end(
    world: PrivacyWorld,
) -> None:
    await told(world, "Lives in Lisbon.")
    await world.passes(DAY_S)
    acknowledged = await told(world, "Lives in Porto.")
    await world.says(HOME, ANN, "/memory")
    page = world.platforms["loopback"].posts[-1].text
    await world.says(HOME, ANN, "Look.", calling("memory_get", id="fact:2"), "Well.")

    assert "It takes the place of (2026-01-05)" in acknowledged
    assert "Lives in Lisbon." in acknowledged
    assert ("Porto" in page, "Lisbon" in page) == (True, False)
    assert "a fact that held until 2026-01-06" in asked(world)
    assert "Lives in Lisbon." in asked(world)


async def test_mem_5_values_of_two_chats_that_contradict_each_other_are_asked_about(
    world: PrivacyWorld,
) -> None:
    await told(world, "Lives in Lisbon.")
    await world.passes(60)
    await told(world, "Lives in Porto.", room=GROUP)
    await world.says(HOME, ANN, "Hello.")
    private = asked(world)
    await world.says(GROUP, ANN, "Hello.")
    in_group = asked(world)
    await world.says(HOME, ANN, "/context detail")

    assert ("Lisbon" in private, "Porto" in private) == (True, True)
    assert ("Lisbon" in in_group, "Porto" in in_group) == (False, True)
    assert "Only one of these can hold" in world.platforms["loopback"].posts[-1].text


@pytest.mark.parametrize(("days", "is_stale"), [(29, False), (30, False), (31, True)])
async def test_mem_6_a_fact_is_unverified_after_30_days(
    world: PrivacyWorld, days: int, is_stale: bool
) -> None:
    fact = NewFact(
        person_key=HOME.person(ANN).person_key,
        audience=HOME.audience,
        topic="environment",
        key="city",
        text="Lives in Lisbon.",
        origin="told",
        confidence=1.0,
        at=START - timedelta(days=days),
    )
    await world.store.keep_facts((fact,))
    await world.says(HOME, ANN, "Hello.")

    assert "Lives in Lisbon." in asked(world)
    assert is_stale == ("unverified since 2025-12-05" in asked(world))


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("The spare key lies below the blue pot.", "spare key"),
        ("Der Ersatzschlüssel liegt unter dem Topf.", "Ersatzschlüssel"),
        ("La clé de secours est sous le pot.", "clé secours"),
        ("备用钥匙在蓝色花盆下面。", "备用钥匙"),
        ("合鍵は青い植木鉢の下にあります。", "合鍵"),
        ("여분 열쇠는 화분 아래에 있어요.", "열쇠"),
        ("Запасной ключ лежит под горшком.", "запасной ключ"),
    ],
)
async def test_mem_8_search_answers_in_any_language(
    world: PrivacyWorld, said: str, query: str
) -> None:
    await world.says(HOME, ANN, said)
    for number in range(3):
        await world.says(HOME, ANN, f"Something else, {number}.")

    assert said in await found(world, query)


async def test_mem_8_a_date_and_a_person_in_the_question_count(world: PrivacyWorld) -> None:
    await world.says(GROUP, ANN, "The lighthouse is red.")
    await world.says(GROUP, BOB, "The lighthouse is white.")
    await world.passes(3 * DAY_S)
    await world.says(GROUP, ANN, "The lighthouse is green now.")

    by_person = await found(world, "What did Person 2002 say about the lighthouse?", GROUP)
    by_date = await found(world, "the lighthouse on 2026-01-08", GROUP)

    assert by_person.index("white") < by_person.index("red")
    assert by_date.index("green") < by_date.index("red")


async def test_prv_2_where_memory_is_off_nothing_is_kept_or_recalled(world: PrivacyWorld) -> None:
    await world.says(HOME, ANN, "The heron nests in the oak.")
    await world.passes(600)
    await world.says(HOME, ANN, "/memory off")
    await world.says(HOME, ANN, "The stork nests on the roof.")
    refused = await told(world, "Likes storks.")
    await world.passes(DAY_S)
    await world.says(replace(HOME, thread="other"), ANN, "Where do heron and stork nest?")
    recalled = asked(world)
    await world.says(HOME, ANN, "/memory on")
    again = await found(world, "heron stork nests")

    assert "Memory is switched off in this chat" in refused
    assert ("oak" in recalled, "roof" in recalled) == (False, False)
    assert ("oak" in again, "roof" in again) == (True, False)
    files = b"".join(path.read_bytes() for path in world.memory.rglob("*") if path.is_file())
    assert b"stork" not in files


async def test_prv_4_reasoning_is_dropped_and_no_copy_of_a_reply_stays_once_it_was_sent(
    world: PrivacyWorld,
) -> None:
    world.drawers["none"] = "Nothing."
    call = ToolCall(id="c1", name="open_drawer", arguments='{"name": "none"}')
    thought = Thinking(text="They may be a zoologist.", signature="none")
    reply = answer(thought, Text(text="The heron nests in the oak."))
    await world.says(HOME, ANN, "Think.", answer(thought, call), reply)
    await world.store.close()

    assert b"zoologist" not in bytes_in(world)
    assert 1 == (world.folder / "daybook.db").read_bytes().count(b"The heron nests in the oak.")


async def test_prv_4_talk_that_is_not_for_the_bot_is_kept_nowhere(world: PrivacyWorld) -> None:
    heard = world.message(GROUP, BOB, "The heron nests in the oak.")
    await world.happens(replace(heard, is_addressed=False, is_named=False))
    await world.passes(DAY_S)

    assert b"heron" not in bytes_in(world)
