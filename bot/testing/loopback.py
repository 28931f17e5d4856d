"""A chat platform inside the process: what people say goes in, what they would see is kept."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.core.chat import (
    Capabilities,
    ChatAddress,
    ChatKind,
    Inbound,
    InboundMessage,
    Receipt,
    Reply,
    Sender,
)
from bot.core.lifecycle import SetAside
from bot.errors import ChannelError, DeliveryError
from bot.ports import Inbox


@dataclass(slots=True)
class Post:
    """A message of the bot as it stands in a chat.

    Attributes:
        history: Its earlier texts.
        key: By which :meth:`LoopbackChannel.find_sent` finds it.
    """

    address: ChatAddress
    message_id: str
    text: str
    history: list[str] = field(default_factory=list)
    key: str = ""


class LoopbackChannel:
    """A :class:`bot.ports.Channel` that a test speaks through.

    Attributes:
        failures: Raised by the next calls of ``send`` and ``edit``, one each; None lets one pass.
        lost_answers: Raised likewise, but what was sent or changed has arrived.
        showing_failures: Raised by the next calls of ``show_draft`` and ``show_typing``.
        lookup_failures: Raised by the next calls of ``find_sent``.
        lookups: Keys of the replies that were looked for.
    """

    def __init__(self, name: str = "loopback", capabilities: Capabilities | None = None) -> None:
        self._name = name
        self._capabilities = capabilities or Capabilities(max_text_length=4_096, can_edit=True)
        self._incoming: asyncio.Queue[tuple[Inbound | SetAside, ...] | None] = asyncio.Queue()
        self._count = 0
        self._inbox: Inbox | None = None
        self._changed = asyncio.Event()
        self.posts: list[Post] = []
        self.drafts: list[str] = []
        self.typing: list[ChatAddress] = []
        self.failures: deque[ChannelError | None] = deque()
        self.lost_answers: deque[ChannelError | None] = deque()
        self.showing_failures: deque[ChannelError | None] = deque()
        self.lookup_failures: deque[ChannelError | None] = deque()
        self.lookups: list[str] = []

    @property
    def name(self) -> str:
        """The name under which it is configured."""
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """What it was made to be able to do."""
        return self._capabilities

    def message(
        self,
        text: str,
        *,
        user: str = "1001",
        chat: str = "1001",
        thread: str = "",
        kind: ChatKind = "private",
        is_addressed: bool = True,
    ) -> InboundMessage:
        """Make the event of somebody writing; it is not received yet."""
        self._count += 1
        return InboundMessage(
            event_id=f"message:{chat}:{self._count}",
            address=ChatAddress(channel=self._name, account="bot", chat=chat, thread=thread),
            kind=kind,
            sender=Sender(channel=self._name, user_id=user, name=f"Person {user}"),
            message_id=str(self._count),
            text=text,
            is_addressed=is_addressed,
            sent_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC),
        )

    def push(self, *events: Inbound | SetAside) -> None:
        """Let events happen, as one batch; the same one twice is a redelivery."""
        self._incoming.put_nowait(events)

    def hang_up(self) -> None:
        """Say nothing more: ``run`` returns once it has handed everything over."""
        self._incoming.put_nowait(None)

    async def run(self, inbox: Inbox) -> None:
        """Hand events over one by one."""
        inbox.receiving()
        while (events := await self._incoming.get()) is not None:
            await inbox.receive(events)

    def split(self, text: str) -> tuple[str, ...]:
        """Cut by length alone; white space by itself is nothing."""
        limit = self._capabilities.max_text_length
        if not text.strip():
            return ()
        return tuple(text[start : start + limit] for start in range(0, len(text), limit))

    async def send(self, reply: Reply) -> Receipt:
        """Keep what people would see."""
        _fail_if_told(self.failures)
        post = Post(reply.address, f"m{len(self.posts) + 1}", reply.text, key=reply.key)
        self.posts.append(post)
        self._changed.set()
        _fail_if_told(self.lost_answers)
        return Receipt(message_id=post.message_id)

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Change a message that stands there already."""
        _fail_if_told(self.failures)
        post = next((each for each in self.posts if each.message_id == receipt.message_id), None)
        if post is None:
            raise DeliveryError("message to edit not found", can_retry=False)
        post.history.append(post.text)
        post.text = reply.text
        self._changed.set()
        _fail_if_told(self.lost_answers)

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Look for a message by its key."""
        self.lookups.append(reply.key)
        _fail_if_told(self.lookup_failures)
        found = (each for each in self.posts if reply.key and each.key == reply.key)
        return next((Receipt(message_id=each.message_id) for each in found), None)

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Keep the draft."""
        _fail_if_told(self.showing_failures)
        self.drafts.append(text)

    async def show_typing(self, address: ChatAddress) -> None:
        """Keep that the sign was shown."""
        _fail_if_told(self.showing_failures)
        self.typing.append(address)

    async def close(self) -> None:
        """Nothing is held."""

    async def wait_for_posts(self, count: int) -> list[str]:
        """Wait until that many messages stand there; return their texts."""
        while len(self.posts) < count:
            self._changed.clear()
            await self._changed.wait()
        return [post.text for post in self.posts]

    def texts(self, chat: str = "1001") -> list[str]:
        """List what stands in a chat, oldest first."""
        return [post.text for post in self.posts if post.address.chat == chat]


def _fail_if_told(failures: deque[ChannelError | None]) -> None:
    if failures and (failure := failures.popleft()) is not None:
        raise failure
