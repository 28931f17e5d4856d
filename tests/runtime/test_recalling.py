"""What memory gives for a turn: once, the same while it runs, kept nowhere, never in the way."""

import json
import logging

import pytest

from bot.core.chat import Sender
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Audience, Origin
from bot.core.memory.facts import FactId, NewFact
from bot.core.memory.items import ItemId, ItemRef, MemoryItem
from bot.core.memory.opening import KnownFact, Opening
from bot.core.messages import Text
from bot.errors import StoreLost, StoreUnreadable
from bot.runtime import notices
from bot.runtime.commands.context_memory import memory_data, memory_list
from bot.runtime.context.recalling import CONDUCT, CONDUCT_OFF
from bot.testing.chat_run import ADDRESS, ANN, ChatRun
from bot.testing.clock import START
from bot.testing.recalling import KeptPieces
from bot.testing.store import InMemoryStore

HERE = Audience(channel="loopback", account="bot", chat="1", kind="private")
KEYS = "The spare keys lie below the third pot."
ASKED = "Where do the spare keys lie?"


def piece(text: str = KEYS, *, said_by: Sender = ANN, number: int = 900) -> MemoryItem:
    return MemoryItem(
        id=ItemId(f"turn:{number}#0"),
        ref=ItemRef(f"turn:{number}"),
        kind="turn",
        text=text,
        origin=Origin(audience=HERE, said_by=said_by.person_key),
        moment=START,
        speaker="Ann",
        session_key=ADDRESS.session_key,
        first=number,
        through=number,
    )


def remembering(*pieces: MemoryItem) -> ChatRun:
    return ChatRun(pieces=KeptPieces(pieces=pieces, score=lambda text, item: 0.95))


async def knows(chat: ChatRun, text: str) -> None:
    fact = NewFact(
        person_key=ANN.person_key,
        audience=HERE,
        topic="preference",
        key="drink",
        text=text,
        origin="told",
        confidence=1.0,
        at=chat.clock.now(),
    )
    await chat.store.keep_facts((fact,))


def last_block(request: ModelRequest) -> str:
    """The last block of the newest request that a person made: behind it stand rounds alone."""
    asked = [each for each in request.messages if any(isinstance(b, Text) for b in each.blocks)]
    block = [each for each in asked if each.role == "user"][-1].blocks[-1]
    assert isinstance(block, Text)
    return block.text


async def test_asm_5_what_is_recalled_stands_in_the_last_block_of_the_request() -> None:
    chat = remembering(piece())
    await knows(chat, "Drinks green tea.")

    block = last_block(await chat.turn(ASKED))

    assert block.startswith("[For this message only: It is Monday")
    assert f"| {KEYS}" in block
    assert "| Drinks green tea." in block
    assert [ASKED] == chat.memory.pieces.asked


async def test_asm_5_it_is_the_same_in_every_request_of_a_turn() -> None:
    chat = remembering(piece())
    claim, context = await chat.open(ASKED)
    first = await context.request(claim.turn, may_use_tools=True)
    await knows(chat, "Drinks green tea.")
    chat.memory.pieces.pieces = ()

    second = await context.request(claim.turn, may_use_tools=True)

    assert first.messages == second.messages
    assert KEYS in last_block(second)


async def test_asm_5_it_is_stored_nowhere_and_not_shown_with_the_next_message() -> None:
    chat = remembering(piece())
    await chat.turn(ASKED)
    chat.memory.pieces.pieces = ()

    request = await chat.turn("And the bicycle?")

    assert KEYS not in str(request.messages)
    assert KEYS not in str(await chat.store.load(chat.key))


async def test_turns_that_the_window_shows_are_not_recalled() -> None:
    chat = remembering(piece(number=1))
    await chat.turn(KEYS)

    assert KEYS not in last_block(await chat.turn(ASKED))


async def test_what_was_cleared_away_is_not_recalled_by_itself() -> None:
    chat = remembering(piece(number=1))
    await chat.turn(KEYS)
    await chat.steering().clear()

    assert KEYS not in str((await chat.turn(ASKED)).messages)


@pytest.mark.parametrize(
    "begun", [None, Opening(facts=(KnownFact(id=FactId(1), text="Likes tea."),))]
)
async def test_what_a_new_session_leaves_behind_is_recalled_but_for_what_was_cleared_before(
    begun: Opening | None,
) -> None:
    chat = remembering(piece(number=1), piece("The bicycle keys are lost.", number=2))
    await chat.turn(KEYS)
    await chat.steering().clear()
    await chat.turn("The bicycle keys are lost.")
    await chat.steering().begin_session(begun)

    block = last_block(await chat.turn("Which keys?"))

    assert "bicycle" in block
    assert KEYS not in block


async def test_the_model_is_told_how_to_treat_memory_where_there_is_one() -> None:
    with_memory, without = remembering(), ChatRun()

    assert (await with_memory.turn()).system.endswith(CONDUCT)
    assert CONDUCT not in (await without.turn()).system


async def test_where_memory_is_off_nothing_is_recalled_and_the_model_knows_it() -> None:
    chat = remembering(piece())
    await knows(chat, "Drinks green tea.")
    chat.memory.switch.is_on = False

    request = await chat.turn(ASKED)

    assert request.system.endswith(CONDUCT_OFF)
    assert not any(each in str(request.messages) for each in (KEYS, "green tea"))
    assert [] == chat.memory.pieces.asked


