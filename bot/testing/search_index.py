"""What every search index does, as checks that any of them can be put through.

A check is given ``open_index``, which gives the index, empty at first; see
:mod:`bot.testing.stores` for how such a list is used.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime

from bot.core.chat import PersonKey
from bot.core.memory.audience import GLOBAL, Audience, Origin, Viewer
from bot.core.memory.items import ItemId, ItemKind, ItemRef, MemoryItem
from bot.core.memory.question import Question
from bot.ports.recall import SearchIndex

OpenIndex = Callable[[], SearchIndex]
"""Gives the index."""

Check = Callable[[OpenIndex], Awaitable[None]]

TODAY = date(2026, 11, 30)
ANN = PersonKey("telegram::1001")
BOB = PersonKey("telegram::1002")
ANNS_CHAT = Audience(channel="telegram", account="", chat="1001", kind="private")
BOBS_CHAT = Audience(channel="telegram", account="", chat="1002", kind="private")
GROUP = Audience(channel="telegram", account="", chat="-200", kind="group")
ANN_ALONE = Viewer(audience=ANNS_CHAT, person_key=ANN)
BOB_ALONE = Viewer(audience=BOBS_CHAT, person_key=BOB)
ANN_IN_GROUP = Viewer(audience=GROUP, person_key=ANN)


def piece(
    ref: str,
    text: str,
    *,
    audience: Audience | None = ANNS_CHAT,
    said_by: PersonKey = ANN,
    kind: ItemKind = "fact",
) -> MemoryItem:
    """Give a piece that is all of its ref."""
    origin = GLOBAL if audience is None else Origin(audience=audience, said_by=said_by)
    return MemoryItem(id=ItemId(ref), ref=ItemRef(ref), kind=kind, text=text, origin=origin)


async def put(index: SearchIndex, *items: MemoryItem, seq: int = 1) -> None:
    """Have an index find pieces, in the place of all that it has of their refs."""
    await index.replace(tuple(dict.fromkeys(item.ref for item in items)), items, seq=seq)


async def found(
    index: SearchIndex, text: str, viewer: Viewer = ANN_ALONE, asked_by: str = ""
) -> list[str]:
    """Give the ids of what an index finds, best first."""
    question = Question(text=text, asked_on=TODAY, asked_by=asked_by)
    return [hit.item.id for hit in await index.search(question, viewer, limit=10)]


async def a_new_index_is_empty(open_index: OpenIndex) -> None:
    """It begins before every change and answers any question with nothing."""
    index = open_index()

    assert 0 == await index.applied_seq()
    assert {} == await index.refs("")
    assert [] == await found(index, "anything")
    assert [] == await found(index, "")
    await index.close()


async def pieces_come_back_as_they_were_given(open_index: OpenIndex) -> None:
    """All that was given of a piece is there."""
    index = open_index()
    moment = datetime(2026, 11, 3, 9, 30, tzinfo=UTC)
    whole = replace(
        piece("fact:1", "Lives in *Lisbon*.\nSince May."),
        title="home city",
        speaker="Ann",
        thread="facts",
        place=7,
        moment=moment,
        unverified_since=moment,
    )
    await put(index, whole, seq=4)

    (hit,) = await index.search(
        Question(text="Where in Lisbon?", asked_on=TODAY), ANN_ALONE, limit=3
    )

    assert whole == hit.item
    assert 0 <= hit.score <= 1
    assert "lisbon" in hit.why
    assert 4 == await index.applied_seq()
    await index.close()


async def what_replaces_a_ref_replaces_all_of_it(open_index: OpenIndex) -> None:
    """Pieces that are not given again are gone; those of other refs stay."""
    index = open_index()
    first, second = (
        replace(piece("turn:1", text), id=ItemId(f"turn:1#{number}"))
        for number, text in enumerate(("green tea", "black coffee"))
    )
    await put(index, first, second, piece("turn:2", "red wine"))

    await put(index, replace(first, text="white milk"), seq=2)

    assert [] == await found(index, "coffee")
    assert [] == await found(index, "green")
    assert ["turn:1#0"] == await found(index, "milk")
    assert ["turn:2"] == await found(index, "wine")

    await index.replace((ItemRef("turn:2"),), (), seq=3)

    assert [] == await found(index, "wine")
    assert {"turn:1": ""} == await index.refs("")
    await index.close()


async def marks_stay_with_their_refs(open_index: OpenIndex) -> None:
    """Also with a ref of which there is nothing: an empty file is not read again and again."""
    index = open_index()
    refs = (ItemRef("file:a/1.md"), ItemRef("file:a/2.md"), ItemRef("file:ab/1.md"))
    await index.replace(refs, (piece(refs[0], "hello"),), seq=1, marks=("m1", "m2", "m3"))

    assert {refs[0]: "m1", refs[1]: "m2"} == await index.refs("file:a/")

    await index.replace(refs[:1], (), seq=2, marks=("m4",))

    assert {refs[0]: "m4", refs[1]: "m2"} == await index.refs("file:a/")
    await index.close()


async def more_pieces_are_put_beside_those_that_are_there(open_index: OpenIndex) -> None:
    """As of a large page that is taken in bit by bit; what replaces it later replaces all of it."""
    index = open_index()
    ref = ItemRef("knowledge:a.md")

    def sections(first: int, last: int) -> tuple[MemoryItem, ...]:
        pieces = (piece(ref, f"word{number}", kind="knowledge") for number in range(first, last))
        return tuple(
            replace(each, id=ItemId(f"{ref}#{number}")) for number, each in enumerate(pieces, first)
        )

    await index.replace((ref,), sections(0, 150), seq=1)
    await index.add(ref, sections(150, 300), mark="")
    assert {ref: ""} == await index.refs("knowledge:")
    await index.add(ref, sections(300, 310), mark="m1")

    assert {ref: "m1"} == await index.refs("knowledge:")
    assert 1 == await index.applied_seq()
    for number in (0, 150, 309):
        assert [f"{ref}#{number}"] == await found(index, f"word{number}")

    await index.replace((ref,), sections(309, 311), seq=2, marks=("m2",))

    assert [] == await found(index, "word0") == await found(index, "word300")
    assert [f"{ref}#310"] == await found(index, "word310")
    assert {ref: "m2"} == await index.refs("knowledge:")
    await index.close()


async def nothing_of_others_is_found(open_index: OpenIndex) -> None:
    """Private words stay in their chat; those of a group go to it, and privately to who spoke."""
    index = open_index()
    await put(
        index,
        piece("turn:1", "secret plan private"),
        piece("turn:2", "secret plan group", audience=GROUP, said_by=ANN),
        piece("turn:3", "secret plan of Bob", audience=GROUP, said_by=BOB),
        piece("turn:4", "secret plan of nobody", audience=GROUP, said_by=PersonKey("")),
        piece("knowledge:a.md", "secret plan for all", audience=None, kind="knowledge"),
    )

    asked = "secret plan"
    everybody = "knowledge:a.md"

    assert {"turn:1", "turn:2", everybody} == set(await found(index, asked))
    assert {"turn:3", everybody} == set(await found(index, asked, BOB_ALONE))
    in_group = {"turn:2", "turn:3", "turn:4", everybody}
    assert in_group == set(await found(index, asked, ANN_IN_GROUP))
    same_ids_elsewhere = replace(ANN_ALONE, audience=replace(ANNS_CHAT, channel="slack"))
    assert {"turn:2", everybody} == set(await found(index, asked, same_ids_elsewhere))
    await index.close()


async def what_others_have_takes_no_place(open_index: OpenIndex) -> None:
    """A viewer's few pieces are found behind any number of better ones of others."""
    index = open_index()
    theirs = (piece(f"turn:{number}", "the budget", audience=BOBS_CHAT) for number in range(300))
    await put(index, *theirs)
    await put(index, piece("turn:900", "a long way from any budget of ours"), seq=2)

    assert ["turn:900"] == await found(index, "budget")
    await index.close()


