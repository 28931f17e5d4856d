"""The model's tools for memory: what they find, keep and propose, and for whom."""

from dataclasses import replace
from datetime import timedelta

import pytest

import plugins.memory_tools
from bot.core.chat import ChatKind, PersonKey, Sender, SessionKey
from bot.core.memory.audience import GLOBAL, Audience, Origin, viewer_of
from bot.core.memory.facts import Fact
from bot.core.memory.items import ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.messages import ToolResult
from bot.errors import StoreUnreadable
from bot.runtime.memory_records import NEVER_KEPT, NOT_UNASKED, OFF, UNREADABLE
from bot.testing.clock import START
from bot.testing.plugins import SECRET, TOOL_CONTEXT, PluginBench, PluginContract
from bot.testing.recalling import PROPOSED
from plugins.memory_tools import RECORDS

ADA = TOOL_CONTEXT.sender
BEN = Sender(channel="console", user_id="ben7", name="Ben")
HERE = Audience(channel="console", account="local", chat="terminal", kind="private")
GROUP = Audience(channel="console", account="local", chat="-7", kind="group")
ELSEWHERE = Audience(channel="console", account="local", chat="other", kind="private")


class TestMemoryToolsContract(PluginContract):
    plugin = plugins.memory_tools


class Bench(PluginBench):
    def __init__(self, *pieces: MemoryItem) -> None:
        super().__init__(plugins.memory_tools)
        self.memory.pieces.pieces = pieces

    def moves_to_group(self, *speakers: Sender) -> None:
        self.context = replace(
            TOOL_CONTEXT,
            session_key=SessionKey("console:local:-7:"),
            kind="group",
            sender=speakers[-1],
            speakers=speakers,
        )

    async def remember(self, statement: str = "Lives in Lisbon.", **others: object) -> ToolResult:
        arguments: dict[str, object] = {
            "statement": statement,
            "key": "home city",
            "topic": "other",
            "was_asked": True,
        }
        return await self.call("remember", arguments | others)

    async def facts(
        self, who: Sender = ADA, chat: str = "terminal", kind: ChatKind = "private"
    ) -> tuple[Fact, ...]:
        key = SessionKey(f"console:local:{chat}:")
        return await self.store.facts_for(viewer_of(key, kind, who.person_key))


def piece(
    text: str,
    item_id: str = "turn:3#0",
    *,
    kind: ItemKind = "turn",
    audience: Audience | None = HERE,
    said_by: PersonKey = ADA.person_key,
    speaker: str = "Ada",
) -> MemoryItem:
    return MemoryItem(
        id=ItemId(item_id),
        ref=ItemRef(item_id.partition("#")[0]),
        kind=kind,
        text=text,
        origin=GLOBAL if audience is None else Origin(audience=audience, said_by=said_by),
        moment=START - timedelta(days=400),
        speaker=speaker,
    )


KEYS = piece("The spare keys lie below the pot.")
OF_OTHERS = piece("The keys of the safe are mine.", "turn:4#0", audience=ELSEWHERE)


async def test_hits_have_date_source_score_and_id_however_old_and_irrelevant_they_are() -> None:
    bench = Bench(KEYS)

    result = await bench.call("memory_search", {"query": "Where do I keep keys for my bicycle"})

    assert result.content.splitlines() == [
        RECORDS,
        "- turn:3#0, 2024-12-01, said by Ada, score 0.12:",
        "| The spare keys lie below the pot.",
    ]


async def test_mem_9_what_is_not_for_this_chat_is_neither_found_nor_given() -> None:
    bench = Bench(KEYS, OF_OTHERS)

    found = await bench.call("memory_search", {"query": "keys"})
    got = await bench.call("memory_get", {"id": "turn:4#0"})

    assert "safe" not in found.content
    assert got.is_error
    assert "There is no such memory, or it is not for this chat." in got.content


async def test_a_search_can_be_of_some_kinds_and_of_a_person() -> None:
    bench = Bench(
        KEYS,
        piece("Keys are kept at home.", "knowledge:a.md#keys", kind="knowledge", audience=None,
              speaker=""),
        piece("My keys are lost.", "turn:5#0", speaker="Ben"),
    )  # fmt: skip

    of_kind = await bench.call("memory_search", {"query": "keys", "kinds": ["knowledge"]})
    of_ben = await bench.call("memory_search", {"query": "keys", "person": "ben"})

    assert ["knowledge:a.md#keys"] == ids(of_kind)
    assert ["turn:5#0"] == ids(of_ben)


def ids(result: ToolResult) -> list[str]:
    heads = (line for line in result.content.splitlines() if line.startswith("- "))
    return [head.removeprefix("- ").partition(",")[0] for head in heads]


async def test_a_search_that_finds_nothing_or_fails_says_so() -> None:
    bench = Bench(KEYS)

    nothing = await bench.call("memory_search", {"query": "bicycle"})
    no_word = await bench.call("memory_search", {"query": " ?"})
    bench.memory.pieces.trouble = "broken"
    broken = await bench.call("memory_search", {"query": "keys"})

    assert "Nothing was found" in nothing.content
    assert no_word.is_error
    assert "out of order" in broken.content


