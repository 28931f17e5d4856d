"""Changed messages that left the view: summaries and daily files follow."""

from dataclasses import replace

from bot.core.chat import InboundMessage
from bot.core.window.notes import DELETED
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from tests.e2e.changing import SHORT, answered, changed, obliging, says, taken_back, written_down
from tests.e2e.conftest import OpenStore, passes


class Remembered:
    """A short chat whose older turns left: they are summarised and in the daily file."""

    def __init__(self, open_store: OpenStore) -> None:
        self.model = ScriptedModel(obliging)
        self.files = InMemoryFiles()
        self.dialogue = Dialogue(
            self.model,
            config=SHORT,
            store=open_store(),
            memory_files=self.files,
            clock=FakeClock(),
        )

    async def say(self, *texts: str) -> list[InboundMessage]:
        messages = await says(self.dialogue, *texts)
        await written_down()
        return messages

    @property
    def file(self) -> str:
        return "\n".join(self.files.texts.values())

    @property
    def newest(self) -> str:
        """What the newest request says, summary and notes and all."""
        return str(answered(self.model)[-1].messages)


async def test_what_was_summarised_is_corrected_with_a_date(open_store: OpenStore) -> None:
    chat = Remembered(open_store)
    async with chat.dialogue as dialogue:
        first, *_ = await chat.say("the talk is at 15:00", "two", "three", "four", "five")
        before = len(answered(chat.model)), len(dialogue.channel.texts())
        await dialogue.happens([changed(first, "the talk is at 16:30")])
        await written_down()
        assert before == (len(answered(chat.model)), len(dialogue.channel.texts()))
        await chat.say("when is it?")

    correction = "changed on 2026-01-05: “the talk is at 15:00” now reads “the talk is at 16:30”"
    assert correction in chat.newest
    assert "Exact details: 16:30" in chat.newest
    assert f"- {correction}" in chat.file
    assert 1 == chat.file.count("now reads")


async def test_of_what_was_summarised_and_deleted_nothing_is_left(open_store: OpenStore) -> None:
    """In the view, in the daily file, in the store: whether noted by itself or long merged."""
    store = open_store()
    chat = Remembered(lambda: store)
    async with chat.dialogue as dialogue:
        first, second, *_ = await chat.say(
            "the code is PLUM-77", "my word is heron", *map(str, range(10))
        )
        later = (await chat.say("the key is QUINCE-9", "so", "it", "is"))[0]
        assert "PLUM-77" in chat.newest
        assert "QUINCE-9" in chat.newest
        assert "heron" in chat.file
        before = len(dialogue.channel.texts())
        await dialogue.happens([changed(later, "the key is QUINCE-8")])
        await written_down()
        await dialogue.happens([taken_back(first), taken_back(second), taken_back(later)])
        await written_down()
        assert before == len(dialogue.channel.texts())
        await chat.say("what do you know?")
        conversation = await store.load(first.address.session_key)
        turns = await store.turns_between(first.address.session_key, 1, 99)

    for secret in ("PLUM-77", "heron", "QUINCE"):
        assert secret not in chat.newest
        assert secret not in chat.file
        assert secret not in str(conversation)
        assert secret not in str(turns)
    assert 3 == chat.file.count(DELETED)


async def test_a_remembered_turn_in_the_window_is_corrected_in_its_file(
    open_store: OpenStore,
) -> None:
    """Midnight wrote it down; the window shows the newest version and needs no correction."""
    chat = Remembered(open_store)
    async with chat.dialogue as dialogue:
        (first,) = await chat.say("the talk is at 15:00")
        await passes(dialogue, 20 * 3_600)
        await written_down()
        assert "15:00" in chat.file
        await dialogue.happens([changed(first, "the talk is at 16:30")])
        await written_down()
        await chat.say("when is it?")

    assert "“the talk is at 15:00” now reads “the talk is at 16:30”" in chat.file
    assert "15:00" not in chat.newest
    assert "16:30" in chat.newest


async def test_a_summary_that_was_being_written_does_not_bring_it_back(
    open_store: OpenStore,
) -> None:
    """It was read from what was said before; it is written once more."""
    store = open_store()
    chat = Remembered(lambda: store)
    async with chat.dialogue as dialogue:
        await says(dialogue, "the code is PLUM-77", "two", "three")
        chat.model.hold()
        fourth = dialogue.channel.message("four")
        await dialogue.happens([fourth])
        first = replace(fourth, event_id="message:1001:1", message_id="1")
        await chat.model.held()
        summaries = len(chat.model.requests) - len(answered(chat.model))
        await dialogue.happens([taken_back(first)])
        chat.model.release()
        await dialogue.app.settled(fourth.address)
        await written_down()
        await chat.say("what do you know?")
        conversation = await store.load(first.address.session_key)

    assert 1 == summaries
    assert conversation.summary is not None
    assert "PLUM-77" not in str(conversation)
    assert "PLUM-77" not in chat.newest
    assert "PLUM-77" not in chat.file
