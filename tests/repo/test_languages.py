"""Everything that people in chats are told stands in every language, with the same values."""

import re
from collections.abc import Iterator
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from bot.languages import LANGUAGES
from scripts.texts import catalogue_path, compiled, sentences, untranslated, updated

TRANSLATED = LANGUAGES[1:]

_KEPT = re.compile(r"`[^`]*`|https?://\S+")
_SPACED = re.compile(r"\s[，。！？；：、]|[，。！？、]\s*[,.!?]")  # noqa: RUF001 - full-width marks


def catalogue_of(language: str) -> Catalog:
    with catalogue_path(language).open("rb") as file:
        return read_po(file)


def both(language: str) -> Iterator[tuple[str, str]]:
    """Give each sentence, of one with a plural the second form, beside all its translations."""
    for message in catalogue_of(language):
        if message.id:
            said = forms(message.id)[-1]
            yield from ((said, translated) for translated in forms(message.string))


def forms(said: object) -> tuple[str, ...]:
    return tuple(map(str, said)) if isinstance(said, tuple | list) else (str(said),)


def values_in(said: str) -> list[tuple[str, ...]]:
    """Give what a sentence names and how that is written; of one that is no pattern its braces.

    What is written part by part, as a date by its year and month, is named once.
    """
    try:
        found = [each[1:] for each in Formatter().parse(said) if each[1] is not None]
        whole = [(name or "", how or "", as_what or "") for name, how, as_what in found]
        parts = {(each[0].partition(".")[0], *each[1:]) for each in whole if "." in each[0]}
        return sorted([*(each for each in whole if "." not in each[0]), *parts])
    except ValueError:
        return [("no pattern", *re.findall(r"[{}]", said))]


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_are_as_the_code_has_it(language: str) -> None:
    path = catalogue_path(language)

    assert updated(language).decode() == path.read_text(encoding="utf-8"), "run scripts/texts.py"
    assert compiled(path.read_bytes()) == path.with_suffix(".mo").read_bytes()


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated(language: str) -> None:
    assert len(catalogue_of(language)) == len(set(sentences())) > 300
    assert [each.id for each in untranslated(catalogue_of(language))] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_name_the_same_values(language: str) -> None:
    wrong = [
        (said, translated)
        for said, translated in both(language)
        if values_in(said) != values_in(translated)
    ]

    assert wrong == []


def test_both_forms_of_a_plural_name_the_same_values() -> None:
    plurals = [each for each in sentences() if isinstance(each, tuple)]

    assert plurals
    assert [each for each in plurals if values_in(each[0]) != values_in(each[1])] == []


@pytest.mark.parametrize(
    "translated", ["{name:>9}", "{name!r}", "{name} {", "{name}}", "{name} {}", "{name} {name}", ""]
)
def test_a_value_that_is_written_otherwise_is_another_one(translated: str) -> None:
    assert values_in("hello {name}") == values_in("{name}, {{hello}}") != values_in(translated)


def test_a_date_may_be_written_part_by_part() -> None:
    assert values_in("{date}, {time}") == values_in("{time} {date.year}/{date.month}")
    assert values_in("{date}, {time}") != values_in("{time} {date.year:>4}/{date.month}")


@pytest.mark.parametrize("language", TRANSLATED)
def test_commands_and_addresses_stay_as_they_are(language: str) -> None:
    wrong = [
        (said, translated)
        for said, translated in both(language)
        if sorted(set(_KEPT.findall(said))) != sorted(set(_KEPT.findall(translated)))
    ]

    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_marks_of_emphasis_stay_in_pairs(language: str) -> None:
    wrong = [
        (said, translated)
        for said, translated in both(language)
        if said.count("*") != translated.count("*") or _SPACED.search(translated)
    ]

    assert wrong == []
