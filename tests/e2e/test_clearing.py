"""What is asked and offered when a chat's view is emptied."""

import re

from bot.config import Config
from bot.core.chat import Capabilities
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel

BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)


def beginning() -> Dialogue:
    return Dialogue(
        ScriptedModel(["Noted."] * 3),
        config=Config(access="open"),
        channel=LoopbackChannel(capabilities=BUTTONS),
    )


def labels(dialogue: Dialogue) -> list[str]:
    return [button.label for button in dialogue.channel.posts[-1].buttons]


async def test_an_empty_view_is_nothing_to_ask_about() -> None:
    async with beginning() as dialogue:
        answers = await dialogue.says("/context clear")
        assert [] == labels(dialogue)

    assert ["Nothing is in my view now."] == answers


async def test_the_question_counts_what_would_leave() -> None:
    async with beginning() as dialogue:
        _, asked, page = await dialogue.says("heron", "/context clear", "/context")

    found = re.search(r"about (\d+) tokens, would leave", asked)
    assert found is not None  # and no thousands: instructions and tools stay
    assert re.search(rf"history\W+{found[1]}$", page, re.MULTILINE)


async def test_the_number_of_turns_that_stay_is_worded() -> None:
    async with beginning() as dialogue:
        *_, compacted = await dialogue.says("heron", "stork", "/compact")

    assert "1 turn left my view, 1 stays; about" in compacted


async def test_a_new_conversation_is_taken_back_by_pressing() -> None:
    async with beginning() as dialogue:
        (empty,) = await dialogue.says("/new")
        assert [] == labels(dialogue)
        await dialogue.says("the word is heron", "/new")
        assert ["Undo"] == labels(dialogue)
        texts = await dialogue.presses("Undo")

    assert empty.startswith("A new conversation begins")
    assert texts[-1].startswith("Undone: 1 turn in view again")
