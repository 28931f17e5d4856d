"""The ports between a chat platform's adapter and the bot."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from bot.core.chat import (
    Capabilities,
    ChatAddress,
    EarlierMessage,
    HeardChat,
    Inbound,
    InboundMessage,
    Receipt,
    Reply,
    Role,
    Sender,
)
from bot.core.commands import MenuEntry
from bot.core.files import Attachment
from bot.core.findings import Finding
from bot.core.lifecycle import SetAside
from bot.ports.screens import Screens


class Inbox(Protocol):
    """What a channel hands its events to.

    ``receive`` returns after the commit: only then may the platform be told. While the store
    fails it waits, so that nothing is lost that no platform would send again. ``receiving`` says
    that the channel gets events from now on, ``failing`` that it gets none and why; each may be
    said again. A channel that would not notice by itself that it has gone deaf says how soon it
    will say again that it receives: when it does not, it counts as deaf. ``settled`` waits until
    everything received so far in a chat is answered and delivered.

    ``concerns`` says of a message whether it may be for the bot: it is said to it, or stands in a
    group that listens to all, or goes on with a conversation in which the bot takes part.

    For whoever looks for what was missed: ``heard_since`` gives the channel's conversations of
    which something came in since a moment, newest first, no more than ``limit``; ``received`` gives
    those of event ids that came in at an address.

    Raises:
        StoreError: By ``receive``: it was not stored, and never will be. By the others: it cannot
            be said.
    """

    @property
    def screens(self) -> Screens: ...
    async def cursor(self) -> str | None: ...
    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None: ...
    def receiving(self, *, again_in_s: float | None = None) -> None: ...
    def failing(self, reason: str) -> None: ...
    async def settled(self, address: ChatAddress) -> None: ...
    async def concerns(self, message: InboundMessage) -> bool: ...
    async def heard_since(self, since: datetime, *, limit: int) -> tuple[HeardChat, ...]: ...
    async def heard_in(self, address: ChatAddress, *, limit: int) -> tuple[HeardChat, ...]: ...
    async def received(
        self, address: ChatAddress, event_ids: tuple[str, ...]
    ) -> frozenset[str]: ...


class Channel(Protocol):
    """One chat platform.

    * ``run`` receives until cancelled, reconnecting for ever; it returns when the platform has
      nothing more to say (a closed terminal).
    * ``split`` cuts CommonMark into platform messages, losing nothing (pure); each has room for a
      remark of 100 characters behind it.
    * ``ready`` waits until the platform's limits let a message into a chat; the next one sent or
      edited there is that one, and waits no more.
    * ``send`` delivers one platform message; ``edit`` changes one that was sent, and takes it away
      for a reply that ``takes_back``. What is ``watched_by`` somebody is unfinished: it is only
      edited from then on, at last as finished.
    * ``find_sent`` looks for a reply whose sending broke off, by its key: its receipt, or None
      when it surely did not arrive. Only channels whose capabilities say so can.
    * ``fetch`` brings the content of a file that came with a message; one that is longer than
      ``MOST_FILE_BYTES`` is refused as soon as that is known, as FileTooLarge.
    * ``earlier`` gives what stands before a message, in its thread or else its group: the newest
      ``limit``, oldest first; only channels whose capabilities say so can.
    * ``show_draft`` shows an unfinished answer without leaving a message, ``show_typing`` that one
      is being written; both may be lost without harm.
    * ``role_of`` says what somebody is in a group by the platform's own rules, or, where its roles
      are the whole workspace's, there; unknown where it does not say. It may answer from memory.
    * ``offer_commands`` puts the commands into the platform's menu, where it has one; ``admins``
      are the private chats of those who find all of them there, ``former`` of those who are no
      admins any more, and may find them still. May be called again.
    * ``examine`` looks at everything of this channel that an operator can get wrong, changing
      nothing and raising nothing; with ``is_running`` another process receives for it just now,
      and must not be disturbed.

    All of these but ``run``, ``split``, ``ready`` and ``examine`` raise
    :class:`~bot.errors.DeliveryError` (can it be retried, and when?), ``send`` also
    :class:`~bot.errors.FateUnknown`; each of them, and ``run``, raises
    :class:`~bot.errors.ChannelAuthError` when the token is refused. The token appears in no log and
    no ``repr``.
    """

    @property
    def name(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    async def run(self, inbox: Inbox) -> None: ...
    def split(self, text: str) -> tuple[str, ...]: ...
    async def ready(self, address: ChatAddress) -> None: ...
    async def send(self, reply: Reply) -> Receipt: ...
    async def edit(self, receipt: Receipt, reply: Reply) -> None: ...
    async def find_sent(self, reply: Reply) -> Receipt | None: ...
    async def fetch(self, attachment: Attachment) -> bytes: ...
    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]: ...
    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None: ...
    async def show_typing(self, address: ChatAddress) -> None: ...
    async def role_of(self, address: ChatAddress, sender: Sender) -> Role: ...
    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None: ...
    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]: ...
    async def close(self) -> None: ...
