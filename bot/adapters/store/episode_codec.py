"""Records of sessions, and what a session opens with, as JSON text and back.

The law of ``codec`` holds here too: every name is spelled out by hand. A field that a text does not
have, written by an earlier version, has its default.
"""

from __future__ import annotations

from typing import Any

from bot.adapters.store.codec import decoded, json_text, micros_of, moment_of, text_in
from bot.core.memory.episodes import Account, Outline
from bot.core.memory.facts import FactId
from bot.core.memory.opening import KnownFact, LastSession, Opening
from bot.core.turns import TurnId

_Data = dict[str, Any]  # JSON as it was read: each reader below says what it expects in it


def encode_account(account: Account) -> str:
    """Write what a session was about."""
    return json_text(_of_account(account))


def decode_account(text: str) -> Account:
    """Read what a session was about.

    Raises:
        StoreUnreadable: It is no such text.
    """
    return decoded(text, _account)


def data_of_opening(opening: Opening) -> _Data:
    """Give what a session opens with as a part of a larger text."""
    last = opening.last
    return {
        "last": None
        if last is None
        else {
            "account": _of_account(last.account),
            "first": last.first,
            "through": last.through,
            "ended_at": micros_of(last.ended_at),
        },
        "facts": [{"id": fact.id, "text": fact.text} for fact in opening.facts],
        "name": opening.name,
    }


def opening_in(data: _Data) -> Opening:
    """Read what a session opens with, given its part of a text that is being read."""
    last = data["last"]
    return Opening(
        last=None if last is None else _last(last),
        facts=tuple(
            KnownFact(id=FactId(_number(each["id"])), text=text_in(each, "text"))
            for each in data["facts"]
        ),
        name=text_in(data, "name"),
    )


def _last(data: _Data) -> LastSession:
    return LastSession(
        account=_account(data["account"]),
        first=TurnId(_number(data["first"])),
        through=TurnId(_number(data["through"])),
        ended_at=moment_of(_number(data["ended_at"])),
    )


def _of_account(account: Account) -> _Data:
    data: _Data = {
        "summary": account.summary,
        "attempted": account.attempted,
        "succeeded": account.succeeded,
        "failed": account.failed,
        "decisions": account.decisions,
        "open_tasks": account.open_tasks,
        "details": account.details,
    }
    if (outline := account.outline) is not None:
        data["outline"] = [outline.turns, outline.beginning, outline.ending]
    return data


def _account(data: _Data) -> Account:
    return Account(
        summary=text_in(data, "summary"),
        attempted=_texts(data.get("attempted", [])),
        succeeded=_texts(data.get("succeeded", [])),
        failed=_texts(data.get("failed", [])),
        decisions=_texts(data.get("decisions", [])),
        open_tasks=_texts(data.get("open_tasks", [])),
        details=_texts(data.get("details", [])),
        outline=_outline(*data["outline"]) if "outline" in data else None,
    )


def _outline(turns: object, *texts: object) -> Outline:
    beginning, ending = _texts(list(texts))
    return Outline(turns=_number(turns), beginning=beginning, ending=ending)


def _number(number: object) -> int:
    if not isinstance(number, int):
        raise TypeError("no number")
    return number


def _texts(texts: object) -> tuple[str, ...]:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError("no list of texts")
    return tuple(texts)
