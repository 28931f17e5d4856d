"""A new conversation knows what was open, and tells it to nobody else."""

import json
from collections.abc import Callable

from bot.adapters.demo_model import DemoModel
from bot.app import Store
from bot.config import Config
from bot.core.chat import ChatKind, PersonKey
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.facts import NewFact
from bot.core.window.notes import OPENING_LEAD
from bot.core.window.summary.extract import (
    extractive_answer,
    is_record_request,
    is_summary_request,
)
from bot.errors import ModelUnavailable
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import Answer, ScriptedModel
from tests.e2e.conftest import passes

OpenStore = Callable[[], Store]

OPEN = Config(access="open", plugins=("clock",))
RECORD = json.dumps({"summary": "The herons were counted.", "open_tasks": ["count storks"]})


def answering(record: Answer = RECORD) -> Callable[[ModelRequest], Answer]:
    def answer(request: ModelRequest) -> Answer:
        if is_record_request(request.system):
            return record
        if is_summary_request(request.system):
            return extractive_answer(request.messages[0].text)
        if request.tools:
            return "Noted."
        return "{}"  # what is asked for facts

    return answer


def begin(
    open_store: OpenStore,
    model: ScriptedModel | DemoModel | None = None,
    channel: LoopbackChannel | None = None,
) -> Dialogue:
    return Dialogue(
        model or ScriptedModel(answering()),
        config=OPEN,
        store=open_store(),
        channel=channel,
        memory_files=InMemoryFiles(),
    )


def opening_of(model: ScriptedModel) -> str:
    """Give what the newest request to the chat's model opens with; empty for nothing."""
    request = next(each for each in reversed(model.requests) if each.tools)
    texts = (getattr(block, "text", "") for block in request.messages[0].blocks)
    return next((text for text in texts if text.startswith(OPENING_LEAD)), "")


async def knows(
    store: Store, text: str, *, user: str = "1001", chat: str = "1001", kind: ChatKind = "private"
) -> None:
    audience = Audience(channel="loopback", account="bot", chat=chat, kind=kind)
    sender = LoopbackChannel().message("x", chat=chat, user=user).sender
    fact = NewFact(
        person_key=sender.person_key,
        audience=audience,
        topic="preference",
        key=text.lower()[:20],
        text=text,
        origin="told",
        confidence=1.0,
        at=START,
    )
    await store.keep_facts((fact,))


