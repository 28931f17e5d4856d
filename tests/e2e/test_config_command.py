"""Settings changed in the chat: what admins read, and what the next call of the model keeps to."""

import logging
from collections.abc import Iterator
from datetime import datetime

import pytest
from pydantic import SecretStr

from bot.config import AnthropicKeys, Config
from bot.config.changes import CHANGEABLE
from bot.core.chat import Capabilities
from bot.core.llm import ModelRequest
from bot.errors import StoreError
from bot.ports import SettingChange
from bot.runtime.storing import STORE_RETRY_S
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import Answer, ScriptedModel, calling
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore

ADMIN = "loopback:1001"
OPEN = Config(access="open", admins=(ADMIN,), plugins=("clock",))
TURNS = "agent_max_context_turns"


@pytest.fixture
def log_level() -> Iterator[int]:
    root = logging.getLogger()
    before = root.level
    yield before
    root.setLevel(before)


async def test_all_settings_are_listed_with_where_they_come_from(open_store: OpenStore) -> None:
    config = OPEN.model_copy(update={"agent_max_steps": 30})
    async with Dialogue(ScriptedModel(), config=config, store=open_store()) as dialogue:
        await dialogue.says("/config max_tokens 300", f"/config {TURNS} 7 --here")
        [text] = await dialogue.says("/config")

    lines = text.splitlines()
    assert list(CHANGEABLE) == [line.split("`")[1] for line in lines if line.startswith("- ")]
    assert "- `agent_max_context_tokens`: `50000` (default)" in lines
    assert "- `agent_max_context_turns`: `7` (set for this chat)" in lines
    assert "- `agent_max_steps`: `30` (the operator's)" in lines
    assert "- `max_tokens`: `300` (set for all chats)" in lines
    assert "- `summary_model`: the model that answers (the operator's)" in lines


async def test_one_is_shown_with_its_range_its_default_and_who_changed_it(
    open_store: OpenStore,
) -> None:
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store()) as dialogue:
        await dialogue.says(f"/config {TURNS} 12", f"/config {TURNS} 7 --here")
        [text] = await dialogue.says(f"/config {TURNS}")

    assert text.splitlines() == [
        "`agent_max_context_turns` is `7` (set for this chat)",
        "",
        "- Turns of a chat that the model is shown.",
        "- It may be a whole number from 1 to 1000.",
        "- Default: `20`; the operator has `20`; all chats have `12`.",
        "- Set by `loopback:1001`, 2026-01-05 09:00.",
        "- A change acts from the next request to the model on.",
    ]


async def test_a_change_is_told_with_old_and_new_and_can_be_taken_back(
    open_store: OpenStore,
) -> None:
    acts = "for all chats, from the next request to the model on."
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store()) as dialogue:
        answers = await dialogue.says(
            f"/config {TURNS} 12",
            f"/config {TURNS.upper()} 12",
            f"/config {TURNS} default",
            f"/config {TURNS} Default",
            "/config Undo",
            "/config undo",
            "/config undo",
        )

    assert answers == [
        f"`{TURNS}`: `20` → `12`, {acts} `/config undo` takes it back.",
        f"`{TURNS}` is `12` already (set for all chats).",
        f"`{TURNS}`: `12` → `20`, {acts} `/config undo` takes it back.",
        f"`{TURNS}` is `20` already (default).",
        f"Taken back: `{TURNS}`: `20` → `12`, {acts}",
        f"Taken back: `{TURNS}`: `12` → `20`, {acts}",
        "There is no change for all chats to take back; `/config undo --here` looks for one for "
        "this chat.",
    ]


