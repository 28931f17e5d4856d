"""Everything that is kept of one person, as JSON for them to take away.

The law of this file: nobody else's words are in it. Of a group it has what the person said there
and what was made of that alone; of their private chat all of it, what the bot answered too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.core.chat import ChatAddress, ChatKind, PersonKey, SessionKey
from bot.core.llm import Usage
from bot.core.memory.audience import Audience, audience_of
from bot.core.memory.episodes import Episode
from bot.core.memory.facts import Fact
from bot.core.memory.own_conversations import OwnConversation, values_of
from bot.core.memory.said import Said, own_words
from bot.core.memory.versions import MemoryFile
from bot.core.messages import Text
from bot.core.reminders import Reminder, ZoneName
from bot.core.turns import Turn, TurnId

FORMAT = "daybook-export"
VERSION = 1
"""Grows when a reader of the former form would misread the present one."""

Json = dict[str, object]

Redact = Callable[[str], str]
"""Replaces secrets in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTurn:
    """What somebody said in one turn.

    Attributes:
        at: When the turn was opened.
        said: Their texts, as they stand in the request.
        reply: What was answered; empty in a group, where it may speak of others.
        is_off_record: Said while memory was off: nothing is made of it.
    """

    id: TurnId
    session_key: SessionKey
    kind: ChatKind
    at: datetime
    said: tuple[str, ...]
    reply: str = ""
    is_off_record: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSwitch:
    """Whether what is said in a chat is remembered."""

    audience: Audience
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """All that is kept of a person.

    Attributes:
        name: What they were called when they were let in; empty where that was not needed.
        grant: What they may do, by a decision in a chat; empty for none.
        facts: All versions.
        files: Memory files of their private chats; the path of each begins with its folder.
        used: By all calls of the model on their account, of which there were ``calls``.
        nano_usd: What those cost of which the price is known.
        turns_left_out: How many of their turns, the oldest, are not there for want of room.
        zone: The time zone that they chose, None for none.
        reminders: Those that are open, scheduled prompts among them.
        conversations: What of their private chats was summarised or noted; those without any of it
            are not there.
    """

    person_key: PersonKey
    at: datetime
    name: str = ""
    grant: str = ""
    switches: tuple[ChatSwitch, ...] = ()
    facts: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    files: tuple[MemoryFile, ...] = ()
    turns: tuple[OwnTurn, ...] = ()
    used: Usage = field(default_factory=Usage)
    calls: int = 0
    nano_usd: int = 0
    turns_left_out: int = 0
    zone: ZoneName | None = None
    reminders: tuple[Reminder, ...] = ()
    conversations: tuple[OwnConversation, ...] = ()


def own_turn(
    turn: Turn,
    who_said: tuple[Said, ...],
    kind: ChatKind,
    person_key: PersonKey,
    is_note: Callable[[str], bool],
) -> OwnTurn | None:
    """Give what is a person's of a turn, None for nothing: of a private chat all that it has.

    ``is_note`` tells the bot's own words in a request, as where a message was taken back.
    """
    blocks = turn.request.blocks
    texts = {place: block.text for place, block in enumerate(blocks) if isinstance(block, Text)}
    if kind == "group":
        own = (each.block for each in who_said if each.person_key == person_key)
        texts = {place: own_words(texts[place], kind)[1] for place in own if place in texts}
    kept = tuple(text for text in texts.values() if text and not is_note(text))
    if not kept:
        return None
    is_answer_theirs = kind == "private" and turn.outcome is not None
    return OwnTurn(
        id=turn.id,
        session_key=turn.session_key,
        kind=kind,
        at=turn.started_at,
        said=kept,
        reply=turn.reply if is_answer_theirs else "",
    )