async def test_without_a_word_nothing_is_searched_for() -> None:
    chat = remembering(piece())

    await chat.turn("?!")

    assert [] == chat.memory.pieces.asked


async def missing(chat: ChatRun, text: str = ASKED) -> tuple[str, ...]:
    claim, context = await chat.open(text)
    await chat.end(claim.turn)
    return context.missing


async def test_mem_8_a_search_that_fails_is_told_once_until_it_works_again() -> None:
    chat = remembering(piece())
    chat.memory.pieces.trouble = "broken"

    told = [await missing(chat), await missing(chat)]
    chat.memory.pieces.trouble = ""
    told.append(await missing(chat))
    chat.memory.pieces.trouble = "broken again"
    told.append(await missing(chat))

    once = (notices.WITHOUT_MEMORY,)
    assert [once, (), (), once] == told


async def test_mem_8_a_message_for_which_nothing_is_searched_ends_no_outage() -> None:
    chat = remembering(piece())
    chat.memory.pieces.trouble = "broken"

    told = [await missing(chat), await missing(chat, "!"), await missing(chat)]

    assert [(notices.WITHOUT_MEMORY,), (), ()] == told


class Forgetful(InMemoryStore):
    """A store that cannot read facts, or conversations."""

    fails_with: StoreUnreadable | StoreLost | None = None
    has_facts = True

    async def facts_for(self, viewer):  # type: ignore[no-untyped-def]  # as the store's
        if not self.has_facts:
            raise StoreUnreadable("the facts are damaged")
        return await super().facts_for(viewer)

    async def load(self, session_key):  # type: ignore[no-untyped-def]  # likewise
        if self.fails_with is not None:
            raise self.fails_with
        return await super().load(session_key)


async def test_mem_8_without_facts_the_rest_is_recalled_and_it_is_told() -> None:
    store = Forgetful()
    store.has_facts = False
    chat = ChatRun(store, pieces=KeptPieces(pieces=(piece(),), score=lambda *_: 0.95))

    claim, context = await chat.open(ASKED)
    request = await context.request(claim.turn, may_use_tools=True)

    assert (notices.WITHOUT_MEMORY,) == context.missing
    assert KEYS in last_block(request)


async def test_mem_8_a_history_that_cannot_be_read_leaves_the_message_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store = Forgetful()
    chat = ChatRun(store, pieces=KeptPieces(pieces=(piece(),), score=lambda *_: 0.95))
    await chat.turn("an old question")
    chat.idle()
    store.fails_with = StoreUnreadable("turn 1 is damaged")

    with caplog.at_level(logging.WARNING):
        claim, context = await chat.open(ASKED)
    request = await context.request(claim.turn, may_use_tools=True)
    await chat.end(claim.turn)

    assert ["context.history_unreadable"] == [record.message for record in caplog.records]
    assert (notices.WITHOUT_HISTORY,) == context.missing
    assert ASKED in str(request.messages)
    assert "an old question" not in str(request.messages)
    assert request.system.startswith("Be kind.")
    store.fails_with = None
    assert "an old question" in str((await chat.turn("and now?")).messages)


async def test_a_lost_store_is_not_gone_on_without() -> None:
    store = Forgetful()
    chat = ChatRun(store)
    store.fails_with = StoreLost("it is gone")

    with pytest.raises(StoreLost):
        await chat.open(ASKED)


async def test_context_detail_says_why_each_memory_is_there() -> None:
    chat = remembering(piece())
    await knows(chat, "Drinks `green` tea.")
    await chat.turn(ASKED)

    view = await chat.steering().view()

    facts, recalled = view.facts_tokens, view.recalled_tokens
    assert facts > 0 < recalled
    assert memory_list(view).splitlines() == [
        f"**Remembered for the newest message**, about {facts} tokens of facts and {recalled} of "
        "what was found",
        "",
        "- `f1` `Drinks 'green' tea.`: 2026-01-05, a fact; always told; a preference that is "
        "remembered of who writes",
        f"- `turn:900#0` `{KEYS}`: 2026-01-05, said by Ann; word for word, relevance 0.95; words "
        "in common",
    ]
    data = memory_data(view)
    assert data is not None
    assert json.loads(json.dumps(data))["pieces"][1]["band"] == "verbatim"


async def test_context_detail_shows_no_memory_after_the_chat_was_changed() -> None:
    """Something may have been forgotten: what stood in memory alone goes with it."""
    chat = remembering(piece())
    await chat.turn(ASKED)
    chat.manager.forget()

    view = await chat.steering().view()

    assert view.memory is None
    assert "" == memory_list(view)
    assert memory_data(view) is None


async def test_mem_8_nothing_found_in_an_index_that_is_being_made_is_told_once() -> None:
    """What was found is worth no notice: it may be all there is."""
    chat = remembering(piece())
    chat.memory.pieces.is_being_made = True

    told = [await missing(chat)]
    chat.memory.pieces.pieces = ()
    told += [await missing(chat), await missing(chat)]
    chat.memory.pieces.is_being_made = False
    told.append(await missing(chat))

    assert [(), (notices.WITHOUT_MEMORY,), (), ()] == told