@pytest.mark.parametrize("here", ["--here", "\u2014here", "\u2013Here"])
async def test_a_chat_may_have_its_own(open_store: OpenStore, here: str) -> None:
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store()) as dialogue:
        [own] = await dialogue.says(f"/config {TURNS} 7 {here}")
        [everywhere] = await dialogue.says(f"/config {TURNS} 12")
        [elsewhere] = await dialogue.says(f"/config {TURNS}", chat="2002")
        [only_everywhere] = await dialogue.says("/config log_level debug --here")
        [equal] = await dialogue.says(f"/config {TURNS} 12 --here")
        await dialogue.says("/config undo --here")
        [back] = await dialogue.says("/config undo --here")

    assert "`20` → `7`, for this chat" in own
    assert "`/config undo --here` takes it back" in own
    assert "This chat keeps its own `7`." in everywhere
    assert "is `12` (set for all chats)" in elsewhere
    assert "`log_level` holds for all chats: leave `--here` out." == only_everywhere
    assert "`7` → `12`, for this chat" in equal
    assert "Taken back: `agent_max_context_turns`: `7` → `12`, for this chat" in back


async def test_what_is_taken_away_may_leave_the_same_value() -> None:
    async with Dialogue(ScriptedModel(), config=OPEN) as dialogue:
        await dialogue.says(f"/config {TURNS} 7 --here", f"/config {TURNS} 7")
        [told] = await dialogue.says(f"/config {TURNS} default --here")
        [unknown] = await dialogue.says("/config xyzzy default")

    assert told.startswith(f"`{TURNS}` stays `7` (set for all chats).")
    assert unknown.startswith("There is no such setting")


@pytest.mark.parametrize(
    "text",
    [
        *(f"{TURNS} {value}" for value in ("0", "-1", "abc", "1e9", '""', "**1**", "1 2")),
        f"{TURNS} {'9' * 3_000}",
        "agent_max_stepz 3",
        "plugins clock",
        "undo everything",
        f"{'x' * 3_000}",
    ],
)
async def test_what_makes_no_sense_is_answered_in_one_sentence(text: str) -> None:
    store = InMemoryStore()
    async with Dialogue(ScriptedModel(), config=OPEN, store=store) as dialogue:
        [answer] = await dialogue.says(f"/config {text}")

    assert len(answer) < 150
    assert 1 == answer.count(".") + answer.count("?")
    assert () == await store.overrides()


async def test_who_is_no_admin_changes_and_reads_nothing() -> None:
    store = InMemoryStore()
    async with Dialogue(ScriptedModel(), config=OPEN, store=store) as dialogue:
        answers = await dialogue.says("/config", f"/config {TURNS} 5", "/config undo", user="7")

    assert {"`/config` is for the bot's admins."} == set(answers)
    assert () == await store.overrides()


async def test_secrets_are_never_shown() -> None:
    secret = "-".join(("key", "of", "nobody"))
    config = OPEN.model_copy(update={"anthropic": AnthropicKeys(api_key=SecretStr(secret))})
    async with Dialogue(ScriptedModel(), config=config) as dialogue:
        answers = await dialogue.says(
            "/config", "/config anthropic", "/config anthropic.api_key", "/config channels"
        )

    assert secret not in " ".join(answers)
    assert ["is for the operator to change" in answer for answer in answers[1:]] == [True] * 3


