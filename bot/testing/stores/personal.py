"""What is kept of one person: theirs alone, and all of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.app import Store
from bot.core.chat import ChatAddress, ChatKind, InboundMessage, Sender
from bot.core.lifecycle import Received
from bot.core.memory.audience import Viewer, viewer_of
from bot.core.memory.episodes import Account
from bot.core.memory.export import OwnTurn
from bot.core.memory.facts import Fact, NewFact
from bot.core.memory.own_conversations import OwnConversation, OwnSummary
from bot.core.messages import assistant_text
from bot.core.tasks import TaskState
from bot.core.turns import Step, TurnId
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.ports import KeptOfChat
from bot.testing.clock import START
from bot.testing.stores.given import (
    ANN,
    HOME,
    TRIMMED,
    Check,
    OpenStore,
    entry_of,
    message,
    model_call,
)

BOB = Sender(channel="telegram", user_id="1002", name="Bob")
BOBS = ChatAddress(channel="telegram", account="77", chat="1002")
GROUP = ChatAddress(channel="telegram", account="77", chat="-5", thread="11")
OTHER_BOT = replace(HOME, account="88")


async def private_chats_are_known_by_who_wrote_there(open_store: OpenStore) -> None:
    """The one heard last first; a thread is its chat; groups and others' chats are not theirs."""
    store = open_store()
    assert () == await store.private_chats_of(ANN.person_key)

    await _say(store, _said(1, HOME, ANN))
    await _say(store, _said(2, GROUP, ANN))
    await _say(store, _said(3, BOBS, BOB))
    await _say(store, _said(4, replace(OTHER_BOT, thread="7"), ANN), minutes=5)

    assert (OTHER_BOT, HOME) == await store.private_chats_of(ANN.person_key)
    assert (HOME,) == await store.private_chats_of(ANN.person_key, near=GROUP)
    assert (BOBS,) == await store.private_chats_of(BOB.person_key, near=GROUP)
    await store.close()


async def facts_come_with_all_their_versions(open_store: OpenStore) -> None:
    """In private those that were said there or in groups; in a group those that were said there."""
    store = open_store()
    await store.keep_facts(
        (
            _fact("city", "Lives in Rome.", HOME),
            _fact("city", "Lives in Oslo.", HOME, days=1),
            _fact("team", "Works in sales.", GROUP),
            _fact("team", "Works in legal.", GROUP, sender=BOB),
            _fact("city", "Lives in Bern.", OTHER_BOT),
        )
    )

    private = await store.versions_for(_viewer(HOME))
    in_group = await store.versions_for(_viewer(GROUP, "group"))
    bobs = await store.versions_for(_viewer(BOBS, sender=BOB))

    assert ["Lives in Rome.", "Lives in Oslo.", "Works in sales."] == _texts(private)
    assert [False, True, True] == [fact.holds for fact in private]
    assert ["Works in sales."] == _texts(in_group)
    assert ["Works in legal."] == _texts(bobs)
    await store.close()


async def own_turns_hold_nobody_elses_words(open_store: OpenStore) -> None:
    """Of a group what they said alone, and no answer; of their private chat the answer too."""
    store = open_store()
    await _say(store, _said(1, HOME, ANN, "the word is heron"), answer="Noted: heron.")
    await _say(
        store,
        _said(2, GROUP, ANN, "mine is egret"),
        _said(3, GROUP, BOB, "mine is stork"),
        answer="Egret and stork.",
    )
    await _say(store, _said(4, BOBS, BOB, "the word is crane"))

    private = await _all_own(store, _viewer(HOME))
    in_group = await _all_own(store, _viewer(GROUP, "group"))
    bobs_in_group = await _all_own(store, _viewer(GROUP, "group", sender=BOB))
    elsewhere = await _all_own(store, _viewer(OTHER_BOT))

    assert [("the word is heron",), ("mine is egret",)] == [each.said for each in private]
    assert ["Noted: heron.", ""] == [each.reply for each in private]
    assert ["private", "group"] == [each.kind for each in private]
    assert [(("mine is egret",), "")] == [(each.said, each.reply) for each in in_group]
    assert [("mine is stork",)] == [each.said for each in bobs_in_group]
    assert [("mine is egret",)] == [each.said for each in elsewhere]
    await store.close()