async def what_others_have_does_not_count(open_index: OpenIndex) -> None:
    """Scores are the same whatever others have: not even how frequent a word is there shows."""
    index = open_index()
    await put(index, piece("turn:1", "the budget"), piece("turn:2", "the weather"))
    question = Question(text="What about the budget?", asked_on=TODAY)
    alone = await index.search(question, ANN_ALONE, limit=5)

    theirs = (
        piece(f"turn:{number}", "budget", audience=BOBS_CHAT, said_by=BOB)
        for number in range(10, 60)
    )
    await put(index, *theirs, seq=2)

    assert alone == await index.search(question, ANN_ALONE, limit=5)
    await index.close()


async def kinds_are_chosen_before_the_limit(open_index: OpenIndex) -> None:
    """A kind that is asked for is found behind any number of pieces of others."""
    index = open_index()
    await put(index, *(piece(f"turn:{number}", "tea", kind="turn") for number in range(300)))
    await put(index, piece("fact:1", "likes tea"), seq=2)

    hits = await index.search(
        Question(text="tea", asked_on=TODAY), ANN_ALONE, limit=1, kinds=frozenset({"fact"})
    )

    assert ["fact:1"] == [hit.item.id for hit in hits]
    await index.close()


async def words_are_found_in_any_language(open_index: OpenIndex) -> None:
    """By parts of words where there are no spaces, and without accents and endings."""
    index = open_index()
    texts = {
        "fact:1": "用户对花生和虾过敏",
        "fact:2": "毎朝六時に起きてジョギングをする",
        "fact:3": "다음 주 금요일에 치과 예약이 있다",
        "fact:4": "Любимый напиток: облепиховый чай",
        "fact:5": "नाश्ते में पोहा पसंद है",
        "fact:6": "She studies at the café",
        "fact:7": "ชอบดื่มกาแฟดำ",
    }
    await put(index, *(piece(ref, text) for ref, text in texts.items()))

    for ref, question in (
        ("fact:1", "我对什么过敏"),
        ("fact:2", "朝のジョギング"),
        ("fact:3", "치과는 언제?"),
        ("fact:4", "Чай?"),
        ("fact:5", "पोहा"),
        ("fact:6", "studying in cafes"),
        ("fact:7", "กาแฟ"),
    ):
        assert ref == (await found(index, question))[0], question
    await index.close()


