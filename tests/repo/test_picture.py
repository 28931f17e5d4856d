"""The README's picture: as the program shows it now, and read from a terminal without a mistake."""

import pytest

from scripts import picture
from scripts.picturing.drawing import draw
from scripts.picturing.screen import Screen, Span, Style


def test_the_picture_is_of_the_program_as_it_is() -> None:
    """Run scripts/picture.py when this fails."""
    if picture.is_another_model_here():
        pytest.skip("a model server on this machine would answer")

    assert picture.PICTURE.read_text(encoding="utf-8") == picture.make_picture()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("one\r\ntwo", ("one", "two")),
        ("abc\b\bX", ("aXc",)),
        ("abc\rX", ("Xbc",)),
        ("one\r\ntwo\x1b[A\x1b[2D!", ("o!e", "two")),
        ("one\r\ntwo\r\nthree\x1b[2A\r\x1b[J", ("",)),
        ("one two\x1b[4D\x1b[K", ("one",)),
        ("\x1b[2Cx", ("  x",)),
        ("\x1b[?25l\x1b[?2004hx\x1b[6n", ("x",)),
        ("茶茶\x1b[2Dx", ("茶x",)),
        ("12345678901", ("1234567890", "1")),
    ],
)
def test_a_screen_shows_what_was_written_last(written: str, shown: tuple[str, ...]) -> None:
    assert Screen(10).write(written).lines() == shown


def test_looks_are_told_apart() -> None:
    ((plain, loud),) = Screen().write("a \x1b[1;36;40mb\x1b[0m").rows()

    assert plain == Span(text="a ", column=0, width=2, style=Style())
    assert loud == Span(
        text="b", column=2, width=1, style=Style(is_bold=True, colour="cyan", ground="black")
    )


@pytest.mark.parametrize("written", ["\x1b[2J", "\x1b[5;5H", "\x1b[38;5;9mx", "\x07", "\x1b]0;x"])
def test_what_is_not_known_is_an_error(written: str) -> None:
    with pytest.raises(ValueError, match="not known"):
        Screen().write(written)


def test_signs_of_markup_are_drawn_as_such() -> None:
    rows = Screen().write("<a> & b").rows()

    assert ">&lt;a&gt; &amp; b</text>" in draw(rows, columns=80, title="", told='"<"')
