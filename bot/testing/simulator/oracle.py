"""What must be true of every history: nothing lost, nothing doubled, nothing told that is not so.

Each check yields sentences about what is wrong. They compare three records that do not know each
other: what people did, what the store committed, and what the platforms show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import assert_never

from bot.app import Store
from bot.app.application import DELIVERY_RETRY
from bot.core.chat import ChatAddress
from bot.core.lifecycle import OutboxId
from bot.core.turns import TurnId, messages_of, pairing_faults
from bot.runtime.delivery import REPEATED
from bot.runtime.lane import MOST_RESUMES
from bot.testing.simulator.facts import Ending, ItemFacts, Said, TurnFacts, ids_named
from bot.testing.simulator.ledger import Ledger
from bot.testing.simulator.platforms import Platform
from bot.testing.simulator.words import word_faults

STOP_TAKES_S = 120.0
"""How long after a stop was asked for it may still end a turn."""


async def history_faults(store: Store, addresses: Iterable[ChatAddress]) -> list[str]:
    """Say which stored turns a vendor would refuse."""
    turns = [claim.turn for claim in (await store.unfinished()).claims]
    for address in addresses:
        turns += (await store.load(address.session_key)).turns
    return [
        f"turn {turn.id} is stored so that a vendor refuses it: {fault}"
        for turn in turns
        for fault in pairing_faults(messages_of(turn))
    ]


async def leftovers(store: Store) -> list[str]:
    """Say what a store holds as unfinished."""
    left = await store.unfinished()
    outbox = tuple(item for item in left.outbox if not item.is_preview)
    return [f"left unfinished: {each}" for each in (*left.claims, *left.commands, *outbox)] + [
        f"left waiting: {session_key}" for session_key in left.waiting
    ]


class Oracle:
    """Judges the ledger and the platforms once everything has come to rest."""

    def __init__(self, ledger: Ledger, platforms: Iterable[Platform]) -> None:
        self._ledger = ledger
        self._posts = [post for platform in platforms for post in platform.posts]

    def faults(self) -> Iterator[str]:
        """Say all that is wrong."""
        yield from self._of_messages()
        yield from self._of_taking()
        yield from self._of_commands()
        yield from word_faults(self._ledger)
        for turn_id, turn in self._ledger.turns.items():
            yield from self._of_turn(turn_id, turn)
        yield from self._of_items()
        yield from self._of_posts()
        yield from self._of_order()
        for note, runs in self._ledger.runs.items():
            if runs > 1:
                yield f"the unsafe tool ran {runs} times for {note}"

    def _of_messages(self) -> Iterator[str]:
        takers: defaultdict[str, list[TurnId]] = defaultdict(list)
        for turn_id, turn in self._ledger.turns.items():
            for name in turn.messages:
                takers[name].append(turn_id)
        for said in self._ledger.said.values():
            taken_by = takers[said.id] if said.kind in ("message", "chatter") else []
            if said.kind == "chatter" and taken_by:
                yield f"{said.id} was not meant for the bot and was taken by turns {taken_by}"
            elif said.kind == "message" and said.is_told and not taken_by:
                yield f"{said.id} is lost: the platform was told, no turn has it"
            elif len(taken_by) > 1:
                yield f"{said.id} was taken by several turns: {taken_by}"

    def _of_taking(self) -> Iterator[str]:
        """See that the messages of a chat were taken in the order in which they came."""
        out_of_line = {said.id for said in self._ledger.said.values() if said.is_out_of_line}
        by_chat: defaultdict[str, list[str]] = defaultdict(list)
        for _, turn in sorted(self._ledger.turns.items()):
            by_chat[turn.session_key] += (name for name in turn.messages if name not in out_of_line)
        for session_key, taken in by_chat.items():
            if taken != sorted(taken, key=lambda name: int(name[1:])):
                yield f"the messages of {session_key} were taken in the order {taken}"

    def _of_commands(self) -> Iterator[str]:
        for said in self._ledger.said.values():
            if said.kind != "command":
                continue
            if said.answers > 1 or (said.is_told and not said.answers):
                yield f"the command of {said.id} was answered {said.answers} times"

    def _of_turn(self, turn_id: TurnId, turn: TurnFacts) -> Iterator[str]:
        name = f"turn {turn_id} ({' '.join(turn.messages)})"
        if len(turn.endings) != turn.openings:
            yield f"{name} was opened {turn.openings} times and ended {len(turn.endings)} times"
        for ending in turn.endings:
            text = "\n\n".join(self._ledger.items[item_id].text for item_id in ending.items)
            if ending.outcome != "stopped" and not text:
                yield f"{name} ended as {ending.outcome} and nobody was told"
            if not self._is_right(turn, ending, text):
                yield f"{name} ended as {ending.outcome} without a cause: {text!r}"

    def _is_right(self, turn: TurnFacts, ending: Ending, text: str) -> bool:
        match ending.outcome:
            case "answered" | "cut":
                return set(ids_named(text)) == set(turn.messages)
            case "stopped":
                return any(_overlaps(said, turn) for said in self._ledger.stops(turn.session_key))
            case "failed":
                is_given_up = ending.resumes >= MOST_RESUMES
                return is_given_up or turn.messages in self._ledger.model_failures
            case "refused" | "empty":
                return turn.messages in self._ledger.misses
            case _:
                assert_never(ending.outcome)

    def _of_items(self) -> Iterator[str]:
        """Compare what the outbox says with what stands in the chats, text by text."""
        by_text: defaultdict[tuple[str, str], list[ItemFacts]] = defaultdict(list)
        for item_id, facts in self._ledger.items.items():
            if not facts.brings_something:
                continue
            by_text[facts.session_key, facts.text].append(facts)
            if facts.state not in ("sent", "failed"):
                yield f"item {item_id} was never delivered: {facts.text!r} is {facts.state}"
            if facts.state == "failed" and not _has_cause(facts):
                yield f"item {item_id} was given up without a cause: {facts.text!r}"
        for (session_key, text), items in by_text.items():
            shown = [post.text for post in self._posts if post.session_key == session_key]
            yield from _text_faults(
                text, items, plain=shown.count(text), marked=shown.count(text + REPEATED)
            )

    def _of_posts(self) -> Iterator[str]:
        answers: defaultdict[str, int] = defaultdict(int)
        repeats: defaultdict[str, int] = defaultdict(int)
        known = {
            (facts.session_key, facts.text)
            for facts in self._ledger.items.values()
            if not facts.item.is_preview
        }
        for facts in self._ledger.items.values():
            for name in ids_named(facts.text):
                repeats[name] += facts.sent_again
        for post in self._posts:
            text = post.text.removesuffix(REPEATED)
            session_key = post.session_key
            if (session_key, text) not in known:
                yield f"{post.message_id} is left unfinished: {post.text!r}"
            is_answer = text.startswith("re ") and " part 1 of" in text
            if is_answer and text == post.text:
                for name in ids_named(text):
                    answers[name] += 1
        for name, times in answers.items():
            if times > 1 + repeats[name]:
                yield f"{name} is answered {times} times without a mark"

    def _of_order(self) -> Iterator[str]:
        """See that the answers of a chat stand there in the order of its turns.

        What a person has deleted while it was being written is brought again, wherever that is.
        """
        standing = {post.message_id for post in self._posts}
        latest: dict[str, tuple[float, str]] = {}
        for item_id in self._in_order():
            facts = self._ledger.items[item_id]
            if facts.sent_again or not facts.brings_something:
                continue
            if facts.item.replaces is not None and facts.item.replaces.message_id not in standing:
                continue
            stands_since = self._stands_since(facts)
            if stands_since is None:
                continue
            before, text = latest.get(facts.session_key, (0.0, ""))
            if stands_since < before:
                yield f"item {item_id} ({facts.text!r}) stands above {text!r}"
            else:
                latest[facts.session_key] = (stands_since, facts.text)

    def _in_order(self) -> Iterator[OutboxId]:
        """Give the items of answers turn by turn; one that began as a preview is the older item."""
        for _, turn in sorted(self._ledger.turns.items()):
            for ending in turn.endings:
                yield from ending.items

    def _stands_since(self, facts: ItemFacts) -> float | None:
        """Say since when a message has its place in the chat, None when that cannot be told."""
        same = [
            other
            for other in self._ledger.items.values()
            if other.text == facts.text and other.session_key == facts.session_key
        ]
        times = [
            post.versions[0][0]
            for post in self._posts
            if post.session_key == facts.session_key
            and post.text.removesuffix(REPEATED) == facts.text
        ]
        return min(times) if times and len(same) == 1 else None


def _overlaps(stop: Said, turn: TurnFacts) -> bool:
    return stop.stored_at <= turn.ended_at and turn.opened_at <= stop.settled_at + STOP_TAKES_S


def _has_cause(facts: ItemFacts) -> bool:
    troubles = facts.troubles
    return bool(
        troubles["refused"]
        or facts.unknowns > 1
        or troubles["passing"] + facts.unknowns >= DELIVERY_RETRY.attempts
    )


def _text_faults(text: str, items: list[ItemFacts], *, plain: int, marked: int) -> Iterator[str]:
    sent = sum(1 for facts in items if facts.state == "sent")
    unknowns = sum(facts.unknowns for facts in items)
    most = sum(1 + facts.sent_again for facts in items)
    if plain + marked < sent:
        yield f"{text!r} was sent {sent} times and stands there {plain + marked} times"
    if plain > most or (not unknowns and plain + marked > sent):
        yield f"{text!r} stands there {plain} times without a mark and {marked} with, sent {sent}"
    if marked > unknowns:
        yield f"{text!r} is repeated {marked} times, of unknown fate were {unknowns}"
