"""Whatever people say, change and take back: the model is shown the newest of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import InboundMessage
from bot.core.window.notes import DIGEST_LEAD
from bot.testing.clock import FakeClock
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from bot.testing.store import InMemoryStore
from tests.e2e.changing import (
    SHORT,
    answered,
    changed,
    obliging,
    said_in,
    taken_back,
    texts_of,
    written_down,
)

Deed = tuple[str, int]

SAID = ("say", "talk", "talk")
DEEDS: st.SearchStrategy[list[Deed]] = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *SAID,
                "edit",
                "edit",
                "edit",
                "late",
                "delete",
                "hold",
                "release",
                "midnight",
                "restart",
            ]
        ),
        st.integers(0, 9),
    ),
    min_size=4,
    max_size=16,
)


class RandomChat:
    """People say, change and take back what they like, while processes come and go."""

    def __init__(self) -> None:
        self.store = InMemoryStore()
        self.files = InMemoryFiles()
        self.clock = FakeClock()
        self.channel = LoopbackChannel()
        self.model = ScriptedModel(obliging)
        self.messages: list[InboundMessage] = []
        self.newest: list[str | None] = []
        self.all_versions: list[set[str]] = []
        self.edited_at: list[int] = []
        self._count = 0

    async def do(self, deed: str, number: int, dialogue: Dialogue) -> None:
        index = number % len(self.messages) if self.messages else 0
        match deed:
            case "say":
                await self._say(dialogue)
            case "talk":
                for _ in range(3):
                    await self._say(dialogue)
                await written_down()
            case "midnight":
                await self.clock.advance(24 * 3_600)
                await written_down()
            case "edit" | "late" if self.messages:
                await self._edit(index, dialogue, is_late=deed == "late")
            case "delete" if self.messages:
                self.newest[index] = None
                await dialogue.happens([taken_back(self.messages[index])])
            case "hold":
                self.model.hold()
            case "release":
                self.model.release()

    async def _say(self, dialogue: Dialogue) -> None:
        message = self.channel.message(self._words())
        self.messages.append(message)
        self.newest.append(message.text)
        self.all_versions.append({message.text})
        self.edited_at.append(0)
        await dialogue.happens([message])

    async def _edit(self, index: int, dialogue: Dialogue, *, is_late: bool) -> None:
        text, before = self._words(), self.edited_at[index]
        self.all_versions[index].add(text)
        at = before - 1 if is_late else before + 2
        change = changed(self.messages[index], text, at)
        if not is_late:
            self.edited_at[index] = at
            self.newest[index] = text if self.newest[index] is not None else None
        elif before == 0:
            self.all_versions[index].discard(text)
            return
        await dialogue.happens([change, change])

    def _words(self) -> str:
        self._count += 1
        return f"version{self._count}x"

    def faults(self) -> list[str]:
        """Say what the newest request or the daily files show that they should not, or lack.

        What a summary or a file says of an edited message stays, with its correction beside it.
        """
        request = answered(self.model)[-1]
        texts = texts_of(request)
        literal = said_in(request) + [each for each in texts if each.startswith(DIGEST_LEAD)]
        known = "\n".join((*texts, *self.files.texts.values()))
        told = []
        for newest, versions in zip(self.newest, self.all_versions, strict=True):
            if newest is None:
                told += [f"{each} is kept" for each in versions if each in known]
                continue
            if newest not in known:
                told.append(f"{newest} is lost")
            told += [
                f"{each} is shown as if it were said"
                for each in versions - {newest}
                if any(each in text for text in literal)
            ]
        return told


async def live(deeds: list[Deed]) -> RandomChat:
    chat = RandomChat()
    lives: list[list[Deed]] = [[]]
    for deed in deeds:
        lives.append([]) if deed[0] == "restart" else lives[-1].append(deed)
    for number, life in enumerate(lives):
        dialogue = Dialogue(
            chat.model,
            config=SHORT,
            store=chat.store,
            channel=chat.channel,
            clock=chat.clock,
            memory_files=chat.files,
        )
        await dialogue.__aenter__()
        for what, which in life:
            await chat.do(what, which, dialogue)
        if number < len(lives) - 1:
            await dialogue.crash()
            await chat.store.close()
            continue
        chat.model.release()
        last = chat.channel.message("the last word")
        await dialogue.together(last)
        await written_down()
        await dialogue.together(chat.channel.message("really the last"))
        await written_down()
        await dialogue.crash()
    return chat


@given(DEEDS)
@settings(max_examples=40, deadline=None)
async def test_the_model_sees_the_newest_version_of_every_message(deeds: list[Deed]) -> None:
    """Before, during and after its turn, summarised or not, whenever a process ends."""

    chat = await live(deeds)

    assert [] == chat.faults()
