"""What files bring into a request ends where its block ends, and has no more room than it may."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.brought import (
    NO_ROOM,
    Brought,
    Excerpt,
    Reading,
    Unreadable,
    blocks_of,
    with_room,
)
from bot.core.files import Attachment, label_of, remark_on, size_in_words
from bot.core.messages import Image, Text
from bot.core.tokens import IMAGE_TOKENS

PLAN = Attachment(
    kind="document", name="plan.pdf", media_type="application/pdf", handle="h", size_bytes=34_000
)
PICTURE = Image(media_type="image/png", data="QUJD")
READINGS: st.SearchStrategy[Reading] = st.one_of(
    st.just(PICTURE),
    st.builds(Unreadable, why=st.just("it is damaged")),
    st.builds(Excerpt, text=st.text("ab `\n", max_size=400), left_out_chars=st.integers(0, 9)),
)


def brought(*readings: Reading) -> tuple[Brought, ...]:
    return tuple(Brought(attachment=PLAN, reading=reading) for reading in readings)


def said(reading: Reading) -> str:
    (block,) = blocks_of(Brought(attachment=PLAN, reading=reading))
    assert isinstance(block, Text)
    return block.text


def test_each_reading_is_a_block() -> None:
    assert blocks_of(*brought(PICTURE)) == (PICTURE,)
    assert "[document: plan.pdf, 34 KB: it is damaged]" == said(Unreadable(why="it is damaged"))
    assert "[document: plan.pdf, 34 KB: its text follows]\n```\nwords\n```" == said(
        Excerpt(text="words")
    )
    assert (
        "[document: plan.pdf, 34 KB: its text follows; pages 1 to 3 of 9; 12 345 more characters "
        "are left out]\n```\nwords\n```"
    ) == said(Excerpt(text="words", left_out_chars=12_345, note="pages 1 to 3 of 9"))


@given(st.text("`~ ab\n", max_size=60))
def test_no_document_gets_out_of_its_fence(text: str) -> None:
    heading, fence, *lines, end = said(Excerpt(text=text)).split("\n")

    assert heading == "[document: plan.pdf, 34 KB: its text follows]"
    assert fence == end
    assert set(fence) == {"`"}
    assert all(fence not in line for line in lines)
    assert "\n".join(lines) == text.strip("\n")


@given(st.lists(READINGS, max_size=8), st.integers(0, 6_000))
def test_all_files_together_fit(readings: list[Reading], room: int) -> None:
    fitted = with_room(brought(*readings), room, len)

    tokens = sum(
        IMAGE_TOKENS if isinstance(each.reading, Image) else len(each.reading.text)
        for each in fitted
        if not isinstance(each.reading, Unreadable)
    )
    assert tokens <= room
    assert len(fitted) == len(readings)
    for each, before in zip(fitted, readings, strict=True):
        if isinstance(each.reading, Excerpt):
            assert isinstance(before, Excerpt)
            assert before.text.startswith(each.reading.text)
            gone = len(before.text) - len(each.reading.text)
            assert gone == each.reading.left_out_chars - before.left_out_chars


def test_short_documents_stay_whole_beside_a_long_one() -> None:
    short, long = Excerpt(text="a" * 50), Excerpt(text="b" * 5_000)

    kept, cut, picture = (
        each.reading for each in with_room(brought(short, long, PICTURE), 2_800, len)
    )

    assert (kept, picture) == (short, PICTURE)
    assert isinstance(cut, Excerpt)
    assert 900 < len(cut.text) < 1_100
    assert cut.left_out_chars == 5_000 - len(cut.text)


def test_pictures_beyond_the_room_are_named() -> None:
    fitted = with_room(brought(*[PICTURE] * 4), 2 * IMAGE_TOKENS + 200, len)

    assert [each.reading for each in fitted] == [PICTURE] * 2 + [Unreadable(why=NO_ROOM)] * 2


def test_what_fits_comes_back_equal() -> None:
    whole = brought(Excerpt(text="words", note="a note"), PICTURE, Unreadable(why="no"))

    assert with_room(whole, 10_000, len) == whole


@given(st.text(max_size=300))
def test_a_name_is_a_name_on_one_line(name: str) -> None:
    attachment = Attachment(kind="sound", name=name, media_type="", handle="h")
    label, remark = label_of(attachment), remark_on(attachment, "why")

    assert label.startswith("[sound")
    assert len(label.splitlines()) == len(remark.splitlines()) == 1
    assert (label.count("["), label.count("]"), label[-1]) == (1, 1, "]")
    assert len(label) < 120


def test_labels() -> None:
    nameless = Attachment(kind="picture", name=" ", media_type="", handle="h")
    long = Attachment(kind="document", name="a" * 300 + ".tar.gz", media_type="", handle="h")

    assert label_of(nameless) == "[picture]"
    assert label_of(PLAN) == "[document: plan.pdf]"
    assert label_of(long).endswith("…aaaaa.tar.gz]")
    assert [size_in_words(n) for n in (0, 999, 1_000, 34_000, 1_240_000, 999_600, 20_000_000)] == [
        *("0 bytes", "999 bytes", "1.0 KB", "34 KB", "1.2 MB", "1.0 MB", "20 MB")
    ]
