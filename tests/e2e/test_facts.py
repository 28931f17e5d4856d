"""What people say of themselves is known soon after, and follows what they change or take back."""

from bot.adapters.demo_model import DemoModel
from bot.app import Store
from bot.config import Config
from bot.core.chat import InboundMessage
from bot.core.llm import ModelRequest
from bot.core.memory.audience import Viewer, audience_of
from bot.core.memory.extract import extracted_answer, is_extraction_request
from bot.ports import ModelClient
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import Answer, ScriptedModel
from tests.e2e.changing import changed, obliging, says, taken_back, written_down
from tests.e2e.conftest import OpenStore

OPEN = Config(access="open", plugins=())
SOON_S = 150.0


def attentive(request: ModelRequest) -> Answer:
    if is_extraction_request(request.system):
        return extracted_answer(request.messages[0].text)
    return obliging(request)


class Chat:
    """A dialogue with somebody who tells of themselves."""

    def __init__(self, store: Store, model: ModelClient | None = None) -> None:
        self.store = store
        self.clock = FakeClock()
        self.dialogue = Dialogue(
            model or ScriptedModel(attentive),
            config=OPEN,
            store=store,
            memory_files=InMemoryFiles(),
            clock=self.clock,
        )

    async def say(self, *texts: str) -> list[InboundMessage]:
        messages = await says(self.dialogue, *texts)
        await written_down()
        return messages

    async def later(self) -> None:
        """Let the time pass after which turns are read."""
        await self.clock.advance(SOON_S)
        await written_down()

    async def known(self, message: InboundMessage) -> list[str]:
        audience = audience_of(message.address.session_key, message.kind)
        viewer = Viewer(audience=audience, person_key=message.sender.person_key)
        return sorted(fact.text for fact in await self.store.facts_for(viewer))


async def test_chn_8_facts_follow_a_message_that_is_changed_and_taken_back(
    open_store: OpenStore,
) -> None:
    chat = Chat(open_store())
    async with chat.dialogue as dialogue:
        first, second = await chat.say("I live in Lisbon.", "My name is Ann.")
        await chat.later()
        assert await chat.known(first) == ["Is called Ann.", "Lives in Lisbon."]

        await dialogue.happens([changed(first, "I live in Porto.")])
        await written_down()
        await chat.later()
        assert await chat.known(first) == ["Is called Ann.", "Lives in Porto."]

        await dialogue.happens([taken_back(first)])
        await written_down()
        await chat.later()
        assert await chat.known(first) == ["Is called Ann."]
        assert await chat.known(second) == ["Is called Ann."]


async def test_ctx_18_what_was_cleared_before_it_was_read_is_read_still(
    open_store: OpenStore,
) -> None:
    chat = Chat(open_store())
    async with chat.dialogue:
        first, _ = await chat.say("I live in Lisbon.", "/context clear")

        await chat.later()

        assert await chat.known(first) == ["Lives in Lisbon."]


async def test_the_demo_model_reads_facts_too(open_store: OpenStore) -> None:
    chat = Chat(open_store(), DemoModel())
    async with chat.dialogue:
        (first,) = await chat.say("My favourite tea is oolong.")

        await chat.later()

        assert await chat.known(first) == ["Favourite tea is oolong."]