async def an_old_exact_word_is_found(open_index: OpenIndex) -> None:
    """No age hides it, and no number of newer pieces about something else."""
    index = open_index()
    long_ago = datetime(1999, 1, 1, tzinfo=UTC)
    old = replace(piece("turn:1", "the code word is zanzibar"), moment=long_ago)
    await put(index, old, *(piece(f"turn:{number}", "the code") for number in range(2, 600)))

    assert "turn:1" == (await found(index, "What was the code word zanzibar for?"))[0]
    await index.close()


async def persons_and_dates_in_a_question_count(open_index: OpenIndex) -> None:
    """Of equal words, those of who is asked about come first, and those of the day asked about."""
    index = open_index()
    day = datetime(2026, 11, 29, tzinfo=UTC)
    said = (
        replace(piece("turn:1", "I bought a bike"), speaker="Ann", moment=day.replace(day=3)),
        replace(piece("turn:2", "I bought a bike"), speaker="Bob", moment=day),
        replace(piece("turn:3", "I bought a bike"), speaker="Cleo", moment=day.replace(day=2)),
    )
    await put(index, *said)

    assert "turn:1" == (await found(index, "What did Ann buy?"))[0]
    assert "turn:2" == (await found(index, "Who bought a bike yesterday?"))[0]
    assert "turn:1" == (await found(index, "When did I buy my bike?", asked_by="Ann"))[0]
    assert "turn:3" == (await found(index, "bike on 2 November"))[0]
    await index.close()


async def what_was_said_around_counts(open_index: OpenIndex) -> None:
    """An answer is found by the words of the question it was given to, in its own thread alone."""
    index = open_index()
    said = ("Where do you swim?", "At the lake.", "Nice weather.")
    await put(
        index,
        *(
            replace(piece(f"turn:{place}", text), thread="today", place=10 * place)
            for place, text in enumerate(said)
        ),
        replace(piece("turn:8", "At home."), thread="another", place=1),
        replace(piece("turn:9", "At work."), place=1),
    )

    assert {"turn:0", "turn:1", "turn:2"} == set(await found(index, "swim"))
    await index.close()


async def what_others_said_around_does_not_show(open_index: OpenIndex) -> None:
    """In a private chat a group's piece is weighed as if nobody else had spoken there."""
    index = open_index()
    said = (("turn:1", "Where do you swim?", BOB), ("turn:2", "At the lake.", ANN))
    for place, (ref, text, by) in enumerate(said):
        each = replace(piece(ref, text, audience=GROUP, said_by=by), thread="group", place=place)
        await put(index, each, seq=place + 1)

    assert {"turn:1", "turn:2"} == set(await found(index, "swim", ANN_IN_GROUP))
    assert [] == await found(index, "swim", ANN_ALONE)
    await index.close()


async def odd_texts_do_no_harm(open_index: OpenIndex) -> None:
    """Neither as pieces nor as questions."""
    index = open_index()
    odd = ("", " ", "\0", '"', "' OR 1=1 --", "NEAR(a b)", "*", "\ud800", "x" * 100_000, "a-b_c")
    await put(index, *(piece(f"turn:{number}", text) for number, text in enumerate(odd)))

    for text in odd:
        await found(index, text)
    halves = replace(piece("turn:20", "\ud83d"), speaker="\ud83d", thread="\ud83d", title="\ud83d")
    await put(index, halves, seq=2)
    assert "turn:4" in await found(index, "1=1 or")
    assert "turn:9" in await found(index, "b")
    await index.close()


async def a_new_beginning_is_empty(open_index: OpenIndex) -> None:
    """And takes pieces again."""
    index = open_index()
    await put(index, piece("fact:1", "zanzibar"), seq=9)

    await index.begin_anew()

    assert 0 == await index.applied_seq()
    assert [] == await found(index, "zanzibar")
    assert {} == await index.refs("")
    await put(index, piece("fact:2", "zanzibar"))
    assert ["fact:2"] == await found(index, "zanzibar")
    await index.close()


CONTRACT: tuple[Check, ...] = (
    a_new_index_is_empty,
    pieces_come_back_as_they_were_given,
    what_replaces_a_ref_replaces_all_of_it,
    marks_stay_with_their_refs,
    more_pieces_are_put_beside_those_that_are_there,
    nothing_of_others_is_found,
    what_others_have_takes_no_place,
    what_others_have_does_not_count,
    kinds_are_chosen_before_the_limit,
    words_are_found_in_any_language,
    an_old_exact_word_is_found,
    persons_and_dates_in_a_question_count,
    what_was_said_around_counts,
    what_others_said_around_does_not_show,
    odd_texts_do_no_harm,
    a_new_beginning_is_empty,
)
