"""What a person cleared away comes back by a search alone; what is switched off stays as it was."""

import json
from pathlib import Path

from bot.adapters.recall_files import RecallFiles
from bot.app import Store
from bot.config import Config
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.extract import extracted_answer, is_extraction_request
from bot.core.memory.extraction import UnreadTurn
from bot.core.memory.facts import NewFact
from bot.core.memory.jobs import MemoryJob
from bot.core.window.summary.extract import is_record_request
from bot.errors import ModelUnavailable
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import Answer, ScriptedModel
from bot.testing.plain_index import PlainIndex
from bot.testing.store import InMemoryStore
from tests.e2e.changing import changed
from tests.e2e.conftest import OpenStore, passes
from tests.e2e.test_openings import answering, opening_of

CONFIG = Config(access="open", plugins=("memory_tools", "clock"))
HERE = Audience(channel="loopback", account="bot", chat="1001", kind="private")
HOURS = 3_600


def tell(request: ModelRequest) -> Answer:
    """Record sessions of birds as such, and answer everything else in a word."""
    if not is_record_request(request.system):
        return "Noted." if request.tools else "{}"
    is_of_birds = "heron" in request.messages[0].text
    return json.dumps({"summary": "The herons of the pond." if is_of_birds else "Small talk."})


class Talk:
    """A dialogue with an index, files and a store."""

    def __init__(self, folder: Path, store: Store | None = None) -> None:
        self.model = ScriptedModel(tell)
        self.store = store or InMemoryStore()
        self.dialogue = Dialogue(
            self.model,
            config=CONFIG,
            store=self.store,
            memory_files=InMemoryFiles(),
            search_index=PlainIndex(),
            recalled_files=RecallFiles(folder / "memory", folder / "knowledge"),
        )

    def shown(self) -> str:
        """What the newest request to the chat's model says."""
        request = next(each for each in reversed(self.model.requests) if each.tools)
        return repr(request.messages)


async def test_ctx_17_the_record_of_what_was_cleared_is_found_by_a_search_alone(
    tmp_path: Path,
) -> None:
    talk = Talk(tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/context clear --yes")
        await passes(dialogue, 9 * HOURS)
        await settle()
        await dialogue.says("herons")
        recalled = talk.shown()
        (found,) = await dialogue.says("/memory search herons")

    assert "herons of the pond" not in recalled
    assert "herons of the pond" in found


async def test_ctx_17_a_session_after_a_clear_opens_with_nothing_of_before(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/context clear --yes", "/new")
        await passes(dialogue, 5)
        await dialogue.says("Good morning")
        at_once = opening_of(talk.model)
        await dialogue.says("A nice day", "/new")
        await passes(dialogue, 5)
        await dialogue.says("And again")

    assert "" == at_once
    assert "Small talk." in opening_of(talk.model)


async def test_ctx_17_what_was_cleared_is_not_told_without_a_record_either() -> None:
    model = ScriptedModel(answering(ModelUnavailable("down")))
    config = Config(access="open", plugins=("clock",))
    async with Dialogue(model, config=config, memory_files=InMemoryFiles()) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/context clear --yes")
        await dialogue.says("Hello there", "A nice day", "/new", "Good morning")

    assert "begun with “Hello there”" in opening_of(model)
    assert "heron" not in opening_of(model)


async def test_a_session_with_nothing_to_open_with_is_no_clear(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says("My locker word is bluebird.", "/new")
        await settle()
        await dialogue.says("locker word")

    assert "bluebird" in talk.shown()


async def test_a_long_session_is_told_by_its_newest_turns() -> None:
    model = ScriptedModel(answering(ModelUnavailable("down")))
    config = Config(access="open", plugins=("clock",))
    async with Dialogue(model, config=config, memory_files=InMemoryFiles()) as dialogue:
        for number in range(103):
            await dialogue.says(f"Topic number {number} please")
        await dialogue.says("/new", "Good morning")

    assert "begun with “Topic number 3 please”" in opening_of(model)


async def test_a_record_that_an_edit_took_away_while_memory_was_off_comes_back(
    open_store: OpenStore, tmp_path: Path
) -> None:
    store = open_store()
    talk = Talk(tmp_path, store)
    viewer = Viewer(audience=HERE, person_key=talk.dialogue.channel.message("").sender.person_key)
    async with talk.dialogue as dialogue:
        post = dialogue.channel.message("Count the hrons", user="1001", chat="1001")
        await dialogue.together(post)
        await dialogue.says("Now the storks", "/new")
        await passes(dialogue, 1)
        assert len(await store.last_episodes(viewer, limit=5)) == 1

        await dialogue.says("/memory off")
        await dialogue.together(changed(post, "Count the herons"))
        await passes(dialogue, 12 * HOURS)
        assert await store.last_episodes(viewer, limit=5) == ()
        await dialogue.says("/memory on")
        await passes(dialogue, 12 * HOURS)
        (episode,) = await store.last_episodes(viewer, limit=5)

    assert "The herons of the pond." == episode.account.summary


async def test_no_fact_is_added_after_it_was_said_that_none_is() -> None:
    def answer(request: ModelRequest) -> Answer:
        if is_extraction_request(request.system):
            return extracted_answer(request.messages[0].text)
        return "Noted." if request.tools else "{}"

    class SlowStore(InMemoryStore):
        async def land_facts(
            self, job: MemoryJob, read: tuple[UnreadTurn, ...], new: tuple[NewFact, ...]
        ) -> None:
            if new:
                await dialogue.says("/memory off")
            await super().land_facts(job, read, new)

    store = SlowStore()
    dialogue = Dialogue(
        ScriptedModel(answer), config=CONFIG, store=store, memory_files=InMemoryFiles()
    )
    async with dialogue:
        sender = dialogue.channel.message("").sender
        await dialogue.says("My name is Ada Lovelace. I live in Lisbon.")
        await passes(dialogue, 200)
        kept = await store.facts_for(Viewer(audience=HERE, person_key=sender.person_key))

    assert () == kept
