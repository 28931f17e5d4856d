"""A group that becomes a supergroup: whoever talked there goes on as if nothing had happened."""

from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import (
    BotStanding,
    Capabilities,
    ChatAddress,
    ChatMoved,
    InboundMessage,
    Receipt,
    Reply,
    Sender,
)
from bot.runtime.commands.groups import ALLOWED
from bot.runtime.remembering.remembering import STORE_RETRY_S
from bot.testing.clock import START, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore, passes, told
from tests.e2e.test_groups import ADMIN, BOB, GROUP, Scene

OLD, NEW = "-4002", "-1009"
CONFIG = Config(access="open", admins=("loopback:1",))
PLAIN = Capabilities(max_text_length=4_096)
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)


class AnsweringChannel(LoopbackChannel):
    """Notes in which chat a message was answered, and which one that was."""

    def __init__(self, capabilities: Capabilities) -> None:
        super().__init__(capabilities=capabilities)
        self.answered: list[tuple[str, str]] = []

    async def send(self, reply: Reply) -> Receipt:
        self.answered.append((reply.address.chat, reply.reply_to))
        return await super().send(reply)


def moved() -> ChatMoved:
    address = ChatAddress(channel="loopback", account="bot", chat=OLD)
    return ChatMoved(event_id=f"moved:{OLD}:{NEW}", address=address, new_chat=NEW)


def said(channel: LoopbackChannel, text: str, chat: str, thread: str = "") -> InboundMessage:
    return channel.message(text, user="1", chat=chat, thread=thread, kind="group")


async def test_the_conversation_goes_on_under_the_new_id(open_store: OpenStore) -> None:
    model = ScriptedModel(["Noted.", "Under the mat."])
    async with Dialogue(model, config=CONFIG, store=open_store()) as dialogue:
        channel = dialogue.channel
        await dialogue.together(said(channel, "the key is under the mat", OLD))
        await dialogue.together(moved(), said(channel, "where is it?", NEW))
        await dialogue.together(moved())  # the other side tells it too

    assert [["Noted."], ["Under the mat."]] == [channel.texts(OLD), channel.texts(NEW)]
    assert "the key is under the mat" in told(model.requests[-1])


async def test_a_turn_that_runs_ends_first_and_what_comes_meanwhile_waits(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["First.", "Both.", "Topic."])
    channel = LoopbackChannel(capabilities=PLAIN)
    async with Dialogue(model, config=CONFIG, store=open_store(), channel=channel) as dialogue:
        model.hold()
        await dialogue.happens([said(channel, "one", OLD)])
        await model.held()
        late = said(channel, "three", NEW)
        topic = said(channel, "in a topic", NEW, thread="5")
        await dialogue.happens([said(channel, "two", OLD), moved(), late, topic])
        before = len(model.requests)
        model.release()
        await settle()
        await dialogue.app.settled(late.address)
        await dialogue.app.settled(topic.address)

    assert before == 1
    assert ["First."] == channel.texts(OLD)
    assert {"Both.", "Topic."} == set(channel.texts(NEW))
    asked = next(told(each) for each in model.requests[1:] if "three" in told(each))
    assert asked.index("one") < asked.index("First.") < asked.index("two") < asked.index("three")


async def test_a_move_that_a_crash_cut_is_done_by_the_next_start(open_store: OpenStore) -> None:
    model = ScriptedModel(["never shown", "First.", "Second."])
    channel = LoopbackChannel(capabilities=PLAIN)
    first = Dialogue(model, config=CONFIG, store=open_store(), channel=channel)
    await first.__aenter__()
    model.hold()
    await first.happens([said(channel, "one", OLD)])
    await model.held()
    await first.happens([moved(), said(channel, "two", NEW)])
    await first.crash()
    model.release()

    async with Dialogue(model, config=CONFIG, store=open_store(), channel=channel) as dialogue:
        await dialogue.app.settled(moved().address)
        await dialogue.app.settled(replace(moved().address, chat=NEW))
        await settle()

    assert ["First."] == channel.texts(OLD)
    assert ["Second."] == channel.texts(NEW)
    asked = told(model.requests[-1])
    assert asked.index("one") < asked.index("First.") < asked.index("two")


async def test_settings_and_permission_hold_at_once(open_store: OpenStore) -> None:
    config = Config(access="pairing", admins=("loopback:1",))
    model = ScriptedModel(["Here."])
    async with Dialogue(model, config=config, store=open_store()) as dialogue:
        channel = dialogue.channel
        await dialogue.together(said(channel, "/allow", OLD))
        await dialogue.together(said(channel, "/config max_tokens 777 --here", OLD))
        stranger = channel.message("hello", user="2", chat=NEW, kind="group")
        await dialogue.together(moved(), stranger)

    assert ["Here."] == channel.texts(NEW)
    assert 777 == model.requests[-1].max_tokens


