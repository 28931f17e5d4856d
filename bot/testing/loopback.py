"""A chat platform inside the process: what people say goes in, what they would see is kept."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.core.chat import (
    Button,
    ButtonPress,
    Capabilities,
    ChatAddress,
    ChatKind,
    EarlierMessage,
    Inbound,
    InboundMessage,
    Receipt,
    Reply,
    Role,
    Sender,
)
from bot.core.commands import MenuEntry
from bot.core.files import Attachment, OutgoingFile
from bot.core.findings import Finding
from bot.core.lifecycle import SetAside
from bot.errors import ChannelError, DeliveryError
from bot.ports import Inbox


@dataclass(slots=True)
class Post:
    """A message of the bot as it stands in a chat.

    Attributes:
        history: Its earlier texts.
        buttons: What stands below it; an edit replaces them too.
        file: What was sent with it.
        key: By which :meth:`LoopbackChannel.find_sent` finds it.
        for_person: The user id of who alone sees it; empty for everybody.
    """

    address: ChatAddress
    message_id: str
    text: str
    history: list[str] = field(default_factory=list)
    key: str = ""
    buttons: tuple[Button, ...] = ()
    file: OutgoingFile | None = None
    for_person: str = ""


class LoopbackChannel:
    """A :class:`bot.ports.Channel` that a test speaks through.

    Attributes:
        failures: Raised by the next calls of ``send`` and ``edit``, one each; None lets one pass.
        lost_answers: Raised likewise, but what was sent or changed has arrived.
        showing_failures: Raised by the next calls of ``show_draft`` and ``show_typing``.
        lookup_failures: Raised by the next calls of ``find_sent``.
        lookups: Keys of the replies that were looked for.
        files: What can be fetched, by handle; an error is raised. Of several the last one stays.
        fetched: Handles of what was fetched, in vain or not.
        inbox: What it hands events to, once it runs.
        findings: What its examination gives.
        said_before: What stands before a message, by its id, oldest first.
        earlier_failures: Raised by the next calls of ``earlier``.
        roles: What somebody is, by chat and user; unknown for all others.
        asked_roles: How often a role was asked for.
        role_failures: Raised by the next calls of ``role_of``; ``menu_failures`` likewise.
        menus: What was offered, and the chats of the admins, oldest first.
        former_admins: The chats of those who are none any more, as they were named last.
    """

    def __init__(self, name: str = "loopback", capabilities: Capabilities | None = None) -> None:
        self._name = name
        self._capabilities = capabilities or Capabilities(max_text_length=4_096, can_edit=True)
        self._incoming: asyncio.Queue[tuple[Inbound | SetAside, ...] | None] = asyncio.Queue()
        self._count = 0
        self.inbox: Inbox | None = None
        self._changed = asyncio.Event()
        self.posts: list[Post] = []
        self._numbers = itertools.count(1)  # no id is given twice, also when posts are removed
        self.drafts: list[str] = []
        self.typing: list[ChatAddress] = []
        self.failures: deque[ChannelError | None] = deque()
        self.lost_answers: deque[ChannelError | None] = deque()
        self.showing_failures: deque[ChannelError | None] = deque()
        self.lookup_failures: deque[ChannelError | None] = deque()
        self.lookups: list[str] = []
        self.files: dict[str, bytes | Exception | deque[bytes | Exception]] = {}
        self.fetched: list[str] = []
        self.findings: tuple[Finding, ...] = ()
        self.said_before: dict[str, tuple[EarlierMessage, ...]] = {}
        self.earlier_failures: deque[ChannelError | None] = deque()
        self.roles: dict[tuple[str, str], Role] = {}
        self.asked_roles = 0
        self.role_failures: deque[ChannelError | None] = deque()
        self.menu_failures: deque[ChannelError | None] = deque()
        self.menus: list[tuple[tuple[MenuEntry, ...], tuple[ChatAddress, ...]]] = []
        self.former_admins: tuple[ChatAddress, ...] = ()

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

    def press(
        self,
        label: str,
        *,
        user: str = "1001",
        chat: str = "1001",
        kind: ChatKind = "private",
        post: Post | None = None,
    ) -> ButtonPress:
        """Make the event of somebody pressing a button; it is not received yet.

        Without ``post`` the newest one in the chat that has it; with it, as it was when it was
        kept, since a screen may show what is not there any more.
        """
        of_chat = (each for each in reversed(self.posts) if each.address.chat == chat)
        candidates = of_chat if post is None else iter((post,))
        found = ((each, key) for each in candidates for key in each.buttons if key.label == label)
        post, button = next(found)
        self._count += 1
        return ButtonPress(
            event_id=f"press:{self._count}",
            address=post.address,
            kind=kind,
            sender=Sender(channel=self._name, user_id=user, name=f"Person {user}"),
            message_id=post.message_id,
            token=button.token,
            pressed_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC),
        )

    def push(self, *events: Inbound | SetAside) -> None:
        """Let events happen, as one batch; the same one twice is a redelivery."""
        self._incoming.put_nowait(events)

    def hang_up(self) -> None:
        """Say nothing more: ``run`` returns once it has handed everything over."""
        self._incoming.put_nowait(None)

    async def run(self, inbox: Inbox) -> None:
        """Hand events over one by one."""
        self.inbox = inbox
        inbox.receiving()
        while (events := await self._incoming.get()) is not None:
            await inbox.receive(events)

    def split(self, text: str) -> tuple[str, ...]:
        """Cut by length alone; white space by itself is nothing."""
        limit = self._capabilities.max_text_length
        if not text.strip():
            return ()
        return tuple(text[start : start + limit] for start in range(0, len(text), limit))

    async def ready(self, address: ChatAddress) -> None:
        """Return at once: nothing is limited here."""

    async def send(self, reply: Reply) -> Receipt:
        """Keep what people would see."""
        _fail_if_told(self.failures)
        post = Post(
            reply.address,
            f"m{next(self._numbers)}",
            reply.text,
            key=reply.key,
            buttons=reply.buttons,
            file=reply.file,
            for_person=reply.for_person,
        )
        self.posts.append(post)
        self._changed.set()
        _fail_if_told(self.lost_answers)
        return Receipt(message_id=post.message_id)

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Change a message that stands there already, or take it away."""
        _fail_if_told(self.failures)
        post = next((each for each in self.posts if each.message_id == receipt.message_id), None)
        if post is None:
            raise DeliveryError("message to edit not found", can_retry=False)
        if reply.takes_back:
            self.posts.remove(post)
        post.history.append(post.text)
        post.text, post.buttons = reply.text, reply.buttons
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

    async def fetch(self, attachment: Attachment) -> bytes:
        """Give what a test has put under the handle."""
        self.fetched.append(attachment.handle)
        content = self.files.get(attachment.handle)
        if isinstance(content, deque):
            content = content.popleft() if len(content) > 1 else content[0]
        if content is None:
            raise DeliveryError("no such file", can_retry=False)
        if isinstance(content, Exception):
            raise content
        return content

    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give what a test has put before the message."""
        _fail_if_told(self.earlier_failures)
        return tuple(self.said_before.get(message_id, ()))[-limit:]

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say what a test has made somebody."""
        self.asked_roles += 1
        _fail_if_told(self.role_failures)
        return self.roles.get((address.chat, sender.user_id), "unknown")

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Keep the menu."""
        _fail_if_told(self.menu_failures)
        self.menus.append((entries, admins))
        self.former_admins = former
        self._changed.set()

    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]:
        """Give what a test wants to be found."""
        return self.findings

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
