"""Talk of others: followed where the bot takes part, quoted where somebody calls it in."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.config import Config
from bot.core.chat import Capabilities, EarlierMessage, InboundMessage
from bot.core.looking_back import LEAD, NOT_TO_BE_HAD
from bot.core.window.notes import words_of
from bot.errors import DeliveryError
from bot.runtime.looking_back import LOOKED_UP_WITHIN_S
from bot.runtime.overheard import REMEMBERED_S
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.e2e.changing import changed, taken_back
from tests.e2e.conftest import OPEN, OpenStore, begin, passes

LOOKING = Capabilities(max_text_length=4_096, can_edit=True, looks_back=True)
ROOM, THREAD = "C1", "1.5"


def said(
    channel: LoopbackChannel,
    text: str,
    *,
    user: str = "1",
    thread: str = THREAD,
    is_named: bool = True,
    is_follow_up: bool = False,
) -> InboundMessage:
    """Make a message in a thread, one that calls the bot unless it says otherwise."""
    message = channel.message(
        text, chat=ROOM, user=user, thread=thread, kind="group", is_addressed=is_named
    )
    return replace(message, is_named=is_named, is_follow_up=is_follow_up)


def goes_on(channel: LoopbackChannel, text: str, **how: str) -> InboundMessage:
    return said(channel, text, user="2", is_named=False, is_follow_up=True, **how)


def earlier(number: int, text: str, *, is_own: bool = False) -> EarlierMessage:
    return EarlierMessage(event_id=f"earlier:{number}", author="Bob", text=text, is_own=is_own)


def asked(model: ScriptedModel) -> list[str]:
    """Give what the model was asked last."""
    return list(words_of(model.requests[-1].messages[-1]))


def dialogue_with(
    model: ScriptedModel, store: OpenStore | None = None, config: Config = OPEN
) -> Dialogue:
    channel = LoopbackChannel(capabilities=LOOKING)
    return Dialogue(model, config=config, store=store() if store else None, channel=channel)


async def test_a_thread_is_followed_once_the_bot_takes_part(open_store: OpenStore) -> None:
    model = ScriptedModel(["first", "second"])
    async with dialogue_with(model, open_store) as dialogue:
        channel = dialogue.channel
        await dialogue.together(goes_on(channel, "before"))
        await dialogue.together(said(channel, "are you there?"))
        await dialogue.together(goes_on(channel, "and tomorrow?"))
        await dialogue.together(goes_on(channel, "elsewhere", thread="2.5"))
        answers = channel.texts(ROOM)
    assert ["first", "second"] == answers
    assert ["Person 2#2: and tomorrow?"] == asked(model)


async def test_a_word_in_a_thread_is_no_command_unless_the_bot_is_named() -> None:
    model = ScriptedModel(["new or old?", "very well"])
    async with dialogue_with(model) as dialogue:
        channel = dialogue.channel
        await dialogue.together(said(channel, "choose"))
        await dialogue.together(goes_on(channel, "new"))
        assert ["new or old?", "very well"] == channel.texts(ROOM)
        await dialogue.together(goes_on(channel, "/status"))
        await dialogue.together(said(channel, "status"))
    assert 4 == len(channel.texts(ROOM))
    assert 2 == len(model.requests)


async def test_it_is_followed_over_a_restart_and_a_clearing(open_store: OpenStore) -> None:
    model = ScriptedModel(["first", "second"])
    dialogue = await begin(open_store, LOOKING, model)
    await dialogue.together(said(dialogue.channel, "are you there?"))
    await dialogue.together(said(dialogue.channel, "/clear yes"))
    await dialogue.crash()
    channel = dialogue.channel
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as again:
        await again.together(goes_on(channel, "and now?"))
    assert "second" == channel.texts(ROOM)[-1]


async def test_what_comes_together_with_the_first_mention_is_followed() -> None:
    """Whether it is claimed by then or not."""
    model = ScriptedModel(["first", "second"])
    async with dialogue_with(model) as dialogue:
        channel = dialogue.channel
        await dialogue.happens((said(channel, "are you there?"), goes_on(channel, "quickly")))
        await dialogue.app.settled(said(channel, "").address)
    told = [words for request in model.requests for words in words_of(request.messages[-1])]
    assert "Person 2#2: quickly" in told


async def test_a_guest_is_not_let_in_along_with_others() -> None:
    model = ScriptedModel(["answered"])
    async with dialogue_with(model) as dialogue:
        message = said(dialogue.channel, "hello")
        guest = replace(message, sender=replace(message.sender, is_guest=True))
        await dialogue.together(guest)
        assert [] == dialogue.channel.texts(ROOM)
        await dialogue.together(said(dialogue.channel, "hello"))
        assert ["answered"] == dialogue.channel.texts(ROOM)


async def test_a_guest_who_is_named_is_let_in() -> None:
    config = Config(access="list", allow=("loopback:7",), plugins=())
    async with dialogue_with(ScriptedModel(["answered"]), config=config) as dialogue:
        message = said(dialogue.channel, "hello", user="7")
        await dialogue.together(replace(message, sender=replace(message.sender, is_guest=True)))
        assert ["answered"] == dialogue.channel.texts(ROOM)


async def test_a_mention_brings_what_was_said_before(open_store: OpenStore) -> None:
    model = ScriptedModel(["yes", "no"])
    async with dialogue_with(model, open_store) as dialogue:
        channel = dialogue.channel
        first = said(channel, "decide")
        key = "sk-ant-" + "api03-" + "a" * 40
        talk = (earlier(1, "shall we?"), earlier(2, f"my key is {key}"))
        channel.said_before[first.message_id] = talk
        await dialogue.together(first)
        brought = asked(model)

        second = said(channel, "and now?")
        answered = EarlierMessage(
            event_id=first.event_id, author="Person 1", text="decide", is_named=True
        )
        own = earlier(3, "yes", is_own=True)
        channel.said_before[second.message_id] = (*talk, answered, own, earlier(4, "@Bob hm"))
        await dialogue.together(second)
    assert "Person 1#1: decide" == brought[0]
    assert brought[1].startswith(f"{LEAD}\n> Bob: shall we?\n> Bob: my key is [redacted")
    assert ["Person 1#1: and now?", f"{LEAD}\n> Bob: @Bob hm"] == asked(model)


def overhearing(
    model: ScriptedModel, open_store: OpenStore | None = None, config: Config = OPEN
) -> Dialogue:
    """Begin on a platform that has no history to be asked for."""
    return Dialogue(model, config=config, store=open_store() if open_store else None)


def beside(channel: LoopbackChannel, text: str, user: str = "2") -> InboundMessage:
    return said(channel, text, user=user, is_named=False)


async def test_where_no_history_is_to_be_had_it_is_what_was_told_anyway(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["yes", "no"])
    async with overhearing(model, open_store) as dialogue:
        channel = dialogue.channel
        key = "sk-ant-" + "api03-" + "a" * 40
        first, gone = beside(channel, "shall we?"), beside(channel, "a slip")
        await dialogue.happens((first, gone, beside(channel, f"my key is {key}")))
        await dialogue.happens((changed(first, "shall we go?"), taken_back(gone)))
        await dialogue.together(said(channel, "decide"))
        brought = asked(model)

        await dialogue.happens((beside(channel, "hm"),))
        await dialogue.together(said(channel, "/status"))
        await dialogue.together(said(channel, "and now?"))
    assert "Person 1#1: decide" == brought[0]
    assert brought[1].startswith(
        f"{LEAD}\n> Person 2#2: shall we go?\n> Person 2#2: my key is [redacted"
    )
    assert "slip" not in brought[1]
    assert ["Person 1#1: and now?", f"{LEAD}\n> Person 2#2: hm"] == asked(model)


async def test_of_what_nobody_asks_about_nothing_is_stored(open_store: OpenStore) -> None:
    model = ScriptedModel(["yes"])
    async with overhearing(model, open_store) as dialogue:
        await dialogue.happens((beside(dialogue.channel, "shall we?"),))
    async with overhearing(model, open_store) as dialogue:
        await dialogue.together(said(dialogue.channel, "decide"))
    assert ["Person 1#1: decide"] == asked(model)


async def test_what_is_too_old_or_too_much_is_not_quoted() -> None:
    model = ScriptedModel(["yes"])
    async with overhearing(model) as dialogue:
        channel = dialogue.channel
        await dialogue.happens((beside(channel, "long ago"),))
        await passes(dialogue, REMEMBERED_S)
        await dialogue.happens(beside(channel, f"word {number}") for number in range(25))
        await dialogue.together(said(channel, "decide"))
    lines = asked(model)[1].splitlines()
    assert [LEAD, *(f"> Person 2#2: word {number}" for number in range(6, 25))] == lines


async def test_what_the_bot_would_not_answer_is_not_remembered() -> None:
    model = ScriptedModel(["yes"])
    config = Config(access="list", allow=("loopback:1",), plugins=())
    async with overhearing(model, config=config) as dialogue:
        await dialogue.happens((beside(dialogue.channel, "said by who is not let in"),))
        await dialogue.together(said(dialogue.channel, "decide"))
    assert ["Person 1#1: decide"] == asked(model)


async def test_where_the_bot_is_to_be_deaf_it_remembers_nothing() -> None:
    model = ScriptedModel(["yes"])
    config = Config(access="open", group_mode="off", admins=("loopback:1",), plugins=())
    async with overhearing(model, config=config) as dialogue:
        channel = dialogue.channel
        await dialogue.happens((beside(channel, "said before"),))
        await dialogue.together(said(channel, "/config group_mode mention --here"))
        await dialogue.happens((beside(channel, "said since"),))
        await dialogue.together(said(channel, "decide"))
    assert ["Person 1#1: decide", f"{LEAD}\n> Person 2#2: said since"] == asked(model)


async def test_what_was_brought_is_there_after_a_crash(open_store: OpenStore) -> None:
    model = ScriptedModel(["never seen", "answered"])
    model.hold()
    dialogue = await begin(open_store, LOOKING, model)
    channel = dialogue.channel
    message = said(channel, "decide")
    channel.said_before[message.message_id] = (earlier(1, "shall we?"),)
    await dialogue.happens((message,))
    await model.held()
    await dialogue.crash()
    channel.said_before[message.message_id] = (earlier(1, "changed since"),)
    model.release()
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as again:
        await again.app.settled(message.address)
    assert ["Person 1#1: decide", f"{LEAD}\n> Bob: shall we?"] == asked(model)


async def test_follow_ups_and_private_chats_bring_nothing() -> None:
    model = ScriptedModel(["a", "b", "c"])
    async with dialogue_with(model) as dialogue:
        channel = dialogue.channel
        await dialogue.together(said(channel, "hello"))
        follow_up, private = goes_on(channel, "more"), channel.message("hello")
        for message in (follow_up, private):
            channel.said_before[message.message_id] = (earlier(1, "shall we?"),)
            await dialogue.together(message)
            assert LEAD not in "\n".join(asked(model))


async def test_two_mentions_taken_together_bring_each_message_once() -> None:
    model = ScriptedModel(["answered"])
    async with dialogue_with(model) as dialogue:
        channel = dialogue.channel
        first, second = said(channel, "one"), said(channel, "two", user="2")
        channel.said_before[first.message_id] = (earlier(1, "shall we?"),)
        channel.said_before[second.message_id] = (earlier(1, "shall we?"), earlier(2, "hm"))
        await dialogue.together(first, second)
    assert [
        "Person 1#1: one",
        f"{LEAD}\n> Bob: shall we?",
        "Person 2#2: two",
        f"{LEAD}\n> Bob: hm",
    ] == asked(model)


async def test_what_cannot_be_looked_up_is_said() -> None:
    model = ScriptedModel(["answered"])
    async with dialogue_with(model) as dialogue:
        dialogue.channel.earlier_failures.append(DeliveryError("not in the channel"))
        await dialogue.together(said(dialogue.channel, "decide"))
        assert ["answered"] == dialogue.channel.texts(ROOM)
    assert ["Person 1#1: decide", NOT_TO_BE_HAD] == asked(model)


async def test_a_platform_that_does_not_answer_holds_nobody_up() -> None:
    class Silent(LoopbackChannel):
        async def earlier(self, *_: object, **__: object) -> tuple[EarlierMessage, ...]:
            await asyncio.get_running_loop().create_future()
            return ()

    model = ScriptedModel(["answered"])
    channel = Silent(capabilities=LOOKING)
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        await dialogue.happens((said(channel, "decide"),))
        await passes(dialogue, LOOKED_UP_WITHIN_S)
        await dialogue.app.settled(said(channel, "").address)
    assert ["Person 1#1: decide", NOT_TO_BE_HAD] == asked(model)