@pytest.mark.parametrize("is_told_first", [True, False])
async def test_permission_outlasts_that_the_new_id_is_asked_about(
    open_store: OpenStore, is_told_first: bool
) -> None:
    """Telegram tells the bot's standing in the supergroup before or after the move."""
    config = Config(access="pairing", admins=("loopback:1",))
    standing = BotStanding(
        event_id="standing:1",
        address=replace(moved().address, chat=NEW),
        kind="group",
        by=Sender(channel="loopback", user_id="2", name="Bob"),
        standing="admin",
        title="Family",
        changed_at=START,
    )
    model = ScriptedModel(["Here.", "Still."])
    store = open_store()
    async with Dialogue(model, config=config, store=store) as dialogue:
        channel = dialogue.channel
        await dialogue.together(said(channel, "/allow", OLD))
        first, second = (standing, moved()) if is_told_first else (moved(), standing)
        await dialogue.together(first)
        await dialogue.together(second)
        await settle()
        stranger = channel.message("hello", user="2", chat=NEW, kind="group")
        await dialogue.together(stranger)
        (place,) = await dialogue.store.places()
        await dialogue.app._access.load()
        await dialogue.together(channel.message("and now?", user="2", chat=NEW, kind="group"))

    assert ["Here.", "Still."] == channel.texts(NEW)[-2:]
    assert ("allowed", NEW) == (place.state, place.address.chat)


async def test_nothing_points_at_messages_of_the_old_chat(open_store: OpenStore) -> None:
    """Under its number stands another one in the new chat."""
    channel = AnsweringChannel(capabilities=BUTTONS)
    model = ScriptedModel(["First.", "Second."])
    async with Dialogue(model, config=CONFIG, store=open_store(), channel=channel) as dialogue:
        model.hold()
        await dialogue.happens([said(channel, "one", OLD)])
        await model.held()
        await dialogue.happens([said(channel, "two", OLD), moved()])
        model.release()
        await settle()
        await dialogue.app.settled(replace(moved().address, chat=NEW))

    assert [(OLD, "1"), (NEW, "")] == channel.answered


@pytest.mark.parametrize("has_restarted", [True, False])
async def test_a_button_made_before_is_pressed_under_the_old_id(
    open_store: OpenStore, has_restarted: bool
) -> None:
    channel = LoopbackChannel(capabilities=BUTTONS)
    config = Config(access="pairing", admins=("loopback:1",))
    model, store = ScriptedModel(["Noted."]), open_store()
    dialogue = Dialogue(model, config=config, store=store, channel=channel)
    await dialogue.__aenter__()
    channel.roles[NEW, "2"] = "admin"
    for text, user in (("/allow", "1"), ("hello", "2")):
        await dialogue.together(channel.message(text, user=user, chat=OLD, kind="group"))
    channel.roles[OLD, "2"] = "admin"
    asking = channel.message("/context clear", user="2", chat=OLD, kind="group")
    await dialogue.together(asking)
    press = channel.press("Clear", user="2", chat=OLD, kind="group")
    await dialogue.together(moved())
    await settle()
    if has_restarted:
        await dialogue.crash()
        dialogue = Dialogue(model, config=config, store=open_store(), channel=channel)
        await dialogue.__aenter__()
    await dialogue.together(press)
    await settle()
    cleared = channel.texts(NEW)[-1]
    await dialogue.__aexit__(None, None, None)

    assert "Cleared: 1 turn left my view. What was said stays stored." == cleared
    assert "would leave" in channel.texts(OLD)[-1]


async def test_a_group_that_moved_is_allowed_by_the_button_made_before(
    open_store: OpenStore,
) -> None:
    async with Scene(open_store()) as scene:
        await scene.tells("/help")
        await scene.adds(BOB)
        old = replace(moved().address, chat=GROUP)
        await scene.dialogue.together(replace(moved(), address=old))
        await scene.restart(open_store())
        await scene.dialogue.presses("Allow", chat=ADMIN, user=ADMIN)
        (place,) = await scene.dialogue.store.places()

    assert "The group `Family` is allowed now." == scene.channel.texts(ADMIN)[-1]
    assert ("allowed", NEW) == (place.state, place.address.chat)
    assert [ALLOWED] == scene.channel.texts(NEW)


async def test_memory_files_follow(open_store: OpenStore) -> None:
    files, model = InMemoryFiles(), ScriptedModel(["Noted."])
    dialogue = Dialogue(model, config=CONFIG, store=open_store(), memory_files=files)
    async with dialogue:
        await dialogue.together(said(dialogue.channel, "the roof leaks", OLD))
        files.texts["loopback.bot.-4002", dialogue.clock.now().date()] = "# 2026-01-05\n\n- rain\n"
        files.failures = 1
        await dialogue.together(moved())
        await settle()
        assert len(await dialogue.store.moved_audiences()) == 1
        await passes(dialogue, STORE_RETRY_S)
        assert await dialogue.store.moved_audiences() == ()

    assert [folder for folder, _ in files.texts] == ["loopback.bot.-1009"]
