"""What memory is made of: turns, daily files, notes and pages, cut into pieces."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import ChatAddress, ChatKind, InboundMessage, PersonKey, Sender
from bot.core.files import Attachment
from bot.core.lifecycle import compose_request, worded
from bot.core.memory.audience import GLOBAL, Audience, audience_of
from bot.core.memory.cutting import PIECE_WIDTH, cut
from bot.core.memory.daily import with_entries
from bot.core.memory.episodes import Account, Episode, EpisodeId
from bot.core.memory.items import ItemId, ItemRef
from bot.core.memory.jobs import MemoryEntry
from bot.core.memory.knowledge import knowledge_pieces
from bot.core.memory.pieces import day_pieces, day_ref, episode_pieces, note_pieces, ref_of
from bot.core.memory.pieces import turn_pieces as pieces_of
from bot.core.memory.said import Said, moved, own_words, passed_on, said_in
from bot.core.messages import assistant_text
from bot.core.turns import Step, Turn, TurnId

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
ADDRESS = ChatAddress(channel="telegram", account="77", chat="-5")
GROUP = audience_of(ADDRESS.session_key, "group")
ANN = Sender(channel="telegram", user_id="1001", name="Ann")
NOBODY = PersonKey("")
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=300)
MARKDOWN = st.text(st.sampled_from("#`~ab \n>-[]<!你。.\t"), max_size=200)


def _message(text: str, kind: ChatKind = "group", sender: Sender = ANN) -> InboundMessage:
    return InboundMessage(
        event_id="e",
        address=ADDRESS,
        kind=kind,
        sender=sender,
        message_id="1",
        text=text,
        is_addressed=True,
        sent_at=NOON,
    )


def _turn(*messages: InboundMessage, reply: str = "Fine.") -> Turn:
    return Turn(
        id=TurnId(34),
        session_key=ADDRESS.session_key,
        request=compose_request(messages),
        started_at=NOON,
        steps=(Step(answer=assistant_text(reply), stop="end_turn"),),
        outcome="answered",
    )


@given(text=ANY_TEXT, quoted=ANY_TEXT)
@settings(max_examples=60)
def test_own_words_are_what_was_written(text: str, quoted: str) -> None:
    message = replace(_message(text), quoted=quoted)
    expected = "\n".join(text.strip().splitlines()).strip()

    name, words = own_words(worded(message), "group")

    if not expected.startswith("[") and expected != "(no text)":
        assert (name, words) == ("Ann", expected)


@pytest.mark.parametrize("kind", ["group", "private"])
def test_labels_quotations_and_nothing_are_no_words(kind: ChatKind) -> None:
    picture = Attachment(kind="picture", name="a.png", media_type="", handle="h")
    message = replace(_message("", kind), attachments=(picture, picture), quoted="Is it [here]?")

    assert own_words(worded(message), kind)[1] == ""
    assert own_words(worded(replace(message, text="Yes.")), kind)[1] == "Yes."


@pytest.mark.parametrize("kind", ["group", "private"])
def test_mem_9_what_somebody_passes_on_is_nobodys_words(kind: ChatKind) -> None:
    message = replace(_message("The key\nis below.", kind), forwarded_from="Bo: x", quoted="Where?")

    (piece, _) = pieces_of(_turn(message), said_in((message,)), GROUP, NOON.date())

    assert own_words(worded(message), kind)[1] == ""
    assert passed_on(worded(message), kind) == "The key\nis below."
    assert passed_on(worded(_message("The key.", kind)), kind) == ""
    assert kind == "private" or (piece.text, piece.origin.said_by, piece.speaker) == (
        "The key\nis below.",
        NOBODY,
        "",
    )


def test_a_quotation_of_ones_own_alone_stays() -> None:
    assert own_words("> to be\n> or not", "private") == ("", "> to be\n> or not")


def test_what_was_said_moves_with_its_blocks() -> None:
    said = said_in((_message("a"), _message("b")), 1)

    assert [each.block for each in said] == [1, 2]
    assert [each.block for each in moved(said, {1: 1, 2: 4})] == [1, 4]


def test_long_words_are_several_pieces_in_order() -> None:
    text = "\n\n".join(f"Paragraph {n} says that all is well here. " * 6 for n in range(9))
    turn = _turn(_message(text))

    pieces = pieces_of(turn, said_in((_message(text),)), GROUP, date(2026, 1, 5))

    ids = [piece.id for piece in pieces]
    assert ids[:3] == ["turn:34#0", "turn:34#0.1", "turn:34#0.2"]
    assert ids[-1] == "turn:34#reply"
    assert len({piece.place for piece in pieces}) == len(pieces)
    assert [piece.place for piece in pieces] == sorted(piece.place for piece in pieces)
    assert {piece.thread for piece in pieces} == {f"{ADDRESS.session_key} 2026-01-05"}
    assert all(len(piece.text) <= PIECE_WIDTH for piece in pieces)
    assert {ref_of(piece.id) for piece in pieces} == {"turn:34"}


def test_what_others_speak_in_names_nobody() -> None:
    """An answer, a record and an entry may tell what somebody else said: the group alone has it."""
    turn = _turn(_message("When is Bob away?"), reply="Bob said: on Friday.")
    episode = Episode(
        id=EpisodeId(3),
        session_key=ADDRESS.session_key,
        audience=GROUP,
        person_key=ANN.person_key,
        first=TurnId(1),
        through=TurnId(2),
        started_at=NOON,
        ended_at=NOON,
        account=Account(summary="About Bob.", open_tasks=("ask Bob",)),
    )
    entries = f"<!-- turn 34 {NOON.isoformat()} -->\n- 12:00 Bob is away on Friday.\n"
    made = (
        *pieces_of(turn, said_in((_message("x"),)), GROUP, date(2026, 1, 5))[1:],
        *episode_pieces(episode),
        *day_pieces(ItemRef("file:f/2026-01-05.md"), entries, GROUP, NOON),
        *note_pieces(ItemRef("file:f/MEMORY.md"), "Bob's bicycle is red.", GROUP),
    )

    assert len(made) == 5
    assert {piece.origin.said_by for piece in made} == {NOBODY}
    assert {piece.origin.audience for piece in made} == {GROUP}


def test_a_record_is_a_piece_of_each_of_its_lists() -> None:
    account = Account(summary="Rowing.", attempted=("row",), open_tasks=("dry", "pack"))
    episode = Episode(
        id=EpisodeId(3),
        session_key=ADDRESS.session_key,
        audience=GROUP,
        person_key=NOBODY,
        first=TurnId(1),
        through=TurnId(2),
        started_at=NOON - timedelta(hours=1),
        ended_at=NOON,
        account=account,
    )

    assert [(each.id, each.title, each.text) for each in episode_pieces(episode)] == [
        ("episode:3#summary", "", "Rowing."),
        ("episode:3#attempted", "attempted", "- row"),
        ("episode:3#open", "open tasks", "- dry\n- pack"),
    ]


def test_entries_of_a_day_are_found_between_what_people_wrote() -> None:
    def entry(turn_id: int, text: str, hours: int = 0) -> MemoryEntry:
        return MemoryEntry(
            turn_id=TurnId(turn_id),
            moment=NOON + timedelta(hours=hours),
            audience=GROUP,
            day=date(2026, 1, 5),
            text=text,
        )

    day = date(2026, 1, 5)
    text = with_entries("", day, (entry(12, "- 09:10 Ferry at nine.\n- Tickets."),))
    text = f"{text}\nMine: feed the cat.\n"
    text = with_entries(text, day, (entry(13, "- 10:00 Rain."), entry(12, "- at 11:00 now", 3)))

    pieces = day_pieces(day_ref(GROUP, day), text, GROUP, NOON)

    assert [(piece.id.partition("#")[2], piece.text) for piece in pieces] == [
        ("turn-12", "- Ferry at nine.\n- Tickets."),
        ("written", "Mine: feed the cat."),
        ("turn-13", "- Rain."),
        ("turn-12-2", "- at 11:00 now"),
    ]
    assert [piece.moment for piece in pieces] == [NOON, NOON, NOON, NOON + timedelta(hours=3)]
    assert [piece.place for piece in pieces] == [0, 1, 2, 3]


def test_a_page_is_pieces_under_their_headings() -> None:
    page = """Before all.
