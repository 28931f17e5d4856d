"""What is to be forgotten as JSON text in a row, and back.

The law of this file: nothing of it can be read in the file. Words that somebody wants gone, and
runs of what is gone, are covered by a key of their own row until that is removed: so the search for
them on the disk does not find the order to remove them.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, fields
from hashlib import shake_256
from typing import Any

from bot.adapters.store.codec import decoded, json_text, micros_of, moment_of, text_in
from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import Audience, Viewer
from bot.core.memory.episodes import EpisodeId
from bot.core.memory.facts import FactId
from bot.core.memory.forgetting import (
    NOTHING,
    Forgetting,
    ForgettingId,
    Gone,
    Meant,
    MeantFact,
    NewForgetting,
    ReceiptPlace,
    Removed,
    TurnPart,
    Wish,
)
from bot.core.turns import TurnId
from bot.languages import language_of

_Data = dict[str, Any]  # JSON as it was read: each reader below says what it expects in it
_KEY_BYTES = 16
_LAYERS = tuple(field.name for field in fields(Removed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a row holds; ``place`` is None until it was confirmed."""

    new: NewForgetting
    place: ReceiptPlace | None = None
    removed: Removed = NOTHING

    def confirmed(self, row: int) -> Forgetting:
        """Give it as a piece of work.

        Raises:
            ValueError: Nobody has confirmed it.
        """
        if self.place is None:
            raise ValueError(f"forgetting {row} was not confirmed")
        return Forgetting(
            id=ForgettingId(row),
            new=self.new,
            place=self.place,
            removed=self.removed,
        )


def encode(kept: Kept) -> str:
    """Write what a row holds, under a new key."""
    key, new = secrets.token_bytes(_KEY_BYTES), kept.new
    data: _Data = {
        "key": base64.b64encode(key).decode(),
        "token": new.token,
        "asked_at": micros_of(new.asked_at),
        "viewer": _of_viewer(new.viewer),
        "wish": [new.wish.kind, _covered(new.wish.text, key), new.wish.of_everyone],
        "parts": [[each.turn_id, each.blocks] for each in new.meant.parts],
        "facts": [[each.id, each.turn_id] for each in new.meant.facts],
        "episodes": new.meant.episodes,
        "removed": {layer: getattr(kept.removed, layer) for layer in _LAYERS},
    }
    if kept.place is not None:
        address = kept.place.address
        data["place"] = {
            "address": [address.channel, address.account, address.chat, address.thread],
            "for_person": kept.place.for_person,
            "language": kept.place.language,
        }
    return json_text(data)


def decode(text: str) -> Kept:
    """Read what :func:`encode` wrote; of facts and turns the words are not in it.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _kept)


def encode_gone(gone: Gone) -> str:
    """Write what is known of what is gone, under a new key."""
    key = secrets.token_bytes(_KEY_BYTES)
    data: _Data = {
        "key": base64.b64encode(key).decode(),
        "words": _covered(json_text({"needles": gone.needles, "lines": gone.lines}), key),
        "too_short": gone.too_short,
        "groups": [_of_audience(each) for each in gone.groups],
        "turns": sorted(gone.turn_ids),
        "watched": sorted(gone.watched),
    }
    return json_text(data)


def decode_gone(text: str) -> Gone:
    """Read what :func:`encode_gone` wrote.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _gone)


def _gone(data: _Data) -> Gone:
    key = base64.b64decode(text_in(data, "key"))
    words = json.loads(_uncovered(text_in(data, "words"), key))
    return Gone(
        needles=tuple(words["needles"]),
        lines=tuple(words["lines"]),
        too_short=int(data["too_short"]),
        groups=frozenset(map(_audience, data["groups"])),
        turn_ids=frozenset(map(TurnId, data["turns"])),
        watched=frozenset(map(TurnId, data["watched"])),
    )


def _kept(data: _Data) -> Kept:
    key = base64.b64decode(text_in(data, "key"))
    kind, words, of_everyone = data["wish"]
    new = NewForgetting(
        wish=Wish(kind=kind, text=_uncovered(words, key), of_everyone=bool(of_everyone)),
        viewer=_viewer(data["viewer"]),
        token=text_in(data, "token"),
        asked_at=moment_of(data["asked_at"]),
        meant=Meant(
            parts=tuple(_part(each) for each in data["parts"]),
            facts=tuple(
                MeantFact(id=FactId(row), text="", turn_id=None if turn is None else TurnId(turn))
                for row, turn in data["facts"]
            ),
            episodes=tuple(EpisodeId(each) for each in data["episodes"]),
        ),
    )
    return Kept(
        new=new,
        place=_place(data["place"]) if "place" in data else None,
        removed=Removed(**{layer: int(data["removed"][layer]) for layer in _LAYERS}),
    )


def _part(data: list[Any]) -> TurnPart:
    turn_id, blocks = data
    return TurnPart(turn_id=TurnId(turn_id), blocks=None if blocks is None else tuple(blocks))


def _place(data: _Data) -> ReceiptPlace:
    channel, account, chat, thread = data["address"]
    address = ChatAddress(channel=channel, account=account, chat=chat, thread=thread)
    return ReceiptPlace(
        address=address,
        for_person=text_in(data, "for_person"),
        language=language_of(data.get("language", "")),  # there is none in rows of former versions
    )


def _of_viewer(viewer: Viewer) -> list[str]:
    return [*_of_audience(viewer.audience), viewer.person_key]


def _viewer(data: list[Any]) -> Viewer:
    *audience, person = data
    return Viewer(audience=_audience(audience), person_key=PersonKey(person))


def _of_audience(audience: Audience) -> list[str]:
    return [audience.channel, audience.account, audience.chat, audience.kind]


def _audience(data: list[Any]) -> Audience:
    channel, account, chat, kind = data
    return Audience(channel=channel, account=account, chat=chat, kind=kind)


def _covered(text: str, key: bytes) -> str:
    return base64.b64encode(_turned(text.encode("utf-8", "surrogatepass"), key)).decode()


def _uncovered(text: str, key: bytes) -> str:
    return _turned(base64.b64decode(text), key).decode("utf-8", "surrogatepass")


def _turned(text: bytes, key: bytes) -> bytes:
    stream = shake_256(key).digest(len(text))
    return bytes(sign ^ cover for sign, cover in zip(text, stream, strict=True))
