"""Files that tools and commands make: sent once, behind the answer, whatever dies between."""

import json
from datetime import datetime

import pytest

from bot.config import Config
from bot.core.chat import Capabilities, Reply
from bot.core.files import OutgoingFile
from bot.core.lifecycle import OutboxItem
from bot.core.llm import ModelRequest, ModelResponse
from bot.core.turns import Outcome, TurnId
from bot.errors import DeliveryError, FateUnknown, ModelRequestRefused
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import Answer, ScriptedModel, calling
from bot.testing.store import InMemoryStore
from tests.e2e.conftest import OpenStore, passes

FILES = Capabilities(max_text_length=4_096, can_edit=True, sends_files=True)
DRAFTS = Capabilities(max_text_length=4_096, shows_drafts=True, sends_files=True)
OPEN = Config(access="open", plugins=("save_as_file",))
REPORT = OutgoingFile(name="report.md", media_type="text/markdown", content=b"# Report\n")


def writing(
    name: str = "report.md", text: str = "# Report\n", call_id: str = "call_1"
) -> ModelResponse:
    return calling("save_as_file", call_id=call_id, name=name, text=text)


def shown(channel: LoopbackChannel) -> list[str | OutgoingFile]:
    return [post.file or post.text for post in channel.posts]


async def test_a_file_comes_behind_the_answer(open_store: OpenStore) -> None:
    model = ScriptedModel([writing(), "Here it is.", "You are welcome."])
    channel = LoopbackChannel(capabilities=FILES)
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("write a report", "thanks")

    assert ["Here it is.", REPORT, "You are welcome."] == shown(channel)


async def test_several_come_in_their_order_also_of_several_steps() -> None:
    answers: list[Answer] = [
        writing("1.txt", "1"),
        writing("2.txt", "2", "call_2"),
        writing("2.txt", "3", "call_3"),
        "Done.",
    ]
    channel = LoopbackChannel(capabilities=FILES)
    async with Dialogue(ScriptedModel(answers), config=OPEN, channel=channel) as dialogue:
        await dialogue.says("write three")

    files = [post.file for post in channel.posts if post.file is not None]
    assert [("1.txt", b"1"), ("2.txt", b"2"), ("2.txt", b"3")] == [
        (file.name, file.content) for file in files
    ]
    assert ["Done.", "", "", ""] == channel.texts()


async def test_where_no_files_are_sent_the_text_is_shown() -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=4_096))
    model = ScriptedModel([writing(), "Here it is."])
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        answers = await dialogue.says("write a report")

    assert ["Here it is.", "`report.md`:\n\n```md\n# Report\n```"] == answers


async def test_a_stopped_turn_sends_what_it_had_made(open_store: OpenStore) -> None:
    def write_then_talk(request: ModelRequest) -> Answer:
        if len(model.requests) == 1:
            return writing()
        model.hold()
        return "Never said."

    model, channel = ScriptedModel(write_then_talk), LoopbackChannel(capabilities=DRAFTS)
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.happens([channel.message("write a report")])
        await model.held()
        await dialogue.happens([channel.message("/stop")])
        await dialogue.app.settled(channel.message("").address)

    assert REPORT in shown(channel)


async def test_a_failed_turn_sends_nothing_until_it_is_tried_again(open_store: OpenStore) -> None:
    model = ScriptedModel([writing(), ModelRequestRefused("no"), "Here it is."])
    channel = LoopbackChannel(capabilities=FILES)
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("write a report")
        before = shown(channel)
        await dialogue.says("/retry")

    assert REPORT not in before
    assert ["Here it is.", REPORT] == shown(channel)[len(before) :]


