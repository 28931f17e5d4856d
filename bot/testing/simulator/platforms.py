"""The pretended chat platforms: they outlive every process and remember what people see."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.core.chat import Capabilities, Inbound, InboundMessage, Reply, SessionKey
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.world import World

MOST_ATTEMPTS = 4
"""How often a pushing platform offers an event: once, and three times more."""


@dataclass(slots=True)
class Post:
    """A message of the bot; ``versions`` are its texts with the time of each, newest last."""

    session_key: SessionKey
    message_id: str
    keys: set[str]
    versions: list[tuple[float, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands there now."""
        return self.versions[-1][1]


class Platform:
    """What every platform does: it shows messages, and may be out of order for a while.

    Attributes:
        out_until: Until when no call gets through.
        on_bad_news: Called when people read in a chat that an answer did not arrive.
    """

    def __init__(self, name: str, capabilities: Capabilities, world: World, ledger: Ledger) -> None:
        self.name = name
        self.capabilities = capabilities
        self.posts: list[Post] = []
        self.out_until = 0.0
        self.on_bad_news: Callable[[SessionKey], None] | None = None
        self._count = 0
        self._world = world
        self._ledger = ledger

    def happen(self, event: Inbound) -> None:
        """Take in what a person does, and offer it to the bot, now and then more than once."""
        self._ledger.say(event)
        text = event.text if isinstance(event, InboundMessage) else ""
        self._world.note(f"{self.name} {event.event_id} {text!r}")
        self.offer(event)
        if self._world.strikes(0.15):
            self.offer(event)
        if self._world.strikes(0.05):
            self._world.later(self._world.dice.between(60, 400), lambda: self.offer(event))

    def be_out(self, lasts_s: float) -> None:
        """Let no call through for a while."""
        self._world.note(f"{self.name} is down for {lasts_s:.0f} s")
        self.out_until = self._world.elapsed_s + lasts_s

    def offer(self, event: Inbound) -> None:
        """Put an event in line for the bot."""
        raise NotImplementedError

    def disconnected(self) -> None:
        """Take note that the bot's process is gone."""

    def show(self, reply: Reply) -> Post:
        """Let a message stand in its chat."""
        self._count += 1
        post = Post(reply.address.session_key, f"{self.name}-{self._count}", {reply.key})
        self.posts.append(post)
        self.change(post, reply, "shows")
        if reply.kind == "failure" and self.on_bad_news is not None:
            self.on_bad_news(post.session_key)
        return post

    def change(self, post: Post, reply: Reply, how: str = "edits") -> None:
        """Let a message say something else."""
        post.versions.append((self._world.elapsed_s, reply.text))
        post.keys.add(reply.key)
        self._world.note(f"{how} {post.message_id} {reply.text!r}")

    def remove(self, post: Post) -> None:
        """Let a message be deleted, by a person or by the bot."""
        self.posts.remove(post)
        self._world.note(f"{post.message_id} is deleted")

    def find(self, *, message_id: str = "", key: str = "") -> Post | None:
        """Find a message by its id, or by the key that was sent along."""
        for post in self.posts:
            if post.message_id == message_id or (key and key in post.keys):
                return post
        return None


class PollingPlatform(Platform):
    """Keeps updates until the bot asks for those behind them, as Telegram does."""

    def __init__(self, name: str, capabilities: Capabilities, world: World, ledger: Ledger) -> None:
        super().__init__(name, capabilities, world, ledger)
        self._updates: deque[tuple[int, Inbound]] = deque()
        self._last_id = 0
        self._something = asyncio.Event()

    def offer(self, event: Inbound) -> None:
        """Add an update."""
        self._world.begin()
        self._last_id += 1
        self._updates.append((self._last_id, event))
        self._something.set()

    async def updates(self, after: int, limit: int) -> list[tuple[int, Inbound]]:
        """Forget what was confirmed, and give what comes behind it, waiting for the first."""
        while self._updates and self._updates[0][0] <= after:
            self._updates.popleft()
            self._world.end()
        while not self._updates:
            self._something.clear()
            await self._something.wait()
        return [self._updates[place] for place in range(min(limit, len(self._updates)))]


@dataclass(slots=True, eq=False)
class Offer:
    """An event on its way to the bot, and how often it was handed over."""

    event: Inbound
    attempts: int = 0


class PushingPlatform(Platform):
    """Hands events over as they happen and wants each confirmed, as Slack does.

    It waits for no confirmation before it hands over the next event, of the same chat either. One
    that is not confirmed is offered again, three times at most, behind what came meanwhile; it does
    not count while the bot is not connected.
    """

    def __init__(self, name: str, capabilities: Capabilities, world: World, ledger: Ledger) -> None:
        super().__init__(name, capabilities, world, ledger)
        self._ready: deque[Offer] = deque()
        self._on_its_way: list[Offer] = []
        self._something = asyncio.Event()

    def offer(self, event: Inbound) -> None:
        """Put an event behind those that wait."""
        self._world.begin()
        self._be_ready(Offer(event))

    async def next_offer(self) -> Offer:
        """Wait for an event and take it on its way; it must be confirmed or refused."""
        while not self._ready:
            self._something.clear()
            await self._something.wait()
        offer = self._ready.popleft()
        offer.attempts += 1
        self._on_its_way.append(offer)
        return offer

    def confirmed(self, offer: Offer) -> None:
        """Offer it no more."""
        if offer in self._on_its_way:
            self._on_its_way.remove(offer)
            self._world.end()

    def refused(self, offer: Offer) -> None:
        """Offer the event again later, or give it up."""
        if offer in self._on_its_way:
            self._on_its_way.remove(offer)
            self._try_again(offer)

    def disconnected(self) -> None:
        """Offer again what was on its way."""
        for offer in self._on_its_way:
            self._try_again(offer)
        self._on_its_way.clear()

    def _try_again(self, offer: Offer) -> None:
        if offer.attempts >= MOST_ATTEMPTS:
            self._ledger.given_up(offer.event)
            self._world.end()
        else:
            self._ledger.put_off(offer.event)
            self._world.later(self._world.dice.between(1, 60), lambda: self._be_ready(offer))

    def _be_ready(self, offer: Offer) -> None:
        self._ready.append(offer)
        self._something.set()


def make_platforms(world: World, ledger: Ledger) -> tuple[PollingPlatform, PushingPlatform]:
    """Make one platform of each kind: drafts and a cursor, edits and confirmations."""
    polling = PollingPlatform(
        "polled",
        Capabilities(
            max_text_length=120,
            can_edit=True,
            shows_drafts=True,
            preview_interval_s=1.0,
            typing_interval_s=4.0,
        ),
        world,
        ledger,
    )
    pushing = PushingPlatform(
        "pushed",
        Capabilities(max_text_length=120, can_edit=True, preview_interval_s=1.0, finds_sent=True),
        world,
        ledger,
    )
    return polling, pushing


def split_text(text: str, limit: int) -> tuple[str, ...]:
    """Cut at paragraphs, and where one is too long by itself, anywhere."""
    parts: list[str] = []
    for paragraph in filter(str.strip, text.split("\n\n")):
        joined = f"{parts[-1]}\n\n{paragraph}" if parts else paragraph
        if parts and len(joined) <= limit:
            parts[-1] = joined
        else:
            parts += [paragraph[at : at + limit] for at in range(0, len(paragraph), limit)]
    return tuple(parts)