# Boats
## Rowing
Sit down first.
```
# no heading
```
## Sailing ##
Mind the boom. <!-- not for
anybody -->
# Trains
"""
    pieces = knowledge_pieces(ItemRef("knowledge:travel/all.md"), page)

    assert [(piece.title, piece.text) for piece in pieces] == [
        ("travel/all", "Before all."),
        ("Boats / Rowing", "Sit down first.\n```\n# no heading\n```"),
        ("Boats / Sailing", "Mind the boom."),
    ]
    assert {piece.origin for piece in pieces} == {GLOBAL}
    assert {piece.thread for piece in pieces} == {"knowledge:travel/all.md"}


def test_a_piece_of_a_page_that_was_rewritten_is_another_one() -> None:
    ref = ItemRef("knowledge:a.md")
    (before,) = knowledge_pieces(ref, "# T\nold words")
    below, above = knowledge_pieces(ref, "# N\nmore\n# T\nold words")
    (other,) = knowledge_pieces(ref, "# T\nnew words")

    assert above.id == before.id
    assert len({before.id, other.id, below.id}) == 3


@given(text=ANY_TEXT, width=st.integers(5, 40))
@settings(max_examples=60)
def test_cutting_loses_nothing_but_white_space(text: str, width: int) -> None:
    pieces = cut(text, width)

    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece and piece == piece.strip() for piece in pieces)
    assert all(len(piece) <= max(width, 1) for piece in pieces)


def test_cutting_keeps_sentences_whole() -> None:
    assert cut("One is here. Two is there. Three.", 30) == ("One is here. Two is there.", "Three.")
    assert cut("天気がいい。海に行こう。山もいい。", 40) == (
        "天気がいい。海に行こう。",
        "山もいい。",
    )


@given(page=MARKDOWN)
@settings(max_examples=100)
def test_any_page_is_pieces_with_ids_of_their_own(page: str) -> None:
    pieces = knowledge_pieces(ItemRef("knowledge:a.md"), page)
    days = day_pieces(ItemRef("file:f/2026-01-05.md"), page, GROUP, NOON)

    for some in (pieces, days):
        assert len({piece.id for piece in some}) == len(some)
        assert [piece.place for piece in some] == list(range(len(some)))
        assert all(piece.text for piece in some)


def test_what_is_said_by_blocks_that_are_gone_is_nothing() -> None:
    said = (Said(block=7, person_key=ANN.person_key, name="Ann"),)
    pieces = pieces_of(_turn(_message("x")), said, GROUP, date(2026, 1, 5))

    assert [piece.id for piece in pieces] == [ItemId("turn:34#reply")]


def test_a_folder_is_no_file() -> None:
    audience: Audience = GROUP
    assert day_ref(audience, date(2026, 1, 5)).startswith(f"file:{audience.folder}/")
