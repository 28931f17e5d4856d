"""Sentences are said in the language of whoever reads them."""

import asyncio

import pytest

from bot.languages import LANGUAGES, Language, gettext, language_of, ngettext, speaking, spoken
from bot.runtime.supervisor import Supervisor


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("zh", "zh"),
        ("zh-hans", "zh"),
        ("zh-Hant-TW", "zh"),
        ("zh_CN", "zh"),
        ("ja", "ja"),
        ("ja-JP", "ja"),
        ("JA", "ja"),
        ("en-GB", "en"),
        ("de", "en"),
        ("jam", "en"),
        ("", "en"),
        ("-", "en"),
    ],
)
def test_a_tag_chooses_a_language(tag: str, language: Language) -> None:
    assert language_of(tag) == language


def test_english_is_spoken_unless_something_else_is() -> None:
    with speaking("ja"):
        with speaking("zh"):
            assert spoken() == "zh"
        assert spoken() == "ja"
    assert spoken() == "en"


def test_another_language_ends_with_its_block_however_that_ends() -> None:
    with pytest.raises(LookupError), speaking("ja"):
        raise LookupError

    assert spoken() == "en"


def test_values_stand_where_the_sentence_names_them() -> None:
    assert gettext("no such {thing}", thing="{x}") == "no such {x}"


def test_a_sentence_without_values_keeps_its_braces() -> None:
    assert gettext('write `{"a": {}}`') == 'write `{"a": {}}`'


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_said_as_nothing(language: Language) -> None:
    with speaking(language):
        assert gettext("") == ""


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_nothing_is_said_of_nothing(language: Language) -> None:
    with speaking(language):
        assert gettext("") == ""


@pytest.mark.parametrize(("count", "said"), [(0, "0 things"), (1, "1 thing"), (2, "2 things")])
def test_english_has_a_plural(count: int, said: str) -> None:
    assert ngettext("{count} thing", "{count} things", count) == said


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_what_is_not_translated_is_said_in_english(language: Language) -> None:
    with speaking(language):
        assert gettext("no such {thing}", thing="sentence") == "no such sentence"
        assert ngettext("{count} no such", "{count} no suches", 2) == "2 no suches"


async def test_work_beside_an_answer_does_not_speak_its_language() -> None:
    heard: list[Language] = []

    async def listen() -> None:
        heard.append(spoken())

    async with Supervisor() as supervisor:
        with speaking("ja"):
            await supervisor.spawn("other work", listen())
            await asyncio.create_task(listen())

    assert heard == ["en", "ja"]
