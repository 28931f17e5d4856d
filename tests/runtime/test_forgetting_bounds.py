"""What goes is what was proposed and confirmed, and a receipt says no more than was proved."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot.core.chat import EarlierMessage, Reply, SessionKey
from bot.core.files import OutgoingFile
from bot.core.memory.audience import Viewer
from bot.core.memory.forgetting import NOTHING, Trace, Wish
from bot.errors import StoreError
from bot.runtime.forgetting.proving import MOST_SEARCHES
from bot.runtime.forgetting.wording import Verified, receipt_text
from bot.runtime.overheard import Overheard
from bot.testing.clock import START, FakeClock
from bot.testing.stores.forgetting import BOB, GROUP, IN_GROUP, have_group_turn, in_group, told
from bot.testing.stores.given import ANN, HOME
from bot.testing.stores.reminders import BREAD
from tests.runtime.forgetting_given import HERS, KEY, PLACE, World, asked, counts, say


async def test_of_a_turn_no_more_goes_than_was_proposed(tmp_path: Path) -> None:
    """Of a fact that was corrected since, the former version and its turn are not the turn's."""
    world = World(tmp_path)
    first = await say(world.store, 1, "I live in Lisbon, and my boat is called Marlin.", "Ok.")
    second = await say(world.store, 2, "I moved to Porto.", "Ok.")
    await world.store.keep_facts((told("Lives in Lisbon.", first.id),))
    later = START + timedelta(minutes=1)
    await world.store.keep_facts((replace(told("Lives in Porto.", second.id), at=later),))

    proposal = await asked(world, HERS, f"turn {second.id}")
    await world.run()
    kept, _ = await world.store.turns_between(KEY, 0, 99)
    facts = await world.store.facts_for(HERS)
    await world.close()

    assert (1, 1) == (proposal.turns, proposal.facts)
    assert "1 turn, 1 fact" in world.told[0].reply.text
    assert "Marlin" in kept.request.text
    assert ["Lives in Lisbon."] == [fact.text for fact in facts]


async def test_of_a_fact_all_goes_that_was_proposed(tmp_path: Path) -> None:
    """Its versions, the turns in which they were said, and what else was read out of these."""
    world = World(tmp_path)
    first = await say(world.store, 1, "I live in Lisbon.", "Ok.")
    second = await say(world.store, 2, "I moved to Porto, and I have a cat.", "Ok.")
    await world.store.keep_facts(
        (told("Lives in Lisbon.", first.id), told("Has a cat.", second.id, key="cat"))
    )
    later = START + timedelta(minutes=1)
    await world.store.keep_facts((replace(told("Lives in Porto.", second.id), at=later),))
    (porto,) = [each for each in await world.store.facts_for(HERS) if "Porto" in each.text]

    proposal = await asked(world, HERS, f"f{porto.id}")
    await world.run()
    facts = await world.store.facts_for(HERS)
    await world.close()

    assert (2, 3) == (proposal.turns, proposal.facts)
    assert "2 turns, 3 facts" in world.told[0].reply.text
    assert () == facts


async def test_what_is_meant_is_asked_for_once_however_much_it_is(tmp_path: Path) -> None:
    """And not once more for every fact."""
    calls: list[Counter[str]] = []
    for number in (5, 20):
        folder = tmp_path / str(number)
        folder.mkdir()
        counted: Counter[str] = Counter()

        def count(part: object, counted: Counter[str] = counted) -> object:
            class Part:
                def __getattr__(self, name: str) -> object:
                    counted[name] += 1
                    return getattr(part, name)

            return Part()

        world = World(folder, wrap=count)
        for each in range(number):
            turn = await say(world.store, each + 1, f"I have a thing number {each}.", "Ok.")
            fact = told(f"Has thing {each}.", turn.id, key=f"thing{each}")
            await world.store.keep_facts((fact,))
        await asked(world, HERS, "all")
        counted.clear()
        await world.run()
        await world.close()
        calls.append(counted)

    assert calls[0] == calls[1]