async def test_mem_7_new_tells_what_was_and_what_is_open_and_so_does_the_next_window(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(answering())
    async with begin(open_store, model) as dialogue:
        await knows(dialogue.store, "Prefers short answers.")
        await dialogue.says("Count the herons", "Now the storks")
        (told,) = await dialogue.says("/new")
        await passes(dialogue, 1)
        await dialogue.says("Good morning")
        first = opening_of(model)
        await dialogue.says("And now?")
        assert first == opening_of(model)
        page = (await dialogue.says("/context"))[-1]

    assert "Last time: 2 turns, begun with “Count the herons”" in told
    assert "The herons were counted." in first
    assert "Still open: count storks" in first
    assert "Prefers short answers." in first
    assert "herons" not in repr(model.requests[-1].messages[-1])
    assert "Opened with: the record of a session of 2026-01-05 and 1 fact" in page


async def test_mem_7_the_answer_of_new_has_the_record_once_it_is_written(
    open_store: OpenStore,
) -> None:
    async with begin(open_store) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new")
        await passes(dialogue, 1)
        (told,) = await dialogue.says("/new")

    assert "Last time: The herons were counted." in told
    assert "Still open: count storks" in told


async def test_mem_7_somebody_who_writes_at_once_opens_with_what_was_known_then(
    open_store: OpenStore,
) -> None:
    """The record is written later, and changes nothing of what was shown by then."""
    answers = [answering(ModelUnavailable("busy"))]
    model = ScriptedModel(lambda request: answers[-1](request))
    async with begin(open_store, model) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new", "Good morning")
        first = opening_of(model)
        answers.append(answering())
        await passes(dialogue, 120)
        await dialogue.says("And now?")
        audience = Audience(channel="loopback", account="bot", chat="1001", kind="private")
        viewer = Viewer(audience=audience, person_key=PersonKey("loopback::1001"))
        (episode,) = await dialogue.store.last_episodes(viewer, limit=9)

    assert "The herons were counted." == episode.account.summary
    assert first == opening_of(model)
    assert "2 turns, begun with “Count the herons”" in first


async def test_ctx_17_a_clear_opens_with_nothing_also_after_a_restart(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(answering())
    async with begin(open_store, model) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new", "Hello", "/new")
        await dialogue.says("/context clear --yes", "Good morning")
        assert "" == opening_of(model)
    model = ScriptedModel(answering())
    async with begin(open_store, model, dialogue.channel) as dialogue:
        await passes(dialogue, 1)
        await dialogue.says("Good evening")

    assert "" == opening_of(model)
    assert "herons" not in repr(model.requests[-1].messages)


async def test_ctx_19_an_undo_brings_back_what_the_session_had_opened_with(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(answering())
    async with begin(open_store, model) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new", "Hello")
        before = opening_of(model)
        await dialogue.says("/context clear --yes", "/context undo", "Good morning")

    assert before == opening_of(model) != ""


async def test_mem_7_an_opening_outlives_a_restart_and_long_silence(open_store: OpenStore) -> None:
    model = ScriptedModel(answering())
    async with begin(open_store, model) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new", "Hello")
        before = opening_of(model)
    model = ScriptedModel(answering())
    async with begin(open_store, model, dialogue.channel) as dialogue:
        await passes(dialogue, 9 * 3_600)
        await dialogue.says("Good evening")

    assert before == opening_of(model) != ""


async def test_mem_7_eight_idle_hours_leave_the_window_as_it_is(open_store: OpenStore) -> None:
    model = ScriptedModel(answering())
    async with begin(open_store, model) as dialogue:
        await dialogue.says("Count the herons", "Now the storks")
        await passes(dialogue, 8.5 * 3_600)
        assert any(is_record_request(each.system) for each in model.requests)
        await dialogue.says("Good evening")

    asked = repr(next(each for each in reversed(model.requests) if each.tools).messages)
    assert "" == opening_of(model)
    assert "Count the herons" in asked
    assert "Now the storks" in asked


async def test_mem_9_a_group_opens_with_its_own_talk_and_no_private_word(
    open_store: OpenStore,
) -> None:
    model = ScriptedModel(answering(json.dumps({"summary": "PRIVATE talk."})))
    dialogue = Dialogue(
        model,
        config=OPEN.model_copy(update={"admins": ("loopback:1001",)}),
        store=open_store(),
        memory_files=InMemoryFiles(),
    )
    async with dialogue:
        await knows(dialogue.store, "PRIVATE preference.")
        await knows(dialogue.store, "Likes gulls.", chat="-5", kind="group")
        await knows(dialogue.store, "Of SOMEBODY else.", user="2002", chat="-5", kind="group")
        await dialogue.says("The PRIVATE word", "Another PRIVATE word", "/new")
        await passes(dialogue, 1)
        channel = dialogue.channel
        for text in ("/new", "Good morning"):
            await dialogue.together(channel.message(text, chat="-5", kind="group"))
        opened = opening_of(model)

    told = "\n".join(channel.texts("-5"))
    assert "Likes gulls." in opened
    assert "PRIVATE" not in opened + told
    assert "SOMEBODY" not in opened


async def test_mem_7_the_demo_model_records_sessions_too(open_store: OpenStore) -> None:
    async with begin(open_store, DemoModel()) as dialogue:
        await dialogue.says("Count the herons", "Now the storks", "/new")
        await passes(dialogue, 1)
        (told,) = await dialogue.says("/new")

    assert "Last time: Count the herons · Now the storks" in told
