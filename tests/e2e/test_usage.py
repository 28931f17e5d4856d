"""What a day cost, against what the vendor said; caps as people meet them; who reads what."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import anthropic  # noqa: F401 - takes seconds, which are not to count as a test's patience

from bot.adapters.anthropic_model import AnthropicModel
from bot.adapters.anthropic_model.json_values import JsonObject
from bot.adapters.store.sqlite_store import SqliteStore
from bot.adapters.token_counter import TiktokenCounter
from bot.app.pricing import prices_of
from bot.config import Config
from bot.config.costs import CapKeys
from bot.core.chat import Capabilities, InboundMessage
from bot.core.cost import Spent, dollars, span_of
from bot.core.llm import ModelResponse, Usage
from bot.core.memory.extract import extracted_answer, is_extraction_request
from bot.core.messages import Text, ToolCall, assistant_text
from bot.core.window.summary.extract import (
    extractive_answer,
    extractive_record,
    is_record_request,
    is_summary_request,
)
from bot.testing.anthropic_events import Written
from bot.testing.anthropic_server import (
    OVERLOADED,
    Answer,
    Broken,
    PretendedAnthropic,
    Script,
)
from bot.testing.clock import START, FakeClock, HurriedClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from bot.testing.patience import PATIENCE_S
from tests.e2e.conftest import OpenStore, passes

MODEL = "claude-sonnet-5-5"
PRICES = {"input": 2_000, "output": 10_000, "cache_read": 100, "cache_write": 2_500}
"""Nano-dollars a token; Source: the vendor's page, as bot/core/prices.py names it."""

TODAY = span_of(date(2026, 1, 5), UTC)
WHISPERS = Capabilities(max_text_length=4_000, shows_to_one=True)
ADA, BOB = "1001", "2002"


class OneDay(HurriedClock):
    """Hurried time that begins on a Monday morning."""

    def __init__(self) -> None:
        super().__init__()
        self._begun_s = self.monotonic()

    def now(self) -> datetime:
        return START + timedelta(seconds=self.monotonic() - self._begun_s)


def paid_config(**more: object) -> Config:
    settings = {
        "access": "open",
        "plugins": ("clock",),
        "admins": (f"loopback:{ADA}",),
        "model": MODEL,
        **more,
    }
    return Config.model_validate(settings)


def otherwise(body: JsonObject) -> str:
    """Answer what is asked beside the chats as it is wanted, and everything else with a word."""
    system, text = _text_in(body.get("system")), _text_in(body.get("messages"))
    answers = (
        (is_summary_request, extractive_answer),
        (is_record_request, extractive_record),
        (is_extraction_request, extracted_answer),
    )
    for is_asked, answer in answers:
        if is_asked(system):
            return answer(text)
    return "All is well."


def _text_in(value: object) -> str:
    """Find the first text in a request, as it stands there or in blocks."""
    if isinstance(value, list):
        return _text_in(value[0]) if value else ""
    if isinstance(value, dict):
        return _text_in(value.get("content") or value.get("text"))
    return value if isinstance(value, str) else ""


def in_chats(*answers: Script) -> Script:
    """Answer what people say in this order, whatever is asked beside their chats meanwhile."""
    left = list(answers)

    def answer(body: JsonObject) -> Answer:
        is_beside = not _text_in(body.get("system")).startswith(persona())
        script = otherwise if is_beside or not left else left.pop(0)
        return script(body) if callable(script) else script

    return answer


def persona() -> str:
    return Config().read_persona()


BROKEN_OFF = ("Half of a long answer", "Half")
"""Each is long enough that more was written than the vendor had reported."""

DAY_OF_TALK: tuple[Script, ...] = (
    "Good morning.",
    Written(blocks=(ToolCall(id="c1", name="clock", arguments="{}"),), stop="tool_use"),
    "It is nine.",
    OVERLOADED,
    Broken(how="cut", text=BROKEN_OFF[0]),
    "And now the whole of it.",
    Broken(how="error_event", text=BROKEN_OFF[1]),
    Written(blocks=(Text(text="Done."),)),
)


PURPOSES = {"answer", "summary", "facts", "episode"}


async def over(vendor: PretendedAnthropic, store: SqliteStore) -> Spent:
    """Wait until all was asked for that can be, and the last of it is accounted for."""
    still = 0
    while still < 20:
        (spent,) = await store.spent_in((TODAY,))
        lines = await store.spent_lines(TODAY)
        is_whole = {line.name for line in lines if line.axis == "purpose"} == PURPOSES
        still = still + 1 if is_whole and spent.calls == len(vendor.reported) else 0
        await settle()
    return spent