async def test_everything_that_went_is_searched_for(tmp_path: Path) -> None:
    """The last of many, too; and what nobody may clean is found and told."""
    world = World(tmp_path)
    for number in range(1, 111):
        text = f"This is my long private statement {number:04d} of many."
        await say(world.store, number, text, f"A reply of the bot to number {number:04d}.")
    stray = tmp_path / "memory" / "left.md"
    stray.parent.mkdir(exist_ok=True)
    stray.write_text(f"Somebody noted: {text}")
    await asked(world, HERS, "all")
    await world.run()
    await world.close()

    assert "Traces are left in `memory/left.md`" in world.told[0].reply.text


async def test_a_short_text_is_searched_for_too(tmp_path: Path) -> None:
    world = World(tmp_path)
    await say(world.store, 1, "I am HIV positive", "Noted.")
    copy = tmp_path / "memory" / "left.md"
    copy.parent.mkdir(exist_ok=True)
    copy.write_text("- 2026-01-05 I am HIV positive\n")
    await asked(world, HERS, "HIV positive")
    await world.run()
    await world.close()

    assert "Traces are left in `memory/left.md`" in world.told[0].reply.text
    assert "1 text was too short" in world.told[0].reply.text


async def test_what_stands_in_files_of_another_chat_is_that_chats(tmp_path: Path) -> None:
    """Its name is no business of who asked."""
    world = World(tmp_path)
    text = "the violet heron nests by mill pond number seven"
    await say(world.store, 1, text, "Noted.")
    others = tmp_path / "memory" / "telegram.77.2002" / "MEMORY.md"
    others.parent.mkdir(parents=True)
    others.write_text(f"- {text}\n")
    await asked(world, HERS, "heron")
    await world.run()
    await world.close()

    receipt = world.told[0].reply.text
    assert "nothing is left" in receipt
    assert "stay where others said them" in receipt
    assert "2002" not in receipt
    assert text in others.read_text()


class Blind:
    """A disk that cannot be searched."""

    def __init__(self) -> None:
        self.tries = 0

    async def find(self, needles: tuple[str, ...]) -> tuple[Trace, ...]:
        self.tries += 1
        raise StoreError("The files could not be searched.")


async def test_a_disk_that_cannot_be_searched_is_told_of_and_holds_nothing_up(
    tmp_path: Path,
) -> None:
    blind = Blind()
    world = World(tmp_path, wrap=lambda part: blind if hasattr(part, "find") else part)
    await say(world.store, 1, "the violet heron nests by the pond", "Noted.")
    await asked(world, HERS, "heron")
    await world.run()
    await world.close()

    assert MOST_SEARCHES == blind.tries
    assert "was not searched for traces: nothing more is proved" in world.told[0].reply.text


@pytest.mark.parametrize(
    ("verified", "words"),
    [
        (Verified(is_searched=True), "Nothing of it was long enough to be searched for"),
        (Verified(is_searched=True, needles=1), "byte by byte for 1 piece of it: nothing is left."),
        (Verified(is_searched=True, needles=9, too_short=2), "2 texts were too short to be told"),
        (Verified(is_searched=True, needles=9, said=2), "of 2 pieces the disk proves nothing."),
        (Verified(is_searched=False), "The disk was not searched for traces"),
        (Verified(is_searched=False, is_index_new=False), "The search index could not be emptied"),
    ],
)
def test_a_receipt_says_what_was_proved(verified: Verified, words: str) -> None:
    text = receipt_text(NOTHING, verified)

    assert words in text
    assert ("nothing is left" in text) == (verified.is_searched and verified.needles > 0)