class Dying(InMemoryStore):
    """A store whose process dies before or after a verb that files go through."""

    def __init__(self, verb: str, *, is_after: bool) -> None:
        super().__init__()
        self.point: tuple[str, bool] | None = (verb, is_after)

    async def add_file(self, turn_id: TurnId, call_id: str, file: OutgoingFile) -> bool:
        self._die("add_file", is_after=False)
        is_added = await super().add_file(turn_id, call_id, file)
        self._die("add_file", is_after=True)
        return is_added

    async def files_of(self, turn_id: TurnId) -> tuple[OutgoingFile, ...]:
        self._die("files_of", is_after=False)
        return await super().files_of(turn_id)

    async def finish_turn(
        self, turn_id: TurnId, outcome: Outcome, replies: tuple[Reply, ...], *, at: datetime
    ) -> tuple[OutboxItem, ...]:
        self._die("finish_turn", is_after=False)
        items = await super().finish_turn(turn_id, outcome, replies, at=at)
        self._die("finish_turn", is_after=True)
        return items

    def _die(self, verb: str, *, is_after: bool) -> None:
        if self.point == (verb, is_after):
            self.point = None
            raise _Killed


class _Killed(BaseException):
    """As ``kill -9``: nothing catches it, and nothing more is written."""


@pytest.mark.parametrize(
    ("verb", "is_after"),
    [
        ("add_file", False),
        ("add_file", True),
        ("files_of", False),
        ("finish_turn", False),
        ("finish_turn", True),
    ],
)
async def test_a_crash_loses_no_file_and_sends_none_twice(verb: str, *, is_after: bool) -> None:
    store, channel = Dying(verb, is_after=is_after), LoopbackChannel(capabilities=DRAFTS)
    model = ScriptedModel([writing(), "Here it is.", "Here it is."])
    dialogue = Dialogue(model, config=OPEN, store=store, channel=channel)
    await dialogue.__aenter__()
    request = channel.message("write a report")
    await dialogue.happens([request])
    await dialogue.crash()
    assert store.point is None
    assert [] == shown(channel)

    await store.close()
    async with Dialogue(model, config=OPEN, store=store, channel=channel) as dialogue:
        await dialogue.app.settled(request.address)

    assert ["Here it is.", REPORT] == shown(channel)


async def test_a_file_that_may_have_arrived_is_repeated_with_a_mark() -> None:
    model = ScriptedModel([writing(), "Here it is."])
    channel = LoopbackChannel(capabilities=DRAFTS)
    channel.lost_answers.extend([None, FateUnknown("the connection broke")])
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        await dialogue.happens([channel.message("write a report")])
        await passes(dialogue, 60)

    assert ["Here it is.", REPORT, REPORT] == shown(channel)
    assert "(Sent again: whether the first copy arrived is not known.)" == channel.posts[2].text


async def test_a_file_that_is_refused_is_listed_by_its_name_and_sent_again() -> None:
    model = ScriptedModel([writing(), "Here it is."])
    channel = LoopbackChannel(capabilities=DRAFTS)
    channel.failures.extend([None, DeliveryError("no room", can_retry=False)])
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        await dialogue.says("write a report")
        [listed] = await dialogue.says("/failed")
        await dialogue.says("/retry")

    assert "`report.md`: no room" in listed
    assert REPORT in shown(channel)


async def test_the_context_is_a_file_where_files_are_sent(open_store: OpenStore) -> None:
    channel = LoopbackChannel(capabilities=FILES)
    model = ScriptedModel(["Noted."])
    async with Dialogue(model, config=OPEN, store=open_store(), channel=channel) as dialogue:
        await dialogue.says("hello", "/context json")

    file = channel.posts[-1].file
    assert file is not None
    assert ("context-1001-2026-01-05.json", "application/json") == (file.name, file.media_type)
    assert 1 == json.loads(file.content)["turns"]["in_view"]


async def test_elsewhere_it_is_code(open_store: OpenStore) -> None:
    model = ScriptedModel(["Noted."])
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        _, text = await dialogue.says("hello", "/context json")

    assert text.startswith("```json\n{")
    assert text.endswith("}\n```")
