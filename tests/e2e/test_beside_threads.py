"""Commands given beside the threads of a group, unseen by others, as in Slack by slash commands."""

from dataclasses import replace

import pytest

from bot.config import Config
from bot.core.chat import Capabilities, ChatAddress, InboundMessage
from bot.runtime.commands.elsewhere import NO_CONVERSATION, UNKNOWN, USAGE
from bot.runtime.commands.groups import ALLOWED, ALLOWED_ALREADY, ASKED, FOR_ADMINS
from bot.runtime.commands.stop import NOTHING_RUNS
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore, passes

THREADS = Capabilities(
    max_text_length=4_096,
    can_edit=True,
    has_buttons=True,
    sends_files=True,
    groups_have_threads=True,
    shows_to_one=True,
)
CONFIG = Config(access="open", admins=("loopback:1001",))
ROOM = "-5"


class Room:
    """A bot in a group whose conversations are threads."""

    def __init__(self, model: ScriptedModel, open_store: OpenStore) -> None:
        self.channel = LoopbackChannel(capabilities=THREADS)
        self.dialogue = Dialogue(model, config=CONFIG, store=open_store(), channel=self.channel)

    async def __aenter__(self) -> "Room":
        await self.dialogue.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.dialogue.__aexit__(None, None, None)

    def message(self, text: str, thread: str = "", user: str = "1001") -> InboundMessage:
        return self.channel.message(text, chat=ROOM, thread=thread, kind="group", user=user)

    async def says(self, text: str, thread: str = "", user: str = "1001") -> str:
        """Say something a minute later, and give what was answered last."""
        await passes(self.dialogue, 60)
        await self.dialogue.together(self.message(text, thread, user))
        return self.channel.posts[-1].text

    async def begins(self, text: str) -> str:
        """Say something that no thread stands above, and give what was answered last."""
        await passes(self.dialogue, 60)
        message = self.message(text)
        thread = replace(message.address, thread=message.message_id)
        await self.dialogue.together(replace(message, address=thread))
        return self.channel.posts[-1].text

    async def presses(self, label: str) -> str:
        post = self.channel.posts[-1]
        button = next(each for each in post.buttons if each.label.startswith(label))
        press = self.channel.press(button.label, chat=ROOM, kind="group", post=post)
        await self.dialogue.together(press)
        return post.text


async def test_a_command_about_a_conversation_asks_which(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two.", "Three."])
    async with Room(model, open_store) as room:
        await room.says("the word is heron", "1.5")
        await room.says("where is the invoice?", "2.5")
        asked = await room.says("/context")
        shown = await room.presses("2.")

    assert asked.startswith("Which conversation?\n\n1. ")
    assert "1. 2026-01-05 09:02: `Person 1001: where is the invoice?`" in asked
    assert "2. 2026-01-05 09:01: `Person 1001: the word is heron`" in asked
    assert "**Context** of 1 turn" in shown


async def test_what_is_offered_there_is_given_there(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two.", "Three."])
    async with Room(model, open_store) as room:
        await room.says("the word is heron", "1.5")
        await room.says("where is the invoice?", "2.5")
        await room.says("/context clear")
        assert (await room.presses("2.")).startswith("Clear? 1 turn")
        assert (await room.presses("Clear")).startswith("Cleared: 1 turn")
        await room.says("which word?", "1.5")

    assert "heron" not in str(model.requests[-1].messages)


async def test_where_there_is_one_it_is_that_one(open_store: OpenStore) -> None:
    model = ScriptedModel(["At length."])
    model.hold()
    async with Room(model, open_store) as room:
        none = await room.says("/context")
        room.channel.push(room.message("at length, please", "1.5"))
        await model.held()
        stopped = await room.says("/stop")
        model.release()

    assert NO_CONVERSATION == none
    assert "Stopped." == stopped


async def test_one_that_begins_a_thread_is_given_beside_all(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(["One.", "Two."]), open_store) as room:
        await room.says("the word is heron", "1.5")
        await room.says("where is the invoice?", "2.5")
        asked = await room.begins("/context")
        beside = room.channel.posts[-1]
        shown = await room.presses("2.")
        helped = await room.begins("/help")
        below = room.channel.posts[-1]

    assert asked.startswith("Which conversation?")
    assert "**Context** of 1 turn" in shown
    assert ("", "1001") == (beside.address.thread, beside.for_person)
    assert helped.startswith("Write to me as to a person")
    assert (True, "") == (bool(below.address.thread), below.for_person)


async def test_only_turns_that_run_are_stopped(open_store: OpenStore) -> None:
    model = ScriptedModel(["An answer."] * 5)
    async with Room(model, open_store) as room:
        await room.says("the word is heron", "1.5")
        await room.says("where is the invoice?", "2.5")
        assert NOTHING_RUNS == await room.says("/stop")
        model.hold()
        room.channel.push(room.message("an essay, please", "3.5"))
        await model.held()
        assert "Stopped." == await room.says("/stop")
        for text, thread in (("a poem, please", "3.5"), ("a letter, please", "4.5")):
            await passes(room.dialogue, 60)
            model.hold()
            room.channel.push(room.message(text, thread))
            await model.held()
        asked = await room.says("/stop")
        await room.presses("1.")
        done = room.channel.posts[-1].text
        again = await room.says("/stop")
        model.release()

    assert ["a letter, please`", "a poem, please`"] == [
        line.partition("Person 1001: ")[2] for line in asked.splitlines()[2:]
    ]
    assert ("Stopped.", "Stopped.") == (done, again)


async def test_only_who_asked_reads_it(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(["One."]), open_store) as room:
        for text, thread in (
            ("hello", "1.5"),
            ("/help", ""),
            ("/help", "1.5"),
            ("/config", "1.5"),
            ("/config max_tokens 300", ""),
            ("/allow", ""),
            ("/allow", "1.5"),
            ("/in 1.5 config", "1.5"),
            ("/in 1.5 context", "1.5"),
        ):
            await room.says(text, thread)

    assert ["", "1001", "", "1001", "1001", "", "", "1001", ""] == [
        post.for_person for post in room.channel.posts
    ]


async def test_that_somebody_may_not_allow_a_group_they_alone_read(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(), open_store) as room:
        for text, thread in (("/allow", ""), ("/allow", "1.5"), ("/allow --ask", "1.5")):
            await room.says(text, thread, user="2002")
        await room.says("/allow")
        await room.says("/allow", user="2002")

    assert [
        (FOR_ADMINS, "2002"),
        (FOR_ADMINS, "2002"),
        (ASKED, ""),  # what a button gives stands where all read what was asked
        (ALLOWED, ""),
        (ALLOWED_ALREADY, "2002"),
    ] == [(post.text, post.for_person) for post in room.channel.posts]


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("/config max_tokens 300 --here", True),
        ("/config max_tokens 300", False),
        ("/config group_mode all --here", False),
        ("/compact", True),
        ("/status", False),
        ("/wrong", False),
    ],
)
async def test_what_is_not_about_one_conversation_asks_nothing(
    text: str, is_asked: bool, open_store: OpenStore
) -> None:
    async with Room(ScriptedModel(["One.", "Two."]), open_store) as room:
        await room.says("one", "1.5")
        await room.says("two", "2.5")
        answer = await room.says(text)

    assert is_asked == answer.startswith("Which conversation?")


