"""What a wish means, what is left of a turn, and what is searched for afterwards."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import PersonKey, SessionKey
from bot.core.looking_back import LEAD
from bot.core.memory.blanking import (
    FORGOTTEN,
    blanked,
    is_blank,
    part_meant,
    said_by_label,
    without_talk_of,
)
from bot.core.memory.forgetting import Removed, Wish, mentions, read_wish, read_wishes
from bot.core.memory.needles import (
    LEAST_BYTES,
    MOST_OF_A_TEXT,
    Echoes,
    forms_of,
    is_long,
    needles_of,
    too_short_of,
)
from bot.core.memory.said import Said
from bot.core.messages import (
    Image,
    Message,
    Text,
    ToolCall,
    ToolResult,
    assistant_text,
    user_text,
)
from bot.core.turns import Step, Turn, TurnId
from bot.core.window.notes import is_note
from bot.testing.clock import START

ANN, BOB = PersonKey("telegram::1001"), PersonKey("telegram::1002")
ALL, BEES = Wish(kind="all"), Wish(kind="words", text="bees")
TEXTS = st.text(max_size=300)


def turn_of(*texts: str, steps: tuple[Step, ...] = ()) -> Turn:
    blocks = tuple(Text(text=text) for text in texts)
    return Turn(
        id=TurnId(1),
        session_key=SessionKey("telegram:77:-5:"),
        request=Message(role="user", blocks=blocks),
        started_at=START,
        steps=steps,
        outcome="answered",
    )


def said(*people: PersonKey) -> tuple[Said, ...]:
    return tuple(
        Said(block=place, person_key=person, name="") for place, person in enumerate(people)
    )


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("f12", Wish(kind="fact", text="12")),
        ("Fact 012", Wish(kind="fact", text="12")),
        ("turn 34", Wish(kind="turn", text="34")),
        ("t34", Wish(kind="turn", text="34")),
        ("2026-11-30", Wish(kind="day", text="2026-11-30")),
        ("2026-13-40", Wish(kind="words", text="2026-13-40")),
        (" ALL ", ALL),
        ("my   old  street", Wish(kind="words", text="my old street")),
        ("東京", Wish(kind="words", text="東京")),
        ("of", None),
        ("..", None),
        ("", None),
    ],
)
def test_what_is_wanted_is_read_from_words(text: str, wish: Wish | None) -> None:
    assert wish == read_wish(text)


def test_words_are_found_whatever_their_case_width_and_blanks() -> None:
    assert mentions(
        Wish(kind="words", text="mill pond"), "By the \uff2d\uff29\uff2c\uff2c\n  Pond!"
    )
    assert not mentions(Wish(kind="words", text="mill pond"), "a millpond")
    assert not mentions(ALL, "anything")


def test_in_private_all_of_a_turn_goes() -> None:
    turn = turn_of(
        "I keep bees", steps=(Step(answer=assistant_text("How many?"), stop="end_turn"),)
    )

    for wish in (ALL, BEES, Wish(kind="words", text="how many")):
        part = part_meant(turn, None, wish, ANN, "private")
        assert part is not None
        assert part.blocks is None
    assert part_meant(turn, None, Wish(kind="words", text="cats"), ANN, "private") is None


def test_words_are_found_in_calls_and_results_of_tools() -> None:
    call = ToolCall(id="c", name="note", arguments='{"text": "bees"}')
    answer = Message(role="assistant", blocks=(call,))
    result = ToolResult(call_id="c", content="noted: bees")
    for step in (
        Step(answer=answer, stop="tool_use"),
        Step(answer=assistant_text("."), stop="end_turn", results=(result,)),
    ):
        assert part_meant(turn_of("Note it", steps=(step,)), None, BEES, ANN, "private")


def test_in_a_group_only_ones_own_blocks_go() -> None:
    turn = turn_of("Ann#1001: bees", "Bob#1002: bees too", "Ann#1001: and cats")
    who = said(ANN, BOB, ANN)

    of_all, of_words = (part_meant(turn, who, wish, ANN, "group") for wish in (ALL, BEES))
    assert of_all is not None
    assert (0, 2) == of_all.blocks
    assert of_words is not None
    assert (0,) == of_words.blocks
    assert part_meant(turn, said(BOB, BOB, BOB), ALL, ANN, "group") is None
    assert part_meant(turn, who, replace(ALL, of_everyone=True), ANN, "group").blocks is None  # type: ignore[union-attr]  # is there


def test_what_a_messages_files_brought_goes_with_it() -> None:
    picture = Image(media_type="image/png", data="AAAA")
    blocks = (Text(text="Ann: see"), picture, Text(text="Bob: nice"))
    request = Message(role="user", blocks=blocks)
    who = (Said(block=0, person_key=ANN, name=""), Said(block=2, person_key=BOB, name=""))

    after, left = blanked(request, who, (0,))

    assert (FORGOTTEN, FORGOTTEN, "Bob: nice") == tuple(
        block.text for block in after.blocks if isinstance(block, Text)
    )
    assert (who[1],) == left
    assert (after, left) == blanked(after, left, (0,))


def test_a_blank_turn_is_no_turn_of_anybody() -> None:
    request, left = blanked(user_text("bees"), None, None)
    turn = replace(turn_of("x"), request=request)

    assert () == left
    assert is_blank(request)
    assert is_note(request.text)
    assert part_meant(turn, None, ALL, ANN, "private") is None


def test_of_before_it_was_noted_labels_tell_who_spoke() -> None:
    request = turn_of(
        "> old words\n\nAnn#1001: bees", "Bob#1002: Ann#1001: is cited", f"{LEAD}\n> Ann#1001: x"
    ).request

    assert [ANN, ""] == [each.person_key for each in said_by_label(request, ANN)]


def test_of_before_it_was_noted_only_ones_own_words_go() -> None:
    """With what their files brought, up to whoever speaks next."""
    file = "[document x.txt: its text follows]\n```\nbees\n```"
    request = turn_of("Ann#1001: bees", file, "Bob#1002: cats", "Bob#1002: and dogs").request

    after, _ = blanked(request, said_by_label(request, ANN), (0,))

    assert (FORGOTTEN, FORGOTTEN, "Bob#1002: cats", "Bob#1002: and dogs") == tuple(
        block.text for block in after.blocks if isinstance(block, Text)
    )


def test_what_is_quoted_from_before_others_messages_goes_too() -> None:
    talk = f"{LEAD}\n> Ann#1001: bees\n>   and more\n> Bob#1002: cats"
    request = turn_of(talk, "Bob#1002: what do you say?").request

    after = without_talk_of(request, ANN, ALL)
    assert after is not None
    assert f"{LEAD}\n> {FORGOTTEN}\n> Bob#1002: cats" in after.text
    assert without_talk_of(after, ANN, ALL) is None
    of_others = f"{LEAD}\n> Bob#1002: I disagree with Ann#1001: it is due\n> You: Ann#1001: yes"
    assert without_talk_of(turn_of(of_others).request, ANN, ALL) is None
    assert without_talk_of(request, ANN, Wish(kind="words", text="dogs")) is None
    assert part_meant(turn_of(talk, "b"), said(BOB, BOB), BEES, ANN, "group") is not None


@settings(max_examples=100)
@given(st.lists(TEXTS, max_size=5))
def test_every_needle_stands_in_its_text_however_that_is_written(texts: list[str]) -> None:
    needles = needles_of(texts)

    assert len(needles) <= MOST_OF_A_TEXT * len(texts)
    for needle in needles:
        assert len(needle.encode()) >= LEAST_BYTES
        assert any(needle in text for text in texts)
        plain, *escaped = forms_of(needle)
        text = next(text for text in texts if needle in text)
        assert plain in json.dumps([text], ensure_ascii=False).encode("utf-8", "surrogatepass")
        assert (escaped or [plain])[0] in json.dumps([text]).encode()


def test_needles_are_long_and_of_the_whole_length() -> None:
    long = " ".join(f"word{number}" for number in range(200))

    first, middle, last = needles_of([long])
    assert long.startswith(first)
    assert middle in long
    assert long.endswith(last)
    assert () == needles_of(["short", "", '"' * 99])
    assert ("住在东京都的河边小屋",) == needles_of(["住在东京都的河边小屋"])
    many = [f"a sentence that is long enough, number {number}" for number in range(999)]
    assert 999 == len(needles_of(many))
    assert many[0] in needles_of(["\n".join(many)])
    assert many[-1] in needles_of(["\n".join(many)])
    assert MOST_OF_A_TEXT == len(needles_of(["\n".join(many)]))


def test_short_texts_are_searched_for_too_and_the_shortest_are_counted() -> None:
    assert ("Has epilepsy.",) == needles_of(["Has epilepsy."])
    assert not is_long("Has epilepsy.")
    assert ("He said", "and left") == needles_of(['He said "no" and left'])
    assert 2 == too_short_of(["Yes.", "ok", "...", "Has epilepsy.", ""])


def test_what_is_gone_is_known_again_in_other_letters_and_other_company() -> None:
    echoes = Echoes(["Remember: the violet heron nests by the mill."], ["Has *epilepsy*."])

    assert echoes.are_in(["You told me that THE VIOLET heron, nests by the mill, did you not?"])
    assert echoes.are_in(["`f1` has epilepsy (2026-01-05)"])
    assert not echoes.are_in(["the violet heron is no bird of mine", "epilepsy", "", "!"])
    assert Echoes(["住在东京都的河边小屋"], []).are_in(["你住在东京都的河边"])
    assert not Echoes([], []).are_in(["anything at all that anybody could ever say"])


def test_what_was_removed_adds_up() -> None:
    assert Removed(turns=3, facts=1) == Removed(turns=1, facts=1).plus(Removed(turns=2))


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("f2 f3", [("fact", "2"), ("fact", "3")]),
        ("f1, turn 3;F1", [("fact", "1"), ("turn", "3")]),
        ("f2", [("fact", "2")]),
        ("f2 and f3", [("words", "f2 and f3")]),
        ("tea f2 f3", [("words", "tea f2 f3")]),
        ("a", []),
    ],
)
def test_several_facts_and_turns_can_be_named(text: str, wishes: list[tuple[str, str]]) -> None:
    assert wishes == [(each.kind, each.text) for each in read_wishes(text)]


def test_words_are_found_with_accents_and_without() -> None:
    assert mentions(Wish(kind="words", text="zurich"), "Lives in Z\u00fcrich.")
    assert mentions(Wish(kind="words", text="Z\u00fcrich"), "zurich, in small letters")
    assert not mentions(Wish(kind="words", text="\u304b\u3099"), "\u304b")
