"""How strangers come in: they ask, an admin decides, and both read of it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.store.sqlite_store import SqliteStore
from bot.app import Store
from bot.config import Config
from bot.core.chat import Capabilities, InboundMessage, PersonKey
from bot.core.lifecycle import Received
from bot.runtime.access_gate import UNCLAIMED
from bot.runtime.pairing import LET_IN, MOST_WAITING
from bot.runtime.telling import MOST_AN_HOUR
from bot.testing.clock import START, FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore, passes

CONFIG = Config(admins=("loopback:1",))
BUTTONS = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True)
ADMIN, BOB = "1", "2002"
HOUR_S = 3_600.0


class Scene:
    """A bot with one admin, Person 1, who has written to it, and people who have not."""

    def __init__(self, store: Store, channel: LoopbackChannel | None = None) -> None:
        self.channel = channel or LoopbackChannel(capabilities=BUTTONS)
        self.clock = FakeClock()
        self.model = ScriptedModel(["An answer."] * 5)
        self.store = store
        self.dialogue = self._dialogue()

    async def __aenter__(self) -> "Scene":
        await self.dialogue.__aenter__()
        await self.says("/help", user=ADMIN)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.dialogue.__aexit__(None, None, None)

    async def restart(self, store: Store) -> None:
        await self.dialogue.crash()
        self.store = store
        self.dialogue = self._dialogue()
        await self.dialogue.__aenter__()

    async def says(self, text: str, *, user: str) -> list[str]:
        return await self.dialogue.says(text, chat=user, user=user)

    async def presses(self, label: str) -> None:
        await self.dialogue.presses(label, chat=ADMIN, user=ADMIN)

    def code(self, user: str = BOB) -> str:
        found = re.findall(r"Your code is `(\S+)`", "\n".join(self.channel.texts(user)))
        return str(found[-1])

    def _dialogue(self) -> Dialogue:
        return Dialogue(
            self.model, config=CONFIG, store=self.store, channel=self.channel, clock=self.clock
        )


async def test_an_admin_lets_somebody_in_by_a_button(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        (asked,) = await scene.says("hello, my secret is out", user=BOB)
        notice = scene.channel.texts(ADMIN)[-1]
        await scene.presses("Allow")
        answered = await scene.says("hello?", user=BOB)

    assert "Your code is `" in asked
    assert "`loopback:2002`" in asked
    assert "`Person 2002` (`loopback:2002`) wants to talk to me" in notice
    assert "secret" not in notice
    assert "`Person 2002` (`loopback:2002`) may talk to me now." == scene.channel.texts(ADMIN)[-1]
    assert [LET_IN, "An answer."] == scene.channel.texts(BOB)[1:]
    assert ["An answer."] == answered


async def test_nothing_is_lost_between_asking_and_deciding(open_store: OpenStore) -> None:
    async with Scene(open_store()) as scene:
        await scene.says("hello", user=BOB)
        await scene.restart(open_store())
        assert [] == await scene.says("hello?", user=BOB)  # the hour is not over by a restart
        await scene.presses("Allow")
        await scene.restart(open_store())

        assert ["An answer."] == await scene.says("and now?", user=BOB)
        assert 1 == sum(
            "wants to talk" in text
            for post in scene.channel.posts
            for text in [*post.history, post.text]
        )


async def test_the_code_does_it_too_and_for_one_hour_only() -> None:
    async with Scene(InMemoryStore()) as scene:
        await scene.says("hello", user=BOB)
        first = scene.code()
        await passes(scene.dialogue, HOUR_S)
        (late,) = await scene.says(f"/pair {first}", user=ADMIN)
        await scene.says("hello", user=BOB)
        second = scene.code()
        (done,) = await scene.says(f"/pair {second.lower().replace('-', '')}", user=ADMIN)

    assert first != second
    assert "one hour" in late
    assert "may talk to me now" in done
    assert LET_IN == scene.channel.texts(BOB)[-1]


async def test_whom_an_admin_finds_late_is_let_in_by_the_button_still() -> None:
    async with Scene(InMemoryStore()) as scene:
        await scene.says("hello", user=BOB)
        await passes(scene.dialogue, 20 * HOUR_S)
        await scene.presses("Allow")

    assert LET_IN == scene.channel.texts(BOB)[-1]


async def test_a_stranger_is_told_once_an_hour() -> None:
    async with Scene(InMemoryStore()) as scene:
        answers = [len(await scene.says("hello", user=BOB)) for _ in range(3)]
        await passes(scene.dialogue, HOUR_S)
        answers.append(len(await scene.says("hello", user=BOB)))

    assert [1, 0, 0, 1] == answers


async def test_who_is_refused_gets_nothing_more_until_let_in() -> None:
    async with Scene(InMemoryStore()) as scene:
        await scene.says("hello", user=BOB)
        await scene.presses("Refuse")
        await passes(scene.dialogue, 2 * HOUR_S)
        refused = await scene.says("hello", user=BOB)
        (listed,) = await scene.says("/pair", user=ADMIN)
        await scene.says("/pair loopback:2002", user=ADMIN)
        let_in = await scene.says("hello", user=BOB)
        await scene.says("/unpair loopback:2002", user=ADMIN)
        again = await scene.says("hello", user=BOB)

    assert [] == refused
    assert "**Refused**\n\n- `Person 2002` (`loopback:2002`)" in listed
    assert ["An answer."] == let_in
    assert [] == again


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("/pair AAAA-AAAA", "Nobody has that code"),
        ("/pair nowhere:5", "There is no channel `nowhere`"),
        ("/pair loopback:", "Nobody has that code"),
        ("/unpair loopback:1", "named in the settings"),
        ("/unpair", "`/unpair PERSON`"),
        ("/pair", "Nobody waits"),
    ],
)
async def test_what_cannot_be_done_is_told(words: str, answer: str) -> None:
    async with Scene(InMemoryStore()) as scene:
        (text,) = await scene.says(words, user=ADMIN)

    assert answer in text


async def test_the_owner_cannot_be_refused() -> None:
    async with Scene(InMemoryStore()) as scene:
        await scene.store.claim_ownership(scene.channel.message("x", user="3").sender, at=START)
        await scene.restart(scene.store)
        (text,) = await scene.says("/unpair loopback:3", user=ADMIN)

    assert "is an admin of this bot" in text


async def test_codes_are_not_guessed() -> None:
    async with Scene(InMemoryStore()) as scene:
        await scene.says("hello", user=BOB)
        for _ in range(5):
            await scene.says("/pair AAAA-AAAA", user=ADMIN)
        (locked,) = await scene.says(f"/pair {scene.code()}", user=ADMIN)

    assert "Too many wrong codes. Try again in 15 minutes." == locked


async def test_pairing_is_for_admins() -> None:
    config = Config(admins=("loopback:1",), allow=("loopback:2002",))
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        (text,) = await dialogue.says("/pair loopback:3", chat=BOB, user=BOB)
        (help_,) = await dialogue.says("/help", chat=BOB, user=BOB)

    assert "`/pair` is for the bot's admins." == text
    assert "/pair" not in help_


async def test_without_buttons_the_notice_says_what_to_write() -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=4_096, command_prefix="!"))
    async with Scene(InMemoryStore(), channel) as scene:
        await scene.says("hello", user=BOB)
        notice = channel.texts(ADMIN)[-1]

    assert f"`!pair {scene.code()}` lets them in" in notice
    assert "`!unpair loopback:2002`" in notice


async def test_a_name_is_nothing_but_a_name() -> None:
    async with Scene(InMemoryStore()) as scene:
        event = scene.channel.message("hello", chat=BOB, user=BOB)
        odd = "`x` [click](https://example.org)\n\n# " + "y" * 100
        await scene.dialogue.together(_called(event, odd))
        notice = scene.channel.texts(ADMIN)[-1]

    assert notice.startswith("`'x' [click](https://example.org) # yyy")
    assert "…` (`loopback:2002`) wants" in notice


def _called(event: InboundMessage, name: str) -> InboundMessage:
    return replace(event, sender=replace(event.sender, name=name))


async def test_many_strangers_do_not_flood_the_admins() -> None:
    async with Scene(InMemoryStore()) as scene:
        before = len(scene.channel.texts(ADMIN))
        for number in range(MOST_WAITING + 1):
            last = await scene.says("hello", user=str(5_000 + number))
        told = len(scene.channel.texts(ADMIN)) - before
        await passes(scene.dialogue, HOUR_S)
        (later,) = await scene.says("hello", user=BOB)

    assert MOST_AN_HOUR == told
    assert ["try again later" in text for text in last] == [True]
    assert "Your code is" in later


def written_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_what_a_stranger_writes_is_nowhere(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "daybook.db", inline=True)
    async with Scene(store) as scene:
        event = scene.channel.message("a rare word: xylopolist", chat=BOB, user=BOB)
        await scene.dialogue.together(event)
    await store.close()

    assert b"Person 2002" in written_in(tmp_path)
    assert b"xylopolist" not in written_in(tmp_path)


async def test_a_stranger_of_before_the_crash_is_greeted_after_it() -> None:
    store = InMemoryStore()
    channel = LoopbackChannel(capabilities=BUTTONS)
    stranger = _bare(channel.message("", chat=BOB, user=BOB))
    await store.receive((Received(inbound=stranger, route="command"),), cursor=None, at=START)
    async with Dialogue(ScriptedModel(), config=CONFIG, store=store, channel=channel):
        await settle()

    assert ["Your code is" in text for text in channel.texts(BOB)] == [True]
    assert [PersonKey("loopback::2002")] == [each.person_key for each in await store.pairings()]


def _bare(event: InboundMessage) -> InboundMessage:
    return replace(event, message_id="", text="")


@pytest.mark.parametrize(
    ("access", "allow", "answer"),
    [("list", (), []), ("list", ("loopback:2002",), ["Hello `Person 2002`! Write to me"])],
)
async def test_a_stranger_who_is_none_any_more(
    access: str, allow: tuple[str, ...], answer: list[str]
) -> None:
    config = Config.model_validate({"access": access, "allow": allow})
    store = InMemoryStore()
    channel = LoopbackChannel()
    stranger = _bare(channel.message("", chat=BOB, user=BOB))
    await store.receive((Received(inbound=stranger, route="command"),), cursor=None, at=START)
    async with Dialogue(ScriptedModel(), config=config, store=store, channel=channel):
        await settle()

    assert answer == [text.partition(" as to")[0] for text in channel.texts(BOB)]
    assert () == await store.pairings()


@pytest.mark.parametrize(
    ("user", "text", "answer"),
    [
        (ADMIN, "/start", "Hello `Person 1`! Write to me"),
        (BOB, "/start", "Your code is"),
        (ADMIN, "/start AAAA-AAAA", UNCLAIMED),
        (BOB, "/start AAAA-AAAA", "Your code is"),
    ],
)
async def test_start(user: str, text: str, answer: str) -> None:
    async with Scene(InMemoryStore()) as scene:
        (told,) = await scene.says(text, user=user)

    assert answer in told


async def test_start_is_nothing_in_a_group() -> None:
    async with Scene(InMemoryStore()) as scene:
        event = scene.channel.message("/start x", chat="-5", user=ADMIN, kind="group")
        await scene.dialogue.together(event)

    assert [] == scene.channel.texts("-5")
    assert [] == scene.model.requests