async def test_a_setting_is_set_in_the_thread_that_was_chosen(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(["One.", "Two."]), open_store) as room:
        await room.says("one", "1.5")
        await room.says("two", "2.5")
        await room.says("/config max_tokens 300 --here")
        await room.presses("2.")
        scopes = {each.scope for each in await room.dialogue.store.overrides()}

    there = ChatAddress(channel="loopback", account="bot", chat=ROOM, thread="1.5")
    assert {there.session_key} == scopes


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/in 9.9 context", UNKNOWN),
        ("/in 1.5", USAGE),
        ("/in", USAGE),
        ("/in 1.5 in 1.5 context", USAGE),
        ("/in 1.5 wrong", "There is no command `/wrong`. `/help` lists all commands."),
        ("/in 1.5 pair", "`/pair` is for the bot's admins."),
    ],
)
async def test_written_by_hand_it_does_no_more_than_that(
    text: str, answer: str, open_store: OpenStore
) -> None:
    async with Room(ScriptedModel(["One."]), open_store) as room:
        await room.says("one", "1.5")

        assert answer == await room.says(text, "1.5", user="2002")


async def test_a_file_for_one_person_is_shown_to_them_as_text(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(["One."]), open_store) as room:
        await room.says("one", "1.5")
        beside = await room.says("/context json")
        unseen = room.channel.posts[-1]
        await room.says("/context json", "1.5")
        file = room.channel.posts[-1].file

    assert beside.startswith("```json\n{")
    assert (None, "1001") == (unseen.file, unseen.for_person)
    assert file is not None


async def test_in_a_thread_and_in_private_nothing_is_asked(open_store: OpenStore) -> None:
    async with Room(ScriptedModel(["One.", "Two."]), open_store) as room:
        await room.says("one", "1.5")
        await room.says("two", "2.5")
        in_thread = await room.says("/context", "1.5")
        [in_private] = await room.dialogue.says("/context")

    assert "**Context** of 1 turn" in in_thread
    assert "**Context** of 0 turns" in in_private


async def test_a_choice_survives_a_restart(open_store: OpenStore) -> None:
    model = ScriptedModel(["One.", "Two."])
    async with Room(model, open_store) as room:
        await room.says("one", "1.5")
        await room.says("two", "2.5")
        await room.says("/context")
        post = room.channel.posts[-1]

    store = room.dialogue.store if isinstance(room.dialogue.store, InMemoryStore) else open_store()
    async with Dialogue(
        ScriptedModel(), config=CONFIG, store=store, channel=room.channel
    ) as dialogue:
        press = room.channel.press(post.buttons[0].label, chat=ROOM, kind="group", post=post)
        await dialogue.together(press)

    assert "**Context** of 1 turn" in post.text
