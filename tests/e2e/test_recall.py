"""What is recalled and by whom, through the whole application: commands, tools, the index."""

from pathlib import Path

from bot.adapters.recall_files import RecallFiles
from bot.config import Config
from bot.core.chat import SessionKey
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.items import Hit, ItemKind
from bot.core.memory.question import Question
from bot.core.messages import Text
from bot.errors import SearchUnavailable
from bot.runtime import notices
from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.model import ScriptedModel, answer, calling
from bot.testing.plain_index import PlainIndex
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore

CONFIG = Config(access="open", plugins=("memory_tools",))
KEYS = "The spare keys lie below the pot."


class Talk:
    """A dialogue with an index and a model whose answers do not matter."""

    def __init__(
        self,
        store: InMemoryStore,
        folder: Path,
        model: ScriptedModel | None = None,
        index: PlainIndex | None = None,
    ) -> None:
        self.model = model or ScriptedModel(lambda request: "Yes.")
        self.index = index or PlainIndex()
        self.dialogue = Dialogue(
            self.model,
            config=CONFIG,
            store=store,
            search_index=self.index,
            recalled_files=RecallFiles(folder / "memory", folder / "knowledge"),
        )

    def shown(self) -> str:
        """What the newest request says, its last block."""
        block = self.model.requests[-1].messages[-1].blocks[-1]
        assert isinstance(block, Text)
        return block.text


async def test_what_is_no_longer_shown_is_recalled_by_who_may_and_by_nobody_else(
    tmp_path: Path,
) -> None:
    talk = Talk(InMemoryStore(), tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says("Good morning.", KEYS, "Something else.", "/new")
        await settle()
        await dialogue.says("keys", chat="2002", user="2002")
        elsewhere = talk.shown()
        await dialogue.says("keys")

    assert KEYS in talk.shown()
    assert KEYS not in elsewhere


async def test_mem_8_a_broken_index_is_told_once_below_the_answer(tmp_path: Path) -> None:
    talk = Talk(InMemoryStore(), tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says(KEYS)
        talk.index.trouble = "the file is locked"
        answers = await dialogue.says("keys", "keys again")
        other = await dialogue.says("keys", chat="2002", user="2002")

    assert [f"Yes.\n\n{notices.WITHOUT_MEMORY}", "Yes."] == answers
    assert [f"Yes.\n\n{notices.WITHOUT_MEMORY}"] == other


async def test_mem_8_what_works_in_another_chat_has_nobody_told_again(tmp_path: Path) -> None:
    class HalfBroken(PlainIndex):
        async def search(
            self,
            question: Question,
            viewer: Viewer,
            *,
            limit: int,
            kinds: frozenset[ItemKind] = frozenset(),
        ) -> tuple[Hit, ...]:
            if viewer.audience.chat == "1001":
                raise SearchUnavailable("a file of this chat cannot be read")
            return await super().search(question, viewer, limit=limit, kinds=kinds)

    talk = Talk(InMemoryStore(), tmp_path, index=HalfBroken())
    async with talk.dialogue as dialogue:
        answers: list[str] = []
        for _ in range(3):
            answers += await dialogue.says("keys again")
            await dialogue.says("keys", chat="2002", user="2002")

    assert [True, False, False] == [notices.WITHOUT_MEMORY in each for each in answers]


async def test_where_memory_is_off_nothing_is_recalled(tmp_path: Path) -> None:
    talk = Talk(InMemoryStore(), tmp_path)
    async with talk.dialogue as dialogue:
        await dialogue.says(KEYS, "Something else.", "/memory off", "keys")

    assert KEYS not in talk.shown()
    assert "Memory is switched off in this chat" in talk.model.requests[-1].system


async def test_mem_5_a_fact_that_changes_is_kept_with_what_it_was(
    open_store: OpenStore, tmp_path: Path
) -> None:
    def remember(words: str) -> tuple[object, ...]:
        call = calling(
            "remember", statement=words, key="home city", topic="environment", was_asked=True
        )
        return call, "Noted."

    script = (*remember("Lives in Lisbon."), *remember("Lives in Porto."), "Hello.")
    model = ScriptedModel(script)  # type: ignore[arg-type]  # answers of two kinds
    store = open_store()
    talk = Talk(store, tmp_path, model)  # type: ignore[arg-type]  # either store
    async with talk.dialogue as dialogue:
        await dialogue.says("I live in Lisbon.", "I moved to Porto.")
        told = str(talk.model.requests[-1].messages[-1])
        await dialogue.says("Hello")
        viewer = viewer_of(
            SessionKey("loopback:bot:1001:"),
            "private",
            dialogue.channel.message("").sender.person_key,
        )
        facts = await store.facts_for(viewer)

    assert "It takes the place of (2026-01-05): home city: Lives in Lisbon." in told
    assert "| home city: Lives in Porto." in talk.shown()
    assert "Lisbon" not in talk.shown()
    assert ["Lives in Porto."] == [fact.text for fact in facts]


async def test_the_agent_proposes_to_forget_and_the_person_does_it(tmp_path: Path) -> None:
    model = ScriptedModel(
        ["Yes.", calling("forget", what="spare keys"), answer(Text(text="Shall I?"))]
    )
    talk = Talk(InMemoryStore(), tmp_path, model)
    async with talk.dialogue as dialogue:
        await dialogue.says(KEYS)
        await dialogue.says("Forget where they are.")
        result = str(talk.model.requests[-1].messages[-1])

    assert "Nothing is forgotten yet. This would go:\\nForget " in result
    assert "confirm it themselves" in result
    assert KEYS not in result
