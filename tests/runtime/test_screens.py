"""What people are shown beside the chat: the settings, and a page that is about them alone."""

from dataclasses import replace
from datetime import timedelta

from bot.config import Config
from bot.config.changes import CHANGEABLE, bounds_of
from bot.core.chat import ChatAddress, ChatKind, PersonKey, Sender
from bot.core.lifecycle import ModelCall
from bot.core.llm import Usage
from bot.core.memory.audience import audience_of
from bot.core.memory.daily import shown_lines
from bot.core.memory.facts import NewFact
from bot.core.memory.jobs import MemoryEntry
from bot.core.screens import HomePage, Section, SettingField
from bot.core.turns import TurnId
from bot.errors import StoreError
from bot.ports.screens import Screens
from bot.runtime.commands.memory_pages import NO_FACTS
from bot.runtime.screens import NOT_LET_IN, NOT_TO_BE_LET_IN, SHOWN_FACTS
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel

CONFIG = Config(admins=("loopback:1001",), allow=("loopback:2002",))
ADA = Sender(channel="loopback", user_id="1001", name="Ada")
BOB = Sender(channel="loopback", user_id="2002", name="Bob")
EVE = Sender(channel="loopback", user_id="3003", name="Eve")
ADAS = ChatAddress(channel="loopback", account="bot", chat="1001")
BOBS = ChatAddress(channel="loopback", account="bot", chat="2002")
GROUP = ChatAddress(channel="loopback", account="bot", chat="-5")


class Shown:
    """A running bot, and what its channel can show."""

    def __init__(self, *answers: str) -> None:
        self.files = InMemoryFiles()
        self.channel = LoopbackChannel()
        self.dialogue = Dialogue(
            ScriptedModel(list(answers)),
            config=CONFIG,
            channel=self.channel,
            memory_files=self.files,
        )

    async def __aenter__(self) -> "Shown":
        await self.dialogue.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.dialogue.__aexit__(None, None, None)

    @property
    def screens(self) -> Screens:
        assert self.channel.inbox is not None
        return self.channel.inbox.screens

    async def home(self, address: ChatAddress, sender: Sender) -> HomePage:
        return await self.screens.home(address, sender)

    def settings(self, address: ChatAddress, sender: Sender) -> tuple[SettingField, ...] | None:
        return self.screens.settings(address, sender, "private")

    async def know(
        self,
        who: Sender,
        address: ChatAddress,
        text: str,
        *,
        days_ago: int = 0,
        kind: ChatKind = "private",
    ) -> None:
        new = NewFact(
            person_key=who.person_key,
            audience=audience_of(address.session_key, kind),
            topic="other",
            key=text.lower(),
            text=text,
            origin="told",
            confidence=1.0,
            at=START - timedelta(days=days_ago),
        )
        await self.dialogue.store.keep_facts((new,))

    async def remember(self, address: ChatAddress, text: str, days_ago: int = 0) -> None:
        entry = MemoryEntry(
            turn_id=TurnId(1),
            audience=audience_of(address.session_key, "private"),
            day=(START - timedelta(days=days_ago)).date(),
            text=text,
            moment=START,
        )
        await self.files.append((entry,))


def text_of(page: HomePage) -> str:
    return "\n".join(line for section in page.sections for line in (section.title, *section.lines))


async def test_a_page_is_about_who_looks_at_it_and_nobody_else() -> None:
    async with Shown("Noted.", "Noted.") as shown:
        await shown.dialogue.says("the word is heron")
        await shown.remember(ADAS, "- 09:01 likes herons")
        await shown.remember(BOBS, "- 09:02 likes egrets")
        await shown.remember(GROUP, "- 09:03 the team likes storks")
        adas, bobs = await shown.home(ADAS, ADA), await shown.home(BOBS, BOB)

    assert "I see 1 turn of at most 20" in text_of(adas)
    assert "2026-01-05\n09:01 likes herons" in text_of(adas)
    assert not {"egrets", "storks"} & set(text_of(adas).split())
    assert "I see 0 turns" in text_of(bobs)
    assert "left my view" not in text_of(adas)
    assert "egrets" in text_of(bobs)
    assert (True, False) == (adas.may_configure, bobs.may_configure)
    assert ["context clear"] == [wish.command for wish in adas.sections[0].wishes]
    assert () == bobs.sections[0].wishes