async def test_a_change_acts_on_the_next_call_of_every_live_chat(open_store: OpenStore) -> None:
    model = ScriptedModel([calling("clock"), "It is nine.", "Hello."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        say = dialogue.channel.message
        await dialogue.happens([say("what time is it?")])
        await model.held()
        await dialogue.happens([say("/config max_tokens 300"), say("/config model other")])
        model.release()
        await dialogue.app.settled(say("").address)
        await dialogue.says("hello", chat="2002")

    assert [
        ("scripted", 4_096),
        ("other", 300),
        ("other", 300),
    ] == [(request.model, request.max_tokens) for request in model.requests]


async def test_fewer_steps_than_a_turn_has_taken_still_leave_it_an_answer() -> None:
    def call_as_long_as_it_may(request: ModelRequest) -> Answer:
        if len(model.requests) == 3:
            model.hold()
        if request.may_use_tools:
            return calling("clock", call_id=f"call_{len(model.requests)}")
        return "It is nine."

    model = ScriptedModel(call_as_long_as_it_may)
    async with Dialogue(model, config=OPEN) as dialogue:
        say = dialogue.channel.message
        await dialogue.happens([say("what time is it?")])
        await model.held()
        await dialogue.happens([say("/config agent_max_steps 1")])
        model.release()
        await dialogue.app.settled(say("").address)

    assert [True, True, True, False] == [request.may_use_tools for request in model.requests]
    assert "It is nine." == dialogue.channel.texts()[-1]


async def test_more_steps_help_a_turn_that_is_under_way() -> None:
    model = ScriptedModel([calling("clock"), calling("clock", call_id="again"), "It is nine."])
    config = OPEN.model_copy(update={"agent_max_steps": 1})
    model.hold()
    async with Dialogue(model, config=config) as dialogue:
        say = dialogue.channel.message
        await dialogue.happens([say("what time is it?")])
        await model.held()
        await dialogue.happens([say("/config agent_max_steps 5")])
        model.release()
        await dialogue.app.settled(say("").address)

    assert [True, True, True] == [request.may_use_tools for request in model.requests]
    assert "It is nine." == dialogue.channel.texts()[-1]


async def test_what_was_set_outlives_a_restart(open_store: OpenStore) -> None:
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store()) as dialogue:
        await dialogue.says("/config max_tokens 300", "/config model own --here")

    channel = LoopbackChannel()
    channel.message("a number that is taken")
    channel.message("another one")
    model = ScriptedModel(["Hello.", "Hello."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("hello")
        await dialogue.says("hello", chat="2002")

    assert [("own", 300), ("scripted", 300)] == [
        (request.model, request.max_tokens) for request in model.requests
    ]


async def test_commands_are_named_as_the_platform_wants_them() -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=4_096, command_prefix="!"))
    async with Dialogue(ScriptedModel(), config=OPEN, channel=channel) as dialogue:
        answers = await dialogue.says(
            "!config", "!config max_tokens 300", "!config model /models/llama", "!config xyzzy"
        )

    assert "`!config undo`" in answers[0]
    assert "`!config undo` takes it back" in answers[1]
    assert "`scripted` → `/models/llama`" in answers[2]
    assert "`!config` lists all" in answers[3]


async def test_the_log_follows_at_once_and_comes_back(log_level: int) -> None:
    root = logging.getLogger()
    async with Dialogue(ScriptedModel(), config=OPEN) as dialogue:
        [told] = await dialogue.says("/config log_level error")
        changed = root.level
        await dialogue.says("/config log_level default")

    assert "`info` → `error`, for all chats, at once." in told
    assert (logging.ERROR, log_level) == (changed, root.level)


class Busy(InMemoryStore):
    """A store that fails at the first change."""

    is_busy = True

    async def override(
        self, key: str, value: str | None, *, scope: str, by: str, at: datetime
    ) -> SettingChange:
        if self.is_busy:
            self.is_busy = False
            raise StoreError("busy")
        return await super().override(key, value, scope=scope, by=by, at=at)


async def test_a_change_that_the_store_refuses_is_made_once_it_takes_it() -> None:
    store, clock = Busy(), FakeClock()
    async with Dialogue(ScriptedModel(), config=OPEN, store=store, clock=clock) as dialogue:
        await dialogue.happens([dialogue.channel.message("/config max_tokens 300")])
        before = await store.overrides()
        await clock.advance(STORE_RETRY_S)
        [told] = await dialogue.channel.wait_for_posts(1)

    assert () == before
    assert "`4096` → `300`" in told
    assert ["300"] == [each.value for each in await store.overrides()]


async def test_what_the_window_leaves_of_a_setting_is_told(open_store: OpenStore) -> None:
    async with Dialogue(ScriptedModel(), config=OPEN, store=open_store()) as dialogue:
        [known] = await dialogue.says("/config model_window_tokens")
        await dialogue.says("/config model_window_tokens 8000")
        [answer] = await dialogue.says("/config max_tokens 64000")
        [request] = await dialogue.says("/config agent_max_context_tokens 1000000")
        [fits] = await dialogue.says("/config max_tokens 1500")

    reads = "`scripted` reads 8000 tokens with its answer"
    assert "`scripted` reads 200000 tokens with its answer" in known
    assert f"In force are 2000: {reads}, and an answer has a quarter of that." in answer
    assert f"In force are 6000, since {reads}." in request
    assert "In force" not in fits