async def what_is_off_the_record_is_theirs_too(open_store: OpenStore) -> None:
    """It is kept for the conversation, so they may see it; and it says that nothing came of it."""
    store = open_store()
    await store.receive(_received(_said(1, HOME, ANN, "between us")), cursor=None, at=START)
    claim = await store.claim(HOME.session_key, at=START, is_off_record=True)
    assert claim is not None

    (own,) = await _all_own(store, _viewer(HOME))
    assert (("between us",), True, "") == (own.said, own.is_off_record, own.reply)
    assert KeptOfChat() == await store.kept_in(_viewer(HOME))
    await store.close()


async def what_is_kept_of_a_chat_is_counted(open_store: OpenStore) -> None:
    """Over all threads of a chat, and nothing of another one."""
    store = open_store()
    assert KeptOfChat() == await store.kept_in(_viewer(HOME))

    turn_ids = [
        await _say(store, _said(number, replace(HOME, thread=thread), ANN))
        for number, thread in ((1, ""), (2, "7"), (3, ""))
    ]
    await _say(store, _said(4, BOBS, BOB))
    await store.ask_to_remember(START + timedelta(days=1), at=START)
    job = (await store.due_jobs(START + timedelta(days=1), limit=9))[0]
    await store.remember(job, tuple(map(entry_of, turn_ids[:1])), is_done=False)

    assert KeptOfChat(turns=3, days=1) == await store.kept_in(_viewer(HOME))
    assert KeptOfChat(turns=1) == await store.kept_in(_viewer(BOBS, sender=BOB))
    await store.close()


async def records_of_private_sessions_are_theirs(open_store: OpenStore) -> None:
    """Those of a group are not, though nobody else spoke: the answers may have told of others."""
    store = open_store()
    for number, address in enumerate((HOME, HOME, GROUP, GROUP, BOBS, BOBS), 1):
        await _say(store, _said(number, address, BOB if address == BOBS else ANN))
    later = START + timedelta(days=1)
    await store.ask_for_episodes(later, at=later)
    for job in await store.due_jobs(later, limit=9):
        run = await store.unrecorded(job.session_key, through=job.through, limit=9)
        summary = f"Talk in {ChatAddress.from_session_key(job.session_key).chat}."
        await store.land_episode(job, run.turns, Account(summary=summary))

    private = await store.episodes_for(_viewer(HOME))
    bobs = await store.episodes_for(_viewer(BOBS, sender=BOB))
    in_group = await store.episodes_for(_viewer(GROUP, "group"))

    assert [f"Talk in {HOME.chat}."] == [each.account.summary for each in private]
    assert ["Talk in 1002."] == [each.account.summary for each in bobs]
    assert () == in_group
    await store.close()


def _said(number: int, address: ChatAddress, sender: Sender, text: str = "") -> InboundMessage:
    kind: ChatKind = "group" if address.chat == GROUP.chat else "private"
    return replace(message(number, text, address=address), kind=kind, sender=sender)


def _received(*messages: InboundMessage) -> tuple[Received, ...]:
    return tuple(Received(inbound=each, route="turn") for each in messages)


async def _say(
    store: Store, *messages: InboundMessage, answer: str = "Hm.", minutes: int = 0
) -> TurnId:
    at = START + timedelta(minutes=minutes)
    await store.receive(_received(*messages), cursor=None, at=at)
    claim = await store.claim(messages[0].address.session_key, at=at)
    assert claim is not None
    step = Step(answer=assistant_text(answer), stop="end_turn")
    await store.record_step(claim.turn.id, 0, step, model_call(messages[0].address.session_key))
    await store.finish_turn(claim.turn.id, "answered", (), at=at)
    return claim.turn.id


