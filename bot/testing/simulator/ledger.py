"""The facts of a simulation: what was said, what was committed, what the platforms show.

It draws no conclusions (:mod:`bot.testing.simulator.oracle` does), except of what is a fault the
moment it happens.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from bot.core.chat import Inbound, InboundMessage, Reply, SessionKey, StopRequest
from bot.core.commands import parse_command
from bot.core.lifecycle import Claim, DeliveryState, OutboxId, OutboxItem, Received, address_of
from bot.core.turns import Outcome, TurnId
from bot.testing.simulator.world import World

Trouble = Literal["refused", "passing", "unknown"]
"""How a delivery failed: for good, for now, or nobody can say."""

Kind = Literal["message", "command", "stop", "chatter"]
"""What a person did: spoke to the bot, gave a command, pressed stop, spoke to somebody else."""

_ID = re.compile(r"\bm(\d+)\b")

EventName = tuple[str, str]
"""Channel and event id."""


def ids_named(text: str) -> tuple[str, ...]:
    """List the messages that a text names, each once, in the order of their first naming."""
    return tuple(dict.fromkeys(f"m{number}" for number in _ID.findall(text)))


@dataclass(slots=True)
class Said:
    """Something a person did.

    Attributes:
        is_told: The platform heard that it was received.
        is_out_of_line: The platform gave it up; if it comes all the same, then not in its place.
    """

    inbound: Inbound
    session_key: SessionKey
    kind: Kind
    is_told: bool = False
    is_out_of_line: bool = False
    stored_at: float = math.inf
    settled_at: float = math.inf
    answers: int = 0

    @property
    def id(self) -> str:
        """How answers name it."""
        message = self.inbound
        return f"m{message.message_id}" if isinstance(message, InboundMessage) else "button"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a turn ended, what it left in the outbox, and how many processes had gone on with it."""

    outcome: Outcome
    items: tuple[OutboxId, ...]
    resumes: int


@dataclass(slots=True)
class TurnFacts:
    """A turn as the store holds it; it has one ending for each time that it was opened."""

    session_key: SessionKey
    messages: tuple[str, ...]
    generation: int
    opened_at: float
    openings: int = 1
    resumes: int = 0
    ended_at: float = math.inf
    endings: list[Ending] = field(default_factory=list)


@dataclass(slots=True)
class ItemFacts:
    """A reply in the outbox; ``unknowns`` counts the sendings of which nobody knows the fate."""

    item: OutboxItem
    session_key: SessionKey
    turn_id: TurnId | None
    state: DeliveryState
    unknowns: int = 0
    sent_again: int = 0
    troubles: Counter[Trouble] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """What people are to read."""
        return self.item.reply.text