async def test_a_piece_gives_its_whole_turn_and_the_section_of_its_file() -> None:
    day = "file:console.local.terminal/2026-01-04.md"
    bench = Bench(
        KEYS,
        piece("They are wet.", "turn:3#0.1"),
        piece("I see.", "turn:3#reply", speaker=""),
        piece("Keys moved.", f"{day}#turn-3", kind="day"),
        piece("And more.", f"{day}#turn-3.1", kind="day"),
        piece("Another.", f"{day}#turn-31", kind="day"),
    )

    turn = await bench.call("memory_get", {"id": "turn:3#reply"})
    section = await bench.call("memory_get", {"id": f"{day}#turn-3.1"})
    whole = await bench.call("memory_get", {"id": day})

    assert ["turn:3#0", "turn:3#0.1", "turn:3#reply"] == ids(turn)
    assert [f"{day}#turn-3", f"{day}#turn-3.1"] == ids(section)
    assert 3 == len(ids(whole))


async def test_a_fact_comes_with_its_former_values() -> None:
    bench = Bench(piece("Lives in Porto.", "fact:2", kind="fact"))
    await bench.remember()
    await bench.clock.advance(86_400)
    await bench.remember("Lives in Porto.")

    result = await bench.call("memory_get", {"id": "fact:2"})

    assert ["fact:2", "fact:1"] == ids(result)
    assert result.content == (await bench.call("memory_get", {"id": "f2"})).content
    assert "a fact that held until 2026-01-06" in result.content


async def test_mem_5_what_a_new_value_took_the_place_of_is_told_to_be_acknowledged() -> None:
    bench = Bench()
    first = await bench.remember()
    await bench.clock.advance(86_400)

    again = await bench.remember("lives in  Lisbon")
    second = await bench.remember("Lives in Porto.", key="my Home City")

    assert "Remembered as f1: home city: Lives in Lisbon." == first.content
    assert again.content.startswith("That was known as f1")
    assert second.content.startswith("Remembered as f2: home city: Lives in Porto.\n")
    assert "It takes the place of (2026-01-06): home city: Lives in Lisbon." in second.content
    (fact,) = await bench.facts()
    assert ("Lives in Porto.", "told", TOOL_CONTEXT.turn_id) == (
        fact.text,
        fact.origin,
        fact.turn_id,
    )


async def test_mem_4_what_was_not_asked_for_has_to_be_of_the_kinds_that_are_remembered() -> None:
    bench = Bench()

    passing = await bench.remember("Is hungry today.", topic="preference", was_asked=False)
    other = await bench.remember(was_asked=False)
    sensitive = await bench.remember("Has diabetes.", topic="preference", was_asked=False)
    taste = await bench.remember("Prefers tea.", key="drink", topic="preference", was_asked=False)

    assert [NOT_UNASKED] * 3 == [each.content for each in (passing, other, sensitive)]
    assert not taste.is_error
    assert ["Prefers tea."] == [fact.text for fact in await bench.facts()]


async def test_what_somebody_asks_for_may_be_anything_but_a_secret() -> None:
    bench = Bench()

    asked = await bench.remember("Has diabetes.", key="health")
    secret = await bench.remember(f"The word is {SECRET}.", key="word")
    in_key = await bench.remember("It is that.", key=SECRET)

    assert not asked.is_error
    assert [NEVER_KEPT] * 2 == [secret.content, in_key.content]
    assert ["Has diabetes."] == [fact.text for fact in await bench.facts()]


@pytest.mark.parametrize("arguments", [{"statement": " \n"}, {"key": " the "}])
async def test_a_statement_needs_words_and_a_key(arguments: dict[str, str]) -> None:
    assert (await Bench().remember(**arguments)).is_error


async def test_mem_9_in_a_group_a_fact_is_of_the_group_and_about_who_is_named() -> None:
    bench = Bench()
    bench.moves_to_group(BEN, ADA)

    unnamed = await bench.remember()
    named = await bench.remember(said_by="Ben#ben7")

    assert unnamed.content.endswith("as one of: Ben#ben7, Ada#local.")
    assert not named.is_error
    assert () == await bench.facts()
    (fact,) = await bench.facts(ADA, "-7", "group")
    assert (BEN.person_key, GROUP) == (fact.person_key, fact.audience)


async def test_in_a_group_who_alone_wrote_needs_no_name() -> None:
    bench = Bench()
    bench.moves_to_group(BEN)

    await bench.remember(said_by="somebody else")

    (fact,) = await bench.facts(BEN, "-7", "group")
    assert BEN.person_key == fact.person_key


async def test_forgetting_is_proposed_and_has_to_be_confirmed_by_the_person() -> None:
    bench = Bench()
    await bench.remember()

    result = await bench.call("forget", {"what": "Lisbon"})

    assert result.content.startswith("Nothing is forgotten yet. This would go:\n1 turn: Lisbon\n")
    assert result.content.endswith(f"by writing /memory forget {PROPOSED}")
    assert 1 == len(await bench.facts())


async def test_where_memory_is_off_nothing_is_found_given_or_kept() -> None:
    bench = Bench(KEYS)
    bench.memory.switch.is_on = False

    results = [
        await bench.call("memory_search", {"query": "keys"}),
        await bench.call("memory_get", {"id": "turn:3"}),
        await bench.remember(),
    ]

    assert [(OFF, True)] * 3 == [(each.content, each.is_error) for each in results]
    assert () == await bench.facts()


async def test_memory_that_cannot_be_read_is_a_word_to_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(KEYS)

    async def fail(*_: object, **__: object) -> tuple[()]:
        raise StoreUnreadable("damaged")

    monkeypatch.setattr(bench.store, "keep_facts", fail)
    monkeypatch.setattr(type(bench.memory.pieces), "recallable", fail)

    got = await bench.call("memory_get", {"id": "turn:3"})
    kept = await bench.remember()

    assert UNREADABLE == got.content
    assert "It could not be kept" in kept.content