@pytest.mark.parametrize("what", ["f1", "epilepsy", "all"])
@pytest.mark.parametrize("text", ["Has epilepsy.", "Has had *epilepsy* since the great flood."])
async def test_answers_of_commands_that_could_not_be_delivered_go_too(
    tmp_path: Path, what: str, text: str
) -> None:
    """In words and in files; one about something else stays, unless all is meant."""
    world = World(tmp_path)
    await world.store.keep_facts((told(text),))
    file = OutgoingFile(
        name="memory.json", media_type="application/json", content=f'["{text}"]'.encode()
    )
    page = Reply(address=HOME, text=f"What I remember: `f1` {text}", kind="notice")
    other = Reply(address=HOME, text="The weather is fine.", kind="notice")
    replies = (page, replace(page, text="", file=file), other)
    for item in await world.store.tell(replies, at=START):
        await world.store.mark_failed(item.id, "blocked", at=START)

    await asked(world, HERS, what)
    await world.run()
    left = [item.reply.text for item in await world.store.failed(KEY)]
    await world.close()

    assert ([] if what == "all" else ["The weather is fine."]) == left
    assert {} == counts(tmp_path, text)


async def test_words_that_stand_in_a_reminder_alone_are_found_there(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.store.add_reminder(BREAD, most=9)

    proposal = await asked(world, HERS, "bread")
    await world.run()
    left = await world.store.reminders_of(ANN.person_key)
    await world.close()

    assert (1, ("take the bread out",)) == (proposal.reminders, proposal.heads)
    assert () == left
    assert "**Forgotten:** 1 reminder." in world.told[0].reply.text
    assert {} == counts(tmp_path, "take the bread out")


async def test_who_speaks_for_all_no_more_can_confirm_nothing_for_all(tmp_path: Path) -> None:
    world = World(tmp_path)
    await have_group_turn(world.store, in_group(1, "I keep bees"), in_group(2, "And I cats", BOB))
    proposal = await world.forgetting.propose(IN_GROUP, "all", of_everyone=True)
    assert proposal is not None

    assert not await world.forgetting.confirm(IN_GROUP, proposal.token, PLACE)
    assert [] == world.overheard
    assert await world.forgetting.confirm(IN_GROUP, proposal.token, PLACE, may_speak_for_all=True)
    assert [proposal.wish] == world.overheard
    await world.close()


ELSEWHERE = replace(GROUP, chat="-6", thread="3")


@pytest.mark.parametrize(
    ("wish", "viewer", "left"),
    [
        (Wish(kind="all"), HERS, ["bob: heron", "bob: else"]),
        (Wish(kind="all"), IN_GROUP, ["bob: heron", "ann: else", "bob: else"]),
        (Wish(kind="all", of_everyone=True), IN_GROUP, ["ann: else", "bob: else"]),
        (Wish(kind="words", text="Heron"), HERS, ["bob: heron", "ann: else", "bob: else"]),
        (Wish(kind="words", text="bee"), HERS, None),
        (Wish(kind="day", text="2026-01-05"), HERS, None),
        (Wish(kind="day", text="2026-01-05"), IN_GROUP, ["bob: heron", "ann: else", "bob: else"]),
        (Wish(kind="fact", text="1"), HERS, None),
        (Wish(kind="turn", text="1"), IN_GROUP, None),
    ],
)
def test_what_was_overheard_of_somebody_goes_when_they_confirm(
    wish: Wish, viewer: Viewer, left: list[str] | None
) -> None:
    overheard = Overheard(FakeClock())
    said = ("ann: heron", "bob: heron", "ann: else", "bob: else")
    for number, text in enumerate(said):
        sender = ANN if text.startswith("ann") else BOB
        address = GROUP if "heron" in text else ELSEWHERE
        overheard.hear(
            address.session_key,
            EarlierMessage(
                event_id=str(number), author=sender.name, author_id=sender.user_id, text=text
            ),
        )
    overheard.forget(wish, viewer)

    assert list(said if left is None else left) == [
        *_heard(overheard, GROUP.session_key),
        *_heard(overheard, ELSEWHERE.session_key),
    ]


def _heard(overheard: Overheard, key: SessionKey) -> list[str]:
    last = in_group(99, "what do you say?")
    address = GROUP if key == GROUP.session_key else ELSEWHERE
    overheard.hear(key, EarlierMessage(event_id=last.event_id, author="x", text="last"))
    return [each.text for each in overheard.before(replace(last, address=address))]
