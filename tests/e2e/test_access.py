"""Who is answered: nobody by default, then the owner, then whom the lists name."""

import re
from dataclasses import replace
from datetime import datetime

import pytest

from bot.config import Config
from bot.core.access import ATTEMPTS_ALLOWED, ATTEMPTS_FORGOTTEN_AFTER
from bot.core.chat import Capabilities, ChatKind, InboundEdit
from bot.core.lifecycle import Cursor, Received, SetAside
from bot.core.looking_back import LEAD
from bot.core.window.notes import words_of
from bot.errors import StoreError
from bot.runtime.access_gate import OWNER_ALREADY, UNCLAIMED, YOU_ARE_OWNER
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
        (again,) = await dialogue.says(f"/claim {code}")
        (stranger,) = await dialogue.says(f"/claim {code}", chat="2002", user="2002")
        silence = await dialogue.says(f"/claim {code}", chat="2002", user="2002")

    assert "You are the owner" in claimed[0]
    assert ["Yes?"] == answered
    assert OWNER_ALREADY == again
    assert "Your code is" in stranger  # as whatever a stranger writes
    assert [] == silence


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
    clock = FakeClock()
    async with Dialogue(ScriptedModel(), config=Config(), clock=clock) as dialogue:
        code = code_of(dialogue)
        for _ in range(5):
            assert "not the code" in (await dialogue.says("/claim AAAA-AAAA"))[0]
        locked = await dialogue.says(f"/claim {code}")
        silence = await dialogue.says(f"/claim {code}", "/start AAAA-AAAA", "hello?")
        await clock.advance(ATTEMPTS_FORGOTTEN_AFTER.total_seconds())
        (claimed,) = await dialogue.says(f"/claim {code}")

    assert ["Too many wrong codes. Try again in 15 minutes."] == locked
    assert "no owner yet" in silence[0]
    assert 1 == len(silence)
    assert YOU_ARE_OWNER == claimed


async def test_many_claims_at_once_are_answered_a_few_times(open_store: OpenStore) -> None:
    async with Dialogue(ScriptedModel(), config=Config(), store=open_store()) as dialogue:
        messages = [dialogue.channel.message(f"/claim AAAA-A{n:03}") for n in range(20)]
        await dialogue.together(*messages)

    assert ATTEMPTS_ALLOWED + 1 == len(dialogue.channel.texts())


async def test_claims_are_nothing_where_strangers_are() -> None:
    config = Config(access="list", admins=("loopback:1",), allow=("loopback:3003",))
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        assert [] == await dialogue.says("/claim AAAA-AAAA", "/start AAAA-AAAA", "/claim")
        (told,) = await dialogue.says("/claim AAAA-AAAA", chat="3003", user="3003")

    assert UNCLAIMED == told


async def test_who_becomes_the_owner_reads_of_nothing_else_and_waits_no_more() -> None:
    async with Dialogue(ScriptedModel(), config=Config()) as dialogue:
        (before,) = await dialogue.says("/start")
        (other,) = await dialogue.says("hello", chat="2002", user="2002")
        await dialogue.says(f"/claim {code_of(dialogue)}")
        (listed,) = await dialogue.says("/pair")
        (greeted,) = await dialogue.says("hello", chat="2002", user="2002")

    assert "send me `/claim CODE`" in before
    assert "`loopback:1001`" in before
    assert "Your code is" not in before + other
    assert "Waiting" not in listed
    assert "Your code is" in greeted


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
    said_to_it, *quoted = words_of(model.requests[0].messages[0])
    assert "Person 1001#1001: are you there?" == said_to_it
    assert [f"{LEAD}\n> Person 1001#1001: lunch?"] == quoted


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


@pytest.mark.parametrize("kind", ["private", "group"])
@pytest.mark.parametrize("text", ["/pair loopback:666", "pair", "/claim", "/start 7F3K-Q2MX"])
async def test_who_passes_a_command_on_does_not_give_it(
    open_store: OpenStore, text: str, kind: ChatKind
) -> None:
    model = ScriptedModel(["I see."])
    config = Config(admins=("loopback:1",))
    async with Dialogue(model, config=config, store=open_store()) as dialogue:
        message = dialogue.channel.message(text, user="1", chat="1", kind=kind)
        await dialogue.together(replace(message, forwarded_from="Mallory"))
        grants = await dialogue.store.grants()

    assert (["I see."], ()) == (dialogue.channel.texts("1"), grants)
    assert "Forwarded from Mallory" in str(model.requests[0].messages)


async def test_a_changed_forward_is_no_command_either(open_store: OpenStore) -> None:
    model = ScriptedModel(["I see."])
    async with Dialogue(model, config=Config(access="open"), store=open_store()) as dialogue:
        message = replace(dialogue.channel.message("/stop"), forwarded_from="Mallory")
        edit = InboundEdit(event_id="edit:1", message=message, edited_at=message.sent_at)
        await dialogue.together(edit)

    assert ["I see."] == dialogue.channel.texts()
    assert "Forwarded from Mallory" in str(model.requests[0].messages)


@pytest.mark.parametrize("text", ["/new@other_bot", "/translate@other_bot hi"])
async def test_a_command_for_another_bot_is_left_to_it(text: str) -> None:
    assert [] == await in_a_group(text, is_named=True)


async def test_in_private_whoever_it_names_it_is_a_text_for_us() -> None:
    model = ScriptedModel(["That bot is not here."])
    async with Dialogue(model, config=Config(access="open")) as dialogue:
        assert ["That bot is not here."] == await dialogue.says("/new@other_bot")


async def test_in_a_group_only_admins_begin_anew() -> None:
    (answer,) = await in_a_group("/new", is_named=True)

    assert "only admins can do that" in answer
