"""The facts of a simulation: what was said, what was committed, what the platforms show.

It draws no conclusions (:mod:`bot.testing.simulator.oracle` does), except of what is a fault the
moment it happens.
"""

from __future__ import annotations

import math
from collections import Counter

from bot.core.chat import (
    ChatAddress,
    Inbound,
    InboundMessage,
    Reply,
    SessionKey,
    StopRequest,
)
from bot.core.commands import parse_command
from bot.core.lifecycle import Claim, DeliveryState, OutboxId, OutboxItem, Received, address_of
from bot.core.turns import Outcome, TurnId
from bot.testing.simulator.facts import Ending, ItemFacts, Kind, Said, Trouble, TurnFacts
from bot.testing.simulator.world import World

NEW_BEGINS = "A new conversation begins"
"""How people are told that ``/new`` was done."""

EventName = tuple[str, str]
"""Channel and event id."""


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
        self._process = 1
        self._failures: Counter[SessionKey] = Counter()
        self._owed: dict[SessionKey, float] = {}
        self._told: set[tuple[SessionKey, TurnId | None]] = set()

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
        self.put_off(inbound)
        self._world.note(f"given up {inbound.event_id}")

    def put_off(self, inbound: Inbound) -> None:
        """Note that what was said later may come before this."""
        self.said[_name(inbound)].is_out_of_line = True

    def stops(self, session_key: SessionKey) -> list[Said]:
        """List what asked for a stop in a chat."""
        return [
            said
            for said in self.said.values()
            if said.session_key == session_key
            and (said.kind == "stop" or command_of(said.inbound) == "stop")
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
        for session_key, failed_at in self._owed.items():
            self.fault(f"an answer of {session_key} failed at {failed_at:.3f}, nobody is told")
        self._owed.clear()
        self._told.clear()
        self._process += 1

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
            claimed_at=self._world.elapsed_s,
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
        for turn in self.turns.values():
            if open_ids and set(open_ids) <= set(turn.messages):
                for name in self._put_away_before(turn) & set(all_ids):
                    self.fault(f"a model that was asked for {open_ids} was shown {name} after /new")

    def opened(self, open_ids: tuple[str, ...], known_ids: tuple[str, ...]) -> None:
        """Note what a session opened with, which must be of its own chat."""
        chats = {
            ChatAddress.from_session_key(turn.session_key).whole_chat
            for turn in self.turns.values()
            for name in turn.messages
            if name in (*open_ids, *known_ids)
        }
        if len(chats) > 1:
            self.fault(f"a session with {open_ids} opened with {known_ids}: {chats}")

    def finished(self, turn_id: TurnId, outcome: Outcome, items: tuple[OutboxItem, ...]) -> None:
        """Note the end of a turn; ending it once more changes nothing."""
        turn = self.turns[turn_id]
        if len(turn.endings) == turn.openings:
            return
        turn.ended_at = self._world.elapsed_s
        ending = Ending(
            outcome=outcome,
            items=tuple(item.id for item in items),
            resumes=turn.resumes,
            process=self._process,
            opened_at=turn.opened_at,
            ended_at=turn.ended_at,
        )
        turn.endings.append(ending)
        self.added(items, turn_id)

    def answered(self, channel: str, event_id: str, items: tuple[OutboxItem, ...]) -> None:
        """Note that a command is done; the second time nothing can be said any more."""
        said = self.said[channel, event_id]
        if said.settled_at == math.inf:
            said.answer = "\n\n".join(item.reply.text for item in items)
            said.answered_in = self._process
            said.undelivered = self._failed_since(said.session_key, said.stored_at)
            said.was_busy = self._was_busy_since(said.session_key, said.stored_at)
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
                if item.reply.kind == "failure":
                    self._tell(item.reply.address.session_key)
            elif known.item.is_preview:
                known.item, known.turn_id, known.state = item, turn_id, item.state

    def again(self, items: tuple[OutboxItem, ...]) -> None:
        """Note that a person had these sent again."""
        for item in items:
            self.items[item.id].sent_again += 1
            self.items[item.id].state = "pending"
            self.items[item.id].marked_at = self._world.elapsed_s

    def marked(self, item: OutboxId, state: DeliveryState) -> None:
        """Note how far an item got; what is closed is opened by a person only."""
        facts = self.items[item]
        if facts.state not in ("sent", "failed") or state == "sent":
            is_answer = facts.item.reply.kind == "final" and facts.brings_something
            facts.state, facts.marked_at = state, self._world.elapsed_s
            if state == "failed" and is_answer:
                self._owe(facts)

    def commands(self, session_key: SessionKey, name: str) -> list[Said]:
        """List the commands of this name that were answered in a chat."""
        return [
            said
            for said in self.said.values()
            if said.session_key == session_key
            and said.settled_at < math.inf
            and command_of(said.inbound) == name
        ]

    def _owe(self, failed: ItemFacts) -> None:
        """Note that people must be told of a failed answer, once for all its parts.

        Answers that are delivered together, after a start or for ``/retry``, count as one.
        """
        self._failures[failed.session_key] += 1
        turn = None if failed.turn_id is None else self.turns[failed.turn_id]
        is_new = turn is not None and turn.endings[-1].process == self._process
        answer = failed.session_key, failed.turn_id if is_new and not failed.sent_again else None
        if answer not in self._told:
            self._told.add(answer)
            self._owed[failed.session_key] = self._world.elapsed_s

    def _tell(self, session_key: SessionKey) -> None:
        """Note that people will be told that an answer failed."""
        self._owed.pop(session_key, None)
        self._failures[session_key] -= 1
        if self._failures[session_key] < 0:
            self.fault(f"in {session_key} is told of more failed answers than there are")

    def _failed_since(self, session_key: SessionKey, at: float) -> int:
        return sum(
            facts.session_key == session_key
            and facts.item.reply.kind != "failure"
            and facts.brings_something
            and facts.state == "failed"
            and facts.marked_at < at
            for facts in self.items.values()
        )

    def _was_busy_since(self, session_key: SessionKey, at: float) -> bool:
        return any(
            turn.session_key == session_key and turn.ended_at >= at for turn in self.turns.values()
        ) or any(
            facts.session_key == session_key
            and (facts.state in ("pending", "sending") or facts.marked_at >= at)
            for facts in self.items.values()
        )

    def _put_away_before(self, turn: TurnFacts) -> set[str]:
        """List the messages that had been taken when a ``/new`` came that people saw confirmed."""
        asked_at = [
            said.stored_at
            for said in self.commands(turn.session_key, "new")
            if said.answer.startswith(NEW_BEGINS) and said.settled_at < turn.claimed_at
        ]
        return {
            name
            for other in self.turns.values()
            if other.session_key == turn.session_key
            and other.claimed_at < max(asked_at, default=-1.0)
            for name in other.messages
        }


def command_of(inbound: Inbound) -> str:
    """Name the command that a person gave; empty when it is none."""
    call = parse_command(inbound.text) if isinstance(inbound, InboundMessage) else None
    return "" if call is None else call.name


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
