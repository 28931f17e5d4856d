"""A bot with a private chat and a group, spoken to about what it remembers."""

from __future__ import annotations

from datetime import timedelta

from bot.config import Config
from bot.core.chat import Capabilities, ChatAddress, ChatKind, Sender
from bot.core.memory.audience import viewer_of
from bot.core.memory.facts import NewFact
from bot.testing.clock import START
from bot.testing.dialogue import Dialogue
from bot.testing.loopback import LoopbackChannel, Post
from bot.testing.memory_files import InMemoryFiles
from bot.testing.model import ScriptedModel
from tests.e2e.conftest import OpenStore

CONFIG = Config(access="open", admins=("loopback:1001",), plugins=("clock",))
ABLE = Capabilities(max_text_length=4_096, can_edit=True, has_buttons=True, sends_files=True)
WHISPERS = Capabilities(
    max_text_length=4_096,
    can_edit=True,
    has_buttons=True,
    sends_files=True,
    shows_to_one=True,
)
GROUP = "-5"
ANN = Sender(channel="loopback", user_id="1001", name="Person 1001")
BOB = Sender(channel="loopback", user_id="2002", name="Person 2002")


class Talk:
    """A bot with a private chat and a group, on a platform that can do what is said."""

    def __init__(
        self,
        open_store: OpenStore,
        capabilities: Capabilities = ABLE,
        *,
        config: Config = CONFIG,
        files: InMemoryFiles | None = None,
    ) -> None:
        self.channel = LoopbackChannel(capabilities=capabilities)
        self.store = open_store()
        self.dialogue = Dialogue(
            ScriptedModel(lambda _: "Hm."),
            config=config,
            store=self.store,
            channel=self.channel,
            memory_files=files,
        )

    async def __aenter__(self) -> Talk:
        await self.dialogue.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.dialogue.__aexit__(None, None, None)

    async def says(self, text: str, *, user: str = "1001") -> Post:
        """Say something in somebody's own private chat, and give what was answered last."""
        await self.dialogue.together(self.channel.message(text, user=user, chat=user))
        return self.channel.posts[-1]

    async def says_in_group(self, text: str, *, user: str = "1001", thread: str = "") -> list[Post]:
        """Say something in the group, and give all that was answered, wherever it stands."""
        before = len(self.channel.posts)
        message = self.channel.message(text, user=user, chat=GROUP, kind="group", thread=thread)
        await self.dialogue.together(message)
        await self.dialogue.app.settled(address(user))
        return self.channel.posts[before:]

    async def presses(self, label: str, chat: str = "1001", kind: ChatKind = "private") -> str:
        """Press a button and give what stands there then."""
        post = next(
            each
            for each in reversed(self.channel.posts)
            if each.address.chat == chat and any(key.label == label for key in each.buttons)
        )
        await self.dialogue.together(self.channel.press(label, chat=chat, kind=kind, post=post))
        return post.text

    async def knows(self, text: str, chat: str = "1001", who: Sender = ANN, days: int = 0) -> str:
        """Have a fact remembered that somebody said in a chat, and give its id."""
        kind: ChatKind = "group" if chat == GROUP else "private"
        viewer = viewer_of(address(chat).session_key, kind, who.person_key)
        new = NewFact(
            person_key=who.person_key,
            audience=viewer.audience,
            topic="preference",
            key=" ".join(text.lower().split()[:2]),
            text=text,
            origin="told",
            confidence=1.0,
            at=START - timedelta(days=days),
        )
        ((fact, _),) = await self.store.keep_facts((new,))
        return f"f{fact.id}"


def address(chat: str) -> ChatAddress:
    return ChatAddress(channel="loopback", account="bot", chat=chat)


def labels(post: Post) -> list[str]:
    return [button.label for button in post.buttons]
