"""What changing a message means, and what follows of it."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.chat import ChatAddress, InboundDeletion, InboundEdit, InboundMessage, Sender
from bot.core.edits import (
    BEHIND_ALL_EDITS,
    EXCHANGED,
    Change,
    Correction,
    Meaning,
    Place,
    Standing,
    change_of,
    changed_message,
    files_mark,
    meaning_of,
    merged,
    note_of,
    now_reads,
    rewritten,
)
from bot.core.files import Attachment
from bot.core.lifecycle import Route, compose_request, with_files
from bot.core.looking_back import LEAD
from bot.core.memory.audience import audience_of
from bot.core.memory.daily import with_entries
from bot.core.memory.jobs import MemoryEntry
from bot.core.messages import ContentBlock, Image, Text, user_text
from bot.core.rewriting import Rewriting, amended, rederived
from bot.core.turns import Turn, TurnId
from bot.core.window.conversation import Cut, KeyPoints, Summary
from bot.core.window.notes import DELETED, is_note
from bot.testing.clock import START

HERE = ChatAddress(channel="telegram", account="77", chat="1001")
PICTURE = Image(media_type="image/png", data="QUJD")
DAY = date(2026, 1, 5)
EARLIER, LATER = START - timedelta(minutes=1), START + timedelta(minutes=1)
WORDS = st.text(st.sampled_from("ab \n“[é\ud800"), max_size=12)


def message(text: str = "hello", number: int = 1) -> InboundMessage:
    return InboundMessage(
        event_id=f"message:1001:{number}",
        address=HERE,
        kind="private",
        sender=Sender(channel="telegram", user_id="1001", name="Ann"),
        message_id=str(number),
        text=text,
        is_addressed=True,
        sent_at=EARLIER,
    )


def edit(text: str, at: datetime = START) -> Change:
    new = message(text)
    return change_of(InboundEdit(event_id="edit", message=new, edited_at=at))


DELETION = change_of(
    InboundDeletion(
        event_id="gone", address=HERE, message_id="1", message_event_id=message().event_id
    )
)


def turn(number: int, text: str = "hello", revision: int = 1) -> Turn:
    return Turn(
        id=TurnId(number),
        session_key=HERE.session_key,
        request=user_text(text),
        started_at=START,
        outcome="answered",
        revision=revision,
    )


@pytest.mark.parametrize("change", [edit("new"), DELETION])
@pytest.mark.parametrize("route", get_args(Route))
@pytest.mark.parametrize("place", get_args(Place))
@pytest.mark.parametrize("has_turn", [True, False])
@pytest.mark.parametrize("changed_at", [None, EARLIER, START, LATER, BEHIND_ALL_EDITS])
def test_a_change_means_something_by_where_its_message_stands(
    change: Change, route: Route, place: Place, *, has_turn: bool, changed_at: datetime | None
) -> None:
    standing = Standing(place=place, route=route, has_turn=has_turn, changed_at=changed_at)
    of_place: dict[Place, Meaning] = {"waiting": "waiting", "claimed": "running"}
    expected: Meaning = of_place.get(place, "ended" if has_turn else "nothing")
    is_late = changed_at is not None and (
        changed_at > change.moment or changed_at == BEHIND_ALL_EDITS
    )
    if route != "turn" or is_late or place == "set_aside":
        expected = "nothing"

    assert {expected} == {meaning_of(change, standing, is_for_bot=each) for each in (True, False)}


@pytest.mark.parametrize(
    ("change", "is_for_bot", "meaning"),
    [
        (edit("new"), True, "message"),
        (edit("new"), False, "nothing"),
        (DELETION, True, "nothing"),
        (DELETION, False, "nothing"),
    ],
)
def test_of_what_nobody_knew_only_an_edit_for_the_bot_counts(
    change: Change, meaning: Meaning, *, is_for_bot: bool
) -> None:
    assert meaning_of(change, None, is_for_bot=is_for_bot) == meaning


def test_what_waits_keeps_its_identity() -> None:
    note = Attachment(kind="document", name="a.txt", media_type="text/plain", handle="h")
    before = replace(message(), attachments=(note,), quoted="what?", album="7", is_named=False)

    after = changed_message(before, edit("new"))
    gone = changed_message(before, DELETION)

    assert after == replace(before, text="new", attachments=(), quoted="")
    assert gone == replace(before, text=DELETED, attachments=(), quoted="")


@given(
    texts=st.lists(WORDS, min_size=1, max_size=4),
    files=st.lists(st.integers(0, 2), min_size=4, max_size=4),
    changes=st.lists(st.tuples(st.integers(0, 3), st.none() | WORDS), max_size=6),
    has_note=st.booleans(),
)
def test_a_request_is_as_if_written_so(
    texts: list[str],
    files: list[int],
    changes: list[tuple[int, str | None]],
    *,
    has_note: bool,
) -> None:
    """Whatever is changed in whatever order, one message at a time: nothing else moves."""
    first = int(has_note)
    note = (Text(text="[Meanwhile: so.]"),) * first
    messages = [message(text, number) for number, text in enumerate(texts)]
    brought = [(PICTURE,) * count for count in files[: len(texts)]]
    request = compose_request(tuple(messages))
    request = replace(request, blocks=(*note, *request.blocks))
    request, places = with_files(request, tuple(brought), first)

    for index, text in changes:
        if index >= len(texts):
            continue
        new = None if text is None else replace(messages[index], text=text)
        change = Change(event_id="", message=new, moment=START)
        request, places = rewritten(request, places, index, change)
        if new is None:
            messages[index], brought[index] = message(DELETED), ()
        else:
            messages[index] = new

    expected = compose_request(tuple(messages))
    expected = replace(expected, blocks=(*note, *expected.blocks))
    assert (request, places) == with_files(expected, tuple(brought), first)


def sent(handle: str, name: str = "", size_bytes: int = 7) -> Attachment:
    return Attachment(
        kind="picture", name=name, media_type="", handle=handle, size_bytes=size_bytes
    )


TALK = Text(text=f"{LEAD}\n> Bob: shall we?")


@pytest.mark.parametrize("knows_mark", [True, False])
@pytest.mark.parametrize(
    ("new", "behind"),
    [
        ((sent("other handle", "a.png"),), (TALK, PICTURE)),
        (
            (sent("h", "b.png"),),
            (TALK, Text(text=f"[picture: b.png, 7 bytes: {EXCHANGED}]")),
        ),
    ],
)
def test_what_other_files_brought_does_not_stay(
    new: tuple[Attachment, ...], behind: tuple[ContentBlock, ...], *, knows_mark: bool
) -> None:
    before, after = (
        replace(message("look"), attachments=files) for files in ((sent("h", "a.png"),), new)
    )
    request, _ = with_files(compose_request((before,)), ((TALK, PICTURE),))
    mark = files_mark(before) if knows_mark else None
    change = Change(event_id="", message=after, moment=START)

    changed, places = rewritten(request, (0,), 0, change, mark)

    assert changed.blocks == (*compose_request((after,)).blocks, *behind)
    assert places == (0,)


def test_a_picture_without_a_name_is_known_by_its_size() -> None:
    before, same, other = (
        replace(message("look"), attachments=(sent("h", size_bytes=size),)) for size in (7, 7, 8)
    )
    assert files_mark(before) == files_mark(same) != files_mark(other)
    assert files_mark(message("look")) is None


def test_where_nothing_was_brought_nothing_is_remarked() -> None:
    """A turn whose files are being fetched still gets them."""
    before, after = (
        replace(message("look"), attachments=(sent("h", name),)) for name in ("a.png", "b.png")
    )
    change = Change(event_id="", message=after, moment=START)
    changed, _ = rewritten(compose_request((before,)), (0,), 0, change, files_mark(before))
    assert changed == compose_request((after,))


@given(st.lists(WORDS.filter(bool), min_size=2, max_size=6))
def test_corrections_of_one_message_are_told_as_one(versions: list[str]) -> None:
    told: tuple[Correction, ...] = ()
    for before, after in pairwise(versions):
        if before != after:
            told = merged(told, Correction(before=before, after=after))

    first, last = versions[0], versions[-1]
    assert told == (() if first == last else (Correction(before=first, after=last),))

    gone = merged(told, Correction(before=last, after=""))
    assert gone == (Correction(before="", after=""),)


def test_other_corrections_stay() -> None:
    other = Correction(before="x", after="y")
    told = merged((other,), Correction(before="a", after="b"))

    assert merged(told, Correction(before="b", after="")) == (
        other,
        Correction(before="", after=""),
    )


def test_a_note_tells_what_was_changed_and_not_what_was_deleted() -> None:
    (note,) = note_of(
        (Correction(before="at three", after="at\nfour"), Correction(before="", after=""))
    )

    assert note.text == (
        "[Meanwhile: “at three” now reads “at four”; a message was deleted by its author.]"
    )
    assert is_note(note.text)
    assert is_note(DELETED)
    assert note_of(()) == ()


def test_a_long_beginning_that_is_the_same_is_left_out() -> None:
    said = "word " * 100
    told = now_reads(Correction(before=f"{said}at three", after=f"{said}at four"))

    assert len(told) < 100
    assert "at three” now reads “" in told
    assert told.endswith("at four”")


@given(WORDS, WORDS)
@settings(max_examples=50)
def test_a_correction_is_one_line_that_can_be_written(before: str, after: str) -> None:
    told = now_reads(Correction(before=before * 60, after=after * 60))

    assert len(told.splitlines()) == 1
    told.encode()


SUMMARY = Summary(
    version=3,
    generation=0,
    through=TurnId(4),
    overview="They spoke of an old plan.",
    key_points=(KeyPoints(turn_id=TurnId(4), information=("ORDER-4711 is late",)),),
    pinned=("ORDER-4711",),
    made_at=START,
)
CUT = Cut(kept_from=TurnId(7), cleared_before=TurnId(2), summary_version=3, digest="[of 5 and 6]")


def rewriting(number: int, before: str, after: str) -> Rewriting:
    now = turn(number, after or DELETED)
    return Rewriting(turn=now, correction=Correction(before=before, after=after), at=LATER)


@pytest.mark.parametrize("number", [1, 7, 9])
@pytest.mark.parametrize("after", ["new", ""])
def test_what_did_not_leave_or_was_cleared_changes_nothing(number: int, after: str) -> None:
    assert rederived(CUT, SUMMARY, rewriting(number, "old", after), ()) == (CUT, SUMMARY)


def test_an_edit_is_dated_in_the_summary() -> None:
    left = tuple(turn(number, f"words {number}") for number in (5, 6))
    change = rewriting(4, "about ORDER-4711", "about ORDER-5000")

    cut, summary = rederived(CUT, SUMMARY, change, left)

    assert summary is not None
    assert summary.key_points[0].information == (
        "ORDER-4711 is late",
        "changed on 2026-01-05: “about ORDER-4711” now reads “about ORDER-5000”",
    )
    assert summary.pinned == ("ORDER-5000",)
    assert "ORDER-4711" not in cut.digest
    assert "words 6" in cut.digest
    assert cut.summary_version == 3


def test_a_deletion_of_a_turn_in_the_overview_takes_the_summary_away() -> None:
    """Also when a correction of it was noted since."""
    _, corrected = rederived(CUT, SUMMARY, rewriting(2, "an old plan", "a new plan"), ())
    left = (*(turn(number, f"words {number}") for number in (3, 4, 5, 6)),)

    cut, summary = rederived(CUT, corrected, rewriting(2, "a new plan", ""), left)

    assert summary is None
    assert cut.summary_version == 0
    assert all(f"words {number}" in cut.digest for number in (3, 4, 5, 6))


def test_a_digest_of_what_waits_for_its_summary_says_what_is_said_now() -> None:
    left = (turn(5, "at four"), turn(6, "and then?"))

    cut, summary = rederived(CUT, SUMMARY, rewriting(5, "at three", "at four"), left)

    assert summary == SUMMARY
    assert "at four" in cut.digest


def entry(text: str, revision: int = 0, moment: datetime = START) -> MemoryEntry:
    return MemoryEntry(
        turn_id=TurnId(4),
        moment=moment,
        audience=audience_of(HERE.session_key, "private"),
        day=DAY,
        text=text,
        revision=revision,
    )


def test_a_correction_in_a_daily_file_is_added_to_it() -> None:
    first = entry("- 09:00 known: at three\n- open: where?")
    other = replace(first, turn_id=TurnId(5), text="- 09:10 known: rain")
    text = with_entries("", DAY, (first, other)) + "\nmy own words\n"
    change = rewriting(4, "at three", "at four")

    line = amended(replace(first, text=""), change, is_written=True)
    again = amended(replace(line, text=""), change, is_written=True)

    assert line.text == "- changed on 2026-01-05: “at three” now reads “at four”"
    assert len({first.moment, line.moment, again.moment}) == 3
    changed = with_entries(text, DAY, (line,))
    assert changed.startswith(text)
    assert with_entries(changed, DAY, (line,)) == changed


def test_a_deletion_takes_all_entries_of_its_turn_away() -> None:
    """What a person wrote stays, and so does the time of the turn; however often it is done."""
    first = entry("- 09:00 known: a secret\n- open: where?")
    line = amended(replace(first, text=""), rewriting(4, "a secret", "b"), is_written=True)
    other = replace(first, turn_id=TurnId(5), text="- 09:10 known: rain")
    text = "my own words\n\n" + with_entries("", DAY, (first, other, line)) + "\nmore of mine\n"

    instead = amended(replace(line, text=""), rewriting(4, "b", ""), is_written=True)
    changed = with_entries(text, DAY, (instead,))

    assert "secret" not in changed
    assert "- open: where?" not in changed
    assert f"- 09:00 known: asked: {DELETED}" in changed
    assert changed.count("<!-- turn 4 ") == 1
    assert changed.startswith("my own words\n\n")
    assert changed.endswith("\n\nmore of mine\n")
    assert "- 09:10 known: rain" in changed
    assert with_entries(changed, DAY, (instead,)) == changed


def test_what_is_not_in_its_file_yet_is_put_there_whole() -> None:
    first = entry("- 09:00 known: at three")

    corrected = amended(first, rewriting(4, "at three", "at four"), is_written=False)
    both = amended(corrected, rewriting(4, "at four", "at five"), is_written=False)
    gone = amended(both, rewriting(4, "at five", ""), is_written=False)

    assert corrected.text.split("\n")[0] == "- 09:00 known: at three"
    assert len(both.text.split("\n")) == 3
    assert both.moment == START
    assert gone.text.startswith("- 09:00 known: asked: ")
    assert with_entries(with_entries("", DAY, (first,)), DAY, (gone,)) == with_entries(
        "", DAY, (gone,)
    )