async def test_a_day_costs_what_the_vendor_reported_to_the_token_and_the_tenth_of_a_cent(
    tmp_path: Path,
) -> None:
    clock, store = OneDay(), SqliteStore.open(tmp_path / "daybook.db", inline=True)
    async with PretendedAnthropic(otherwise=in_chats(*DAY_OF_TALK)) as vendor:
        model = AnthropicModel(api_key="k" * 20, base_url=vendor.base_url, clock=clock)
        config = paid_config(agent_max_context_turns=2)
        async with (
            asyncio.timeout(PATIENCE_S),
            Dialogue(
                model,
                config=config,
                store=store,
                clock=clock,
                memory_files=InMemoryFiles(),
                model_name=MODEL,
            ) as dialogue,
        ):
            await dialogue.says("Good morning!", "What time is it?", "Tell me a long story.")
            await dialogue.says("I like tea.", "Again", "And again", chat=BOB, user=BOB)
            await dialogue.says("/new")
            spent = await over(vendor, store)
            (page,) = await dialogue.says("/usage")

    broken, count = iter(BROKEN_OFF), TiktokenCounter().count
    reported = [_usage(each) for each in vendor.reported]
    reported = [  # of what broke off only the prompt, and that something was begun
        replace(each, output_tokens=count(next(broken))) if each.output_tokens == 1 else each
        for each in reported
    ]
    whole = Usage()
    for each in reported:
        whole += each
    nano_usd = sum(map(price, reported))
    await store.close()
    assert Spent(usage=whole, nano_usd=nano_usd, calls=len(reported)) == spent
    assert spent.calls > 10
    assert [] == list(broken)
    assert f"- Today: {dollars(nano_usd)}, " in page
    assert all(f"`{name}`" in page for name in (MODEL, "loopback:2002", "answer", "summary"))
    assert [] == vendor.faults


def _usage(reported: dict[str, int]) -> Usage:
    return Usage(
        input_tokens=reported["input_tokens"],
        output_tokens=reported["output_tokens"],
        cache_read_tokens=reported["cache_read_input_tokens"],
        cache_write_tokens=reported["cache_creation_input_tokens"],
    )


def price(usage: Usage) -> int:
    return (
        usage.input_tokens * PRICES["input"]
        + usage.output_tokens * PRICES["output"]
        + usage.cache_read_tokens * PRICES["cache_read"]
        + usage.cache_write_tokens * PRICES["cache_write"]
    )


def capped(
    open_store: OpenStore, model: ScriptedModel, *, remembers: bool = False, **caps: float
) -> Dialogue:
    config = paid_config(caps=caps, timezone="Europe/Berlin")
    return Dialogue(
        model,
        config=config,
        store=open_store(),
        channel=LoopbackChannel(capabilities=WHISPERS),
        memory_files=InMemoryFiles() if remembers else None,
        model_name=MODEL,
    )


