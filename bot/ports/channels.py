"""The ports between a chat platform's adapter and the bot."""

from __future__ import annotations

from typing import Protocol

from bot.core.chat import Capabilities, ChatAddress, Inbound, Receipt, Reply
from bot.core.lifecycle import SetAside


class Inbox(Protocol):
    """What a channel hands its events to.

    ``receive`` returns after the commit: only then may the platform be told. While the store
    fails it waits, so that nothing is lost that no platform would send again. ``receiving`` says
    that the channel gets events from now on, ``failing`` that it gets none and why; each may be
    said again. ``settled`` waits until everything received so far in a chat is answered and
    delivered.

    Raises:
        StoreError: By ``receive``: it was not stored, and never will be.
    """

    async def cursor(self) -> str | None: ...
    async def receive(
        self, events: tuple[Inbound | SetAside, ...], *, cursor: str | None = None
    ) -> None: ...
    def receiving(self) -> None: ...
    def failing(self, reason: str) -> None: ...
    async def settled(self, address: ChatAddress) -> None: ...


class Channel(Protocol):
    """One chat platform.

    * ``run`` receives until cancelled, reconnecting for ever; it returns when the platform has
      nothing more to say (a closed terminal).
    * ``split`` cuts CommonMark into platform messages, losing nothing (pure); each has room for a
      remark of 100 characters behind it.
    * ``send`` delivers one platform message; ``edit`` changes one that was sent.
    * ``find_sent`` looks for a reply whose sending broke off, by its key: its receipt, or None
      when it surely did not arrive. Only channels whose capabilities say so can.
    * ``show_draft`` shows an unfinished answer without leaving a message, ``show_typing`` that one
      is being written; both may be lost without harm.

    All of these but ``run`` and ``split`` raise :class:`~bot.errors.DeliveryError` (can it be
    retried, and when?), ``send`` also :class:`~bot.errors.FateUnknown`; each of them, and ``run``,
    raises :class:`~bot.errors.ChannelAuthError` when the token is refused. The token appears in no
    log and no ``repr``.
    """

    @property
    def name(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    async def run(self, inbox: Inbox) -> None: ...
    def split(self, text: str) -> tuple[str, ...]: ...
    async def send(self, reply: Reply) -> Receipt: ...
    async def edit(self, receipt: Receipt, reply: Reply) -> None: ...
    async def find_sent(self, reply: Reply) -> Receipt | None: ...
    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None: ...
    async def show_typing(self, address: ChatAddress) -> None: ...
    async def close(self) -> None: ...
