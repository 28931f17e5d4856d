"""From a fact that is told to MEMORY.md, and on with a person who writes there too."""

from datetime import timedelta

from bot.config import Config
from bot.core.chat import PersonKey
from bot.core.memory.audience import audience_of
from bot.core.memory.facts import NewFact
from bot.core.memory.marks import block_lines, own_notes
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore, passes

DAY_S = 24 * 3_600


def told(dialogue: Dialogue, text: str) -> NewFact:
    address = dialogue.channel.message("").address
    return NewFact(
        person_key=PersonKey(f"{address.channel}:1001"),
        audience=audience_of(address.session_key, "private"),
        topic="preference",
        key="drink",
        text=text,
        origin="told",
        confidence=1.0,
        at=START - timedelta(days=29, hours=12),
    )


async def test_mem_3_lasting_facts_reach_the_file(open_store: OpenStore) -> None:
    """A minute after they were told; their age shows in the night, without anybody's doing."""
    files = InMemoryFiles()
    async with Dialogue(
        ScriptedModel(["Yes."]),
        config=Config(access="open", plugins=()),
        store=open_store(),
        memory_files=files,
    ) as dialogue:
        await dialogue.says("hello")
        fact = told(dialogue, "Likes tea.")
        folder = fact.audience.folder
        await dialogue.store.keep_facts((fact,))
        await passes(dialogue, 60)
        soon = files.lasting[folder]
        files.lasting[folder] = f"mine\n{soon}"
        await passes(dialogue, DAY_S)

    assert block_lines(soon) == ("## Preferences", "- 2025-12-06 drink: Likes tea.")
    later = files.lasting[folder]
    assert "- 2025-12-06 drink: Likes tea. (unverified since 2025-12-06)" in block_lines(later)
    assert own_notes(later).startswith("mine\n")
