"""A group that becomes a supergroup goes on under another id, with all it has."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.core.chat import (
    Button,
    ButtonPress,
    ChatAddress,
    ChatMoved,
    InboundMessage,
    Receipt,
    Reply,
)
from bot.core.lifecycle import Received
from bot.core.memory.audience import audience_of
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import assistant_text
from bot.core.tasks import TaskState
from bot.core.turns import Step, TurnId
from bot.core.window.conversation import Cut
from bot.ports import Place
from bot.testing.clock import START
from bot.testing.stores.given import (
    TRIMMED,
    Check,
    OpenStore,
    Store,
    begin,
    hear,
    is_refused,
    message,
    model_call,
    take,
)

OLD = ChatAddress(channel="telegram", account="77", chat="-4002")
TOPIC = replace(OLD, thread="5")
NEW = replace(OLD, chat="-1009")
BESIDE = replace(OLD, chat="-40021")
PRESSED = "t1"
MOVED = ChatMoved(event_id="moved:-4002:-1009", address=OLD, new_chat="-1009")


def said(number: int, address: ChatAddress = OLD) -> InboundMessage:
    """Write a message in a group."""
    return replace(message(number, address=address), kind="group")


async def have_answer(store: Store, number: int, address: ChatAddress = OLD) -> TurnId:
    """Go through a whole turn in a group."""
    turn = await begin(store, said(number, address))
    answer = Step(answer=assistant_text(f"answer {number}"), stop="end_turn")
    await store.record_step(turn.id, 0, answer, model_call(address.session_key))
    reply = Reply(address=address, text=f"answer {number}")
    (item,) = await store.finish_turn(turn.id, "answered", (reply,), at=START)
    await store.mark_sent(item.id, Receipt(message_id=f"sent {number}"), at=START)
    return turn.id


def entry(turn_id: TurnId, address: ChatAddress = OLD) -> MemoryEntry:
    """Write what a daily file gets of a turn."""
    return MemoryEntry(
        turn_id=turn_id,
        moment=START,
        audience=audience_of(address.session_key, "group"),
        day=START.date(),
        text="- done: a walk",
    )


async def tell(store: Store) -> bool:
    """Have the store receive that the group moved."""
    (is_new,) = await store.receive((Received(inbound=MOVED, route="none"),), cursor=None, at=START)
    return is_new


async def a_move_is_asked_for_until_it_is_done(open_store: OpenStore) -> None:
    """Once, whichever side tells it and however often; its files come behind."""
    store = open_store()
    assert (await store.unfinished()).moves == ()
    assert await tell(store)
    assert not await tell(store)
    await store.close()
    store = open_store()

    assert (await store.unfinished()).moves == (MOVED,)
    assert await store.moved_audiences() == ()
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    assert (await store.unfinished()).moves == ()
    ((old, new),) = await store.moved_audiences()
    assert (old.chat, new.chat) == ("-4002", "-1009")
    await store.mark_moved(old)
    assert await store.moved_audiences() == ()
    await store.close()


async def what_a_chat_remembers_goes_with_it(open_store: OpenStore) -> None:
    """All its threads; what others remember stays theirs."""
    store = open_store()
    first, second = await have_answer(store, 1), await have_answer(store, 2, TOPIC)
    beside = await have_answer(store, 3, BESIDE)
    before = await store.load(OLD.session_key)
    task = TaskState(goal="a roof", done=(), remaining=("tiles",))
    await store.note_task(OLD.session_key, task, turn_id=first, at=START)
    await store.move_chat(TOPIC, "-1009")
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    after = await store.load(NEW.session_key)
    turns = tuple(replace(turn, session_key=NEW.session_key) for turn in before.turns)
    assert (after.turns, after.cut) == (turns, before.cut)
    assert [call.session_key for call in after.calls] == [NEW.session_key]
    assert await store.task_of(NEW.session_key) == task
    assert await store.usage_of(NEW.session_key) == model_call().usage
    lines = await store.spent_lines((START, START + timedelta(days=1)))
    spent = {line.name: line.spent.calls for line in lines if line.axis == "chat"}
    moved = replace(TOPIC, chat="-1009").session_key
    assert spent == {NEW.session_key: 1, moved: 1, BESIDE.session_key: 1}
    topic = await store.load(replace(TOPIC, chat="-1009").session_key)
    assert [turn.id for turn in topic.turns] == [second]
    assert [turn.id for turn in (await store.load(BESIDE.session_key)).turns] == [beside]
    for address in (OLD, TOPIC):
        left = await store.load(address.session_key)
        assert (left.turns, left.calls) == ((), ())
    await store.close()


async def what_waits_goes_on_in_the_new_chat(open_store: OpenStore) -> None:
    """Messages, commands and replies, those too that could not be delivered."""
    store = open_store()
    await hear(store, said(1), said(2, TOPIC))
    await hear(store, said(3), route="command")
    turn = await begin(store, said(4, BESIDE))
    texts = ("lost", "waits")
    replies = tuple(Reply(address=OLD, text=text) for text in texts)
    lost, waits = await store.finish_turn(turn.id, "answered", replies, at=START)
    await store.mark_sending(lost.id, at=START)
    await store.mark_failed(lost.id, "no rights", at=START)
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    unfinished = await store.unfinished()
    topic = replace(TOPIC, chat="-1009")
    assert set(unfinished.waiting) == {NEW.session_key, topic.session_key}
    assert [each.address for each in unfinished.commands] == [NEW]
    assert [(each.id, each.reply.address) for each in unfinished.outbox] == [(waits.id, NEW)]
    assert [each.reply.address for each in await store.failed(NEW.session_key)] == [NEW]
    assert await store.failed(OLD.session_key) == ()
    claim = await take(store, NEW)
    assert [(each.text, each.address) for each in claim.messages] == [(said(1).text, NEW)]
    assert [each.message_id for each in claim.messages] == [""]
    assert not (await hear(store, said(1)))[0]
    await store.close()


async def what_was_set_and_allowed_goes_with_it(open_store: OpenStore) -> None:
    """Where the new chat has its own word, that one stays."""
    store = open_store()
    for scope, key, value in (
        ("", "model", '"large"'),
        (OLD.session_key, "model", '"small"'),
        (OLD.session_key, "max_tokens", "7"),
        (NEW.session_key, "max_tokens", "9"),
        (BESIDE.session_key, "model", '"tiny"'),
    ):
        await store.override(key, value, scope=scope, by="ann", at=START)
    await store.set_place(Place(address=OLD, state="allowed", title="Kitchen"), by="ann", at=START)
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    kept = {(each.scope, each.key): each.value for each in await store.overrides()}
    assert kept == {
        ("", "model"): '"large"',
        (NEW.session_key, "model"): '"small"',
        (NEW.session_key, "max_tokens"): "9",
        (BESIDE.session_key, "model"): '"tiny"',
    }
    assert [each.address for each in await store.places()] == [NEW]
    await store.close()


async def what_was_decided_outranks_a_question(open_store: OpenStore) -> None:
    """The new id may be asked about before the move is told; a decision on it stays."""
    for old, new, after in (
        ("allowed", "asked", "allowed"),
        ("refused", "asked", "refused"),
        ("asked", "allowed", "allowed"),
        ("allowed", "refused", "refused"),
    ):
        store = open_store()
        for address, state in ((OLD, old), (NEW, new)):
            place = Place(address=address, state=state, title="Kitchen")  # type: ignore[arg-type]  # of literals
            await store.set_place(place, by="ann", at=START)
        await store.move_chat(OLD, "-1009")
        asked = Place(address=NEW, state="asked", title="Roof")
        assert await store.set_place(asked, by="bob", at=START) == ()

        kept = [(each.address, each.state, each.title) for each in await store.places()]
        assert kept == [(NEW, after, "Roof")]
        await store.move_chat(NEW, "-4002")  # as it was, for the next one
        await store.close()


async def where_chats_went_is_known_for_good(open_store: OpenStore) -> None:
    """From when the move is asked for."""
    store = open_store()
    assert await store.moves() == ()
    await tell(store)
    assert await store.moves() == ((OLD, NEW),)
    await store.move_chat(OLD, "-1009")
    ((old, _),) = await store.moved_audiences()
    await store.mark_moved(old)
    await store.close()
    store = open_store()

    assert await store.moves() == ((OLD, NEW),)
    await store.close()


async def nothing_points_at_messages_left_behind(open_store: OpenStore) -> None:
    """Neither a reply nor the answer to a press, and what was to go away there is done with."""
    store = open_store()
    turn = await begin(store, said(1))
    preview = await store.add_preview(turn.id, Reply(address=OLD, text="un"), at=START)
    more = await store.add_preview(turn.id, Reply(address=OLD, text="fin"), at=START, number=1)
    for item in (preview, more):
        await store.mark_sent(item.id, Receipt(message_id=f"m{item.id}"), at=START)
    answer = Reply(address=OLD, text="done", reply_to="1")
    await store.finish_turn(turn.id, "answered", (answer,), at=START)
    await hear(store, said(2), route="command")
    button = Button(label="Yes", command="wipe", token=PRESSED)
    asked = Reply(address=OLD, text="Wipe?", buttons=(button,))
    await store.finish_command(OLD.channel, said(2).event_id, (asked,), at=START)
    press = ButtonPress(
        event_id="press:1",
        address=OLD,
        kind="group",
        sender=said(1).sender,
        message_id="m9",
        token=PRESSED,
        pressed_at=START,
    )
    await store.receive((Received(inbound=press, route="press"),), cursor=None, at=START)
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    waiting = (await store.unfinished()).outbox
    assert [(each.reply.text, each.reply.reply_to) for each in waiting] == [
        ("done", ""),
        ("Wipe?", ""),
    ]
    assert [each.replaces for each in waiting] == [None, None]
    (pressed,) = (await store.unfinished()).presses
    command = await store.redeem(pressed, at=START)
    assert isinstance(command, InboundMessage)
    assert command.address == NEW
    (item,) = await store.finish_command(
        NEW.channel, "press:1", (Reply(address=NEW, text="Wiped."),), at=START
    )
    assert item.replaces is None
    await store.close()


async def what_is_to_be_remembered_goes_with_it(open_store: OpenStore) -> None:
    """Also what is being noted at this moment; its job does not end the one that follows."""
    store = open_store()
    turn_ids = (await have_answer(store, 1), await have_answer(store, 2))
    later = START + timedelta(minutes=1)
    await store.ask_to_remember(later, at=START)
    (job,) = await store.due_jobs(START, limit=5)
    await store.remember(job, (entry(turn_ids[0]),), is_done=False)
    await store.move_chat(OLD, "-1009")
    await store.remember(job, (entry(turn_ids[1]),), is_done=True)
    await store.close()
    store = open_store()

    (after,) = await store.due_jobs(START, limit=5)
    assert (after.session_key, after.audience.chat) == (NEW.session_key, "-1009")
    assert after.through == turn_ids[1]
    written = await store.unwritten(limit=5)
    assert [(each.turn_id, each.audience.chat) for each in written] == [
        (turn_id, "-1009") for turn_id in turn_ids
    ]
    await store.close()


async def what_the_new_chat_has_comes_after(open_store: OpenStore) -> None:
    """Messages may be answered under the new id before the move is known."""
    store = open_store()
    first = await have_answer(store, 1)
    cut = Cut(kept_from=TurnId(first + 1))
    before = (await store.load(OLD.session_key)).generation
    assert await store.save_cut(
        OLD.session_key, cut, generation=before, at=START, compaction=TRIMMED
    )
    second = await have_answer(store, 2)
    third = await have_answer(store, 3, NEW)
    await store.move_chat(OLD, "-1009")
    await store.close()
    store = open_store()

    after = await store.load(NEW.session_key)
    assert ([turn.id for turn in after.turns], after.cut) == ([second, third], cut)
    assert after.former == Cut()
    (job,) = await store.due_jobs(START, limit=5)
    assert (job.kind, job.session_key, job.through) == ("summary", NEW.session_key, first)
    assert len(after.calls) == 3
    await store.close()


async def what_was_cleared_under_the_new_id_stays_cleared(open_store: OpenStore) -> None:
    """A clear outranks what comes from the old chat."""
    store = open_store()
    await have_answer(store, 1)
    await have_answer(store, 2, NEW)
    await store.clear(NEW.session_key, at=START)
    await store.move_chat(OLD, "-1009")
    third = await have_answer(store, 3, NEW)

    assert [turn.id for turn in (await store.load(NEW.session_key)).turns] == [third]
    await store.close()


async def nothing_moves_below_an_open_turn(open_store: OpenStore) -> None:
    """Of either chat: who runs it knows the chat by its old id."""
    for address in (TOPIC, NEW):
        store = open_store()
        turn = await begin(store, said(1, address))
        assert await is_refused(store.move_chat(OLD, "-1009"))
        assert (await store.unfinished()).claims[0].turn.id == turn.id
        await store.finish_turn(turn.id, "stopped", (), at=START)
        await store.close()


MOVING: tuple[Check, ...] = (
    a_move_is_asked_for_until_it_is_done,
    what_a_chat_remembers_goes_with_it,
    what_waits_goes_on_in_the_new_chat,
    what_was_set_and_allowed_goes_with_it,
    what_was_decided_outranks_a_question,
    where_chats_went_is_known_for_good,
    nothing_points_at_messages_left_behind,
    what_is_to_be_remembered_goes_with_it,
    what_the_new_chat_has_comes_after,
    what_was_cleared_under_the_new_id_stays_cleared,
    nothing_moves_below_an_open_turn,
)