async def test_what_is_known_of_a_person_can_be_forgotten_line_by_line() -> None:
    async with Shown() as shown:
        empty = await shown.home(ADAS, ADA)
        for number in range(SHOWN_FACTS + 1):
            await shown.know(ADA, ADAS, f"Fact {number}.", days_ago=number)
        await shown.know(BOB, BOBS, "Likes rum.")
        await shown.know(ADA, GROUP, "Works nights.", kind="group")
        await shown.dialogue.says("/memory off")
        page = await shown.home(ADAS, ADA)

    def known(of: HomePage) -> Section:
        return next(each for each in of.sections if each.title == "What I remember about you")

    assert (NO_FACTS,) == known(empty).lines
    rows = known(page).rows
    assert SHOWN_FACTS == len(rows)
    assert [
        ("Fact 0. (2026-01-05)", "memory forget f1"),
        ("Works nights. (2026-01-05, in a group)", "memory forget f13"),
    ] == sorted((row.text, row.wish.command) for row in rows[:2])
    assert "rum" not in str(page)
    assert f"The newest {SHOWN_FACTS}; /memory shows 2 more." in known(page).lines
    assert ["memory export", "memory on"] == [wish.command for wish in known(page).wishes]


async def test_a_stranger_reads_how_to_get_in_and_nothing_else() -> None:
    async with Shown() as shown:
        page = await shown.home(ADAS, EVE)

    assert f"Daybook\n{NOT_LET_IN}" == text_of(page)


async def test_who_gets_no_answer_reads_whom_to_ask() -> None:
    async with Shown() as shown:
        guest = await shown.home(ADAS, replace(EVE, is_guest=True))

    assert NOT_TO_BE_LET_IN.format(person="loopback:3003") in text_of(guest)


async def test_what_was_used_is_ones_own_and_of_late() -> None:
    async with Shown() as shown:
        for who, days, tokens in (
            (ADA.person_key, 0, 1_000),
            (ADA.person_key, 2, 500),
            (ADA.person_key, 40, 70_000),
            (PersonKey("loopback::2002"), 0, 9_000),
        ):
            call = ModelCall(
                session_key=GROUP.session_key,
                person_key=who,
                model="m",
                purpose="answer",
                usage=Usage(input_tokens=tokens, output_tokens=7),
                at=START - timedelta(days=days),
                cost_nano_usd=250_000_000,
            )
            await shown.dialogue.store.record_call(call)
        page = text_of(await shown.home(ADAS, ADA))

    assert "Today: $0.250, 1.0k tokens in, 7 out, 0% of in from the cache, 1 call\n" in page
    assert "30 days: $0.500, 1.5k tokens in, 14 out, 0% of in from the cache, 2 calls" in page


async def test_only_the_last_days_are_shown_and_a_broken_file_says_so() -> None:
    class Broken(InMemoryFiles):
        async def read_day(self, audience: object, day: object) -> str:
            raise StoreError("no")

    async with Shown() as shown:
        await shown.remember(ADAS, "- 09:01 long ago", days_ago=7)
        await shown.remember(ADAS, "- 09:01 of late", days_ago=6)
        page = text_of(await shown.home(ADAS, ADA))
        shown.files.read_day = Broken().read_day  # type: ignore[method-assign]  # a disk that fails
        broken = text_of(await shown.home(ADAS, ADA))

    assert "of late" in page
    assert "long ago" not in page
    assert "(the file of this day cannot be read)" in broken


async def test_settings_are_shown_as_they_hold_to_those_who_may_set_them() -> None:
    async with Shown() as shown:
        await shown.dialogue.says("/config agent_max_steps 7", "/config max_tokens 300 --here")
        fields = shown.settings(ADAS, ADA)
        assert fields is not None
        assert shown.settings(BOBS, BOB) is None
        assert shown.settings(ADAS, EVE) is None

    held = {each.key: (each.value, each.source) for each in fields}
    assert list(CHANGEABLE) == [each.key for each in fields]
    assert ("7", "set for all chats") == held["agent_max_steps"]
    assert ("300", "set for this chat") == held["max_tokens"]
    assert ("mention", "the default") == held["group_mode"]
    assert ("", "the default") == held["model_window_tokens"]


async def test_what_is_no_value_is_told_and_emptiness_is_one() -> None:
    async with Shown() as shown:
        faults = shown.screens.faults(
            {
                "agent_max_steps": "many",
                "max_tokens": "",
                "group_mode": "all",
                "model": "claude --here",
                "token": "x",
            }
        )

    assert {"agent_max_steps", "model", "token"} == set(faults)
    assert "must be a whole number from 1 to" in faults["agent_max_steps"]
    assert not any("`" in fault for fault in faults.values())


def test_bounds_say_what_the_checks_say() -> None:
    bounds = {key: bounds_of(key) for key in CHANGEABLE}

    assert ("mention", "all", "off") == bounds["group_mode"].choices
    assert "word" == bounds["model"].kind
    steps = bounds["agent_max_steps"]
    assert steps.kind == "number"
    assert steps.least == 1
    assert steps.most is not None


def test_a_daily_file_is_shown_without_what_is_for_the_program() -> None:
    text = (
        "# 2026-01-05\n\n<!-- turn 4 2026-01-05T09:00:00.000000+00:00 -->\n- 09:01 uses <\\h1>\n"
        "\nmy own note\n## a heading\n"
    )

    assert ("09:01 uses <h1>", "my own note") == shown_lines(text)