class Ledger:
    """Takes facts in as they happen.

    Attributes:
        model_failures: The groups of messages that the model failed.
        misses: Those that it refused to answer, or answered with nothing.
        runs: How often the unsafe tool did the work of a note.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._faults: dict[str, float] = {}
        self._count = 0
        self.said: dict[EventName, Said] = {}
        self.turns: dict[TurnId, TurnFacts] = {}
        self.items: dict[OutboxId, ItemFacts] = {}
        self.model_failures: set[tuple[str, ...]] = set()
        self.misses: set[tuple[str, ...]] = set()
        self.runs: Counter[str] = Counter()

    @property
    def faults(self) -> tuple[str, ...]:
        """What was wrong, each fault with the second in which it first was seen."""
        return tuple(f"{at:.3f}: {what}" for what, at in self._faults.items())

    def fault(self, what: str) -> None:
        """Note a fault, once."""
        if what not in self._faults:
            self._faults[what] = self._world.elapsed_s
            self._world.note(f"FAULT {what}")

    def unique(self) -> int:
        """Give a number that was not given before, by whatever process."""
        self._count += 1
        return self._count

    def say(self, inbound: Inbound) -> None:
        """Note that a person did something."""
        session_key = address_of(inbound).session_key
        said = Said(inbound=inbound, session_key=session_key, kind=_kind_of(inbound))
        self.said[_name(inbound)] = said

    def told(self, inbound: Inbound) -> None:
        """Note that the platform was told that this was received."""
        self.said[_name(inbound)].is_told = True
        self._world.note(f"told {inbound.event_id}")

    def given_up(self, inbound: Inbound) -> None:
        """Note that a platform offers this no more."""
        self.said[_name(inbound)].is_out_of_line = True
        self._world.note(f"given up {inbound.event_id}")

    def stops(self, session_key: SessionKey) -> list[Said]:
        """List what asked for a stop in a chat."""
        return [
            said
            for said in self.said.values()
            if said.session_key == session_key and (said.kind == "stop" or _is_stop(said.inbound))
        ]

    def trouble(self, reply: Reply, trouble: Trouble) -> None:
        """Note that the platform made trouble with a message."""
        for facts in self.items.values():
            if reply.key and facts.item.reply.key == reply.key:
                facts.troubles[trouble] += 1
                facts.unknowns += trouble == "unknown"

    def process_ended(self) -> None:
        """Note that a process is gone: what it was sending has an unknown fate."""
        for facts in self.items.values():
            if facts.state == "sending":
                facts.unknowns += 1

    def received(self, events: tuple[Received, ...], are_new: tuple[bool, ...]) -> None:
        """Note what was stored of what came in."""
        for event, is_new in zip(events, are_new, strict=True):
            if is_new:
                said = self.said[_name(event.inbound)]
                said.stored_at = self._world.elapsed_s
                if said.kind == "stop":
                    said.settled_at = said.stored_at

    def claimed(self, claim: Claim) -> None:
        """Note that a turn took messages."""
        turn = claim.turn
        ids = tuple(f"m{message.message_id}" for message in claim.messages)
        self.turns[turn.id] = TurnFacts(
            session_key=turn.session_key,
            messages=ids,
            generation=turn.generation,
            opened_at=self._world.elapsed_s,
        )

    def resumed(self, turn_id: TurnId) -> None:
        """Note that one more process goes on with a turn."""
        self.turns[turn_id].resumes += 1

    def reopened(self, claim: Claim) -> None:
        """Note that an ended turn is tried again."""
        turn = self.turns[claim.turn.id]
        turn.openings += 1
        turn.resumes = 0
        turn.opened_at, turn.ended_at = self._world.elapsed_s, math.inf

    def asked(self, open_ids: tuple[str, ...], all_ids: tuple[str, ...]) -> None:
        """Note what a model was shown, which must be of one chat and one generation."""
        homes = {
            (turn.session_key, turn.generation)
            for turn in self.turns.values()
            for name in turn.messages
            if name in all_ids
        }
        if len(homes) > 1:
            self.fault(f"a model that was asked for {open_ids} was shown {all_ids}: {homes}")

    def finished(self, turn_id: TurnId, outcome: Outcome, items: tuple[OutboxItem, ...]) -> None:
        """Note the end of a turn; ending it once more changes nothing."""
        turn = self.turns[turn_id]
        if len(turn.endings) == turn.openings:
            return
        ids = tuple(item.id for item in items)
        turn.endings.append(Ending(outcome=outcome, items=ids, resumes=turn.resumes))
        turn.ended_at = self._world.elapsed_s
        self.added(items, turn_id)

    def answered(self, channel: str, event_id: str, items: tuple[OutboxItem, ...]) -> None:
        """Note that a command is done; the second time nothing can be said any more."""
        said = self.said[channel, event_id]
        if said.settled_at == math.inf or items:
            said.answers += 1
        said.settled_at = min(said.settled_at, self._world.elapsed_s)
        self.added(items, None)

    def added(self, items: tuple[OutboxItem, ...], turn_id: TurnId | None) -> None:
        """Note what came into the outbox; a preview there may have become a reply."""
        for item in items:
            known = self.items.get(item.id)
            if known is None:
                self.items[item.id] = ItemFacts(
                    item=item,
                    session_key=item.reply.address.session_key,
                    turn_id=turn_id,
                    state=item.state,
                )
            elif known.item.is_preview:
                known.item, known.turn_id, known.state = item, turn_id, item.state

    def again(self, items: tuple[OutboxItem, ...]) -> None:
        """Note that a person had these sent again."""
        for item in items:
            self.items[item.id].sent_again += 1
            self.items[item.id].state = "pending"

    def marked(self, item: OutboxId, state: DeliveryState) -> None:
        """Note how far an item got; what is closed is opened by a person only."""
        facts = self.items[item]
        if facts.state not in ("sent", "failed") or state == "sent":
            facts.state = state


def _name(inbound: Inbound) -> EventName:
    return address_of(inbound).channel, inbound.event_id


def _kind_of(inbound: Inbound) -> Kind:
    if isinstance(inbound, StopRequest):
        return "stop"
    if not isinstance(inbound, InboundMessage):
        raise TypeError(f"nobody does this in a simulation: {inbound}")
    if not inbound.is_addressed:
        return "chatter"
    return "message" if parse_command(inbound.text) is None else "command"


def _is_stop(inbound: Inbound) -> bool:
    if not isinstance(inbound, InboundMessage):
        return False
    call = parse_command(inbound.text)
    return call is not None and call.name == "stop"