async def test_beyond_a_cap_a_sentence_stands_for_the_turn_and_retry_answers_it_tomorrow(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(["First.", "Second."])
    async with capped(open_store, model, person_usd=0.000_001) as dialogue:
        first = await dialogue.says("one", chat=BOB, user=BOB)
        (sentence,) = await dialogue.says("two", chat=BOB, user=BOB)
        (again,) = await dialogue.says("/retry", chat=BOB, user=BOB)
        await passes(dialogue, 14 * 3600)
        asked = len(model.requests)
        (answer,) = await dialogue.says("/retry", chat=BOB, user=BOB)

    assert "First." == first[0].partition("\n")[0]
    assert sentence == again
    assert (
        "You have used up what you may use of me in a day. The next day begins at 00:00 "
        "(Europe/Berlin); `/retry` then answers this." == sentence
    )
    assert 1 == asked
    assert "Second." == answer.partition("\n")[0]


async def test_what_is_remembered_waits_for_the_next_day_and_fails_nothing(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(lambda request: "Noted.")
    async with capped(open_store, model, remembers=True, bot_usd=0.000_001) as dialogue:
        await dialogue.says("My name is Ada.")
        await passes(dialogue, 3 * 3600)
        asked = len(model.requests)
        jobs = await dialogue.store.due_jobs(START + timedelta(hours=14, seconds=1), limit=9)
        await passes(dialogue, 11 * 3600 + 5)
        after = len(model.requests)

    assert 1 == asked
    assert jobs
    assert {0} == {job.attempts for job in jobs}
    assert {datetime(2026, 1, 5, 23, tzinfo=UTC)} <= {job.due_at for job in jobs}
    assert after > asked


async def test_a_cap_that_is_raised_lets_what_was_held_back_go_on_at_once(
    open_store: OpenStore,
) -> None:
    """Not at midnight; one that is raised too little holds it back once more."""
    model = ScriptedModel(lambda request: "Noted.")
    async with capped(open_store, model, remembers=True, bot_usd=0.000_001) as dialogue:
        await dialogue.says("My name is Ada.")
        await passes(dialogue, 3 * 3600)
        asked = [len(model.requests)]
        for cap in ("0.000002", "5"):
            await dialogue.says(f"/config caps.bot_usd {cap}")
            await passes(dialogue, 60)
            asked.append(len(model.requests))

    assert [1, 1] == asked[:2]
    assert asked[2] > 1


def test_the_operators_price_goes_before_a_longer_name_of_the_list() -> None:
    config = paid_config(prices={"claude": {"input": 1.0, "output": 1.0}})
    tariff = prices_of(config, MODEL).of(MODEL)

    assert tariff is not None
    assert 1_000 == tariff.cost(Usage(input_tokens=1))


async def test_little_left_is_said_below_the_answer_once(open_store: OpenStore) -> None:
    model = ScriptedModel(lambda request: "Well.")
    async with capped(open_store, model, chat_usd=0.01) as dialogue:
        said = [(await dialogue.says(f"{n} {'word ' * 400}"))[0] for n in range(9)]

    warned = [text for text in said if "Most of what this chat may use of me today is used" in text]
    assert 1 == len(warned)
    assert warned[0].startswith("Well.")
    assert "This chat has used up" in said[-1]


async def test_admins_are_told_that_the_bot_has_little_left(open_store: OpenStore) -> None:
    model = ScriptedModel(lambda request: "Well.")
    async with capped(open_store, model, bot_usd=0.000_001) as dialogue:
        await dialogue.says("/status")
        await dialogue.says("Hello", chat=BOB, user=BOB)
        await passes(dialogue, 1)
        told = dialogue.channel.texts(ADA)[1:]
        (page,) = await dialogue.says("/usage", chat=BOB, user=BOB)

    assert 1 == len(told)
    assert told[0].startswith("Most of what I may spend today is used")
    assert "`/config caps.bot_usd` changes it." in told[0]
    assert "- For all together: nothing" in page


async def test_people_read_their_own_and_admins_all_of_it(open_store: OpenStore) -> None:
    model = ScriptedModel(lambda request: "Well.")
    async with capped(open_store, model) as dialogue:
        await dialogue.says("Hello")
        await dialogue.says("Hello", "Once more", chat=BOB, user=BOB)
        (own,) = await dialogue.says("/usage", chat=BOB, user=BOB)
        (whole,) = await dialogue.says("/usage")
        (admins,) = await dialogue.says("/usage me")
        (wrong,) = await dialogue.says("/usage of bob")

    assert "**What you used**" in own
    assert "2 calls" in own
    assert "loopback:" not in own
    assert "For all together" not in own
    assert "For you: $" in own
    assert "of $5.000" in own
    assert "**What all used**" in whole
    assert "3 calls" in whole
    assert "`loopback:2002`" in whole
    assert "For all together: $" in whole
    assert "**What you used**" in admins
    assert "1 call\n" in admins
    assert wrong.startswith("`/usage` shows")


async def test_in_a_group_only_who_asked_reads_it(open_store: OpenStore) -> None:
    async with capped(open_store, ScriptedModel(["Hi."])) as dialogue:
        await dialogue.says("Hello", chat=BOB, user=BOB)
        asked = _in_group(dialogue, "/usage")
        await dialogue.together(asked)
        (post,) = [each for each in dialogue.channel.posts if each.address.chat == "-5"]

    assert BOB == post.for_person
    assert "**What you used**" in post.text


def _in_group(dialogue: Dialogue, text: str) -> InboundMessage:
    return dialogue.channel.message(text, user=BOB, chat="-5", kind="group")


async def test_a_cap_is_changed_in_the_chat_and_holds_at_once(open_store: OpenStore) -> None:
    model = ScriptedModel(lambda request: "Well.")
    async with capped(open_store, model, person_usd=0) as dialogue:
        (refused,) = await dialogue.says("Hello")
        (changed,) = await dialogue.says("/config caps.person_usd 2.5")
        (answer,) = await dialogue.says("/retry")
        (wrong,) = await dialogue.says("/config caps.person_usd much")

    assert refused.startswith("You have used up")
    assert "`caps.person_usd`: `0.0` → `2.5`" in changed
    assert "Well." == answer
    assert "`caps.person_usd` must be a number from 0 to 1000000, not much" in wrong


async def test_an_answer_that_is_thrown_away_is_accounted_for_too(open_store: OpenStore) -> None:
    """It left no room for words, so that less of the chat is shown and the model asked again."""
    filled = ModelResponse(
        message=assistant_text(""),
        stop="window_full",
        usage=Usage(input_tokens=150_000, output_tokens=1),
        model=MODEL,
    )
    model = ScriptedModel(["One.", "Two.", filled, "Three."])
    async with capped(open_store, model) as dialogue:
        said = await dialogue.says("one", "two", "three")
        (spent,) = await dialogue.store.spent_in((TODAY,))

    assert said[-1].startswith("Three.")
    assert (4, 0) == (spent.calls, spent.unpriced)
    assert spent.nano_usd > 150_000 * PRICES["input"]


async def test_what_the_bot_found_by_itself_costs_nothing_and_is_not_stopped() -> None:
    model = ScriptedModel(lambda request: "Well.")
    config = Config(access="open", plugins=(), caps=CapKeys(bot_usd=0))
    async with Dialogue(model, config=config, clock=FakeClock()) as dialogue:
        said = await dialogue.says("Hello", "/usage")

    assert "Well." == said[0]
    assert "- Today: $0.000, " in said[1]
