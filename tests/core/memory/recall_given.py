"""Facts and pieces that are to be recalled from, and the turn in which they are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.core.chat import PersonKey, SessionKey
from bot.core.memory.audience import Audience, Origin, Viewer
from bot.core.memory.facts import Fact, FactId, FactTopic
from bot.core.memory.items import Hit, ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.recall import Occasion, Room
from bot.core.memory.recalled import Recollection

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANN, BEN = PersonKey("loopback::1"), PersonKey("loopback::2")
PRIVATE = Audience(channel="loopback", account="bot", chat="1", kind="private")
GROUP = Audience(channel="loopback", account="bot", chat="-7", kind="group")
SESSION = SessionKey("loopback:bot:1:")


def tokens(text: str) -> int:
    return -(-len(text) // 4)


ROOM = Room(max_tokens=2_000, spare_tokens=10_000, count=tokens)
OCCASION = Occasion(
    viewer=Viewer(audience=PRIVATE, person_key=ANN),
    speakers=((ANN, ""),),
    request="Where did we put the spare keys?",
    now=NOW,
    session=SESSION,
)
IN_GROUP = replace(
    OCCASION, viewer=Viewer(audience=GROUP, person_key=ANN), speakers=((ANN, "Ann#1"),)
)


def piece(
    text: str,
    *,
    item_id: str = "turn:1#0",
    kind: ItemKind = "turn",
    origin: Origin | None = None,
    **others: object,
) -> MemoryItem:
    item = MemoryItem(
        id=ItemId(item_id),
        ref=ItemRef(item_id.partition("#")[0]),
        kind=kind,
        text=text,
        origin=origin or Origin(audience=PRIVATE, said_by=ANN),
        moment=NOW - timedelta(days=3),
        speaker="Ann",
        session_key=SESSION,
    )
    return replace(item, **others)  # type: ignore[arg-type]  # fields of an item


def hit(score: float, text: str = "", **others: object) -> Hit:
    text = text or f"The keys of score {score} lie below the third pot."
    number = round(score * 1000)
    of_turn = {"item_id": f"turn:{number}#0", "first": number, "through": number}
    item = piece(text, **(of_turn | others))  # type: ignore[arg-type]  # likewise
    return Hit(item=item, score=score, why="keys")


def fact(
    number: int,
    text: str,
    *,
    topic: FactTopic = "preference",
    key: str = "",
    audience: Audience = PRIVATE,
    person_key: PersonKey = ANN,
    days: float = 1,
) -> Fact:
    return Fact(
        id=FactId(number),
        person_key=person_key,
        audience=audience,
        topic=topic,
        key=key or text.casefold(),
        text=text,
        origin="told",
        confidence=1.0,
        turn_id=None,
        valid_from=NOW - timedelta(days=days),
        valid_to=None,
        confirmed_at=NOW - timedelta(days=days),
    )


def told(memory: Recollection) -> str:
    return f"{memory.standing_text}\n{memory.relevant_text}"
