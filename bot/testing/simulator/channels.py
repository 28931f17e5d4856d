"""The bot's side of the pretended platforms: one channel of each kind, for one process."""

from __future__ import annotations

import asyncio

from bot.core.chat import Capabilities, ChatAddress, EarlierMessage, Receipt, Reply, Role, Sender
from bot.core.commands import MenuEntry
from bot.core.files import Attachment
from bot.core.findings import Finding
from bot.errors import DeliveryError, FateUnknown, StoreError
from bot.ports import Inbox
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.life import Life
from bot.testing.simulator.platforms import (
    Offer,
    Platform,
    PollingPlatform,
    PushingPlatform,
    split_text,
)

LONGEST_BATCH = 5
MADE_READY_WITHIN_S = 15.0
"""How long it may take to write down that a call is about to be made, before it is made."""

MADE_READY_BEHIND = 10
"""Behind how many other calls of the store that may have to wait."""

PAUSE_S = 2.0
"""How long a channel waits before it asks again for what could not be stored."""


class SimulatedChannel:
    """What both kinds have in common: sending, on a way where everything may go wrong."""

    def __init__(self, platform: Platform, life: Life, ledger: Ledger) -> None:
        self._platform = platform
        self._life = life
        self._ledger = ledger
        self._world = life.world

    @property
    def name(self) -> str:
        """The platform's name."""
        return self._platform.name

    @property
    def capabilities(self) -> Capabilities:
        """What the platform can do."""
        return self._platform.capabilities

    async def run(self, inbox: Inbox) -> None:
        """Receive."""
        raise NotImplementedError

    def split(self, text: str) -> tuple[str, ...]:
        """Cut at paragraphs."""
        return split_text(text, self.capabilities.max_text_length)

    async def ready(self, address: ChatAddress) -> None:
        """Return at once: its platform sets no limits of its own."""

    async def send(self, reply: Reply) -> Receipt:
        """Let a message stand in its chat, unless something comes between."""
        where = f"{self.name}.send"
        self._must_not_rest(reply.address, "send")
        await self._life.cross(where)
        is_answer_lost = self._may_go_wrong(reply)
        post = self._platform.show(reply)
        await self._return(where, reply, is_answer_lost=is_answer_lost)
        return Receipt(message_id=post.message_id)

    async def edit(self, receipt: Receipt, reply: Reply) -> None:
        """Change a message, unless something comes between."""
        where = f"{self.name}.edit"
        self._must_not_rest(reply.address, "edit")
        await self._life.cross(where)
        post = self._platform.find(message_id=receipt.message_id)
        if post is not None and self._world.strikes(self._world.weather.delivery_fails / 10):
            self._platform.remove(post)
            post = None
        if post is None:
            raise DeliveryError("There is no such message.", can_retry=False)
        is_answer_lost = self._may_go_wrong(reply, is_edit=True)
        if reply.takes_back:
            self._platform.remove(post)
        else:
            self._platform.change(post, reply)
        await self._return(where, reply, is_answer_lost=is_answer_lost)

    async def find_sent(self, reply: Reply) -> Receipt | None:
        """Look for a message by its key."""
        await self._life.cross(f"{self.name}.find_sent")
        self._must_be_up(None)
        if self._world.strikes(self._world.weather.delivery_fails / 2):
            raise DeliveryError("Not now.")
        post = self._platform.find(key=reply.key)
        return None if post is None else Receipt(message_id=post.message_id)

    async def show_draft(self, address: ChatAddress, draft_id: int, text: str) -> None:
        """Show what leaves no trace."""
        self._must_not_rest(address, "draft")
        await self._life.cross(f"{self.name}.show_draft")
        self._may_be_put_off(address)

    async def show_typing(self, address: ChatAddress) -> None:
        """Show what leaves no trace."""
        self._must_not_rest(address, "typing")
        await self._life.cross(f"{self.name}.show_typing")
        self._may_be_put_off(address)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Refuse: its people send no files."""
        raise DeliveryError("no such file", can_retry=False)

    async def earlier(
        self, address: ChatAddress, message_id: str, *, limit: int
    ) -> tuple[EarlierMessage, ...]:
        """Give nothing: nobody looks back here."""
        return ()

    async def role_of(self, address: ChatAddress, sender: Sender) -> Role:
        """Say nothing: nobody is set over others here."""
        return "unknown"

    async def offer_commands(
        self,
        entries: tuple[MenuEntry, ...],
        admins: tuple[ChatAddress, ...],
        *,
        former: tuple[ChatAddress, ...] = (),
    ) -> None:
        """Show nothing: its people know all commands."""

    async def examine(self, *, is_running: bool) -> tuple[Finding, ...]:
        """Find nothing: its platform has no settings."""
        return ()

    async def close(self) -> None:
        """Nothing is held."""

    async def _return(self, where: str, reply: Reply, *, is_answer_lost: bool) -> None:
        """Go back to the bot with the news that a message arrived, or on the way lose it."""
        self._life.risk(f"{where}, arrived")
        await self._life.cross(f"{where}, answering")
        if is_answer_lost:
            self._ledger.trouble(reply, "unknown")
            raise FateUnknown

    def _may_go_wrong(self, reply: Reply, *, is_edit: bool = False) -> bool:
        """Fail before anything arrived, or say whether the answer will be lost."""
        self._must_be_up(reply)
        if not self._world.strikes(self._world.weather.delivery_fails):
            return False
        how = self._world.dice.weighted(
            {"passing": 8, "lost": 2, "answer lost": 3, "refused": 0 if is_edit else 2}
        )
        self._world.note(f"{self.name} trouble: {how}")
        match how:
            case "answer lost":
                return True
            case "lost":
                self._ledger.trouble(reply, "unknown")
                raise FateUnknown
            case "refused":
                self._ledger.trouble(reply, "refused")
                raise DeliveryError("The chat is gone.", can_retry=False)
            case _:
                self._ledger.trouble(reply, "passing")
                raise self._put_off(reply.address)

    def _must_not_rest(self, address: ChatAddress, what: str) -> None:
        """Note a call of a process that was told to leave the chat alone (CHN-5)."""
        since_s, until_s = self._life.rests.get((self.name, address.chat), (0.0, 0.0))
        longest_s = MADE_READY_BEHIND * self._world.weather.longest_delay_s
        ready_s = since_s + max(MADE_READY_WITHIN_S, longest_s)
        if ready_s < self._world.elapsed_s < until_s - 1e-6:
            self._ledger.fault(f"{what} in {address.session_key}, which wants to be left alone")

    def _must_be_up(self, reply: Reply | None) -> None:
        if self._world.elapsed_s < self._platform.out_until:
            if reply is not None:
                self._ledger.trouble(reply, "passing")
            raise DeliveryError("The platform is down.")

    def _may_be_put_off(self, address: ChatAddress) -> None:
        self._must_be_up(None)
        if self._world.strikes(self._world.weather.delivery_fails / 2):
            raise self._put_off(address)

    def _put_off(self, address: ChatAddress) -> DeliveryError:
        """Ask to try later, or to leave the whole chat alone for so long."""
        if self._world.dice.chance(0.5):
            return DeliveryError("Not now.")
        after_s = self._world.dice.between(1, 60)
        self._world.note(f"{self.name} wants rest in {address.chat} for {after_s:.3f} s")
        rest = (self._world.elapsed_s, self._world.elapsed_s + after_s)
        known = self._life.rests.get((self.name, address.chat), rest)
        self._life.rests[self.name, address.chat] = max(rest, known, key=lambda each: each[1])
        return DeliveryError("Not now.", retry_after_s=after_s)


class PollingChannel(SimulatedChannel):
    """Asks for updates and confirms by asking for later ones."""

    def __init__(self, platform: PollingPlatform, life: Life, ledger: Ledger) -> None:
        super().__init__(platform, life, ledger)
        self._updates = platform.updates

    async def run(self, inbox: Inbox) -> None:
        """Receive in batches, each stored together with how far it went."""
        offset = await self._offset(inbox)
        inbox.receiving()
        while True:
            batch = await self._updates(offset, LONGEST_BATCH)
            await self._life.cross("polled.updates")
            events = tuple(event for _, event in batch)
            try:
                await inbox.receive(events, cursor=str(batch[-1][0]))
            except StoreError:
                await self._life.sleep(PAUSE_S)
                continue
            self._life.require()
            for event in events:
                self._ledger.told(event)
            offset = batch[-1][0]

    async def _offset(self, inbox: Inbox) -> int:
        while True:
            try:
                return int(await inbox.cursor() or 0)
            except StoreError:
                await self._life.sleep(PAUSE_S)


class PushingChannel(SimulatedChannel):
    """Takes events as they come, each beside those before it."""

    def __init__(self, platform: PushingPlatform, life: Life, ledger: Ledger) -> None:
        super().__init__(platform, life, ledger)
        self._pushing = platform

    async def run(self, inbox: Inbox) -> None:
        """Receive, and confirm each event by itself."""
        inbox.receiving()
        async with asyncio.TaskGroup() as group:
            while True:
                offer = await self._pushing.next_offer()
                group.create_task(self._take(inbox, offer))

    async def _take(self, inbox: Inbox, offer: Offer) -> None:
        self._life.risk("pushed.event")
        try:
            await inbox.receive((offer.event,))
        except StoreError:
            self._life.require()
            self._pushing.refused(offer)
            return
        await self._life.cross("pushed.event, confirming")
        self._ledger.told(offer.event)
        if self._world.strikes(0.02):
            self._pushing.refused(offer)  # the confirmation got lost
        else:
            self._pushing.confirmed(offer)
