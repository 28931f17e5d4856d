"""People have things forgotten, and chats kept off the record, by word of mouth."""

import asyncio
import re
from pathlib import Path

from bot.adapters.memory_files import MarkdownMemoryFiles
from bot.adapters.store.sqlite_store import SqliteStore
from bot.config import Config
from bot.core.chat import ChatAddress
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.forgetting import ReceiptPlace
from bot.core.memory.pieces import turn_ref
from bot.core.turns import TurnId
from bot.testing.clock import START, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.runtime.forgetting_given import MARK, counts

SETTINGS = Config(access="open", plugins=())
KEY = LoopbackChannel().message("x").address.session_key


def open_store(folder: Path) -> SqliteStore:
    return SqliteStore.open(folder / "daybook.db", inline=True)


def token_in(proposal: str) -> str:
    found = re.search(r"/memory forget ([0-9a-f]{8})", proposal)
    assert found is not None, proposal
    return found[1]


async def receipt_in(dialogue: Dialogue) -> str:
    """Wait until somebody is told what was forgotten: files are written in threads."""
    told = (text for text in dialogue.channel.texts("1001") if text.startswith("**Forgotten"))
    while (receipt := next(told, "")) == "":
        await asyncio.to_thread(lambda: None)
        await settle()
        told = (text for text in dialogue.channel.texts("1001") if text.startswith("**Forgotten"))
    return receipt


async def test_mem_2_a_person_has_something_forgotten_and_is_told(tmp_path: Path) -> None:
    """The model is never shown it again, and no byte of it is left; the rest goes on."""
    store = open_store(tmp_path)
    model = ScriptedModel([f"So {MARK}.", "Hello to you.", "What heron?"])
    files = MarkdownMemoryFiles(tmp_path / "memory")
    async with Dialogue(model, config=SETTINGS, store=store, memory_files=files) as dialogue:
        await dialogue.says(f"Know that {MARK}.", "Hello!")
        (proposal,) = await dialogue.says("/memory forget violet heron")
        before = await store.turns_between(KEY, 0, 99)
        await dialogue.says(f"/memory forget {token_in(proposal)}")
        receipt = await receipt_in(dialogue)
        await dialogue.says("What did I say of a bird?")
    after = await store.turns_between(KEY, 0, 99)
    await store.close()

    assert "1 turn" in proposal
    assert 2 == len(before)
    assert "**Forgotten:** 1 turn" in receipt
    assert MARK not in repr(model.requests[-1].messages)
    assert "Hello!" in repr(model.requests[-1].messages)
    assert [turn.id for turn in before] == [turn.id for turn in after[:2]]
    assert {} == counts(tmp_path, MARK)


async def test_what_is_said_off_the_record_is_in_the_chat_and_nowhere_else(
    tmp_path: Path,
) -> None:
    """Also once memory is on again; what was said before and afterwards is remembered."""
    store = open_store(tmp_path)
    model = ScriptedModel(["Noted."] * 4)
    async with Dialogue(model, config=SETTINGS, store=store) as dialogue:
        await dialogue.says("First.")
        (off,) = await dialogue.says("/memory off")
        await dialogue.says(f"Off the record: {MARK}.")
        (on,) = await dialogue.says("/memory on")
        await dialogue.says("Third.")
        pieces = [await store.pieces_of((turn_ref(TurnId(number)),)) for number in (1, 2, 3)]
        unrecorded = await store.unrecorded(KEY, through=99, limit=9)
    await store.close()

    assert "off" in off
    assert "on" in on
    assert MARK in repr(model.requests[-1].messages)
    assert [True, False, True] == [bool(each) for each in pieces]
    assert [1] == [turn.id for turn in unrecorded.turns]  # a run, that another one follows


async def test_a_wish_outlasts_the_process_that_heard_it(tmp_path: Path) -> None:
    """What was confirmed is done by the next process, which tells of it."""
    store = open_store(tmp_path)
    model = ScriptedModel([f"So {MARK}."])
    async with Dialogue(model, config=SETTINGS, store=store) as dialogue:
        await dialogue.says(f"Know that {MARK}.")
        (proposal,) = await dialogue.says("/memory forget all")
    person = dialogue.channel.message("x").sender.person_key
    viewer = Viewer(audience=audience_of(KEY, "private"), person_key=person)
    place = ReceiptPlace(address=ChatAddress.from_session_key(KEY))
    assert await store.confirm_forgetting(token_in(proposal), viewer, place, at=START)
    await store.close()

    store = open_store(tmp_path)
    async with Dialogue(ScriptedModel(), config=SETTINGS, store=store) as dialogue:
        receipt = await receipt_in(dialogue)
    await store.close()

    assert "**Forgotten:** 1 turn" in receipt
    assert {} == counts(tmp_path, MARK)
