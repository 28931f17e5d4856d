"""Who is answered: nobody by default, then the owner, then whom the lists name."""

import re
from dataclasses import replace
from datetime import datetime

import pytest

from bot.config import Config
from bot.core.access import AccessPolicy
from bot.core.chat import Capabilities, PersonKey
from bot.core.lifecycle import Cursor, Received, SetAside
from bot.core.window.notes import words_of
from bot.errors import StoreError
from bot.runtime.access_gate import FEW_TOLD, TOLD_AGAIN_AFTER_S, AccessGate
from bot.runtime.storing import STORE_RETRY_S
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore


def code_of(dialogue: Dialogue) -> str:
    line = next(line for line in dialogue.announced if "/claim" in line)
    found = re.search(r"/claim (\S+)", line)
    assert found is not None
    return found[1]


async def test_a_stranger_is_told_once_how_to_get_in_and_the_model_is_not_asked() -> None:
    model = ScriptedModel()
    async with Dialogue(model, config=Config()) as dialogue:
        first = await dialogue.says("hello")
        second = await dialogue.says("hello?")

    assert ["`loopback:1001`" in text for text in first] == [True]
    assert [] == second
    assert [] == model.requests


class Refusing(InMemoryStore):
    """A store that cannot take events as often as it is told."""

    refusals = 1

    async def receive(
        self, events: tuple[Received | SetAside, ...], *, cursor: Cursor | None, at: datetime
    ) -> tuple[bool, ...]:
        if self.refusals:
            self.refusals -= 1
            raise StoreError("busy")
        return await super().receive(events, cursor=cursor, at=at)


async def test_a_stranger_is_told_also_when_the_store_failed_at_first(clock: FakeClock) -> None:
    async with Dialogue(
        ScriptedModel(), config=Config(), store=Refusing(), clock=clock
    ) as dialogue:
        await dialogue.happens([dialogue.channel.message("hello")])
        await clock.advance(STORE_RETRY_S)

    assert ["`loopback:1001`" in text for text in dialogue.channel.texts()] == [True]


async def test_many_strangers_are_not_kept_in_mind_for_ever(clock: FakeClock) -> None:
    gate = AccessGate(AccessPolicy(mode="pairing"), InMemoryStore(), clock)
    for number in range(3 * FEW_TOLD):
        if number % FEW_TOLD == 0:
            await clock.advance(TOLD_AGAIN_AFTER_S)
        assert gate.is_to_be_told(PersonKey(f"loopback:{number}"))

    assert FEW_TOLD == len(gate._told_at)


async def test_nothing_a_stranger_writes_is_kept(open_store: OpenStore) -> None:
    async with Dialogue(
        ScriptedModel(), config=Config(access="list"), store=open_store()
    ) as dialogue:
        assert [] == await dialogue.says("hello", "anybody there?")

    unfinished = await open_store().unfinished()
    assert ((), (), ()) == (unfinished.claims, unfinished.waiting, unfinished.commands)


async def test_the_owner_claims_the_bot_with_the_code_once(open_store: OpenStore) -> None:
    model = ScriptedModel(["Yes?"])
    async with Dialogue(model, config=Config(), store=open_store()) as dialogue:
        code = code_of(dialogue)
        claimed = await dialogue.says(f"/claim {code.lower().replace('-', ' ')}")
        answered = await dialogue.says("hello")
        again = await dialogue.says(f"/claim {code}", chat="2002", user="2002")

    assert "You are the owner" in claimed[0]
    assert ["Yes?"] == answered
    assert ["This bot has an owner already."] == again


async def test_the_owner_is_known_after_a_restart(open_store: OpenStore) -> None:
    async with Dialogue(ScriptedModel(), config=Config(), store=open_store()) as dialogue:
        await dialogue.says(f"/start {code_of(dialogue)}")

    channel = LoopbackChannel()
    channel.message("a number that is taken")
    model = ScriptedModel(["Yes?"])
    async with Dialogue(model, config=Config(), store=open_store(), channel=channel) as dialogue:
        assert ["Yes?"] == await dialogue.says("hello")
        assert [] == [line for line in dialogue.announced if "/claim" in line]


async def test_guessing_the_code_is_stopped() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        code = code_of(dialogue)
        for _ in range(5):
            assert "not the code" in (await dialogue.says("/claim AAAA-AAAA"))[0]
        locked = await dialogue.says(f"/claim {code}")

    assert ["Too many wrong codes. Try again in 15 minutes."] == locked


async def test_the_code_is_not_taken_where_others_can_see_it() -> None:
    config = Config(allow=("loopback:1001",))
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        message = dialogue.channel.message(f"/claim {code_of(dialogue)}", kind="group")
        await dialogue.happens([message])
        await dialogue.app.settled(message.address)

    assert ["private chat" in text for text in dialogue.channel.texts()] == [True]


async def test_a_group_is_answered_only_when_it_speaks_to_the_bot() -> None:
    model = ScriptedModel(["Yes?"])
    async with Dialogue(model, config=Config(access="open")) as dialogue:
        say = dialogue.channel.message
        aside = say("lunch?", kind="group", is_addressed=False)
        asked = say("are you there?", kind="group")
        await dialogue.happens([aside, asked])
        await dialogue.app.settled(asked.address)

    assert ["Yes?"] == dialogue.channel.texts()
    assert ("Person 1001: are you there?",) == words_of(model.requests[0].messages[0])


async def test_a_stranger_in_a_group_gets_no_answer() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        await dialogue.happens([dialogue.channel.message("bot?", kind="group")])

    assert [] == dialogue.channel.texts()


async def in_a_group(text: str, *, is_named: bool, prefix: str = "/") -> list[str]:
    """Say something in a group in which everybody may talk; give what the bot says."""
    channel = LoopbackChannel(
        capabilities=Capabilities(max_text_length=4_000, command_prefix=prefix)
    )
    async with Dialogue(
        ScriptedModel(["An answer."]), config=Config(access="open"), channel=channel
    ) as dialogue:
        message = replace(channel.message(text, kind="group"), is_named=is_named)
        await dialogue.happens([message])
        await dialogue.app.settled(message.address)
    return channel.texts()


@pytest.mark.parametrize(
    ("text", "is_named", "prefix", "answer"),
    [
        ("/stop", False, "/", "Nothing is running."),
        ("stop", True, "/", "Nothing is running."),
        ("!stop", False, "!", "Nothing is running."),
        ("/stpo", True, "/", "There is no command `/stpo`. Did you mean `/stop`?"),
        ("!stpo", True, "!", "There is no command `!stpo`. Did you mean `!stop`?"),
        ("!important, look", True, "!", "An answer."),
        ("stop that noise", True, "/", "An answer."),
    ],
)
async def test_commands_in_a_group(text: str, is_named: bool, prefix: str, answer: str) -> None:
    assert [answer] == await in_a_group(text, is_named=is_named, prefix=prefix)


@pytest.mark.parametrize("text", ["/ban", "!wow", "/stpo"])
async def test_what_may_be_meant_for_another_bot_is_left_alone(text: str) -> None:
    assert [] == await in_a_group(text, is_named=False, prefix="!")


async def test_in_a_group_only_admins_begin_anew() -> None:
    (answer,) = await in_a_group("/new", is_named=True)

    assert "only the bot's admins" in answer
