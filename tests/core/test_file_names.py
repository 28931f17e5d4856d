import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.files import MOST_NAME_CHARS, OutgoingFile, clean_file_name


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("report.md", "report.md"),
        ("Bericht für März.csv", "Bericht für März.csv"),
        ("報告.txt", "報告.txt"),
        ("/etc/passwd", "passwd"),
        ("..\\..\\evil.exe", "evil.exe"),
        (".bashrc", "bashrc"),
        ("a\nb\t c\0.txt", "ab c.txt"),
        ("photo_\u202egnp.exe", "photo_gnp.exe"),
        ("zero\u200bwidth.md", "zerowidth.md"),
        ('a<b>:"c|d?e*.md', "abcde.md"),
        ("half \ud83d a pair.md", "half a pair.md"),
        ("", "file"),
        ("../", "file"),
        ("...", "file"),
        ("x" * 200 + ".json", "x" * 95 + ".json"),
        ("x" * 200, "x" * 100),
        ("a." + "x" * 200, "a." + "x" * 98),
    ],
)
def test_names_that_any_system_can_keep(name: str, clean: str) -> None:
    assert clean == clean_file_name(name)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(codec=None), max_size=150))
def test_any_text_makes_a_name(text: str) -> None:
    name = clean_file_name(text)

    assert 1 <= len(name) <= MOST_NAME_CHARS
    assert not set(name) & set("/\\\n\0")
    assert name.encode()
    assert name == clean_file_name(name)


def test_a_file_shows_no_content() -> None:
    file = OutgoingFile(name="a.txt", media_type="text/plain", content=b"words")

    assert "words" not in repr(file)
