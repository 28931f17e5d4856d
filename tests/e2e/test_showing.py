"""What people see while an answer is being written."""

from bot.config import Config
from bot.core.chat import Capabilities
from bot.testing.clock import FakeClock, settle
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore

OPEN = Config(access="open", plugins=("clock",))


async def test_a_preview_becomes_the_answer_by_editing(open_store: OpenStore) -> None:
    model = ScriptedModel(["One two three."])
    model.hold()
    async with Dialogue(model, config=OPEN, store=open_store()) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        await dialogue.happens([dialogue.channel.message("count")])
        await model.held()
        await dialogue.clock.advance(5)
        shown = dialogue.channel.texts()
        model.release()
        await settle()
        await dialogue.app.settled(dialogue.channel.posts[0].address)

    assert [["One "], ["One two three."]] == [shown, dialogue.channel.texts()]


async def test_drafts_leave_no_message_behind() -> None:
    channel = LoopbackChannel(capabilities=Capabilities(max_text_length=99, shows_drafts=True))
    model = ScriptedModel(["One two three."])
    model.hold()
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        await dialogue.happens([channel.message("count")])
        await model.held()
        await dialogue.clock.advance(5)
        model.release()
        await channel.wait_for_posts(1)

    assert ["One "] == channel.drafts
    assert ["One two three."] == channel.texts()


async def test_typing_is_shown_while_an_answer_takes_long() -> None:
    capabilities = Capabilities(max_text_length=99, typing_interval_s=4.0)
    channel = LoopbackChannel(capabilities=capabilities)
    model = ScriptedModel(["Done."])
    model.hold()
    async with Dialogue(model, config=OPEN, channel=channel) as dialogue:
        assert isinstance(dialogue.clock, FakeClock)
        await dialogue.happens([channel.message("work")])
        await dialogue.clock.advance(9)
        model.release()
        await channel.wait_for_posts(1)
        await dialogue.clock.advance(60)

    assert 3 == len(channel.typing)