def without_oldest(belongings: Belongings) -> Belongings:
    """Leave out the older half of what is told of turns."""
    half = -(-len(belongings.turns) // 2)
    return replace(
        belongings,
        turns=belongings.turns[half:],
        turns_left_out=belongings.turns_left_out + half,
    )


def as_json(belongings: Belongings, redact: Redact) -> str:
    """Write all of it, indented for people; texts that somebody wrote go through ``redact``.

    Half a surrogate pair, which no file can hold, is written as JSON escapes it.
    """
    text = json.dumps(_all_of(belongings, redact), ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"


def _all_of(of: Belongings, redact: Redact) -> Json:
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_at": of.at.isoformat(),
        "person": {"key": of.person_key, "name": redact(of.name), "may": of.grant},
        "settings": {
            "memory": [
                {"chat": _place(each.audience), "is": "on" if each.is_on else "off"}
                for each in of.switches
            ],
            "timezone": of.zone or "",
        },
        "reminders": [_reminder(each, redact) for each in of.reminders],
        "usage": {
            "input_tokens": of.used.input_tokens,
            "output_tokens": of.used.output_tokens,
            "cache_read_tokens": of.used.cache_read_tokens,
            "cache_write_tokens": of.used.cache_write_tokens,
            "calls": of.calls,
            "usd": of.nano_usd / 1_000_000_000,
        },
        "facts": [_fact(each, redact) for each in of.facts],
        "episodes": [_episode(each, redact) for each in of.episodes],
        "conversations": [
            {"chat": _chat(each.session_key, "private"), **values_of(each, redact)}
            for each in of.conversations
        ],
        "files": [{"name": each.name, "text": redact(each.text)} for each in of.files],
        "turns_left_out": of.turns_left_out,
        "turns": [_turn(each, redact) for each in of.turns],
    }


def _fact(fact: Fact, redact: Redact) -> Json:
    return {
        "id": f"f{fact.id}",
        "topic": fact.topic,
        "key": redact(fact.key),
        "text": redact(fact.text),
        "origin": fact.origin,
        "confidence": fact.confidence,
        "said_in": _place(fact.audience),
        "turn": fact.turn_id,
        "valid_from": fact.valid_from.isoformat(),
        "valid_to": None if fact.valid_to is None else fact.valid_to.isoformat(),
        "confirmed_at": fact.confirmed_at.isoformat(),
    }


def _episode(episode: Episode, redact: Redact) -> Json:
    account = episode.account
    phrases = {
        "attempted": account.attempted,
        "succeeded": account.succeeded,
        "failed": account.failed,
        "decisions": account.decisions,
        "open_tasks": account.open_tasks,
        "details": account.details,
    }
    return {
        "chat": _place(episode.audience),
        "first_turn": episode.first,
        "last_turn": episode.through,
        "started_at": episode.started_at.isoformat(),
        "ended_at": episode.ended_at.isoformat(),
        "summary": redact(account.summary),
        **{name: [redact(each) for each in said] for name, said in phrases.items()},
    }


def _reminder(reminder: Reminder, redact: Redact) -> Json:
    return {
        "id": reminder.id,
        "chat": _place(audience_of(reminder.address.session_key, reminder.chat_kind)),
        "kind": reminder.kind,
        "text": redact(reminder.text),
        "due_at": reminder.due_at.isoformat(),
        "timezone": reminder.zone,
        "repeat": "" if reminder.rhythm is None else reminder.rhythm.words,
        "created_at": reminder.created_at.isoformat(),
    }


def _turn(turn: OwnTurn, redact: Redact) -> Json:
    place, said = _chat(turn.session_key, turn.kind), [redact(each) for each in turn.said]
    written: Json = {"id": turn.id, "at": turn.at.isoformat(), "chat": place, "said": said}
    if turn.reply:
        written["reply"] = redact(turn.reply)
    if turn.is_off_record:
        written["off_record"] = True
    return written


def _chat(session_key: SessionKey, kind: ChatKind) -> Json:
    address = ChatAddress.from_session_key(session_key)
    place: Json = {"channel": address.channel, "chat": address.chat, "kind": kind}
    return place | ({"thread": address.thread} if address.thread else {})


def _place(audience: Audience) -> Json:
    return {"channel": audience.channel, "chat": audience.chat, "kind": audience.kind}