def _viewer(address: ChatAddress, kind: ChatKind = "private", sender: Sender = ANN) -> Viewer:
    return viewer_of(address.session_key, kind, sender.person_key)


def _fact(
    key: str, text: str, address: ChatAddress, *, days: int = 0, sender: Sender = ANN
) -> NewFact:
    kind: ChatKind = "group" if address.chat == GROUP.chat else "private"
    return NewFact(
        person_key=sender.person_key,
        audience=_viewer(address, kind).audience,
        topic="other",
        key=key,
        text=text,
        origin="told",
        confidence=1.0,
        at=START + timedelta(days=days),
    )


def _texts(facts: tuple[Fact, ...]) -> list[str]:
    return [fact.text for fact in facts]


async def _all_own(store: Store, viewer: Viewer) -> list[OwnTurn]:
    own: list[OwnTurn] = []
    after: int | None = 0
    while after is not None:
        stretch = await store.own_turns(viewer, after=after)
        own += stretch.turns
        after = stretch.next_after
    return own


async def what_stands_for_private_turns_is_theirs(open_store: OpenStore) -> None:
    """Tasks, summaries and digests, those that a clear put aside too; of a group none."""
    store = open_store()
    key = HOME.session_key
    assert () == await store.conversations_for(viewer_of(key, "private", ANN.person_key))
    for number, address, sender in (
        (1, HOME, ANN),
        (2, HOME, ANN),
        (3, GROUP, ANN),
        (4, BOBS, BOB),
    ):
        await _say(store, _said(number, address, sender))
        own = address.session_key
        turn = (await store.load(own)).turns[-1].id
        task = TaskState(goal=f"task {number}")
        await store.note_task(own, task, turn_id=turn, at=START)
    first, second = (turn.id for turn in (await store.load(key)).turns)
    cut = Cut(kept_from=second, digest="[short]", turns_left=1)
    await store.save_cut(key, cut, generation=0, at=START, compaction=TRIMMED)
    (job,) = (each for each in await store.due_jobs(START, limit=9) if each.kind == "summary")
    points = KeyPoints(turn_id=first, decisions=("yes",), information=("n = 3",))
    summary = Summary(
        generation=0,
        through=first,
        overview="They said much.",
        key_points=(points,),
        pinned=("ORDER-4711",),
        made_at=START,
    )
    await store.land_summary(job, summary, (), cut=cut, digest="[rest]")
    await store.clear(key, at=START, compaction=TRIMMED)
    await store.close()
    store = open_store()

    found = await store.conversations_for(viewer_of(key, "private", ANN.person_key))
    shown = OwnSummary(
        through=first,
        made_at=START,
        overview="They said much.",
        points=((first, "yes"), (first, "n = 3")),
        pinned=("ORDER-4711",),
    )
    task = TaskState(goal="task 2")
    assert found == (
        OwnConversation(session_key=key, tasks=(task,), summaries=(shown,), digests=("[rest]",)),
    )
    assert () == await store.conversations_for(
        viewer_of(GROUP.session_key, "group", ANN.person_key)
    )
    (of_bob,) = await store.conversations_for(
        viewer_of(BOBS.session_key, "private", BOB.person_key)
    )
    assert (TaskState(goal="task 4"),) == of_bob.tasks
    await store.close()


PERSONAL: tuple[Check, ...] = (
    private_chats_are_known_by_who_wrote_there,
    facts_come_with_all_their_versions,
    own_turns_hold_nobody_elses_words,
    what_is_off_the_record_is_theirs_too,
    what_is_kept_of_a_chat_is_counted,
    records_of_private_sessions_are_theirs,
    what_stands_for_private_turns_is_theirs,
)
