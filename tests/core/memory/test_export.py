"""What somebody takes away: all of theirs, readable, without secrets and without others' words."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from bot.core.addresses import sender_of
from bot.core.chat import ChatAddress, PersonKey
from bot.core.memory.audience import audience_of
from bot.core.memory.episodes import Account, Episode, EpisodeId
from bot.core.memory.export import (
    Belongings,
    ChatSwitch,
    OwnTurn,
    as_json,
    own_turn,
    without_oldest,
)
from bot.core.memory.facts import Fact, FactId
from bot.core.memory.own_conversations import OwnConversation, OwnSummary
from bot.core.memory.said import Said
from bot.core.memory.versions import MemoryFile
from bot.core.messages import Message, Text
from bot.core.reminders import Reminder, ReminderId, ZoneName, rhythm_of
from bot.core.tasks import TaskState
from bot.core.turns import Turn, TurnId
from bot.core.window.notes import DELETED, is_note

ADA, BOB = PersonKey("telegram::1001"), PersonKey("telegram::1002")
HOME = ChatAddress(channel="telegram", account="77", chat="1001")
GROUP = ChatAddress(channel="telegram", account="77", chat="-5")
AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
PRIVATE = audience_of(HOME.session_key, "private")


def fact(text: str) -> Fact:
    return Fact(
        id=FactId(12),
        person_key=ADA,
        audience=PRIVATE,
        topic="preference",
        key="drink",
        text=text,
        origin="told",
        confidence=1.0,
        turn_id=None,
        valid_from=AT,
        valid_to=None,
        confirmed_at=AT,
    )


def turn_of(*texts: str) -> Turn:
    blocks = tuple(Text(text=text) for text in texts)
    return Turn(
        id=TurnId(3),
        session_key=GROUP.session_key,
        request=Message(role="user", blocks=blocks),
        started_at=AT,
        outcome="answered",
    )


def own(number: int) -> OwnTurn:
    return OwnTurn(
        id=TurnId(number), session_key=HOME.session_key, kind="private", at=AT, said=(f"{number}",)
    )


def reminder(text: str) -> Reminder:
    return Reminder(
        id=ReminderId(3),
        author=sender_of(ADA),
        address=HOME,
        chat_kind="private",
        kind="words",
        text=text,
        zone=ZoneName("UTC"),
        due_at=AT,
        created_at=AT,
        origin="turn 1 a",
        rhythm=rhythm_of("daily", AT),
    )


def conversation(text: str) -> OwnConversation:
    summary = OwnSummary(
        through=TurnId(2),
        made_at=AT,
        overview=text,
        points=((TurnId(2), "green"),),
        pinned=("4711",),
    )
    return OwnConversation(
        session_key=HOME.session_key,
        tasks=(TaskState(goal=text, remaining=("buy",)),),
        summaries=(summary,),
        digests=(text,),
    )


def test_prv_2_everything_that_is_kept_is_in_it() -> None:
    episode = Episode(
        id=EpisodeId(1),
        session_key=HOME.session_key,
        audience=PRIVATE,
        person_key=ADA,
        first=TurnId(1),
        through=TurnId(2),
        started_at=AT,
        ended_at=AT,
        account=Account(summary="Planned a trip.", open_tasks=("Book the train.",)),
    )
    belongings = Belongings(
        person_key=ADA,
        at=AT,
        name="Ada",
        switches=(ChatSwitch(audience=PRIVATE, is_on=False),),
        facts=(fact("Likes tea."),),
        episodes=(episode,),
        files=(MemoryFile(name="MEMORY.md", text="# mine\n"),),
        turns=(own(1),),
        zone=ZoneName("Europe/Lisbon"),
        reminders=(reminder("Call Bob."),),
    )
    data = json.loads(as_json(belongings, lambda text: text))

    assert {
        "format",
        "version",
        "made_at",
        "person",
        "settings",
        "usage",
        "reminders",
        "facts",
        "episodes",
        "conversations",
        "files",
        "turns_left_out",
        "turns",
    } == set(data)
    assert [{"chat": {"channel": "telegram", "chat": "1001", "kind": "private"}, "is": "off"}] == (
        data["settings"]["memory"]
    )
    assert ("f12", "Likes tea.", None) == tuple(
        data["facts"][0][name] for name in ("id", "text", "valid_to")
    )
    assert ["Book the train."] == data["episodes"][0]["open_tasks"]
    assert [{"name": "MEMORY.md", "text": "# mine\n"}] == data["files"]
    assert ["1"] == data["turns"][0]["said"]
    assert "Europe/Lisbon" == data["settings"]["timezone"]
    assert ("Call Bob.", "every day") == tuple(
        data["reminders"][0][name] for name in ("text", "repeat")
    )


def test_prv_2_what_stands_for_turns_is_in_it() -> None:
    of = Belongings(person_key=ADA, at=AT, conversations=(conversation("Tea was planned."),))

    (written,) = json.loads(as_json(of, lambda text: text))["conversations"]

    assert {
        "chat": {"channel": "telegram", "chat": "1001", "kind": "private"},
        "tasks": [{"goal": "Tea was planned.", "done": [], "remaining": ["buy"]}],
        "summaries": [
            {
                "through_turn": 2,
                "made_at": AT.isoformat(),
                "overview": "Tea was planned.",
                "points": [{"turn": 2, "text": "green"}],
                "pinned": ["4711"],
            }
        ],
        "digests": ["Tea was planned."],
    } == written


def test_prv_1_no_text_leaves_with_a_secret_in_it() -> None:
    secret = "-".join(("nobodys", "key"))
    belongings = Belongings(
        person_key=ADA,
        at=AT,
        facts=(fact(f"Says {secret}."),),
        reminders=(reminder(f"Say {secret}."),),
        files=(MemoryFile(name="MEMORY.md", text=secret),),
        conversations=(conversation(secret),),
        turns=(
            OwnTurn(
                id=TurnId(1),
                session_key=HOME.session_key,
                kind="private",
                at=AT,
                said=(secret,),
                reply=secret,
            ),
        ),
    )
    written = as_json(belongings, lambda text: text.replace(secret, "[redacted:key]"))

    assert secret not in written
    assert 8 == written.count("[redacted:key]")


def test_mem_9_of_a_groups_turn_it_has_what_they_said_alone() -> None:
    turn = turn_of("Ada#1001: mine is egret", "Bob#1002: mine is stork")
    said = (
        Said(block=0, person_key=ADA, name="Ada"),
        Said(block=1, person_key=BOB, name="Bob"),
    )

    of_ada = own_turn(turn, said, "group", ADA, is_note)
    of_nobody = own_turn(turn, (), "group", ADA, is_note)

    assert of_ada is not None
    assert (("mine is egret",), "") == (of_ada.said, of_ada.reply)
    assert of_nobody is None


def test_any_text_at_all_can_be_read_back() -> None:
    odd = 'half \ud83d a pair, "quoted" \\ and \x00'
    written = as_json(Belongings(person_key=ADA, at=AT, facts=(fact(odd),)), lambda text: text)

    assert odd == json.loads(written.encode())["facts"][0]["text"]


def test_what_was_taken_back_is_not_there() -> None:
    said = (Said(block=0, person_key=ADA, name="Ada"),)

    assert own_turn(turn_of(DELETED), said, "private", ADA, is_note) is None


def test_what_does_not_fit_leaves_the_oldest_out_and_says_so() -> None:
    belongings = Belongings(person_key=ADA, at=AT, turns=tuple(map(own, range(1, 6))))
    once = without_oldest(belongings)
    twice = without_oldest(once)

    assert ([4, 5], 3) == ([each.id for each in once.turns], once.turns_left_out)
    assert ([5], 4) == ([each.id for each in twice.turns], twice.turns_left_out)
    assert ((), 5) == (without_oldest(twice).turns, without_oldest(twice).turns_left_out)
