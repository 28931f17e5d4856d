"""Buttons in groups: where a press counts, and whom it takes the buttons from."""

from dataclasses import replace

import pytest

from bot.testing.clock import settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore
from tests.e2e.test_buttons import BUTTONS, CLEARED, GROUP, OPEN, dialogue_with, labels


async def test_a_button_acts_where_it_was_sent_whatever_the_press_says(
    open_store: OpenStore,
) -> None:
    """Of a message too old to be seen Telegram tells the chat and not the topic."""
    channel = LoopbackChannel(capabilities=BUTTONS)
    model = ScriptedModel(["General.", "Topic."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        for text, thread in (("one", ""), ("two", "7"), ("/context clear", "7")):
            await dialogue.together(channel.message(text, chat=GROUP, kind="group", thread=thread))
        press = channel.press("Clear", chat=GROUP, kind="group")
        await dialogue.together(replace(press, address=press.address.whole_chat))
        await settle()
        for thread in ("", "7"):
            event = channel.message("/context", chat=GROUP, kind="group", thread=thread)
            await dialogue.together(event)
        *_, general, topic = channel.texts(GROUP)

    assert "**Context** of 1 turn" in general
    assert "**Context** of 0 turns" in topic


@pytest.mark.parametrize("who", ["2", "3"])
async def test_what_an_unnamed_admin_is_asked_only_admins_of_the_group_answer(who: str) -> None:
    """Such a button is for nobody in particular, and yet nobody else may take it away."""
    channel = LoopbackChannel(capabilities=BUTTONS)
    channel.roles[GROUP, f"chat:{GROUP}"] = channel.roles[GROUP, "3"] = "admin"
    async with dialogue_with(channel=channel) as dialogue:
        await dialogue.together(channel.message("hello", user="2", chat=GROUP, kind="group"))
        asking = channel.message("/context clear", user=f"chat:{GROUP}", chat=GROUP, kind="group")
        asking = replace(asking, sender=replace(asking.sender, is_person=False))
        await dialogue.together(asking)
        before = channel.texts(GROUP)
        after = await dialogue.presses("Clear", chat=GROUP, user=who, kind="group")
        left = labels(dialogue)

    if who == "3":
        assert ([*before[:-1], CLEARED], ["Undo"]) == (after, left)
    else:
        assert (before, ["Clear", "Keep"]) == (after, left)
